/** Where the numbers on lines stand: on no other number, and beside the nodes rather than behind them. */
import type { Box } from './layout';
import type { Gutter, Point, Way } from './routes';

export interface Label {
    /** That of its line. */
    readonly key: string;
    readonly text: string;
}

/** Pixels: a character of the small monospaced face, and how far a number stands above a level line. */
const CHARACTER = 7.3;
const HEIGHT = 13;
const ABOVE = 7;
/** How far from each other the places are that are tried. */
const STEP = 16;

/** Returns the middle of each label. One that finds no place on its line has none. */
export function placedLabels(labels: readonly Label[], ways: ReadonlyMap<string, Way>): Map<string, Point> {
    const taken: Box[] = [];
    const found = new Map<string, Point>();
    for (const { key, text } of labels) {
        const way = ways.get(key);
        const boxOf = ({ x, y }: Point): Box => {
            const width = text.length * CHARACTER;
            return { x: x - width / 2, y: y - HEIGHT / 2, width, height: HEIGHT };
        };
        const place = way && places(way, text.length * CHARACTER).find((at) => isFree(boxOf(at), taken));
        if (!place) continue;
        taken.push(boxOf(place));
        found.set(key, place);
    }
    return found;
}

function isFree(box: Box, taken: readonly Box[]): boolean {
    return !taken.some(
        (other) =>
            box.x < other.x + other.width &&
            other.x < box.x + box.width &&
            box.y < other.y + other.height &&
            other.y < box.y + box.height,
    );
}

/** Returns where a label may stand: on the runs of its line, the longest first, and from the middle of each outward. */
function places({ points, gutters }: Way, width: number): Point[] {
    const runs = points.slice(1).map((end, at) => {
        const start = points[at] as Point;
        return { start, end, length: Math.abs(end.x - start.x) + Math.abs(end.y - start.y) };
    });
    runs.sort((one, other) => other.length - one.length);
    return runs.flatMap(({ start, end, length }) => {
        const middle = { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 };
        if (start.y !== end.y) {
            const x = inside(gutters, 'x', middle.x, width);
            return outward((length - HEIGHT) / 2).map((offset) => ({ x, y: middle.y + offset }));
        }
        const y = inside(gutters, 'y', middle.y, HEIGHT, ABOVE);
        return outward((length - width) / 2).map((offset) => ({ x: middle.x + offset, y }));
    });
}

/** Returns 0 and the distances from it to both sides, up to the farthest. */
function outward(farthest: number): number[] {
    const count = farthest < 0 ? 0 : 2 * Math.floor(farthest / STEP) + 1;
    return Array.from({ length: count }, (_, at) => (at % 2 === 1 ? (at + 1) / 2 : -at / 2) * STEP);
}

/** Returns a middle at which so much room is taken in the gutter of a run and none beside it, as far as it has the room. */
function inside(
    gutters: readonly Gutter[],
    along: Gutter['along'],
    run: number,
    room: number,
    above = 0,
): number {
    const gutter = gutters.find((one) => one.along === along && Math.abs(one.middle - run) <= one.half);
    if (!gutter) return run - above;
    const most = Math.max(0, gutter.half - room / 2);
    return Math.min(Math.max(run - above, gutter.middle - most), gutter.middle + most);
}
