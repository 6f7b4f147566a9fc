import type { Ask } from './wire';

/** Most open permission requests that are displayed at once. Decided ones do not count: they would hide open ones. */
const ROOM = 100;

/** A permission request at its place in the list. */
export interface Shelved {
    readonly ask: Ask;
    /** It waits for a decision. Once it does not, it keeps its place, so that no other one moves there. */
    readonly open: boolean;
}

/**
 * Puts permission requests into the list: what is displayed stays where it is, and what is new comes last, oldest
 * first. Without any that is open, the list is empty, unless something is to be kept.
 */
export function shelve(
    before: readonly Shelved[],
    open: readonly Ask[],
    keep: (ask: Ask) => boolean = () => false,
    room = ROOM,
): readonly Shelved[] {
    const waiting = new Set(open.map((ask) => ask.hash));
    const after = before.map((entry) =>
        entry.open === waiting.has(entry.ask.hash) ? entry : { ...entry, open: !entry.open },
    );
    const known = new Set(before.map(({ ask }) => ask.hash));
    const free = room - after.filter((entry) => entry.open).length;
    const added = open.filter((ask) => !known.has(ask.hash)).slice(0, Math.max(free, 0));
    after.push(...added.map((ask) => ({ ask, open: true })));
    return after.some((entry) => entry.open || keep(entry.ask)) ? after : [];
}

/** Takes away what was decided. The others move up, so this is for when a person wants it, or nobody looks. */
export function swept(shelf: readonly Shelved[]): readonly Shelved[] {
    return shelf.filter((entry) => entry.open);
}
