import { describe, expect, it } from 'vitest';
import { beginningOf, linesOf, pieces } from './pieces';

describe('pieces', () => {
    it.each([
        '',
        'a',
        'a\n',
        '\n',
        '\n\n',
        'a\nb',
        'a\n'.repeat(50),
        'a\n'.repeat(51),
        '\n'.repeat(199),
        'a\n'.repeat(15_000) + 'b',
    ])('are the text, of at most 50 lines each (%#)', (text) => {
        const found = pieces(text);
        expect(found.join('')).toBe(text);
        for (const piece of found) expect(linesOf(piece)).toBeLessThanOrEqual(50);
        for (const piece of found.slice(0, -1)) expect(piece.endsWith('\n')).toBe(true);
        expect(found).toHaveLength(
            Math.ceil(text.replace(/\n$/, '').split('\n').length / 50) - (text === '' ? 1 : 0),
        );
    });

    it('leave a text that is short whole', () => {
        expect(pieces('a\n\nb\nc')).toEqual(['a\n\nb\nc']);
    });
});

describe('the beginning of a text', () => {
    it('has so many lines and characters at most', () => {
        expect(beginningOf('a\nb\nc', 2, 100)).toBe('a\nb');
        expect(beginningOf('a\nb\nc', 3, 100)).toBe('a\nb\nc');
        expect(beginningOf('abc\nd', 2, 2)).toBe('ab');
        expect(beginningOf('', 2, 2)).toBe('');
        expect(beginningOf('a\n', 12, 100)).toBe('a\n');
    });
});
