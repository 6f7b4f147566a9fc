import { describe, expect, it } from 'vitest';
import type { Item, ItemPage } from '../lib/wire';
import {
    EMPTY,
    FORGOTTEN,
    fromMiddle,
    fromPage,
    hasNewer,
    holds,
    trimmed,
    WINDOW,
    withItem,
    withNewer,
    withOlder,
} from './window';

const item = (ordinal: number) =>
    ({ id: `i${ordinal}`, ordinal, kind: 'assistant_text', fields: {} }) as Item;
const items = (from: number, to: number) =>
    Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => item(from + at));
const page = (from: number, to: number, more: Partial<ItemPage> = {}): ItemPage => ({
    seq: 0,
    items: items(from, to),
    earlier: from > 1 ? from : null,
    next: null,
    ...more,
});
const ordinals = (window: { items: readonly Item[] }) => window.items.map((item) => item.ordinal);

describe('ItemWindow', () => {
    it('appends the next item and drops what it has', () => {
        let window = fromPage(page(1, 3), EMPTY);
        for (const ordinal of [3, 4, 2, 4, 5]) window = withItem(window, item(ordinal));
        expect(ordinals(window)).toEqual([1, 2, 3, 4, 5]);
        expect(hasNewer(window)).toBe(false);
    });

    it('may begin in the middle, and knows that there is more at both ends', () => {
        const window = fromPage(page(401, 500, { next: 500 }), fromPage(page(901, 1000), EMPTY));
        expect(ordinals(window)).toEqual(ordinals({ items: items(401, 500) }));
        expect(window.older).toBe(true);
        expect(hasNewer(window)).toBe(true);
        expect(hasNewer(fromPage(page(401, 500, { next: 500 }), EMPTY))).toBe(true);
        expect(hasNewer(fromPage(page(401, 500), EMPTY))).toBe(false);
    });

    it('never has a hole: an item that is too far ahead waits', () => {
        let window = withItem(fromPage(page(1, 3), EMPTY), item(6));
        expect(ordinals(window)).toEqual([1, 2, 3]);
        expect(hasNewer(window)).toBe(true);
        window = withNewer(window, page(4, 5));
        expect(ordinals(window)).toEqual([1, 2, 3, 4, 5, 6]);
        expect(hasNewer(window)).toBe(false);
    });

    it('knows of items that came while the first page was read', () => {
        const window = fromPage(page(1, 3), withItem(EMPTY, item(5)));
        expect(hasNewer(window)).toBe(true);
        expect(ordinals(withItem(window, item(4)))).toEqual([1, 2, 3, 4, 5]);
    });

    it('is the same whatever way the items come', () => {
        for (let seed = 1; seed <= 200; seed++) {
            let state = seed;
            const random = (below: number) => (state = (state * 48271) % 2147483647) % below;
            let window = fromPage(page(5, 10), EMPTY);
            for (let step = 0; step < 60; step++) {
                if (random(3) > 0) window = withItem(window, item(1 + random(30)));
                else if (hasNewer(window)) {
                    const end = window.items.at(-1)!.ordinal;
                    window = withNewer(
                        window,
                        page(end - random(3), Math.min(end + 1 + random(4), window.newest)),
                    );
                }
                const first = window.items[0]!.ordinal;
                expect(ordinals(window)).toEqual(
                    ordinals({ items: items(first, window.items.at(-1)!.ordinal) }),
                );
            }
        }
    });

    it('grows upwards by pages and forgets the far end', () => {
        let window = fromPage(page(1001, 1500), EMPTY);
        window = withOlder(window, page(901, 1000));
        window = withOlder(window, page(801, 900));
        expect(window.items).toHaveLength(WINDOW);
        expect(ordinals(window)[0]).toBe(801);
        expect(hasNewer(window)).toBe(true);
    });

    it('forgets the oldest at the end, many at once', () => {
        const full = trimmed(fromPage(page(1, WINDOW), EMPTY));
        expect([full.items.length, full.older]).toEqual([WINDOW, false]);
        const window = trimmed(withItem(full, item(WINDOW + 1)));
        expect(ordinals(window)).toEqual(ordinals({ items: items(FORGOTTEN + 2, WINDOW + 1) }));
        expect(window.older).toBe(true);
        const later = trimmed(withItem(window, item(WINDOW + 2)));
        expect(ordinals(later)[0]).toBe(FORGOTTEN + 2);
    });

    it('goes to any place, and on from there without a hole', () => {
        let window = withItem(fromPage(page(9_901, 10_000), EMPTY), item(10_001));
        window = fromMiddle(page(471, 570, { next: 571 }), window);
        expect([holds(window, 470), holds(window, 471), holds(window, 570), holds(window, 571)]).toEqual([
            false,
            true,
            true,
            false,
        ]);
        expect(window.older).toBe(true);
        expect(hasNewer(window)).toBe(true);
        window = withItem(window, item(10_002));
        window = withOlder(withNewer(window, page(571, 670)), page(371, 470));
        expect(ordinals(window)).toEqual(ordinals({ items: items(371, 670) }));
        expect(window.newest).toBe(10_002);
    });

    it('knows of newer items before it has read the newest', () => {
        expect(hasNewer(fromMiddle(page(1, 100, { next: 101 }), EMPTY))).toBe(true);
        const whole = fromMiddle(page(1, 100), EMPTY);
        expect([hasNewer(whole), whole.older]).toEqual([false, false]);
        expect(holds(EMPTY, 0)).toBe(false);
    });

    it('stops looking for what is not there', () => {
        const window = withNewer({ ...fromPage(page(1, 3), EMPTY), newest: 9 }, page(4, 3));
        expect(hasNewer(window)).toBe(false);
    });
});
