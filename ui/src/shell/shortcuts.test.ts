import { describe, expect, it } from 'vitest';
import { applies, KeyReader, SHORTCUTS, shownKeys, TOGETHER_MS, type Place, type Press } from './shortcuts';

const INBOX: Place = { section: 'inbox', agent: false, busy: false };
const AGENT: Place = { section: 'agents', agent: true, busy: false };

function press(key: string, more: Partial<Press> = {}): Press {
    return { key, mod: false, other: false, inText: false, ...more };
}

describe('shortcuts', () => {
    it('have an id, words and keys of their own', () => {
        expect(new Set(SHORTCUTS.map(({ id }) => id)).size).toBe(SHORTCUTS.length);
        // In two sections, a key may do two things.
        const keys = SHORTCUTS.flatMap(({ keys, when }) => keys.map((key) => `${when} ${key}`));
        expect(new Set(keys).size).toBe(keys.length);
        const everywhere = SHORTCUTS.filter(({ when }) => when === 'anywhere').flatMap((each) => each.keys);
        for (const { when, keys } of SHORTCUTS)
            if (when !== 'anywhere') expect(keys.filter((key) => everywhere.includes(key))).toEqual([]);
        for (const { words } of SHORTCUTS) expect(words).not.toBe('');
    });

    it('are read where they apply', () => {
        const reader = new KeyReader();
        expect(reader.take(press('j'), INBOX, 0)?.id).toBe('entry-next');
        expect(reader.take(press('m'), INBOX, 0)).toBeUndefined();
        expect(reader.take(press('j'), AGENT, 0)?.id).toBe('next');
        expect(reader.take(press('?'), INBOX, 0)?.id).toBe('help');
        expect(reader.take(press('.'), AGENT, 0)).toBeUndefined();
        expect(reader.take(press('.'), { ...AGENT, busy: true }, 0)?.id).toBe('stop');
    });

    it('leave text alone, unless a modifier says that they are meant', () => {
        const reader = new KeyReader();
        expect(reader.take(press('j', { inText: true }), AGENT, 0)).toBeUndefined();
        expect(reader.take(press('1', { inText: true, mod: true }), AGENT, 0)?.id).toBe('go:inbox');
        expect(reader.take(press('j', { other: true }), AGENT, 0)).toBeUndefined();
    });

    it('are two keys in a row, if they come soon after each other', () => {
        const reader = new KeyReader();
        expect(reader.take(press('g'), INBOX, 0)).toBeUndefined();
        expect(reader.take(press('a'), INBOX, TOGETHER_MS)?.id).toBe('go:agents');
        reader.take(press('g'), INBOX, 0);
        expect(reader.take(press('a'), INBOX, TOGETHER_MS + 1)).toBeUndefined();
        reader.take(press('g'), INBOX, 0);
        reader.take(press('x'), INBOX, 1);
        expect(reader.take(press('a'), INBOX, 2)).toBeUndefined();
    });

    it('leave what a part of the page handles to it', () => {
        expect(new KeyReader().take(press('Enter'), AGENT, 0)).toBeUndefined();
        const [enter] = SHORTCUTS.filter(({ id }) => id === 'send');
        expect(enter && applies(enter, AGENT)).toBe(true);
    });

    it('are shown as the keyboard names them', () => {
        expect(shownKeys('Mod+k', false)).toEqual(['Ctrl', 'k']);
        expect(shownKeys('Mod+k', true)).toEqual(['⌘', 'k']);
        expect(shownKeys('g i', false)).toEqual(['g', 'i']);
        expect(shownKeys('?', false)).toEqual(['?']);
    });
});
