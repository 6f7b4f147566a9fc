import { parser as base, GFM, type LeafBlockParser, type MarkdownParser } from '@lezer/markdown';
import { Meter } from './meter';

/** Whose reading it is that the parser does now. It does one at a time, and never waits. */
let current: Meter | undefined;

/** Runs a step of the parser and charges the given meter for it. */
export function metered<T>(meter: Meter, step: () => T): T {
    current = meter;
    try {
        return step();
    } finally {
        current = undefined;
    }
}

/** Counts the lines of a paragraph or table, which are read in one step. Never finds anything. */
class Extent implements LeafBlockParser {
    private lines = 1;

    nextLine(_context: unknown, line: { text: string }): boolean {
        this.lines += 1;
        current?.line(line.text, this.lines);
        return false;
    }

    finish(): boolean {
        return false;
    }
}

/**
 * The parser: CommonMark with GitHub's additions, without HTML, which is text here, and without definitions of
 * references, for which it would read a paragraph again with each of its lines.
 */
export const parser: MarkdownParser = base.configure([
    GFM,
    {
        remove: ['HTMLBlock', 'HTMLTag', 'LinkReference'],
        parseBlock: [
            {
                name: 'Nesting',
                before: 'LinkReference',
                // Called wherever a block may begin, and never finds one.
                parse: (context) => {
                    current?.depth(context.depth);
                    return false;
                },
            },
            {
                name: 'Extent',
                before: 'Table',
                leaf: (_context, leaf) => {
                    current?.line(leaf.content, 1);
                    return new Extent();
                },
            },
        ],
    },
]);

const parseInline = parser.parseInline.bind(parser);

// Everything with marks in it comes by here: paragraphs, headings, cells.
parser.parseInline = (text, offset) => (!current || current.leaf(text) ? parseInline(text, offset) : []);
