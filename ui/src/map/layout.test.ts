import { describe, expect, test } from 'vitest';
import { neighbour, placed, type Box, type Node } from './layout';

function agents(count: number, clusters = 1): Node[] {
    return Array.from({ length: count }, (_, at) => ({ id: `a${at}`, cluster: `p${at % clusters}` }));
}

function overlap(one: Box, other: Box): boolean {
    return (
        one.x < other.x + other.width &&
        other.x < one.x + one.width &&
        one.y < other.y + other.height &&
        other.y < one.y + one.height
    );
}

function overlaps(all: Box[]): number {
    let found = 0;
    all.forEach((one, at) => {
        for (const other of all.slice(at + 1)) if (overlap(one, other)) found += 1;
    });
    return found;
}

function within(inner: Box, outer: Box): boolean {
    return (
        inner.x >= outer.x &&
        inner.y >= outer.y &&
        inner.x + inner.width <= outer.x + outer.width &&
        inner.y + inner.height <= outer.y + outer.height
    );
}

describe.each([320, 768, 1180, 2400])('on a map of %i pixels', (width) => {
    test.each([1, 5, 100, 500])('%i agents do not overlap, and stand inside their frames', (count) => {
        const nodes = agents(count, Math.min(count, 7));
        const { boxes, clusters, height } = placed(nodes, width);
        const all = [...boxes.values()];
        expect(all.length).toBe(count);
        expect(overlaps(all)).toBe(0);
        expect(all.filter((box) => box.y + box.height > height)).toEqual([]);
        const outside = nodes.filter(
            ({ id, cluster }) => !within(boxes.get(id) as Box, clusters.get(cluster) as Box),
        );
        expect(outside).toEqual([]);
        expect(overlaps([...clusters.values()])).toBe(0);
    });
});

test('the same agents stand at the same places', () => {
    const nodes = agents(30, 3);
    expect(placed(nodes, 1000)).toEqual(placed(nodes, 1000));
    expect(placed(nodes, 1000, placed(nodes, 1000).slots)).toEqual(placed(nodes, 1000));
});

test('whoever comes or leaves moves nobody of the same project', () => {
    const first = agents(8);
    const before = placed(first, 1000);
    // One leaves, one comes as the child of the second, listed behind it; one comes at the end.
    const child = { id: 'child', cluster: 'p0', parent: 'a1' };
    const nodes = [...first.slice(0, 2), child, ...first.slice(3), { id: 'last', cluster: 'p0' }];
    const after = placed(nodes, 1000, before.slots);
    for (const { id } of first.filter(({ id }) => id !== 'a2'))
        expect(after.boxes.get(id)).toEqual(before.boxes.get(id));
    // The free place is behind its parent.
    expect(after.boxes.get('child')).toEqual(before.boxes.get('a2'));
    expect(after.slots.get('last')).toBe(8);
});

test('a child that finds no place behind its parent goes on until there is one', () => {
    const before = placed(agents(4), 1000);
    const nodes = [...agents(4), { id: 'child', cluster: 'p0', parent: 'a0' }];
    expect(placed(nodes, 1000, before.slots).slots.get('child')).toBe(4);
});

test('a slot that two claim is given to the first', () => {
    const nodes = agents(2);
    const { boxes } = placed(
        nodes,
        1000,
        new Map([
            ['a0', 0],
            ['a1', 0],
        ]),
    );
    expect(overlap(boxes.get('a0') as Box, boxes.get('a1') as Box)).toBe(false);
});

test('arrows lead to the nearest node in their direction', () => {
    const { boxes } = placed(agents(9), 3 * 220 + 2 * 48 + 48);
    expect(neighbour(boxes, 'a4', 'ArrowLeft')).toBe('a3');
    expect(neighbour(boxes, 'a4', 'ArrowRight')).toBe('a5');
    expect(neighbour(boxes, 'a4', 'ArrowUp')).toBe('a1');
    expect(neighbour(boxes, 'a4', 'ArrowDown')).toBe('a7');
    expect(neighbour(boxes, 'a0', 'ArrowUp')).toBeUndefined();
    expect(neighbour(boxes, 'nobody', 'ArrowUp')).toBeUndefined();
});

test('those who are left when most have gone are placed anew', () => {
    const before = placed(agents(100), 1000);
    const left = [agents(100)[3], agents(100)[98]] as Node[];
    const after = placed(left, 1000, before.slots);
    expect([...after.slots]).toEqual([
        ['a3', 0],
        ['a98', 1],
    ]);
    expect(placed(left, 1000, after.slots)).toEqual(after);
});
