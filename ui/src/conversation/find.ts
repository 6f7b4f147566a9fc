import { uncoloured, type Row } from './rows';
import { field } from '../lib/wire';

/** Returns the ordinals of loaded rows in which something stands, whatever its case. */
export function matches(rows: readonly Row[], query: string): number[] {
    const wanted = query.trim().toLowerCase();
    if (!wanted) return [];
    return rows.filter((row) => textOf(row).toLowerCase().includes(wanted)).map((row) => row.item.ordinal);
}

function textOf(row: Row): string {
    // The text of its item is that of the next row.
    if (row.is === 'own') return '';
    const own = row.item.text ?? '';
    if (row.is !== 'tool') return own;
    return `${field(row.item, 'title') ?? ''}\n${own}\n${uncoloured(row.result?.text ?? '')}`;
}

/** Returns what to ask the daemon for: the last word may be the beginning of one. `undefined`: nothing it could find. */
export function searchQuery(query: string): string | undefined {
    const words = query.trim();
    if (!/[\p{L}\p{N}]/u.test(words) || words.length > 900) return undefined;
    return /[\p{L}\p{N}]$/u.test(words) ? `${words}*` : words;
}

/** Puts what is loaded and what the daemon found together: each row once, oldest first. */
export function merged(rows: readonly Row[], loaded: readonly number[], found: readonly number[]): number[] {
    const calls = new Map(
        rows.flatMap((row) =>
            row.is === 'tool' && row.result ? [[row.result.ordinal, row.item.ordinal]] : [],
        ),
    );
    return [...new Set([...loaded, ...found.map((place) => calls.get(place) ?? place)])].sort(
        (a, b) => a - b,
    );
}

/** Returns the next place from one, in a direction; behind the last comes the first. */
export function step(places: readonly number[], from: number | undefined, by: 1 | -1): number | undefined {
    if (places.length === 0) return undefined;
    if (from === undefined) return by > 0 ? places[0] : places.at(-1);
    const next = by > 0 ? places.find((place) => place > from) : places.findLast((place) => place < from);
    return next ?? (by > 0 ? places[0] : places.at(-1));
}
