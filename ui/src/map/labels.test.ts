import { expect, test } from 'vitest';
import { placedLabels } from './labels';
import { placed } from './layout';
import { ways, type Point } from './routes';

const nodes = Array.from({ length: 40 }, (_, at) => ({ id: `a${at}`, cluster: 'p' }));
const layout = placed(nodes, 1400);
const lines = Array.from({ length: 24 }, (_, at) => ({
    key: `l${at}`,
    from: `a${(at * 7) % 40}`,
    to: `a${(at * 11 + 3) % 40}`,
}));

function box({ x, y }: Point, text: string) {
    const width = text.length * 7;
    return { left: x - width / 2, right: x + width / 2, top: y - 6, bottom: y + 6 };
}

test('numbers stand on no other number, and on no node', () => {
    const labels = lines.map(({ key }, at) => ({ key, text: at % 5 === 0 ? 'waits' : String(at) }));
    const found = placedLabels(labels, ways(lines, layout));
    // A line is long enough for its number.
    expect(found.size).toBe(lines.filter(({ from, to }) => from !== to).length);
    const boxes = labels.flatMap(({ key, text }) => {
        const at = found.get(key);
        return at ? [box(at, text)] : [];
    });
    const all = [
        ...boxes,
        ...[...layout.boxes.values()].map(({ x, y, width, height }) => ({
            left: x,
            right: x + width,
            top: y,
            bottom: y + height,
        })),
    ];
    const covered = boxes.filter((one) =>
        all.some(
            (other) =>
                other !== one &&
                one.left < other.right &&
                other.left < one.right &&
                one.top < other.bottom &&
                other.top < one.bottom,
        ),
    );
    expect(covered).toEqual([]);
});

test('a number without a place is left out', () => {
    const way = {
        points: [
            { x: 0, y: 0 },
            { x: 0, y: 30 },
        ],
        gutters: [],
    };
    const labels = ['a', 'b', 'c', 'd'].map((key) => ({ key, text: '1' }));
    const found = placedLabels(labels, new Map(labels.map(({ key }) => [key, way])));
    expect([...found]).toEqual([['a', { x: 0, y: 15 }]]);
    expect(placedLabels([{ key: 'gone', text: '1' }], new Map()).size).toBe(0);
});
