import type { PartialParse } from '@lezer/common';
import { mapped } from './mapper';
import { Exceeded, Meter } from './meter';
import { metered, parser } from './parser';
import type { Block } from './tree';

/** How long a piece of work may take at once, and how long a text may take in all, in milliseconds. */
export const SLICE_MS = 8;
export const TOTAL_MS = 100;

/** What a text came to. A text that is beyond a limit is shown as it is. */
export type Outcome = readonly Block[] | 'plain';

/** Reads a Markdown text in slices: between two of them the page can do something else. */
export class Reading {
    private readonly meter = new Meter();
    private readonly parse: PartialParse;
    private spent = 0;

    constructor(
        private readonly text: string,
        private readonly clock: () => number = () => performance.now(),
    ) {
        this.parse = parser.startParse(text);
    }

    /** Goes on for a slice. Returns what the text came to once that is known. */
    go(slice = SLICE_MS): Outcome | undefined {
        const start = this.clock();
        try {
            for (;;) {
                // A block at a time, of which none takes long: `Meter` sees to that.
                const tree = metered(this.meter, () => this.parse.advance());
                const blocks = tree && mapped(tree, this.text, this.meter);
                const used = this.clock() - start;
                if (this.spent + used > TOTAL_MS) return 'plain';
                if (blocks) return blocks;
                if (used < slice) continue;
                this.spent += used;
                return undefined;
            }
        } catch (error) {
            // Too deep for the parser itself is beyond a limit, too.
            if (error instanceof Exceeded || error instanceof RangeError) return 'plain';
            throw error;
        }
    }
}

/** Reads a whole text at once, however long that takes. */
export function markdown(text: string): Outcome {
    return new Reading(text, () => 0).go() ?? 'plain';
}
