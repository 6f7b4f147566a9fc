import { encode } from 'uqr';
import { expect, it } from 'vitest';
import { pathOf } from './qr';

/** Fills the rectangles of a path into a grid. */
function filled(path: string, size: number): boolean[][] {
    const rows = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
    for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g))
        rows[Number(y)]!.fill(true, Number(x), Number(x) + Number(width));
    return rows;
}

it('draws exactly the dark modules', () => {
    const { data, size } = encode('https://paseo.example.org/login#code=0b5e8c1fa94d27e6');
    expect(filled(pathOf(data), size)).toEqual(data);
});

it('draws a run as one rectangle', () => {
    expect(
        pathOf([
            [true, true, false, true],
            [false, false, false, false],
        ]),
    ).toBe('M0 0h2v1h-2zM3 0h1v1h-1z');
});
