/**
 * The ways of the lines. They run in the gutters between columns and rows, so that none passes over or behind a node that
 * is not its end.
 */
import { FRAME, GAP, type Box, type Cell, type Layout } from './layout';

export interface Point {
    readonly x: number;
    readonly y: number;
}

/** What a line connects. */
export interface Ends {
    readonly key: string;
    readonly from: string;
    readonly to: string;
}

export interface Way {
    /** From border to border, turning only by right angles. */
    readonly points: readonly Point[];
    /** The gutters that it runs in, one after the other. */
    readonly gutters: readonly Gutter[];
}

type Side = 'left' | 'right' | 'top' | 'bottom';

/** Space between two columns (it has an x) or two rows (it has a y), in which lines run beside each other. */
export interface Gutter {
    readonly along: 'x' | 'y';
    readonly middle: number;
    readonly half: number;
}

/** The sides by which a line leaves and arrives, and the gutters between. */
interface Plan extends Ends {
    readonly leaves: Side;
    readonly arrives: Side;
    readonly gutters: readonly Gutter[];
}

/** Pixels between lines in a gutter, and between a line and a node: there are the heads of arrows. */
const LANE = 4;
const MARGIN = 8;
/** Pixels between lines at the side of a node, at most. */
const PORT = 14;
/** How much of a side has no lines, so that they stay away from the round corners. */
const CORNER = 8;
const RADIUS = 6;

/** Returns the way of each line whose ends both have a place. A line from a node to itself has none. */
export function ways(lines: readonly Ends[], layout: Layout): Map<string, Way> {
    const plans = lines.flatMap((line) => planned(line, layout) ?? []);
    const ports = portsOf(plans, layout.boxes);
    const drawn = plans.map((plan) => {
        const [start, end] = [`${plan.key} leaves`, `${plan.key} arrives`].map((end) => ports.get(end));
        return { plan, start: start as Point, end: end as Point };
    });
    const lanes = lanesOf(drawn);
    return new Map(
        drawn.map(({ plan, start, end }) => {
            const runs = plan.gutters.map(
                ({ along, middle }, at) => [along, middle + (lanes.get(`${plan.key} ${at}`) ?? 0)] as const,
            );
            const points = [start];
            // In each gutter, a line comes to its lane, and leaves it towards what comes next.
            runs.forEach(([along, lane], at) => {
                const last = points.at(-1) as Point;
                const next = runs[at + 1];
                const goal = next ? { x: next[1], y: next[1] } : end;
                points.push(along === 'x' ? { x: lane, y: last.y } : { x: last.x, y: lane });
                points.push(along === 'x' ? { x: lane, y: goal.y } : { x: goal.x, y: lane });
            });
            points.push(end);
            return [plan.key, { points: turns(points), gutters: plan.gutters }];
        }),
    );
}

/** Returns a path with round corners. */
export function pathOf({ points }: Way): string {
    const [first, ...rest] = points as [Point, ...Point[]];
    let path = `M${at(first)}`;
    rest.forEach((point, index) => {
        const [before, after] = [index === 0 ? first : (rest[index - 1] as Point), rest[index + 1]];
        if (!after) path += `L${at(point)}`;
        else path += `L${at(towards(point, before))}Q${at(point)} ${at(towards(point, after))}`;
    });
    return path;
}

/** Returns the point at which the corner begins, as seen from its middle. */
function towards(corner: Point, other: Point): Point {
    const far = Math.hypot(other.x - corner.x, other.y - corner.y);
    const share = far === 0 ? 0 : Math.min(RADIUS, far / 2) / far;
    return { x: corner.x + (other.x - corner.x) * share, y: corner.y + (other.y - corner.y) * share };
}

function at({ x, y }: Point): string {
    return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
}

/** Leaves out the points at which a line goes straight on. */
function turns(points: readonly Point[]): Point[] {
    const kept: Point[] = [];
    for (const point of points) {
        const [before, last] = [kept.at(-2), kept.at(-1)];
        const same = last && last.x === point.x && last.y === point.y;
        const straight =
            before &&
            last &&
            ((before.x === last.x && last.x === point.x) || (before.y === last.y && last.y === point.y));
        if (same) continue;
        if (straight) kept.pop();
        kept.push(point);
    }
    return kept;
}

function planned(line: Ends, layout: Layout): Plan | undefined {
    const [from, to] = [layout.cells.get(line.from), layout.cells.get(line.to)];
    const box = layout.boxes.get(line.from);
    if (!from || !to || !box || line.from === line.to) return undefined;
    const right = to.column - from.column;
    const down = to.row - from.row;
    // The sides that face each other.
    const [facing, back]: [Side, Side] = right > 0 ? ['right', 'left'] : ['left', 'right'];
    if (Math.abs(right) === 1)
        return { ...line, leaves: facing, arrives: back, gutters: [beside(from, facing, layout)] };
    if (right === 0 && down === 1 && !to.first)
        return { ...line, leaves: 'bottom', arrives: 'top', gutters: [below(box)] };
    if (right === 0 && down === -1 && !from.first)
        return { ...line, leaves: 'top', arrives: 'bottom', gutters: [above(box)] };
    if (right === 0) {
        // Outside, if there is an outside: between the columns are all the other lines.
        const side = from.column === 0 && layout.columns > 1 ? 'left' : 'right';
        return { ...line, leaves: side, arrives: side, gutters: [beside(from, side, layout)] };
    }
    if (down === 0) return { ...line, leaves: 'bottom', arrives: 'bottom', gutters: [below(box)] };
    const goesUp = down < 0 && !from.first;
    return {
        ...line,
        leaves: goesUp ? 'top' : 'bottom',
        arrives: back,
        gutters: [goesUp ? above(box) : below(box), beside(to, back, layout)],
    };
}

function below(box: Box): Gutter {
    return { along: 'y', middle: box.y + box.height + GAP.y / 2, half: GAP.y / 2 };
}

function above(box: Box): Gutter {
    return { along: 'y', middle: box.y - GAP.y / 2, half: GAP.y / 2 };
}

/** Returns the gutter at a side of a column. All columns of the map are equally wide. */
function beside({ column }: Cell, side: Side, { columns, width }: Layout): Gutter {
    const step = Math.floor((width - 2 * FRAME.side + GAP.x) / columns);
    const number = side === 'left' ? column : column + 1;
    // Outside of the columns is only what the frame leaves.
    if (number === 0) return { along: 'x', middle: FRAME.side / 2, half: FRAME.side / 2 };
    const half = (number === columns ? FRAME.side : GAP.x) / 2;
    return { along: 'x', middle: FRAME.side + number * step - GAP.x + half, half };
}

/** Returns where each line leaves and arrives: spread over the side of the node, in the order of what they lead to. */
function portsOf(plans: readonly Plan[], boxes: ReadonlyMap<string, Box>): Map<string, Point> {
    const sides = new Map<string, { box: Box; side: Side; ends: { key: string; other: Point }[] }>();
    const meet = (node: string, side: Side, key: string, other: string): void => {
        const [box, far] = [boxes.get(node), boxes.get(other)];
        if (!box || !far) return;
        const found = sides.get(`${node} ${side}`) ?? { box, side, ends: [] };
        found.ends.push({ key, other: far });
        sides.set(`${node} ${side}`, found);
    };
    for (const { key, from, to, leaves, arrives } of plans) {
        meet(from, leaves, `${key} leaves`, to);
        meet(to, arrives, `${key} arrives`, from);
    }
    const ports = new Map<string, Point>();
    for (const { box, side, ends } of sides.values()) {
        const upright = side === 'left' || side === 'right';
        ends.sort((one, two) => (upright ? one.other.y - two.other.y : one.other.x - two.other.x));
        const room = (upright ? box.height : box.width) - 2 * CORNER;
        const step = Math.min(PORT, room / ends.length);
        ends.forEach(({ key }, index) => {
            const shift = (index - (ends.length - 1) / 2) * step;
            ports.set(key, {
                x: upright ? box.x + (side === 'right' ? box.width : 0) : box.x + box.width / 2 + shift,
                y: upright ? box.y + box.height / 2 + shift : box.y + (side === 'bottom' ? box.height : 0),
            });
        });
    }
    return ports;
}

/**
 * Returns how far from the middle of its gutter each line runs: lines that are beside each other for a while have lanes of
 * their own, as long as there are any.
 */
function lanesOf(drawn: readonly { plan: Plan; start: Point; end: Point }[]): Map<string, number> {
    const gutters = new Map<string, { half: number; runs: { key: string; low: number; high: number }[] }>();
    for (const { plan, start, end } of drawn)
        plan.gutters.forEach(({ along, middle, half }, at) => {
            const across = along === 'x' ? 'y' : 'x';
            const [one, two] = [
                plan.gutters[at - 1]?.middle ?? start[across],
                plan.gutters[at + 1]?.middle ?? end[across],
            ];
            const gutter = gutters.get(`${along} ${middle}`) ?? { half, runs: [] };
            gutter.runs.push({
                key: `${plan.key} ${at}`,
                low: Math.min(one, two) - LANE,
                high: Math.max(one, two) + LANE,
            });
            gutters.set(`${along} ${middle}`, gutter);
        });
    const lanes = new Map<string, number>();
    for (const { half, runs } of gutters.values()) {
        const most = 2 * Math.floor((half - MARGIN) / LANE) + 1;
        const ends: number[] = [];
        for (const { key, low, high } of runs.sort((one, two) => one.low - two.low)) {
            const free = ends.findIndex((end) => end <= low);
            const lane = free >= 0 ? free : ends.length;
            ends[lane] = high;
            lanes.set(key, fromMiddle(lane % most) * LANE);
        }
    }
    return lanes;
}

/** Returns 0, 1, -1, 2, -2 … */
function fromMiddle(lane: number): number {
    return lane % 2 === 1 ? (lane + 1) / 2 : -lane / 2;
}
