import { expect, it } from 'vitest';
import type { Ask, ThreadEvent } from '../lib/wire';
import { placed } from './placed';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const event = (second: number) => ({ id: `e${second}`, ts: at(second) }) as ThreadEvent;
const ask = (second: number) => ({ hash: `a${second}`, since: at(second) }) as Ask;
const keys = (events: number[], asks: number[], newer = false) =>
    placed(events.map(event), asks.map(ask), newer).map(({ key }) => key);

it('puts requests where they were made, in their order', () => {
    expect(keys([1, 5, 9], [6, 2, 3])).toEqual(['e1', 'a2', 'a3', 'e5', 'a6', 'e9']);
    expect(keys([1, 5], [5, 7])).toEqual(['e1', 'e5', 'a5', 'a7']);
});

it('leaves out those whose place is not here', () => {
    expect(keys([5, 9], [1, 6, 10], true)).toEqual(['e5', 'a6', 'e9']);
    expect(keys([], [1])).toEqual(['a1']);
});
