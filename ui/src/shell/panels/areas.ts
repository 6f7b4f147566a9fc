import { MAIN, type Direction, type Layout, type Path, type Side } from './panels';

/** A rectangle in shares of the whole. */
export interface Area {
    readonly left: number;
    readonly top: number;
    readonly width: number;
    readonly height: number;
}

/** The edge between a part of a split and the next one. */
export interface Edge {
    readonly key: string;
    readonly split: Path;
    readonly at: number;
    readonly direction: Direction;
    /** Both parts together. */
    readonly area: Area;
    /** What the first part has of both. */
    readonly share: number;
    /** The first panel of the first part, whose size the edge changes. */
    readonly controls: string;
}

export interface Areas {
    readonly panels: ReadonlyMap<string, Area>;
    readonly edges: readonly Edge[];
}

/**
 * Returns where each panel and each edge is. Panels are drawn side by side at these places rather than inside each
 * other, so that a panel that moves in the tree stays the same element, with its scroll position and what was typed.
 */
export function areas(layout: Layout): Areas {
    const panels = new Map<string, Area>();
    const edges: Edge[] = [];
    const visit = (node: Layout, area: Area, path: Path): void => {
        if (!('split' in node)) {
            panels.set(node.panel, area);
            return;
        }
        const row = node.split === 'row';
        let start = row ? area.left : area.top;
        const whole = row ? area.width : area.height;
        const spans = node.sizes.map((size) => size * whole);
        const between = (from: number, span: number): Area =>
            row ? { ...area, left: from, width: span } : { ...area, top: from, height: span };
        for (const [at, part] of node.parts.entries()) {
            const span = spans[at] ?? 0;
            const next = spans[at + 1];
            visit(part, between(start, span), [...path, at]);
            if (next !== undefined)
                edges.push({
                    key: [...path, at].join('.'),
                    split: path,
                    at,
                    direction: node.split,
                    area: between(start, span + next),
                    share: span / (span + next),
                    controls: firstOf(part),
                });
            start += span;
        }
    };
    visit(layout, { left: 0, top: 0, width: 1, height: 1 }, []);
    return { panels, edges };
}

function firstOf(layout: Layout): string {
    if (!('split' in layout)) return layout.panel;
    const [first] = layout.parts;
    return first ? firstOf(first) : '';
}

/** Returns on which side of the main panel another one is. */
export function sideOf(layout: Layout, id: string): Side | undefined {
    const { panels } = areas(layout);
    const [main, area] = [panels.get(MAIN), panels.get(id)];
    if (!main || !area || id === MAIN) return undefined;
    if (area.left + area.width <= main.left + ALMOST) return 'left';
    if (area.left >= main.left + main.width - ALMOST) return 'right';
    return area.top < main.top ? 'above' : 'below';
}

/** Shares are sums of fractions. */
const ALMOST = 1e-6;
