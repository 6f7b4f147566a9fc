/**
 * The panels of a window: which there are, how they share the space, and which is selected.
 *
 * A layout is a tree of splits. One panel, the main one, is always there. All operations return a new window and leave
 * the old one alone; what makes no sense changes nothing.
 */
export interface Panel {
    readonly id: string;
    /** A word of the table of panel types. One that the table does not have was written by a newer version. */
    readonly type: string;
    readonly binding: Binding;
    readonly title: string;
}

/** What a panel shows: the agent that is open, or one on which it is kept. */
export type Binding = { readonly to: 'open' } | { readonly to: 'session'; readonly session: string };

/** A panel that is not open yet. */
export type Wanted = Omit<Panel, 'id'>;

export type Direction = 'row' | 'column';

/** Where a panel is, seen from another one. */
export type Side = 'left' | 'right' | 'above' | 'below';

export type Layout =
    | { readonly panel: string }
    | {
          readonly split: Direction;
          readonly parts: readonly Layout[];
          /** The share of each part; together 1. */
          readonly sizes: readonly number[];
      };

export interface PanelWindow {
    readonly panels: readonly Panel[];
    readonly layout: Layout;
    readonly selected: string;
    /** The number of the next panel: none gets the id of one that was closed. */
    readonly next: number;
}

/** A place in the tree: which part of each split leads there. */
export type Path = readonly number[];

/** The panel that is always there. */
export const MAIN = 'main';
/** The binding of a panel that follows the agent that is open. */
export const OPEN: Binding = { to: 'open' };
/** The smallest share of a part. */
export const LEAST = 0.125;
const BESIDE = 0.375;
const MOST_PANELS = 12;

export function reset(): PanelWindow {
    return {
        panels: [{ id: MAIN, type: MAIN, binding: OPEN, title: '' }],
        layout: { panel: MAIN },
        selected: MAIN,
        next: 1,
    };
}

/** Keeps a panel on an agent, or has it follow the one that is open. One that shows the same takes its place. */
export function bind(window: PanelWindow, id: string, binding: Binding): PanelWindow {
    const panel = find(window, id);
    if (id === MAIN || !panel) return window;
    const same = showing(window, panel.type, binding);
    if (same) return same.id === id ? window : select(close(window, id), same.id);
    return {
        ...window,
        panels: window.panels.map((panel) => (panel.id === id ? { ...panel, binding } : panel)),
    };
}

/** Returns the panel of a type that has a binding. */
export function showing(window: PanelWindow, type: string, binding: Binding): Panel | undefined {
    return window.panels.find((panel) => panel.type === type && isSame(panel.binding, binding));
}

/** Opens a panel at the right side, below those that are there. One that shows the same is selected instead. */
export function open(window: PanelWindow, wanted: Wanted): PanelWindow {
    const same = showing(window, wanted.type, wanted.binding);
    if (same) return select(window, same.id);
    if (window.panels.length >= MOST_PANELS) return window;
    const added = withPanel(window, wanted);
    return { ...added, layout: docked(window.layout, added.selected, 'right') };
}

/** Opens a panel beside another one, which gives it some of its space. */
export function split(window: PanelWindow, beside: string, side: Side, wanted: Wanted): PanelWindow {
    const same = showing(window, wanted.type, wanted.binding);
    if (same || !find(window, beside) || window.panels.length >= MOST_PANELS) return window;
    const added = withPanel(window, wanted);
    return { ...added, layout: tidy(placed(window.layout, beside, side, added.selected)) };
}

/** Returns a window with one panel more, which is selected and has no place yet. */
function withPanel(window: PanelWindow, wanted: Wanted): PanelWindow {
    const id = `p${window.next}`;
    return {
        ...window,
        panels: [...window.panels, { id, ...wanted }],
        selected: id,
        next: window.next + 1,
    };
}

/** Closes a panel; its space goes to its neighbours. The main one stays. */
export function close(window: PanelWindow, id: string): PanelWindow {
    if (id === MAIN || !find(window, id)) return window;
    return {
        ...window,
        panels: window.panels.filter((panel) => panel.id !== id),
        layout: removed(window.layout, id) ?? { panel: MAIN },
        selected: window.selected === id ? MAIN : window.selected,
    };
}

/** Moves a panel to another one's side. */
export function move(window: PanelWindow, id: string, beside: string, side: Side): PanelWindow {
    if (id === beside || !find(window, beside)) return window;
    return moved(window, id, (layout) => tidy(placed(layout, beside, side, id)));
}

/** Moves a panel to the left or right edge of the window, below those that are there. */
export function dock(window: PanelWindow, id: string, side: 'left' | 'right'): PanelWindow {
    return moved(window, id, (layout) => docked(layout, id, side));
}

function moved(window: PanelWindow, id: string, place: (layout: Layout) => Layout): PanelWindow {
    if (id === MAIN || !find(window, id)) return window;
    const without = removed(window.layout, id);
    return without ? { ...window, layout: place(without), selected: id } : window;
}

export function select(window: PanelWindow, id: string): PanelWindow {
    return find(window, id) ? { ...window, selected: id } : window;
}

/** Moves the edge between a part of a split and the next one: `share` is what the first has of both together. */
export function resize(window: PanelWindow, split: Path, at: number, share: number): PanelWindow {
    const layout = changed(window.layout, split, (found) => {
        if (!('split' in found)) return found;
        const [one, other] = [found.sizes[at], found.sizes[at + 1]];
        if (one === undefined || other === undefined || !Number.isFinite(share)) return found;
        const both = one + other;
        const least = Math.min(LEAST, both / 2);
        const first = Math.min(both - least, Math.max(least, share * both));
        return { ...found, sizes: found.sizes.with(at, first).with(at + 1, both - first) };
    });
    return { ...window, layout };
}

function find(window: PanelWindow, id: string): Panel | undefined {
    return window.panels.find((panel) => panel.id === id);
}

function isSame(one: Binding, other: Binding): boolean {
    if (one.to === 'open' || other.to === 'open') return one.to === other.to;
    return one.session === other.session;
}

function even(count: number): number[] {
    return Array.from({ length: count }, () => 1 / count);
}

/** Returns a layout in which a panel shares the space of another one. */
function placed(layout: Layout, beside: string, side: Side, id: string): Layout {
    if ('split' in layout)
        return { ...layout, parts: layout.parts.map((part) => placed(part, beside, side, id)) };
    if (layout.panel !== beside) return layout;
    const direction = side === 'left' || side === 'right' ? 'row' : 'column';
    const share = beside === MAIN ? BESIDE : 0.5;
    const first = side === 'left' || side === 'above';
    const [parts, sizes] = [
        [layout, { panel: id }],
        [1 - share, share],
    ];
    return first
        ? { split: direction, parts: parts.toReversed(), sizes: sizes.toReversed() }
        : { split: direction, parts, sizes };
}

/** Returns a layout with a panel at an edge: in the column that is there, else in one of its own. */
function docked(layout: Layout, id: string, side: 'left' | 'right'): Layout {
    const leaf: Layout = { panel: id };
    const row = 'split' in layout && layout.split === 'row' ? layout : { parts: [layout], sizes: [1] };
    const at = side === 'left' ? 0 : row.parts.length - 1;
    const outer = row.parts[at];
    if (outer && !holdsMain(outer)) {
        const parts = 'split' in outer && outer.split === 'column' ? [...outer.parts, leaf] : [outer, leaf];
        const column: Layout = { split: 'column', parts, sizes: even(parts.length) };
        return { split: 'row', parts: row.parts.with(at, column), sizes: row.sizes };
    }
    const sizes = row.sizes.map((size) => size * (1 - BESIDE));
    return side === 'left'
        ? { split: 'row', parts: [leaf, ...row.parts], sizes: [BESIDE, ...sizes] }
        : { split: 'row', parts: [...row.parts, leaf], sizes: [...sizes, BESIDE] };
}

function holdsMain(layout: Layout): boolean {
    return 'split' in layout ? layout.parts.some(holdsMain) : layout.panel === MAIN;
}

/** Returns a layout without a panel, or nothing if that was all. */
function removed(layout: Layout, id: string): Layout | undefined {
    if (!('split' in layout)) return layout.panel === id ? undefined : layout;
    const kept = layout.parts
        .map((part, at) => [removed(part, id), layout.sizes[at] ?? 0] as const)
        .filter((entry): entry is readonly [Layout, number] => entry[0] !== undefined);
    const whole = kept.reduce((sum, [, size]) => sum + size, 0);
    const parts = kept.map(([part]) => part);
    if (parts.length === 0) return undefined;
    return tidy({ ...layout, parts, sizes: kept.map(([, size]) => size / whole) });
}

/** A split of one part is that part; one in a split of the same direction is part of it. */
function tidy(layout: Layout): Layout {
    if (!('split' in layout)) return layout;
    const parts: Layout[] = [];
    const sizes: number[] = [];
    for (const [at, part] of layout.parts.entries()) {
        const inner = tidy(part);
        const size = layout.sizes[at] ?? 0;
        if ('split' in inner && inner.split === layout.split)
            for (const [of, deeper] of inner.parts.entries()) {
                parts.push(deeper);
                sizes.push(size * (inner.sizes[of] ?? 0));
            }
        else {
            parts.push(inner);
            sizes.push(size);
        }
    }
    const [only] = parts;
    return parts.length === 1 && only ? only : { split: layout.split, parts, sizes };
}

function changed(layout: Layout, path: Path, change: (found: Layout) => Layout): Layout {
    const [at, ...rest] = path;
    if (at === undefined) return change(layout);
    const part = 'split' in layout ? layout.parts[at] : undefined;
    if (!('split' in layout) || !part) return layout;
    return { ...layout, parts: layout.parts.with(at, changed(part, rest, change)) };
}
