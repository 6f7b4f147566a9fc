import type { Item, ItemPage } from '../lib/wire';

/** Most items that are kept at once; more are read again when they are needed. */
export const WINDOW = 600;
/** How many are forgotten at once: each time, all that remains moves, and is drawn anew. */
export const FORGOTTEN = 100;
/** Most items that wait for those before them. */
const AHEAD = 300;

/**
 * A part of a transcript without holes: consecutive items, oldest first.
 *
 * Whatever arrives, from a page or from the stream, in whatever order and however often, the window only grows at
 * its ends and only without a gap. An item that is too far ahead waits until a page has brought what lies between.
 */
export interface ItemWindow {
    readonly items: readonly Item[];
    /** There are older ones than the first. */
    readonly older: boolean;
    /** The largest ordinal that is known to exist. */
    readonly newest: number;
    /** Items that came before their turn, by ordinal; not all of them. */
    readonly ahead: ReadonlyMap<number, Item>;
}

export const EMPTY: ItemWindow = { items: [], older: false, newest: 0, ahead: new Map() };

/** There are newer ones than the last. */
export function hasNewer(window: ItemWindow): boolean {
    return window.newest > last(window);
}

/** Starts over with the newest page. What was shown and what came from the stream is joined to it where it fits. */
export function fromPage(page: ItemPage, known: ItemWindow): ItemWindow {
    const end = page.items.at(-1)?.ordinal ?? 0;
    const newest = Math.max(known.newest, typeof page.next === 'number' ? end + 1 : end);
    const ahead = new Map([...known.ahead, ...known.items.map((item) => [item.ordinal, item] as const)]);
    return joined({ items: page.items, older: typeof page.earlier === 'number', newest, ahead });
}

/** Starts over with a page from anywhere. What was shown may be far away, and is dropped; what the stream brought is kept. */
export function fromMiddle(page: ItemPage, known: ItemWindow): ItemWindow {
    const end = page.items.at(-1)?.ordinal ?? 0;
    // A page that is not the last says so, whatever was known before.
    const newest = Math.max(known.newest, typeof page.next === 'number' ? end + 1 : end);
    const older = (page.items[0]?.ordinal ?? 1) > 1;
    return joined({ items: page.items, older, newest, ahead: known.ahead });
}

/** Says whether an item is in the window. */
export function holds(window: ItemWindow, ordinal: number): boolean {
    return ordinal >= (window.items[0]?.ordinal ?? Infinity) && ordinal <= last(window);
}

/** Takes an item from the stream: appended when it is the next one. */
export function withItem(window: ItemWindow, item: Item): ItemWindow {
    const end = last(window);
    if (item.ordinal <= end) return window;
    const newest = Math.max(window.newest, item.ordinal);
    if (item.ordinal === end + 1) return joined({ ...window, items: [...window.items, item], newest });
    if (window.ahead.size >= AHEAD) return { ...window, newest };
    return { ...window, newest, ahead: new Map(window.ahead).set(item.ordinal, item) };
}

/** Takes a page that was read with `before` the first item. */
export function withOlder(window: ItemWindow, page: ItemPage): ItemWindow {
    const first = window.items[0]?.ordinal ?? Infinity;
    const older = page.items.filter((item) => item.ordinal < first);
    const items = [...older, ...window.items].slice(0, WINDOW);
    return { ...window, items, older: typeof page.earlier === 'number' };
}

/** Takes a page that was read with `after` the last item. */
export function withNewer(window: ItemWindow, page: ItemPage): ItemWindow {
    const newer = page.items.filter((item) => item.ordinal > last(window));
    const items = [...window.items, ...newer];
    // What the page did not know of may exist all the same, when it came while the page was read.
    const end = items.at(-1)?.ordinal ?? 0;
    const newest =
        page.items.length === 0 && typeof page.next !== 'number' ? end : Math.max(window.newest, end);
    return trimmed(joined({ ...window, items, newest }));
}

/** Puts an item in the place of what is known of it. */
export function withChanged(window: ItemWindow, item: Item): ItemWindow {
    const items = window.items.map((known) => (known.ordinal === item.ordinal ? item : known));
    return { ...window, items };
}

/** Forgets the oldest items when there are too many; for a reader who looks at the newest. */
export function trimmed(window: ItemWindow): ItemWindow {
    if (window.items.length <= WINDOW) return window;
    return { ...window, items: window.items.slice(FORGOTTEN - WINDOW), older: true };
}

/** Appends what waited and is next now. */
function joined(window: ItemWindow): ItemWindow {
    if (window.ahead.size === 0) return window;
    const items = [...window.items];
    const ahead = new Map(window.ahead);
    let end = last(window);
    for (let next = ahead.get(end + 1); next; next = ahead.get(end + 1)) {
        items.push(next);
        end += 1;
    }
    for (const ordinal of window.ahead.keys()) if (ordinal <= end) ahead.delete(ordinal);
    return { ...window, items, ahead };
}

function last(window: ItemWindow): number {
    return window.items.at(-1)?.ordinal ?? 0;
}
