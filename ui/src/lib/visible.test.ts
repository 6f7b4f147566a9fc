import { describe, expect, it } from 'vitest';
import { struck, visible, visibleLine } from './visible';

describe('text of others', () => {
    it('shows what would show nothing, or turn it around', () => {
        const hidden: readonly (readonly [string, string])[] = [
            ['a\u202eb', 'a\\u{202e}b'],
            ['a\u2066b\u2069', 'a\\u{2066}b\\u{2069}'],
            ['a\u200eb\u200fc\u061cd', 'a\\u{200e}b\\u{200f}c\\u{61c}d'],
            ['pass\u200bword', 'pass\\u{200b}word'],
            ['a\u00adb\ufeffc', 'a\\u{ad}b\\u{feff}c'],
            ['a\u0000b\u001b[2Kc\u0007', 'a\\u{0}b\\u{1b}[2Kc\\u{7}'],
            ['a\u2028b', 'a\\u{2028}b'],
            ['tag\u{e0041}', 'tag\\u{e0041}'],
            ['half \ud83d', 'half \\u{d83d}'],
        ];
        for (const [text, shown] of hidden) expect(visible(text)).toBe(shown);
    });

    it('keeps lines, tabs and the ends of lines of other systems', () => {
        expect(visible('a\n\tb\r\nc')).toBe('a\n\tb\r\nc');
        expect(visible('a\rb')).toBe('a\\u{d}b');
        expect(visibleLine('a\nb\tc')).toBe('a\\nb\\tc');
    });

    it('keeps what is part of an emoji, or of a letter of some scripts', () => {
        for (const text of ['👩‍💻 ❤️ 1️⃣ 👍🏽', 'می‌خواهم', 'क्‍ष', 'שלום', 'Zürich', '日本語'])
            expect(visible(text)).toBe(text);
        // But not where it is part of nothing.
        expect(visible('a\u200db 1\ufe0f ❤\u200dx')).toBe('a\\u{200d}b 1\\u{fe0f} ❤\\u{200d}x');
    });

    it('takes no room where there is none', () => {
        expect(struck('exe\u202egnp \u2066x\u2069')).toBe('exe\u0338gnp \u0338x\u0338');
        for (const text of ['👩‍💻 ❤️', 'plain']) expect(struck(text)).toBe(text);
    });

    it('is read in time, however long it is', () => {
        const began = performance.now();
        visible('\u202e'.repeat(100_000));
        visible('x'.repeat(2_000_000));
        expect(performance.now() - began).toBeLessThan(2000);
    });
});
