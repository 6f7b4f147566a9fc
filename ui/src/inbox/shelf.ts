/** Most open entries that are displayed at once, until a person asks for more. Decided ones do not count: they would hide open ones. */
export const ROOM = 100;

/** An entry at its place in the list. */
export interface Shelved<Entry> {
    readonly entry: Entry;
    /** It waits for a person. Once it does not, it keeps its place, so that no other one moves there. */
    readonly open: boolean;
}

/**
 * Puts what needs a person into the list: what is displayed stays where it is, and what is new comes last, oldest
 * first. Without any that is open, the list is empty, unless something is to be kept.
 */
export function shelve<Entry extends { readonly key: string }>(
    before: readonly Shelved<Entry>[],
    open: readonly Entry[],
    keep: (entry: Entry) => boolean = () => false,
    room = ROOM,
): readonly Shelved<Entry>[] {
    const waiting = new Set(open.map(({ key }) => key));
    const after = before.map((shelved) =>
        shelved.open === waiting.has(shelved.entry.key) ? shelved : { ...shelved, open: !shelved.open },
    );
    const known = new Set(before.map(({ entry }) => entry.key));
    const free = room - after.filter((shelved) => shelved.open).length;
    const added = open.filter(({ key }) => !known.has(key)).slice(0, Math.max(free, 0));
    after.push(...added.map((entry) => ({ entry, open: true })));
    return after.some((shelved) => shelved.open || keep(shelved.entry)) ? after : [];
}

/** Takes away what was decided. The others move up, so this is for when a person wants it, or the page is not seen. */
export function swept<Entry>(shelf: readonly Shelved<Entry>[]): readonly Shelved<Entry>[] {
    return shelf.filter(({ open }) => open);
}
