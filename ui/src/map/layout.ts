/** Where everything stands on the map: a pure function of who is there, how wide it is, and where they stood before. */

export interface Node {
    readonly id: string;
    /** What it stands together with: its project. */
    readonly cluster: string;
    /** The agent that started it. */
    readonly parent?: string | undefined;
}

export interface Box {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
}

/** Where a node stands in the grid of columns and rows that all clusters share. Rows count through all of them. */
export interface Cell {
    readonly column: number;
    readonly row: number;
    /** It is the first row of its cluster: above it is the title. */
    readonly first: boolean;
}

/** The place of each node in its cluster, counted row by row. */
export type Slots = ReadonlyMap<string, number>;

export interface Layout {
    readonly width: number;
    readonly height: number;
    readonly boxes: ReadonlyMap<string, Box>;
    /** The frame around each cluster. */
    readonly clusters: ReadonlyMap<string, Box>;
    readonly slots: Slots;
    readonly cells: ReadonlyMap<string, Cell>;
    readonly columns: number;
}

/** Pixels. A node takes up what its columns leave, and is at least as wide as this. */
const NODE = { width: 196, height: 80 };
/** Between nodes, where the lines run: see `routes.ts`. */
export const GAP = { x: 48, y: 32 };
/** How many gaps a cluster may have in any case. */
const ROOM = 8;
export const FRAME = { side: 32, top: 44, bottom: GAP.y, between: 16 };

/**
 * Places nodes in rows, one frame for each cluster, in the order in which they come. A node that has a slot keeps it,
 * whoever comes or leaves, unless most have left; a new one takes the first free slot behind its parent, else behind all
 * others.
 */
export function placed(nodes: readonly Node[], width: number, before: Slots = new Map()): Layout {
    const inside = Math.max(width - 2 * FRAME.side, NODE.width);
    const columns = Math.max(1, Math.floor((inside + GAP.x) / (NODE.width + GAP.x)));
    const wide = Math.floor((inside + GAP.x) / columns) - GAP.x;
    const boxes = new Map<string, Box>();
    const cells = new Map<string, Cell>();
    const clusters = new Map<string, Box>();
    const slots = new Map<string, number>();
    let top = 0;
    let above = 0;
    for (const [cluster, members] of grouped(nodes)) {
        const taken = slotted(members, before);
        let rows = 1;
        for (const [id, slot] of taken) {
            const [column, row] = [slot % columns, Math.floor(slot / columns)];
            rows = Math.max(rows, row + 1);
            const x = FRAME.side + column * (wide + GAP.x);
            const y = top + FRAME.top + row * (NODE.height + GAP.y);
            boxes.set(id, { x, y, width: wide, height: NODE.height });
            cells.set(id, { column, row: above + row, first: row === 0 });
            slots.set(id, slot);
        }
        const height = FRAME.top + rows * (NODE.height + GAP.y) - GAP.y + FRAME.bottom;
        clusters.set(cluster, { x: 0, y: top, width: inside + 2 * FRAME.side, height });
        top += height + FRAME.between;
        above += rows;
    }
    return {
        width: inside + 2 * FRAME.side,
        height: Math.max(0, top - FRAME.between),
        boxes,
        clusters,
        slots,
        cells,
        columns,
    };
}

function grouped(nodes: readonly Node[]): Map<string, Node[]> {
    const groups = new Map<string, Node[]>();
    for (const node of nodes) groups.set(node.cluster, [...(groups.get(node.cluster) ?? []), node]);
    return groups;
}

function slotted(members: readonly Node[], before: Slots): Map<string, number> {
    const taken = new Map<string, number>();
    const used = new Set<number>();
    const kept = members.flatMap(({ id }) => before.get(id) ?? []);
    // Among more gaps than nodes nobody finds anything: they are placed anew.
    const keeps = Math.max(0, ...kept) < 2 * members.length + ROOM;
    const take = (id: string, slot: number): void => {
        taken.set(id, slot);
        used.add(slot);
    };
    for (const { id } of members) {
        const slot = keeps ? before.get(id) : undefined;
        if (slot !== undefined && !used.has(slot)) take(id, slot);
    }
    for (const { id, parent } of members) {
        if (taken.has(id)) continue;
        const after = parent === undefined ? undefined : taken.get(parent);
        let slot = after === undefined ? Math.max(-1, ...used) + 1 : after + 1;
        while (used.has(slot)) slot += 1;
        take(id, slot);
    }
    return taken;
}

export type Direction = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown';

/** Returns the nearest node in a direction; straight on counts for more than aside. */
export function neighbour(
    boxes: ReadonlyMap<string, Box>,
    id: string,
    direction: Direction,
): string | undefined {
    const here = boxes.get(id);
    if (!here) return undefined;
    let best: { id: string; far: number } | undefined;
    for (const [other, box] of boxes) {
        const [dx, dy] = [box.x - here.x, box.y - here.y];
        const [along, aside] = {
            ArrowLeft: [-dx, dy],
            ArrowRight: [dx, dy],
            ArrowUp: [-dy, dx],
            ArrowDown: [dy, dx],
        }[direction] as [number, number];
        if (other === id || along <= 0) continue;
        const far = along + 4 * Math.abs(aside);
        if (!best || far < best.far) best = { id: other, far };
    }
    return best?.id;
}
