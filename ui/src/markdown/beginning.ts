import { CODE_PARTS, type Block, type Entry, type Inline } from './tree';

type Cells = Inline[][];

/** How many parts there are in something, itself included. */
const sizes = new WeakMap<object, number>();

/**
 * Returns the beginning of a tree: about so many parts of it, and whatever holds them. A tree that is shown a piece at
 * a time never blocks the page. What is whole stays the same object, so that it is not drawn again.
 */
export function beginning(blocks: readonly Block[], parts: number): readonly Block[] {
    return cut(blocks as Block[], { parts }, sizeOfBlock, beginningOfBlock);
}

/** Returns how many parts there are in a tree. */
export function sizeOf(blocks: readonly Block[]): number {
    return total(blocks, sizeOfBlock);
}

interface Room {
    parts: number;
}

/** Takes from a list what there is room for, the last one in part. */
function cut<T>(all: T[], room: Room, size: (one: T) => number, begin: (one: T, room: Room) => T): T[] {
    const out: T[] = [];
    for (const one of all) {
        if (room.parts <= 0) return out;
        const parts = size(one);
        if (parts <= room.parts) {
            out.push(one);
            room.parts -= parts;
        } else {
            out.push(begin(one, room));
            room.parts = 0;
        }
    }
    return out.length === all.length && out.every((one, at) => one === all[at]) ? all : out;
}

function beginningOfBlock(block: Block, room: Room): Block {
    room.parts -= 1;
    switch (block.is) {
        case 'paragraph':
        case 'heading':
            return { ...block, children: inlines(block.children, room) };
        case 'quote':
            return { ...block, blocks: cut(block.blocks, room, sizeOfBlock, beginningOfBlock) };
        case 'list':
            return { ...block, entries: cut(block.entries, room, sizeOfEntry, beginningOfEntry) };
        case 'table': {
            const head = cells(block.head, room);
            return { ...block, head, body: cut(block.body, room, sizeOfRow, cells) };
        }
        case 'code':
        case 'rule':
            return block;
    }
}

function beginningOfEntry(entry: Entry, room: Room): Entry {
    return { ...entry, blocks: cut(entry.blocks, room, sizeOfBlock, beginningOfBlock) };
}

function cells(row: Cells, room: Room): Cells {
    return cut(row, room, sizeOfCell, inlines);
}

function inlines(parts: Inline[], room: Room): Inline[] {
    return cut(parts, room, sizeOfInline, beginningOfInline);
}

function beginningOfInline(inline: Inline, room: Room): Inline {
    room.parts -= 1;
    return 'children' in inline ? { ...inline, children: inlines(inline.children, room) } : inline;
}

function sizeOfBlock(block: Block): number {
    return sized(block, () => {
        switch (block.is) {
            case 'paragraph':
            case 'heading':
                return sizeOfCell(block.children);
            case 'quote':
                return 1 + total(block.blocks, sizeOfBlock);
            case 'list':
                return 1 + total(block.entries, sizeOfEntry);
            case 'table':
                return 1 + sizeOfRow(block.head) + total(block.body, sizeOfRow);
            // With its button.
            case 'code':
                return CODE_PARTS;
            case 'rule':
                return 1;
        }
    });
}

function sizeOfEntry(entry: Entry): number {
    return sized(entry, () => 1 + total(entry.blocks, sizeOfBlock));
}

function sizeOfRow(row: Cells): number {
    return sized(row, () => 1 + total(row, sizeOfCell));
}

function sizeOfCell(cell: Inline[]): number {
    return sized(cell, () => 1 + total(cell, sizeOfInline));
}

function sizeOfInline(inline: Inline): number {
    return 'children' in inline ? sized(inline, () => 1 + total(inline.children, sizeOfInline)) : 1;
}

function sized(of: object, count: () => number): number {
    const known = sizes.get(of);
    if (known !== undefined) return known;
    const counted = count();
    sizes.set(of, counted);
    return counted;
}

function total<T>(all: readonly T[], size: (one: T) => number): number {
    return all.reduce((sum, one) => sum + size(one), 0);
}
