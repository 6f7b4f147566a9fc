import { parser as base, GFM, type MarkdownParser } from '@lezer/markdown';
import { Meter } from './meter';

/** Whose reading it is that the parser does now. It does one at a time, and never waits. */
let current: Meter | undefined;

/** Runs a step of the parser on somebody's account. */
export function metered<T>(meter: Meter, step: () => T): T {
    current = meter;
    try {
        return step();
    } finally {
        current = undefined;
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
        ],
    },
]);

const parseInline = parser.parseInline.bind(parser);

// Everything with marks in it comes by here: paragraphs, headings, cells.
parser.parseInline = (text, offset) => (!current || current.leaf(text) ? parseInline(text, offset) : []);
