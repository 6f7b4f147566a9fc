import { expect, it } from 'vitest';
import { reused } from './reused';

it('keeps what did not change, and nothing else', () => {
    const before = [
        { id: 'a', deps: ['b'] },
        { id: 'b', deps: [] },
    ];
    const now = [
        { id: 'b', deps: [] },
        { id: 'a', deps: ['c'] },
        { id: 'c', deps: [] },
    ];
    const all = reused(before, now);
    expect(all).toEqual(now);
    expect(all[0]).toBe(before[1]);
    expect(all[1]).toBe(now[1]);
});
