import { describe, expect, it } from 'vitest';
import { keep, type Kept } from './kept';

interface Entry {
    agent: { session: string };
    at: number;
}
const entries = (names: string, at = 0): Entry[] => [...names].map((session) => ({ agent: { session }, at }));
/** Writes a section down: what is gone in parentheses. */
const shown = (kept: readonly Kept<Entry>[]) =>
    kept.map(({ entry, gone }) => (gone ? `(${entry.agent.session})` : entry.agent.session)).join('');

describe('a section of the inbox', () => {
    it('keeps its order, and appends what is new', () => {
        const before = keep([], entries('abc'), false);
        expect(shown(keep(before, entries('dcba'), false))).toBe('abcd');
    });

    it('keeps the place of what left while a person points there', () => {
        const before = keep([], entries('abc'), false);
        const pointed = keep(before, entries('cd'), true);
        expect(shown(pointed)).toBe('(a)(b)cd');
        expect(shown(keep(pointed, entries('cad'), true))).toBe('a(b)cd');
        expect(shown(keep(pointed, entries('cd'), false))).toBe('cd');
    });

    it('shows each entry as it is now', () => {
        const before = keep([], entries('ab', 1), false);
        expect(keep(before, entries('ba', 2), true).map(({ entry }) => entry.at)).toEqual([2, 2]);
    });
});
