import type { LiveFrame } from '../lib/wire';

/** Longest text that is kept of an item before it is stored, half from its beginning; the stored one is whole. */
const LONGEST = 64 * 1024;

/** An item that is not stored yet. */
export interface Growing {
    readonly id: string;
    readonly kind: string;
    /** How it begins; all of it, unless something is left out. */
    readonly head: string;
    /** How many bytes are missing behind the beginning. */
    readonly missing: number;
    /** What came after the missing ones. */
    readonly tail: string;
    /** How far it is, in bytes of UTF-8. */
    readonly bytes: number;
    /** The tool call whose output it is. */
    readonly call?: string | undefined;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Adds a piece at its place. What is known already is not added twice; of what is missing, the size is known. */
export function grown(before: Growing | undefined, piece: LiveFrame): Growing {
    const known = before ?? {
        id: piece.item,
        kind: piece.kind,
        head: '',
        missing: 0,
        tail: '',
        bytes: 0,
        call: piece.call ?? undefined,
    };
    const added = encoder.encode(piece.text);
    const end = piece.offset + added.length;
    if (end <= known.bytes) return known;
    const overlap = known.bytes - piece.offset;
    const fresh = overlap > 0 ? decoder.decode(added.slice(overlap)) : piece.text;
    const missing = known.missing + Math.max(0, -overlap);
    if (missing === 0) return fitted({ ...known, head: known.head + fresh, bytes: end });
    return fitted({ ...known, missing, tail: known.tail + fresh, bytes: end });
}

/** Leaves out of the middle what is too much. */
function fitted(growing: Growing): Growing {
    const { head, tail } = growing;
    if (head.length + tail.length <= LONGEST) return growing;
    const rest = head.slice(LONGEST / 2) + tail;
    const cut = Math.max(0, rest.length - LONGEST / 2);
    const left = encoder.encode(rest.slice(0, cut)).length;
    return {
        ...growing,
        head: head.slice(0, LONGEST / 2),
        missing: growing.missing + left,
        tail: rest.slice(cut),
    };
}

/** Returns what is known of it, with an ellipsis for what is missing. */
export function textOf({ head, missing, tail }: Growing): string {
    return missing > 0 ? `${head}… ${tail}` : head;
}
