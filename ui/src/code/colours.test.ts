import { createLowlight } from 'lowlight';
import { describe, expect, it } from 'vitest';
import { coloured, coloursOf, KINDS } from './colours';
import { LANGUAGES, languageOf, type Language } from './languages';
import { load } from './loads';

async function read(language: Language, text: string) {
    const lowlight = createLowlight();
    lowlight.register(language, await load(language));
    return coloured(text, coloursOf(lowlight.highlight(language, text)));
}

describe('the colours of code', () => {
    it('are those of a fixed list, and the text is what it was', async () => {
        const text = 'fn main() { // <b>hi</b>\n    let n: u32 = 7; "&amp;<script>"\n}\n';
        const pieces = await read('rust', text);
        expect(pieces.map((piece) => piece.text).join('')).toBe(text);
        const kind = (of: string) => pieces.find((piece) => piece.text.includes(of))?.kind;
        expect(kind('fn')).toBe('keyword');
        expect(kind('7')).toBe('number');
        expect(kind('<b>')).toBe('comment');
        expect(kind('u32')).toBe('type');
        expect(kind('<script>')).toBe('string');
    });

    it.each(LANGUAGES)('%s keeps any text as it is', async (language) => {
        const texts = [
            '',
            'a = "b" # c // d\n',
            '<a href="x">&lt;</a>\u0000\u202e\ud800',
            '{'.repeat(500),
            '\r\n\t"\\',
        ];
        for (const text of texts) {
            const pieces = await read(language, text);
            expect(pieces.map((piece) => piece.text).join('')).toBe(text);
            for (const { kind } of pieces) expect(KINDS).toContain(kind);
        }
    });

    it('that do not fit the text are none', () => {
        expect(coloured('abc', [[2, 1]])).toEqual([{ text: 'abc', kind: '' }]);
        expect(coloured('abc', [[3, 99]])).toEqual([{ text: 'abc', kind: '' }]);
    });
});

describe('a language', () => {
    it('has several names', () => {
        for (const [written, name] of [
            ['rs', 'rust'],
            ['TSX', 'typescript'],
            ['toml', 'ini'],
            ['html', 'xml'],
            ['console', undefined],
            ['', undefined],
            ['constructor', undefined],
            ['__proto__', undefined],
        ] as const)
            expect(languageOf(written)).toBe(name);
    });
});
