/** How many terminals of one page are live at once. */
export const MOST_LIVE = 12;

/** What decides whether a terminal that is in view is live. */
export interface Ranked {
    /** A person has its keyboard, or waits for it to come back. */
    readonly kept: boolean;
    /** When a person asked on this page to watch it live: the higher, the later; 0 without a request. */
    readonly asked: number;
}

/**
 * Returns the terminals that are live, of those in view, in the order of the page: first those whose keyboard a person has,
 * then those that were asked for, the latest first, then the others from the top of the page.
 */
export function liveOf<Each extends Ranked>(shown: readonly Each[], most = MOST_LIVE): ReadonlySet<Each> {
    const ranked = shown.toSorted((one, other) => {
        if (one.kept !== other.kept) return one.kept ? -1 : 1;
        // Sorting keeps the order of those that are equal.
        return other.asked - one.asked;
    });
    return new Set(ranked.slice(0, most));
}
