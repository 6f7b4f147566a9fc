import { describe, expect, it } from 'vitest';
import { Stillness } from './still';

const place = { left: 10, top: 20, width: 100, height: 40 };

describe('stillness', () => {
    it('begins when something is displayed', () => {
        const still = new Stillness();
        expect(still.shown(1000)).toBe(0);
        still.look(undefined, 1000);
        expect(still.shown(2000)).toBe(0);
        still.look(place, 2000);
        still.look({ ...place }, 2400);
        expect(still.shown(2499.9)).toBe(499);
    });

    it.each(['left', 'top', 'width', 'height'] as const)('begins again with a move of %s', (side) => {
        const still = new Stillness();
        still.look(place, 0);
        still.look({ ...place, [side]: place[side] + 2 }, 700);
        expect(still.shown(1000)).toBe(300);
    });

    it('sees a slow drift', () => {
        const still = new Stillness();
        for (let at = 0; at <= 1000; at += 100) still.look({ ...place, top: 20 - at / 200 }, at);
        expect(still.shown(1000)).toBeLessThan(500);
    });

    it('ends when it is hidden', () => {
        const still = new Stillness();
        still.look(place, 0);
        still.look(undefined, 600);
        still.look(place, 700);
        expect(still.shown(1000)).toBe(300);
    });

    it('does not count a click that was made before', () => {
        const still = new Stillness();
        still.look(place, 1000);
        expect(still.shown(400)).toBe(0);
    });
});
