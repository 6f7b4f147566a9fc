import { expect, test } from 'vitest';
import { rowsOf, swipeOf, wheel } from './swipe';

test.each([
    [3, 4, 'none'],
    [30, 10, 'native'],
    [-30, 20, 'native'],
    [5, 30, 'earlier'],
    [5, -30, 'later'],
])('a finger that moves by %i and %i is %s', (x, y, swipe) => {
    expect(swipeOf({ x: 100, y: 100 }, { x: 100 + x, y: 100 + y })).toBe(swipe);
});

test('pixels become whole rows, and the rest is kept', () => {
    expect(rowsOf(35, 10)).toEqual({ rows: 3, rest: 5 });
    expect(rowsOf(-35, 10)).toEqual({ rows: -3, rest: -5 });
    expect(rowsOf(9, 10)).toEqual({ rows: 0, rest: 9 });
});

test('the wheel turns at a cell', () => {
    expect(wheel(true, 12, 3)).toBe('\x1b[<64;12;3M');
    expect(wheel(false, 1, 1)).toBe('\x1b[<65;1;1M');
});
