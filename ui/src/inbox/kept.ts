/** An entry at its place in a section. */
export interface Kept<Entry> {
    readonly entry: Entry;
    /** It left the section, and keeps its place while a person points there. */
    readonly gone: boolean;
}

/** Something of the inbox that is about one agent. */
interface OfAgent {
    readonly agent: { readonly session: string };
}

/**
 * Puts entries into a section: what is displayed stays in order, what is new comes last. While a person points there,
 * those that left stay, too, so that none moves under the pointer.
 */
export function keep<Entry extends OfAgent>(
    before: readonly Kept<Entry>[],
    now: readonly Entry[],
    still: boolean,
): readonly Kept<Entry>[] {
    const current = new Map(now.map((entry) => [entry.agent.session, entry]));
    const after: Kept<Entry>[] = [];
    for (const { entry: old } of before) {
        const entry = current.get(old.agent.session);
        current.delete(old.agent.session);
        if (entry) after.push({ entry, gone: false });
        else if (still) after.push({ entry: old, gone: true });
    }
    for (const entry of current.values()) after.push({ entry, gone: false });
    return after;
}
