import { expect, it } from 'vitest';
import { fitting, NARROWEST, readWidth, STEP, stepped, WIDEST } from './listWidth';

it('leaves room for the list and for the page', () => {
    expect(fitting(300, 1440)).toBe(300);
    expect(fitting(10, 1440)).toBe(NARROWEST);
    expect(fitting(900, 1440)).toBe(WIDEST);
    expect(fitting(900, 1000)).toBe(450);
    expect(fitting(900, 100)).toBe(NARROWEST);
});

it('reads only what it wrote', () => {
    expect(readWidth('320')).toBe(320);
    for (const text of [null, '', ' ', 'wide', 'NaN', '-1', '0', '99999'])
        expect(readWidth(text)).toBeUndefined();
});

it('follows the keys of an edge, and no others', () => {
    expect(stepped('ArrowLeft', 300)).toBe(300 - STEP);
    expect(stepped('ArrowRight', 300)).toBe(300 + STEP);
    expect(stepped('Home', 300)).toBe(NARROWEST);
    expect(stepped('End', 300)).toBe(WIDEST);
    expect(stepped('Tab', 300)).toBeUndefined();
});
