import { describe, expect, it } from 'vitest';
import { LONGEST_TEXT } from '../lib/limits';
import { Drafts, MOST, type Store } from './drafts';

class Memory implements Store {
    readonly all = new Map<string, string>();
    /** How many characters it takes. */
    room = Infinity;
    get length(): number {
        return this.all.size;
    }
    key = (at: number) => [...this.all.keys()][at] ?? null;
    getItem = (key: string) => this.all.get(key) ?? null;
    setItem = (key: string, value: string) => {
        const others = [...this.all].filter(([other]) => other !== key);
        const used = others.reduce((sum, [, kept]) => sum + kept.length, 0);
        if (used + value.length > this.room) throw new DOMException('full', 'QuotaExceededError');
        this.all.set(key, value);
    };
    removeItem = (key: string) => void this.all.delete(key);
}

const make = () => {
    const store = new Memory();
    let now = 0;
    return {
        store,
        drafts: new Drafts(
            () => store,
            () => (now += 1),
        ),
    };
};

describe('drafts', () => {
    it('are kept for each agent until they are sent', () => {
        const { store, drafts } = make();
        drafts.set('a', 'half a sen');
        drafts.set('b', 'other');
        expect([drafts.get('a'), drafts.get('b'), drafts.get('c')]).toEqual(['half a sen', 'other', '']);
        drafts.set('a', '');
        expect(drafts.get('a')).toBe('');
        expect(store.length).toBe(1);
    });

    it('are bounded, and others of the page stay', () => {
        const { store, drafts } = make();
        store.setItem('paseo.theme', 'dark');
        store.setItem('paseo.draft.broken', '{');
        for (let agent = 0; agent < MOST + 5; agent++) drafts.set(`${agent}`, 'x');
        expect(store.length).toBe(MOST + 1);
        expect([drafts.get('4'), drafts.get('5'), drafts.get('broken')]).toEqual(['', 'x', '']);
        drafts.set('5', 'x'.repeat(LONGEST_TEXT + 1));
        expect(drafts.get('5')).toBe('');
    });

    it('are as long as the field takes', () => {
        const { drafts } = make();
        drafts.set('a', 'x'.repeat(LONGEST_TEXT));
        expect(drafts.get('a')).toHaveLength(LONGEST_TEXT);
    });

    it('make room for the one that is written, the oldest first', () => {
        const { store, drafts } = make();
        store.setItem('paseo.theme', 'dark');
        for (const agent of ['a', 'b', 'c']) drafts.set(agent, agent.repeat(100));
        store.room = 400;
        drafts.set('d', 'd'.repeat(200));
        expect(['a', 'b', 'c', 'd'].map((agent) => drafts.get(agent).length)).toEqual([0, 0, 100, 200]);
        // One for which there is no room at all stays what it was, and nothing else is lost.
        drafts.set('d', 'd'.repeat(1000));
        expect(['c', 'd'].map((agent) => drafts.get(agent).length)).toEqual([100, 200]);
        expect(store.getItem('paseo.theme')).toBe('dark');
    });

    it('need no store', () => {
        const drafts = new Drafts(() => {
            throw new Error('not allowed');
        });
        drafts.set('a', 'x');
        expect(drafts.get('a')).toBe('');
    });
});
