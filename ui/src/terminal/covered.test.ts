import { expect, test } from 'vitest';
import { coveredAt } from './covered';

test.each([
    ['no keyboard', 844, { offsetTop: 0, height: 844, scale: 1 }, 0],
    ['a keyboard', 844, { offsetTop: 0, height: 508, scale: 1 }, 336],
    ['a keyboard, and the page was moved up', 844, { offsetTop: 100, height: 508, scale: 1 }, 236],
    ['a keyboard below the element', 480, { offsetTop: 0, height: 508, scale: 1 }, 0],
    ['a page that is zoomed in', 844, { offsetTop: 0, height: 422, scale: 2 }, 0],
])('%s', (_, bottom, viewport, covered) => {
    expect(coveredAt(bottom, viewport)).toBe(covered);
});
