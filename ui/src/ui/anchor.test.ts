import { describe, expect, it } from 'vitest';
import { placeAt } from './anchor';

const view = { width: 400, height: 300 };
const box = { width: 100, height: 80 };
const at = (left: number, top: number, width = 20, height = 20) => ({
    left,
    top,
    right: left + width,
    bottom: top + height,
});

describe('what opens at a place', () => {
    it('is below it, or above it where that has more room', () => {
        expect(placeAt(at(50, 50), box, view)).toEqual({ left: 50, top: 70 });
        expect(placeAt(at(50, 250), box, view)).toEqual({ left: 50, top: 170 });
    });

    it('ends where the place ends when the window does', () => {
        expect(placeAt(at(370, 50), box, view)).toEqual({ left: 290, top: 70 });
    });

    it('never leaves the window', () => {
        expect(placeAt(at(-50, 295), box, view)).toEqual({ left: 8, top: 212 });
        const large = placeAt(at(200, 150), { width: 500, height: 500 }, view);
        expect(large).toEqual({ left: 8, top: 8 });
    });
});
