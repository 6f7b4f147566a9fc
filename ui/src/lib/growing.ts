import type { LiveFrame } from './wire';

/** Longest text that is kept of an item before it is stored; the stored one is whole. */
const LONGEST = 64 * 1024;

/** An item that is not stored yet. */
export interface Growing {
    readonly id: string;
    readonly kind: string;
    readonly text: string;
    /** How far it is, in bytes of UTF-8. */
    readonly bytes: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Adds a piece at its place. What is known already is not added twice; a gap is shown as an ellipsis. */
export function grown(before: Growing | undefined, piece: LiveFrame): Growing {
    const known = before ?? { id: piece.item, kind: piece.kind, text: '', bytes: 0 };
    const added = encoder.encode(piece.text);
    const end = piece.offset + added.length;
    if (end <= known.bytes) return known;
    const overlap = known.bytes - piece.offset;
    const fresh = overlap > 0 ? decoder.decode(added.slice(overlap)) : piece.text;
    const text = known.text + (overlap < 0 ? '… ' : '') + fresh;
    return { ...known, text: text.length > LONGEST ? '… ' + text.slice(-LONGEST / 2) : text, bytes: end };
}
