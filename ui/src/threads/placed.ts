import type { Ask, ThreadEvent } from '../lib/wire';

/** One row of a thread. */
export type Entry =
    | { readonly is: 'event'; readonly key: string; readonly event: ThreadEvent }
    | { readonly is: 'request'; readonly key: string; readonly ask: Ask };

/** Says whether that is a line about what was done: those stand close together. */
export function isLine(entry: Entry | undefined): boolean {
    return entry?.is === 'event' && entry.event.type !== 'message';
}

/** Puts requests between events, by when they were made. Those that are newer than all events are at the end. */
export function placed(
    events: readonly ThreadEvent[],
    asks: readonly Ask[],
    /** There are newer events, which are not here. */
    newer: boolean,
): Entry[] {
    const rows: Entry[] = events.map((event) => ({ is: 'event', key: event.id, event }));
    const from = Date.parse(events[0]?.ts ?? '') || 0;
    const sorted = [...asks].sort((one, other) => Date.parse(one.since) - Date.parse(other.since));
    // From the end on, so that earlier positions stay right.
    for (const ask of sorted.reverse()) {
        const since = Date.parse(ask.since);
        const before = events.findLastIndex((event) => Date.parse(event.ts) <= since);
        // What is older than all that is here, or newer, stands with what is not here.
        if (since < from || (newer && before === events.length - 1)) continue;
        const at = before + 1;
        rows.splice(at, 0, { is: 'request', key: ask.hash, ask });
    }
    return rows;
}
