import type { ThreadEvent, ThreadEventPage } from '../lib/wire';

/** Most events that are kept at once; more are read again when they are needed. */
export const WINDOW = 400;
/** How many are forgotten at once: each time, all that remains moves, and is drawn anew. */
const FORGOTTEN = 100;
/** Most events of the stream that are kept for a window that does not reach to the end. */
export const AHEAD = 300;

/**
 * A part of a thread without holes, oldest first.
 *
 * Versions have gaps, because internal events are left out: what is next cannot be told from them. But the stream brings
 * every event in its order, so that a page which was the last one, and what came since, leave no hole.
 */
export interface EventWindow {
    readonly events: readonly ThreadEvent[];
    /** There are older ones than the first. */
    readonly older: boolean;
    /** There are newer ones than the last. */
    readonly newer: boolean;
    /** The newest events that the stream brought, for a window that does not reach to the end. */
    readonly ahead: readonly ThreadEvent[];
    /** Up to this version, events of the stream were dropped. */
    readonly dropped: number;
    /** Up to this version nothing is missing, also if the last events up to it are internal ones. */
    readonly upTo: number;
}

export const EMPTY: EventWindow = { events: [], older: false, newer: true, ahead: [], dropped: 0, upTo: 0 };

/**
 * Starts over with a page, and joins what the stream brought. A page that was read up to a version does not say what
 * follows it.
 */
export function fromPage(page: ThreadEventPage, known: EventWindow, upTo?: number): EventWindow {
    const older = typeof page.earlier === 'number';
    // Of a window that reached to the end, the last events are what the stream brought.
    const { ahead, dropped } = known.newer
        ? known
        : { ahead: known.events.slice(-AHEAD), dropped: known.events.at(-AHEAD - 1)?.version ?? 0 };
    const window = { events: page.events, older, newer: true, ahead, dropped, upTo: upTo ?? 0 };
    return upTo === undefined ? reaching(window, page) : window;
}

/** Takes an event of the stream. */
export function withEvent(window: EventWindow, event: ThreadEvent): EventWindow {
    if (event.version <= last(window)) return window;
    if (!window.newer) return { ...window, events: [...window.events, event] };
    const ahead = [...window.ahead, event];
    if (ahead.length <= AHEAD) return { ...window, ahead };
    return { ...window, ahead: ahead.slice(1), dropped: ahead[0]?.version ?? window.dropped };
}

/** Takes a page that was read with `before` the first event. What is far below is forgotten. */
export function withOlder(window: EventWindow, page: ThreadEventPage): EventWindow {
    const first = window.events[0]?.version ?? Infinity;
    const events = [...page.events.filter(({ version }) => version < first), ...window.events];
    const kept = events.slice(0, WINDOW);
    const older = typeof page.earlier === 'number';
    if (kept.length === events.length) return { ...window, events, older };
    // What the stream brings from now on is kept; what was cut off is read again.
    const cut = window.newer ? window : { ...window, ahead: [], dropped: last(window) };
    return { ...cut, events: kept, older, newer: true, upTo: 0 };
}

/** Takes a page that was read with `after` the last event. */
export function withNewer(window: EventWindow, page: ThreadEventPage): EventWindow {
    const newer = page.events.filter(({ version }) => version > last(window));
    const upTo = page.next ?? window.upTo;
    return trimmed(reaching({ ...window, events: [...window.events, ...newer], upTo }, page));
}

/** Forgets the oldest events when there are too many; for a reader who looks at the newest. */
export function trimmed(window: EventWindow): EventWindow {
    if (window.events.length <= WINDOW) return window;
    return { ...window, events: window.events.slice(FORGOTTEN - WINDOW), older: true };
}

/** Says whether there are newer ones after a page, and joins what the stream brought if there are not. */
function reaching(window: EventWindow, page: ThreadEventPage): EventWindow {
    // What came since the page was read may have been dropped: then it is read, too.
    if (typeof page.next === 'number' || window.dropped > last(window)) return { ...window, newer: true };
    const ahead = window.ahead.filter(({ version }) => version > last(window));
    return { ...window, events: [...window.events, ...ahead], newer: false, ahead: [] };
}

/** Says whether a window has what happened last before a version, with the event of that version; or before now. */
export function hasEnd(window: EventWindow, version: number | undefined): boolean {
    if (version === undefined) return !window.newer;
    const first = window.events[0]?.version ?? Infinity;
    return (!window.newer || reached(window) >= version) && (first <= version || !window.older);
}

/** Returns the version up to which a window has all events that follow its first. */
export function reached(window: EventWindow): number {
    return Math.max(last(window), window.upTo);
}

function last(window: EventWindow): number {
    return window.events.at(-1)?.version ?? 0;
}
