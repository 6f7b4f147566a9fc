import type { Size } from './protocol';

export interface Box {
    readonly width: number;
    readonly height: number;
}

/** A cell of the terminal, at the size to type at. */
export type Cell = Box;

/** The size to type at, and the smallest that is still shown instead of a part. */
export const READABLE = 13;
export const SMALLEST = 5;
const STEP = 0.5;

/** Returns the font size at which all of a terminal is in a box; the smallest one when that is not possible. */
export function fitted(box: Box, { cols, rows }: Size, cell: Cell): number {
    const scale = Math.min(box.width / (cols * cell.width), box.height / (rows * cell.height), 1);
    const size = Math.floor((READABLE * scale) / STEP) * STEP;
    return Math.max(SMALLEST, size);
}

/** Returns how many columns and rows have room in a box. The daemon keeps them within what programs can cope with. */
export function roomFor(box: Box, cell: Cell): Size {
    return {
        cols: Math.max(1, Math.floor(box.width / cell.width)),
        rows: Math.max(1, Math.floor(box.height / cell.height)),
    };
}
