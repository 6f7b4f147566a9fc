import { describe, expect, it } from 'vitest';
import { HOSTILE, LONGEST, PIECES } from './hostile';
import { CELLS, LEAF_STEPS, NESTING, NODES, TEXT_STEPS } from './meter';
import { Reading, type Outcome } from './reading';
import { counting } from './steps';
import type { Block, Inline } from './tree';

/** What the library does once for each character, whatever stands there, and what it does for each costly one. */
const EACH = 20;
const ALL_STEPS = 1.2 * TEXT_STEPS + EACH * LONGEST;
const SLICE_STEPS = 1.2 * LEAF_STEPS + EACH * LONGEST;

/** Reads a text a block at a time. Returns what it came to, and the steps of all of it and of the longest slice. */
function steps(text: string): { outcome: Outcome | undefined; all: number; longest: number } {
    // Time stands still: only steps count.
    const reading = new Reading(text, () => 0);
    const found = { outcome: undefined as Outcome | undefined, all: 0, longest: 0 };
    counting((taken) => {
        while (!found.outcome) {
            const before = taken();
            found.outcome = reading.go(0);
            found.longest = Math.max(found.longest, taken() - before);
        }
        found.all = taken();
    });
    return found;
}

/** Counts what is drawn, and how deep it is. */
class Extent {
    nodes = 0;
    depth = 0;
    cells = 0;

    blocks(blocks: readonly Block[], depth = 1): this {
        for (const block of blocks) {
            this.part(depth);
            if ('children' in block) this.inlines(block.children, depth + 1);
            if (block.is === 'quote') this.blocks(block.blocks, depth + 1);
            if (block.is === 'list') for (const entry of block.entries) this.blocks(entry.blocks, depth + 1);
            if (block.is !== 'table') continue;
            for (const cell of [block.head, ...block.body].flat()) {
                this.cells += 1;
                this.inlines(cell, depth + 1);
            }
        }
        return this;
    }

    private inlines(parts: readonly Inline[], depth: number): void {
        for (const part of parts) {
            this.part(depth);
            if (part.is === 'link') expect(part.href).toMatch(/^(https?|mailto):/);
            if ('children' in part) this.inlines(part.children, depth + 1);
        }
    }

    private part(depth: number): void {
        this.nodes += 1;
        this.depth = Math.max(this.depth, depth);
    }
}

function check(text: string): void {
    const { outcome, all, longest } = steps(text);
    expect(all).toBeLessThan(ALL_STEPS);
    expect(longest).toBeLessThan(SLICE_STEPS);
    if (!outcome || outcome === 'plain') return;
    const extent = new Extent().blocks(outcome);
    expect(extent.nodes).toBeLessThanOrEqual(NODES);
    expect(extent.cells).toBeLessThanOrEqual(CELLS);
    expect(extent.depth).toBeLessThanOrEqual(2 * NESTING + 2);
}

/** Numbers that look random and are the same each time. */
function random(seed: number): (below: number) => number {
    let state = seed;
    return (below) => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
    };
}

describe('a hostile text takes few steps', () => {
    it.each(HOSTILE)(
        '%s',
        (_, text) => {
            expect(text.length).toBeLessThanOrEqual(LONGEST + 200);
            check(text);
        },
        60_000,
    );

    it.each(Array.from({ length: 60 }, (_, seed) => seed))(
        'made of seed %i',
        (seed) => {
            const below = random(seed + 1);
            let text = '';
            while (text.length < 6_000) {
                const piece = PIECES[below(PIECES.length)] ?? '';
                text += piece.repeat(below(8) === 0 ? below(200) : 1 + below(3));
                if (below(6) === 0) text += '\n'.repeat(1 + below(2));
            }
            check(text);
        },
        60_000,
    );
});
