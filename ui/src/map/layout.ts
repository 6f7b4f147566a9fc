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

/** The place of each node in its cluster, counted row by row. */
export type Slots = ReadonlyMap<string, number>;

export interface Layout {
    readonly width: number;
    readonly height: number;
    readonly boxes: ReadonlyMap<string, Box>;
    /** The frame around each cluster. */
    readonly clusters: ReadonlyMap<string, Box>;
    readonly slots: Slots;
}

/** Pixels. */
export const NODE = { width: 184, height: 64 };
const GAP = { x: 40, y: 32 };
/** How many gaps a cluster may have in any case. */
const ROOM = 8;
const FRAME = { side: 16, top: 44, bottom: 20, between: 16 };

/**
 * Places nodes in rows, one frame for each cluster, in the order in which they come. A node that has a slot keeps it,
 * whoever comes or leaves, unless most have left; a new one takes the first free slot behind its parent, else behind all
 * others.
 */
export function placed(nodes: readonly Node[], width: number, before: Slots = new Map()): Layout {
    const inside = Math.max(width - 2 * FRAME.side, NODE.width);
    const columns = Math.max(1, Math.floor((inside + GAP.x) / (NODE.width + GAP.x)));
    const boxes = new Map<string, Box>();
    const clusters = new Map<string, Box>();
    const slots = new Map<string, number>();
    let top = 0;
    for (const [cluster, members] of grouped(nodes)) {
        const taken = slotted(members, before);
        let rows = 1;
        for (const [id, slot] of taken) {
            const row = Math.floor(slot / columns);
            rows = Math.max(rows, row + 1);
            const x = FRAME.side + (slot % columns) * (NODE.width + GAP.x);
            boxes.set(id, { x, y: top + FRAME.top + row * (NODE.height + GAP.y), ...NODE });
            slots.set(id, slot);
        }
        const height = FRAME.top + rows * (NODE.height + GAP.y) - GAP.y + FRAME.bottom;
        clusters.set(cluster, { x: 0, y: top, width: inside + 2 * FRAME.side, height });
        top += height + FRAME.between;
    }
    return {
        width: inside + 2 * FRAME.side,
        height: Math.max(0, top - FRAME.between),
        boxes,
        clusters,
        slots,
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

/** Returns the line from one box to another, bent so that the two directions do not cover each other. */
export function line(from: Box, to: Box): string {
    const [a, b] = [middle(from), middle(to)];
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const length = Math.hypot(dx, dy) || 1;
    const bend = Math.min(28, length / 6);
    const control = { x: (a.x + b.x) / 2 - (dy / length) * bend, y: (a.y + b.y) / 2 + (dx / length) * bend };
    const [start, end] = [edge(from, control), edge(to, control)];
    return `M${round(start.x)} ${round(start.y)}Q${round(control.x)} ${round(control.y)} ${round(end.x)} ${round(end.y)}`;
}

/** Returns where the number on a line stands. */
export function label(from: Box, to: Box): Point {
    const [a, b] = [middle(from), middle(to)];
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const length = Math.hypot(dx, dy) || 1;
    const bend = Math.min(28, length / 6) / 2;
    return {
        x: round((a.x + b.x) / 2 - (dy / length) * bend),
        y: round((a.y + b.y) / 2 + (dx / length) * bend),
    };
}

interface Point {
    readonly x: number;
    readonly y: number;
}

function middle(box: Box): Point {
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Returns where the way from the middle of a box to a point leaves the box. */
function edge(box: Box, to: Point): Point {
    const from = middle(box);
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    if (dx === 0 && dy === 0) return from;
    const scale = Math.min(
        dx === 0 ? Infinity : box.width / 2 / Math.abs(dx),
        dy === 0 ? Infinity : box.height / 2 / Math.abs(dy),
    );
    return { x: from.x + dx * scale, y: from.y + dy * scale };
}

function round(value: number): number {
    return Math.round(value * 10) / 10;
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
