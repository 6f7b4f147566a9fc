import { describe, expect, it } from 'vitest';
import { markdown, type Block } from './blocks';
import { inlines, safeHref, type Inline } from './inlines';

/** Writes a tree down, short enough to compare. */
const flat = (parts: Inline[]): string =>
    parts
        .map((part) => {
            if (part.is === 'text') return part.text;
            if (part.is === 'code') return `<code ${part.text}>`;
            if (part.is === 'break') return '<br>';
            if (part.is === 'link') return `<a ${part.href} ${flat(part.children)}>`;
            return `<${part.is} ${flat(part.children)}>`;
        })
        .join('');

const kinds = (blocks: Block[]) => blocks.map((block) => block.is);

describe('inlines', () => {
    it.each([
        ['a **b *c*** d', 'a <strong b <em c>> d'],
        ['snake_case_word and _this_', 'snake_case_word and <em this>'],
        ['2 * 3 * 4', '2 * 3 * 4'],
        ['`a *b*` ``c`d``', '<code a *b*> <code c`d>'],
        ['~~no~~ \\*yes\\*', '<del no> *yes*'],
        ['one  \ntwo\nthree', 'one<br>two three'],
        ['[x](https://a.b/c)', '<a https://a.b/c x>'],
        ['see https://a.b/c.', 'see <a https://a.b/c https://a.b/c>.'],
        ['[x](https://a.b/C_(d)) e)', '<a https://a.b/C_(d) x> e)'],
        ['[x](https://a.b/(c(d)) "a (b)")', '<a https://a.b/(c(d)) x>'],
        ['[x](https://a.b/(c', '[x](<a https://a.b/(c https://a.b/(c>'],
        ['(see https://a.b/C_(d)).', '(see <a https://a.b/C_(d) https://a.b/C_(d)>).'],
        [
            'https://a.b/C_(d), (https://a.b/c)',
            '<a https://a.b/C_(d) https://a.b/C_(d)>, (<a https://a.b/c https://a.b/c>)',
        ],
        ['unclosed **mark', 'unclosed **mark'],
    ])('%j', (text, expected) => expect(flat(inlines(text))).toBe(expected));

    it('leaves HTML and unsafe addresses as words', () => {
        expect(flat(inlines('<img src=x onerror=alert(1)>'))).toBe('<img src=x onerror=alert(1)>');
        expect(flat(inlines('[x](javascript:alert)'))).toBe('x');
        expect(flat(inlines('![x](https://a.b/c.png)'))).toBe('<a https://a.b/c.png x>');
        for (const href of ['javascript:1', 'data:text/html,x', ' vbscript:x', '/relative', 'file:///etc'])
            expect(safeHref(href)).toBeUndefined();
    });

    it.each([
        '*',
        '**',
        '_',
        '`',
        '[',
        '~~',
        '](',
        '*a',
        '[a](',
        '[a]((b)',
        '[a]()',
        'https://a(',
        'https://a)',
    ])('is fast on many %j', (mark) => {
        const start = performance.now();
        inlines(`${mark} a`.repeat(20_000));
        inlines(mark.repeat(20_000));
        expect(performance.now() - start).toBeLessThan(1500);
    });
});

describe('markdown', () => {
    it('knows its blocks', () => {
        const text =
            '# Title\n\ntext\n- a\n- b\n  - c\n\n1. x\n2. y\n\n> quoted\n\n```rust\nfn main() {}\n```\n\n---\n';
        expect(kinds(markdown(text))).toEqual([
            'heading',
            'paragraph',
            'list',
            'list',
            'quote',
            'code',
            'rule',
        ]);
    });

    it('nests lists and keeps numbers', () => {
        const [list] = markdown('3. a\n   - b\n   - c\n4. d');
        expect(list).toMatchObject({ is: 'list', ordered: true, start: 3 });
        if (list?.is !== 'list') throw new Error('no list');
        expect(list.entries.map((entry) => kinds(entry.blocks))).toEqual([
            ['paragraph', 'list'],
            ['paragraph'],
        ]);
    });

    it('reads tasks, tables and unfinished code', () => {
        const [list] = markdown('- [x] done\n- [ ] open');
        expect(list).toMatchObject({ entries: [{ done: true }, { done: false }] });
        expect(markdown('| a | b |\n|---|--:|\n| 1 |')).toMatchObject([
            { is: 'table', body: [[expect.anything(), []]] },
        ]);
        expect(markdown('```sh\nls')).toEqual([{ is: 'code', language: 'sh', text: 'ls' }]);
    });

    it('does not fall for depth', () => {
        expect(() => markdown('> '.repeat(5000) + 'x')).not.toThrow();
        expect(() => markdown('- '.repeat(5000) + 'x')).not.toThrow();
    });
});
