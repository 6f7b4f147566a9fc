import { describe, expect, it } from 'vitest';
import { shelve, swept, type Shelved } from './shelf';

interface Entry {
    key: string;
}
const asks = (keys: string): Entry[] => [...keys].map((key) => ({ key }));
/** Writes a list down: what is not open any more in parentheses. */
const shown = (shelf: readonly Shelved<Entry>[]) =>
    shelf.map(({ entry, open }) => (open ? entry.key : `(${entry.key})`)).join('');

describe('the list of requests', () => {
    it('appends what is new, wherever the daemon lists it', () => {
        const first = shelve([], asks('bc'));
        expect(shown(first)).toBe('bc');
        expect(shown(shelve(first, asks('abcd')))).toBe('bcad');
    });

    it('keeps the places of what was decided until it is swept', () => {
        let shelf = shelve([], asks('abc'));
        shelf = shelve(shelf, asks('c'));
        expect(shown(shelf)).toBe('(a)(b)c');
        shelf = shelve(shelf, asks('cd'));
        expect(shown(shelf)).toBe('(a)(b)cd');
        expect(shown(swept(shelf))).toBe('cd');
    });

    it('is empty when nothing is open, unless something is to be kept', () => {
        const shelf = shelve([], asks('ab'));
        expect(shelve(shelf, [])).toEqual([]);
        expect(shown(shelve(shelf, [], ({ key }) => key === 'a'))).toBe('(a)(b)');
    });

    it('leaves an entry alone that did not change', () => {
        const shelf = shelve([], asks('ab'));
        expect(shelve(shelf, asks('b'))[1]).toBe(shelf[1]);
    });

    it('has an end', () => {
        const full = shelve([], asks('abcd'), undefined, 3);
        expect(shown(full)).toBe('abc');
        expect(shown(shelve(full, asks('abcde'), undefined, 3))).toBe('abc');
    });

    it('never hides an open one behind those that were decided', () => {
        let shelf: readonly Shelved<Entry>[] = [];
        for (const open of ['abcdef', 'cdef', 'ef', 'efg']) shelf = shelve(shelf, asks(open), undefined, 3);
        expect(shown(shelf)).toBe('(a)(b)(c)(d)efg');
        expect(shown(shelve(shelf, asks('efgh'), undefined, 3))).toBe('(a)(b)(c)(d)efg');
        // One that comes back is open again, and none beside it is hidden for that.
        expect(shown(shelve(shelf, asks('aefg'), undefined, 3))).toBe('a(b)(c)(d)efg');
    });

    it('shows again what comes back', () => {
        const shelf = shelve(shelve([], asks('ab')), asks('b'));
        expect(shown(shelve(shelf, asks('ab')))).toBe('ab');
    });
});
