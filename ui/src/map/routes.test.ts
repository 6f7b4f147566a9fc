import { describe, expect, test } from 'vitest';
import { placed, type Box, type Layout, type Node } from './layout';
import { pathOf, ways, type Ends, type Point, type Way } from './routes';

/** The same numbers each time. */
function random(seed: number): () => number {
    let state = seed;
    return () => {
        state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
        return state / 2 ** 32;
    };
}

function crowd(agents: number, lines: number, clusters: number, seed: number): [Node[], Ends[]] {
    const next = random(seed);
    const nodes = Array.from({ length: agents }, (_, at) => ({
        id: `a${at}`,
        cluster: `p${Math.floor(next() * clusters)}`,
    }));
    const any = () => `a${Math.floor(next() * agents)}`;
    return [nodes, Array.from({ length: lines }, (_, at) => ({ key: `l${at}`, from: any(), to: any() }))];
}

/** Says whether a level or upright run passes through a box. Its borders do not count. */
function passes(one: Point, two: Point, box: Box): boolean {
    return (
        Math.min(one.x, two.x) < box.x + box.width &&
        Math.max(one.x, two.x) > box.x &&
        Math.min(one.y, two.y) < box.y + box.height &&
        Math.max(one.y, two.y) > box.y
    );
}

function runsOf({ points }: Way): [Point, Point][] {
    return points.slice(1).map((point, at) => [points[at] as Point, point]);
}

/** Returns the lines that pass through a node, also through one of their ends. */
function passing(lines: readonly Ends[], layout: Layout): string[] {
    const found = ways(lines, layout);
    return [...found].flatMap(([key, way]) =>
        [...layout.boxes]
            .filter(([, box]) => runsOf(way).some(([one, two]) => passes(one, two, box)))
            .map(([id]) => `${key} ${id}`),
    );
}

/** Says whether two runs cover each other for a while. */
function shares(one: readonly [Point, Point], other: readonly [Point, Point]): boolean {
    const meet = (along: 'x' | 'y', across: 'x' | 'y') => {
        const low = Math.max(...[one, other].map((run) => Math.min(run[0][along], run[1][along])));
        const high = Math.min(...[one, other].map((run) => Math.max(run[0][along], run[1][along])));
        return low < high && new Set([...one, ...other].map((point) => point[across])).size === 1;
    };
    return meet('x', 'y') || meet('y', 'x');
}

function touches(box: Box, { x, y }: Point): boolean {
    const [right, bottom] = [box.x + box.width, box.y + box.height];
    const upright = (x === box.x || x === right) && y > box.y && y < bottom;
    return upright || ((y === box.y || y === bottom) && x > box.x && x < right);
}

/** Returns what is wrong with the ways of lines. */
function faults(lines: readonly Ends[], layout: Layout): string[] {
    const found = ways(lines, layout);
    const inside = ({ x, y }: Point) => x >= 0 && x <= layout.width && y >= 0 && y <= layout.height;
    return lines
        .filter(({ from, to }) => from !== to)
        .flatMap(({ key, from, to }) => {
            const way = found.get(key);
            if (!way) return [`${key} is not there`];
            const { points } = way;
            const told: string[] = [];
            if (!touches(layout.boxes.get(from) as Box, points[0] as Point)) told.push('leaves from nowhere');
            if (!touches(layout.boxes.get(to) as Box, points.at(-1) as Point)) told.push('leads nowhere');
            if (runsOf(way).some(([one, two]) => one.x !== two.x && one.y !== two.y)) told.push('is slanted');
            if (!points.every(inside)) told.push('leaves the map');
            return told.map((fault) => `${key} ${fault}`);
        });
}

describe.each([320, 720, 960, 1400])('on a map of %i pixels', (width) => {
    test.each([
        [5, 12, 1],
        [100, 150, 1],
        [100, 150, 4],
        [100, 1500, 9],
    ])('no line passes through a node: %i nodes, %i lines, %i clusters', (agents, lines, clusters) => {
        for (let seed = 1; seed <= 5; seed++) {
            const [nodes, ends] = crowd(agents, lines, clusters, seed);
            const layout = placed(nodes, width);
            expect(passing(ends, layout), `seed ${seed}`).toEqual([]);
            expect(faults(ends, layout), `seed ${seed}`).toEqual([]);
        }
    });
});

test('lines beside each other have ways of their own', () => {
    const nodes = Array.from({ length: 4 }, (_, at) => ({ id: `a${at}`, cluster: 'p' }));
    const layout = placed(nodes, 1400);
    const ends = [
        { key: 'there', from: 'a0', to: 'a1' },
        { key: 'back', from: 'a1', to: 'a0' },
        { key: 'far', from: 'a0', to: 'a3' },
        { key: 'farther back', from: 'a3', to: 'a0' },
    ];
    const found = ways(ends, layout);
    const runs = ends.flatMap(({ key }) => runsOf(found.get(key) as Way));
    const shared = runs.filter((one, at) => runs.some((other, index) => index !== at && shares(one, other)));
    expect(shared).toEqual([]);
    // Between neighbours they are straight.
    expect(found.get('there')?.points.length).toBe(2);
});

test('a line to itself, or to what has no place, is not drawn', () => {
    const layout = placed([{ id: 'a0', cluster: 'p' }], 1000);
    const ends = [
        { key: 'self', from: 'a0', to: 'a0' },
        { key: 'gone', from: 'a0', to: 'a1' },
    ];
    expect(ways(ends, layout).size).toBe(0);
});

test('a path has a round corner where the line turns', () => {
    const way = {
        points: [
            { x: 0, y: 0 },
            { x: 20, y: 0 },
            { x: 20, y: 30 },
        ],
        gutters: [],
    };
    expect(pathOf(way)).toBe('M0 0L14 0Q20 0 20 6L20 30');
});
