import { describe, expect, it } from 'vitest';
import { areas, sideOf } from './areas';
import { inventory } from './inventory';
import {
    bind,
    close,
    dock,
    LEAST,
    MAIN,
    move,
    open,
    OPEN,
    reset,
    resize,
    select,
    split,
    type Binding,
    type Wanted,
} from './panels';
import { read, VERSION, written } from './stored';

function panel(type: string, binding: Binding = OPEN): Wanted {
    return { type, binding, title: type };
}

const KEPT: Binding = { to: 'session', session: 's1' };
// The panels a, b and c have the ids p1, p2 and p3.
const two = open(reset(), panel('a'));
const three = open(two, panel('b'));

describe('panels', () => {
    it('open beside the main one, then below each other', () => {
        expect(two.layout).toEqual({
            split: 'row',
            parts: [{ panel: MAIN }, { panel: 'p1' }],
            sizes: [0.625, 0.375],
        });
        expect(three.layout).toMatchObject({
            split: 'row',
            parts: [{ panel: MAIN }, { split: 'column', parts: [{ panel: 'p1' }, { panel: 'p2' }] }],
        });
        const four = open(three, panel('c')).layout;
        expect(four).toMatchObject({
            parts: [{}, { parts: [{}, {}, { panel: 'p3' }], sizes: [1 / 3, 1 / 3, 1 / 3] }],
        });
    });

    it('that are open are selected, not opened again', () => {
        const again = open(select(three, MAIN), panel('a'));
        expect(again.panels).toHaveLength(3);
        expect(again.selected).toBe('p1');
        expect(select(three, 'none').selected).toBe(three.selected);
    });

    it('of one type may show different agents, and each only once', () => {
        const kept = bind(two, 'p1', KEPT);
        const both = open(kept, panel('a'));
        expect(both.panels.map(({ id, type, binding }) => [id, type, binding])).toEqual([
            [MAIN, MAIN, OPEN],
            ['p1', 'a', KEPT],
            ['p2', 'a', OPEN],
        ]);
        expect(open(both, panel('a', KEPT))).toEqual({ ...both, selected: 'p1' });
        expect(split(both, MAIN, 'left', panel('a', KEPT))).toBe(both);
        // The one that comes to show the same goes.
        const merged = bind(both, 'p2', KEPT);
        expect([merged.panels.length, merged.selected]).toEqual([2, 'p1']);
        expect(bind(both, MAIN, KEPT)).toBe(both);
        // An id is not given again.
        expect(open(merged, panel('b')).selected).toBe('p3');
    });

    it('are listed as they are drawn', () => {
        const window = bind(dock(three, 'p2', 'left'), 'p1', KEPT);
        expect(inventory(window)).toEqual([
            { id: 'p2', type: 'b', title: 'b', binding: OPEN, selected: true },
            { id: MAIN, type: MAIN, title: '', binding: OPEN, selected: false },
            { id: 'p1', type: 'a', title: 'a', binding: KEPT, selected: false },
        ]);
        expect(inventory(reset())).toHaveLength(1);
    });

    it('give their space back when they close', () => {
        expect(close(three, 'p2').layout).toEqual(two.layout);
        expect(close(two, 'p1').layout).toEqual({ panel: MAIN });
        expect(close(two, 'p1').selected).toBe(MAIN);
        expect(close(two, MAIN)).toBe(two);
        expect(close(two, 'none')).toBe(two);
    });

    it('split the space of another', () => {
        const below = split(two, MAIN, 'below', panel('c'));
        expect([...areas(below.layout).panels]).toEqual([
            [MAIN, { left: 0, top: 0, width: 0.625, height: 0.625 }],
            ['p2', { left: 0, top: 0.625, width: 0.625, height: 0.375 }],
            ['p1', { left: 0.625, top: 0, width: 0.375, height: 1 }],
        ]);
        // Beside in a row is a part of that row.
        const beside = split(two, 'p1', 'right', panel('c')).layout;
        expect(beside).toMatchObject({ split: 'row', sizes: [0.625, 0.1875, 0.1875] });
        const before = split(two, 'p1', 'left', panel('c')).layout;
        expect(before).toMatchObject({ parts: [{ panel: MAIN }, { panel: 'p2' }, { panel: 'p1' }] });
        expect(split(two, 'none', 'left', panel('c'))).toBe(two);
    });

    it('move, and take nothing with them', () => {
        const moved = move(three, 'p2', MAIN, 'below');
        expect(moved.layout).toMatchObject({
            split: 'row',
            parts: [{ split: 'column', parts: [{ panel: MAIN }, { panel: 'p2' }] }, { panel: 'p1' }],
        });
        expect(moved.panels).toEqual(three.panels);
        expect(move(three, MAIN, 'p1', 'right')).toBe(three);
        expect(move(three, 'p1', 'p1', 'right')).toBe(three);
    });

    it('go to the other side and come back, with one column at each', () => {
        const left = dock(three, 'p1', 'left');
        expect(left.layout).toMatchObject({
            split: 'row',
            parts: [{ panel: 'p1' }, { panel: MAIN }, { panel: 'p2' }],
        });
        expect(['p1', 'p2', MAIN].map((id) => sideOf(left.layout, id))).toEqual(['left', 'right', undefined]);
        const both = dock(left, 'p2', 'left').layout;
        expect(both).toMatchObject({
            parts: [{ parts: [{ panel: 'p1' }, { panel: 'p2' }] }, { panel: MAIN }],
        });
        // One that is opened now is at the right side, not below the conversation.
        expect(open(dock(two, 'p1', 'left'), panel('c')).layout).toMatchObject({
            split: 'row',
            parts: [{ panel: 'p1' }, { panel: MAIN }, { panel: 'p2' }],
        });
        const back = dock(dock(two, 'p1', 'left'), 'p1', 'right');
        expect(back.layout).toEqual(two.layout);
        expect(sideOf(move(two, 'p1', MAIN, 'below').layout, 'p1')).toBe('below');
        expect(sideOf(move(two, 'p1', MAIN, 'above').layout, 'p1')).toBe('above');
        expect(dock(three, MAIN, 'left')).toBe(three);
        const sum = (layout: unknown) =>
            (layout as { sizes: number[] }).sizes.reduce((whole, size) => whole + size, 0);
        expect(sum(left.layout)).toBeCloseTo(1);
    });

    it('are resized within limits', () => {
        const sizes = (share: number) =>
            (resize(two, [], 0, share).layout as { sizes: readonly number[] }).sizes;
        expect(sizes(0.5)).toEqual([0.5, 0.5]);
        expect(sizes(0)).toEqual([LEAST, 1 - LEAST]);
        expect(sizes(7)).toEqual([1 - LEAST, LEAST]);
        expect(sizes(NaN)).toEqual([0.625, 0.375]);
        expect(resize(three, [1], 0, 0.25).layout).toMatchObject({ parts: [{}, { sizes: [0.25, 0.75] }] });
        expect(resize(three, [5], 0, 0.25).layout).toEqual(three.layout);
    });

    it('have edges between them', () => {
        const { edges } = areas(three.layout);
        expect(edges.map(({ key, direction, share, controls }) => [key, direction, share, controls])).toEqual(
            [
                ['0', 'row', 0.625, MAIN],
                ['1.0', 'column', 0.5, 'p1'],
            ],
        );
    });
});

describe('a layout in the browser', () => {
    it('is read as it was written', () => {
        expect(read(written(three))).toEqual(three);
    });

    it('keeps panels of a type that this version does not know', () => {
        const newer = written(three).replace('"type":"a"', '"type":"newer"');
        expect(read(newer).panels.map(({ type }) => type)).toEqual([MAIN, 'newer', 'b']);
        expect(read(newer.replace('"binding":{"to":"open"}', '"binding":{"to":"elsewhere"}'))).toEqual(
            read(newer),
        );
    });

    it('is taken over from the version before', () => {
        const before = {
            version: 1,
            panels: [
                { id: MAIN, type: MAIN, binding: {}, title: '' },
                { id: 'info', type: 'info', binding: { session: 's1' }, title: 'Info' },
            ],
            layout: { split: 'row', parts: [{ panel: MAIN }, { panel: 'info' }], sizes: [0.5, 0.5] },
            selected: 'info',
        };
        const window = read(JSON.stringify(before));
        expect(window).toEqual({
            panels: [
                { id: MAIN, type: MAIN, binding: OPEN, title: '' },
                { id: 'info', type: 'info', binding: KEPT, title: 'Info' },
            ],
            layout: before.layout,
            selected: 'info',
            next: 1,
        });
        expect(read(written(window))).toEqual(window);
    });

    it('gives no id twice, whatever was written', () => {
        const wrong = written(three).replace('"next":3', '"next":1');
        expect(open(read(wrong), panel('c')).selected).toBe('p3');
    });

    it('is the default when it cannot be read', () => {
        const text = written(three);
        const broken = [
            null,
            '',
            'null',
            '[]',
            '{}',
            text.slice(0, -1),
            text.replace(`"version":${VERSION}`, '"version":0'),
            text.replace('"type":"main"', '"type":"gone"'),
            text.replace('"panel":"p2"', '"panel":"p1"'),
            text.replace('"panel":"p2"', '"panel":"p3"'),
            text.replace('0.375', '0.9'),
            text.replace('0.375', '-0.375'),
            text.replace('"column"', '"diagonal"'),
            text.replace('"selected":"p2"', '"selected":"p3"'),
            text.replace('"binding":{"to":"open"}', '"binding":null'),
        ];
        for (const each of broken) expect(read(each), String(each)).toEqual(reset());
    });
});
