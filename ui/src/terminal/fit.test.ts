import { expect, test } from 'vitest';
import { fitted, READABLE, roomFor, SMALLEST } from './fit';

const CELL = { width: 8, height: 16 };
const TERMINAL = { cols: 160, rows: 48 };

test('all of a terminal is shown, however it is shaped', () => {
    expect(fitted({ width: 1280, height: 768 }, TERMINAL, CELL)).toBe(READABLE);
    expect(fitted({ width: 640, height: 768 }, TERMINAL, CELL)).toBe(READABLE / 2);
    expect(fitted({ width: 1280, height: 384 }, TERMINAL, CELL)).toBe(READABLE / 2);
});

test('nothing is larger than what is typed at, or too small to be seen', () => {
    expect(fitted({ width: 5000, height: 5000 }, TERMINAL, CELL)).toBe(READABLE);
    expect(fitted({ width: 100, height: 100 }, TERMINAL, CELL)).toBe(SMALLEST);
});

test('a box has room for whole cells', () => {
    expect(roomFor({ width: 727, height: 495 }, CELL)).toEqual({ cols: 90, rows: 30 });
    expect(roomFor({ width: 0, height: 0 }, CELL)).toEqual({ cols: 1, rows: 1 });
});
