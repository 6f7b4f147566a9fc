/** Most parts of a tree, most blocks and marks within each other, and most cells of all its tables. */
export const NODES = 10_000;
export const NESTING = 64;
export const CELLS = 4_000;
/** Most lines of one paragraph or table, and most bars in one of them: it is read in one step, however long that takes. */
export const LINES = 1_000;
export const BARS = 200;
/** Most steps for the marks of one paragraph or cell, and of a whole text. */
export const LEAF_STEPS = 1_000_000;
export const TEXT_STEPS = 10_000_000;

/** Characters for which the parser may look at the whole paragraph, or at all such characters before them. */
const COSTLY = Array.from({ length: 128 }, (_, code) =>
    '`*_~[]()!<&\\:@'.includes(String.fromCharCode(code)),
);
const SPACE = 32;

/** A text is beyond a limit, and is shown as it is. */
export class Exceeded extends Error {
    constructor(what: string) {
        super(`too many ${what}`);
    }
}

/** Counts what a text comes to, and stops at the limits. */
export class Meter {
    private nodes = 0;
    private cells = 0;
    private steps = 0;

    /** Counts a part, or one that is drawn as several. */
    node(drawn = 1): void {
        this.nodes += drawn;
        if (this.nodes > NODES) throw new Exceeded('parts');
    }

    depth(depth: number): void {
        if (depth > NESTING) throw new Exceeded('levels');
    }

    /** Counts a row of a table that is so wide, whether or not its cells are filled. */
    row(columns: number): void {
        this.cells += columns;
        if (this.cells > CELLS) throw new Exceeded('cells');
    }

    /** Counts a line of a paragraph or table. */
    line(text: string, number: number): void {
        if (number > LINES) throw new Exceeded('lines');
        let bars = 0;
        for (let at = text.indexOf('|'); at >= 0; at = text.indexOf('|', at + 1)) {
            bars += 1;
            if (bars > BARS) throw new Exceeded('columns');
        }
    }

    /** Says whether the marks of a paragraph may be read. One that is too costly is only text. */
    leaf(text: string): boolean {
        const steps = stepsFor(text);
        const affordable = steps <= LEAF_STEPS;
        this.steps += affordable ? steps : text.length;
        if (this.steps > TEXT_STEPS) throw new Exceeded('steps');
        return affordable;
    }
}

/**
 * Returns about how many steps the marks of a paragraph take to read, at most: for each costly character one for every
 * character there is, and for each space one for every space that follows it.
 */
export function stepsFor(text: string): number {
    let [costly, spaces, run] = [1, 0, 0];
    for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at);
        if (code < 128 && COSTLY[code]) costly += 1;
        run = code === SPACE ? run + 1 : 0;
        spaces += run;
    }
    return text.length * costly + spaces;
}
