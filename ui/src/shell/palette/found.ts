import fuzzysort from 'fuzzysort';

/** Something that the palette offers. */
export interface Entry {
    readonly id: string;
    readonly group: string;
    readonly title: string;
    /** More words by which it is found. */
    readonly also?: string;
    readonly detail?: string;
    readonly run: () => void;
}

/** A piece of a title; what was typed is marked. */
export interface Piece {
    readonly text: string;
    readonly hit: boolean;
}

export interface Found {
    readonly entry: Entry;
    readonly pieces: readonly Piece[];
}

const MOST = 50;

/** Returns the entries that fit what was typed, the best first; without a word, all in their order. */
export function found(entries: readonly Entry[], typed: string): Found[] {
    const query = typed.trim();
    if (query === '')
        return entries
            .slice(0, MOST)
            .map((entry) => ({ entry, pieces: [{ text: entry.title, hit: false }] }));
    const keys = [(entry: Entry) => entry.title, (entry: Entry) => entry.also ?? ''];
    return fuzzysort
        .go(query, entries, { keys, limit: MOST, threshold: 0.3 })
        .map((result) => ({ entry: result.obj, pieces: pieces(result.obj.title, result[0]?.indexes ?? []) }));
}

/** Cuts a title into what was typed and what was not. */
export function pieces(title: string, indexes: readonly number[]): Piece[] {
    const hits = new Set(indexes);
    const cut: { text: string; hit: boolean }[] = [];
    for (let at = 0; at < title.length; at++) {
        const hit = hits.has(at);
        const last = cut.at(-1);
        if (last?.hit === hit) last.text += title[at];
        else cut.push({ text: title[at] ?? '', hit });
    }
    return cut;
}
