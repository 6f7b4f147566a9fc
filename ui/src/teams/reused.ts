/** Returns the same things as were read, with the very objects of before where nothing changed: only the others are drawn anew. */
export function reused<Thing extends { readonly id: string }>(
    before: readonly Thing[],
    now: readonly Thing[],
): readonly Thing[] {
    const known = new Map(before.map((thing) => [thing.id, thing]));
    return now.map((thing) => {
        const old = known.get(thing.id);
        return old && JSON.stringify(old) === JSON.stringify(thing) ? old : thing;
    });
}
