import { describe, expect, it } from 'vitest';
import { safeHref } from './href';
import { markdown, Reading, SLICE_MS } from './reading';
import type { Block, Inline } from './tree';

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

const read = (text: string): Block[] => {
    const outcome = markdown(text);
    if (outcome === 'plain') throw new Error('beyond a limit');
    return [...outcome];
};

/** Reads a text that is one paragraph. */
const inline = (text: string): string => {
    const [block, ...more] = read(text);
    if (block?.is !== 'paragraph' || more.length > 0) throw new Error('not one paragraph');
    return flat(block.children);
};

const kinds = (blocks: Block[]) => blocks.map((block) => block.is);

describe('marks', () => {
    it.each([
        ['a **b *c*** d', 'a <strong b <em c>> d'],
        ['snake_case_word and _this_', 'snake_case_word and <em this>'],
        ['2 * 3 * 4', '2 * 3 * 4'],
        ['`a *b*` ``c`d``', '<code a *b*> <code c`d>'],
        ['~~no~~ \\*yes\\*', '<del no> *yes*'],
        ['one  \ntwo\nthree', 'one<br>two three'],
        ['one\\\ntwo', 'one<br>two'],
        ['[x](https://a.b/c)', '<a https://a.b/c x>'],
        ['[x](<https://a.b/c>)', '<a https://a.b/c x>'],
        ['[**x** y](https://a.b/c)', '<a https://a.b/c <strong x> y>'],
        ['see https://a.b/c.', 'see <a https://a.b/c https://a.b/c>.'],
        ['see www.a.b', 'see <a https://www.a.b/ www.a.b>'],
        ['ann@a.example', '<a mailto:ann@a.example ann@a.example>'],
        ['[x](https://a.b/C_(d)) e)', '<a https://a.b/C_(d) x> e)'],
        ['[x](https://a.b/(c(d)) "a (b)")', '<a https://a.b/(c(d)) x>'],
        ['(see https://a.b/C_(d)).', '(see <a https://a.b/C_(d) https://a.b/C_(d)>).'],
        ['[https://a.b](https://c.d)', '<a https://c.d/ https://a.b>'],
        ['unclosed **mark', 'unclosed **mark'],
        ['a[0] and [b][c] and [*d*]', 'a[0] and [b][c] and [<em d>]'],
        ['&lt;b&gt; &amp;amp; &#65;&#x42; &nosuch; &#0;', '<b> &amp; AB &nosuch; \ufffd'],
        ['[a]: https://a.b', '[a]: <a https://a.b/ https://a.b>'],
    ])('%j', (text, expected) => expect(inline(text)).toBe(expected));

    it('leave HTML and unsafe addresses as words', () => {
        expect(inline('<img src=x onerror=alert(1)>')).toBe('<img src=x onerror=alert(1)>');
        expect(inline('a <script>alert(1)</script> b')).toBe('a <script>alert(1)</script> b');
        expect(inline('<!-- c -->')).toBe('<!-- c -->');
        expect(inline('[x](javascript:alert)')).toBe('x');
        expect(inline('[x](java&#115;cript:alert)')).toBe('x');
        expect(inline('![x](https://a.b/c.png)')).toBe('<a https://a.b/c.png x>');
        for (const href of ['javascript:1', 'data:text/html,x', ' vbscript:x', '/relative', 'file:///etc'])
            expect(safeHref(href)).toBeUndefined();
    });
});

describe('blocks', () => {
    it('are known', () => {
        const text =
            '# Title\n\ntext\n- a\n- b\n  - c\n\n1. x\n2. y\n\n> quoted\n\n```rust\nfn main() {}\n```\n\n---\n\nOld\n===\n\n    code';
        expect(kinds(read(text))).toEqual([
            'heading',
            'paragraph',
            'list',
            'list',
            'quote',
            'code',
            'rule',
            'heading',
            'code',
        ]);
    });

    it('are the same in a quote', () => {
        const all = '2. a\n   - b\n3. c\n\n| e | f |\n|---|---|\n| g | h |\n\n```js\ni\n\nj\n```';
        const quoted = `> ${all.replaceAll('\n', '\n> ')}`;
        const [quote] = read(quoted);
        expect(quote).toEqual({ is: 'quote', blocks: read(all) });
    });

    it('nest, and lists keep their numbers', () => {
        const [list] = read('3. a\n   - b\n   - c\n4. d');
        expect(list).toMatchObject({ is: 'list', ordered: true, start: 3 });
        if (list?.is !== 'list') throw new Error('no list');
        expect(list.entries.map((entry) => kinds(entry.blocks))).toEqual([
            ['paragraph', 'list'],
            ['paragraph'],
        ]);
    });

    it('are tasks, tables and unfinished code', () => {
        const [list] = read('- [x] done\n- [ ] open');
        expect(list).toMatchObject({ entries: [{ done: true }, { done: false }] });
        const task = list?.is === 'list' ? list.entries[0]?.blocks[0] : undefined;
        expect(task?.is === 'paragraph' && flat(task.children)).toBe('done');
        const [table] = read('| a | b |\n|---|--:|\n| 1 |\n|  | *2* | 3 |');
        if (table?.is !== 'table') throw new Error('no table');
        expect(table.head.map(flat)).toEqual(['a', 'b']);
        expect(table.body.map((row) => row.map(flat))).toEqual([
            ['1', ''],
            ['', '<em 2>'],
        ]);
        expect(read('```sh\nls')).toEqual([{ is: 'code', language: 'sh', text: 'ls', open: true }]);
        expect(read('```sh\nls\n```')).toEqual([{ is: 'code', language: 'sh', text: 'ls' }]);
    });

    it('have no marks of a quote in their text', () => {
        expect(read('> a\n> b\n>\n> ```\n> x\n> y\n> ```')).toEqual([
            {
                is: 'quote',
                blocks: [
                    { is: 'paragraph', children: [{ is: 'text', text: expect.stringMatching(/^a +b$/) }] },
                    { is: 'code', language: '', text: 'x\ny' },
                ],
            },
        ]);
    });
});

describe('what is read in one step', () => {
    const table = (columns: number, rows: number) =>
        ['|a'.repeat(columns), '|-'.repeat(columns), ...Array<string>(rows).fill('|b')].join('\n');

    it('has at most 1,000 lines', () => {
        expect(markdown('a\n'.repeat(1_000))).not.toBe('plain');
        expect(markdown('a\n'.repeat(1_001))).toBe('plain');
        expect(markdown(table(1, 998))).not.toBe('plain');
        expect(markdown(table(1, 999))).toBe('plain');
        // Lines of several are each their own.
        expect(markdown('a\n\n'.repeat(1_001))).not.toBe('plain');
    });

    it('has at most 200 bars in a line', () => {
        expect(markdown(table(200, 1))).not.toBe('plain');
        expect(markdown(table(201, 1))).toBe('plain');
        expect(markdown(`a\n${'|'.repeat(201)}`)).toBe('plain');
        expect(markdown(`\`\`\`\n${'|'.repeat(201)}\n\`\`\``)).not.toBe('plain');
    });
});

describe('a reading', () => {
    const text = '- a\n\nb\n\n'.repeat(400);

    it('goes on in slices, and comes to the same', () => {
        let now = 0;
        const reading = new Reading(text, () => (now += 0.03));
        let slices = 0;
        for (;;) {
            const before = now;
            const outcome = reading.go();
            slices += 1;
            expect(now - before).toBeLessThan(SLICE_MS + 1);
            if (!outcome) continue;
            expect(outcome).toEqual(markdown(text));
            break;
        }
        expect(slices).toBeGreaterThan(2);
    });

    it('gives up after its time', () => {
        let now = 0;
        const reading = new Reading(text, () => (now += 1));
        let outcome;
        while (!outcome) outcome = reading.go();
        expect(outcome).toBe('plain');
        expect(now).toBeGreaterThan(100);
        expect(now).toBeLessThan(130);
    });
});
