import { describe, expect, it } from 'vitest';
import { BUDGET_MS, Turns } from './turns';

/** A page in which time passes only where a test says so. */
function page() {
    let now = 0;
    let next: (() => void)[] = [];
    let flushed = 0;
    const drawn: string[] = [];
    const turns = new Turns({
        now: () => now,
        next: (act) => void next.push(act),
        flush: () => void (flushed += 1),
    });
    return {
        turns,
        drawn,
        flushes: () => flushed,
        pass: (ms: number) => void (now += ms),
        wait: (part: { name: string }, ms = 0) =>
            turns.wait(part, () => {
                now += ms;
                drawn.push(part.name);
            }),
        frame: () => {
            const due = next;
            next = [];
            for (const act of due) act();
            return due.length;
        },
    };
}

const parts = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }));

describe('parts of a list', () => {
    it('are drawn at once as long as there is time', () => {
        const { turns, pass, frame } = page();
        expect(turns.free).toBe(true);
        pass(BUDGET_MS - 1);
        expect(turns.free).toBe(true);
        pass(1);
        expect(turns.free).toBe(false);
        frame();
        expect(turns.free).toBe(true);
    });

    it('wait in order, and a frame takes as many as it has time for', () => {
        const { turns, drawn, wait, frame, flushes } = page();
        for (const part of parts) wait(part, BUDGET_MS / 2);
        expect(turns.free).toBe(false);
        frame();
        expect(drawn).toEqual(['a', 'b']);
        // Each is in the document before the time is looked at.
        expect(flushes()).toBe(2);
        expect(turns.free).toBe(false);
        frame();
        frame();
        expect(drawn).toEqual(['a', 'b', 'c', 'd', 'e']);
        frame();
        expect(turns.free).toBe(true);
    });

    it('that are slow are still drawn, one in a frame', () => {
        const { drawn, wait, frame } = page();
        for (const part of parts.slice(0, 2)) wait(part, 10 * BUDGET_MS);
        frame();
        expect(drawn).toEqual(['a']);
        frame();
        expect(drawn).toEqual(['a', 'b']);
    });

    it('go first when they are seen, and not once they are gone', () => {
        const { turns, drawn, wait, frame } = page();
        const ends = parts.map((part) => wait(part, BUDGET_MS));
        turns.prefer(parts[3]!, true);
        turns.prefer(parts[4]!, true);
        turns.prefer(parts[4]!, false);
        ends[0]!();
        frame();
        frame();
        expect(drawn).toEqual(['d', 'b']);
        // One that was drawn is not asked for again.
        turns.prefer(parts[3]!, true);
        frame();
        expect(drawn).toEqual(['d', 'b', 'c']);
    });

    it('are drawn when they are needed, and need no frame then', () => {
        const { turns, drawn, wait, frame, flushes } = page();
        wait(parts[0]!);
        turns.draw(parts[0]!);
        turns.draw(parts[0]!);
        expect([drawn, flushes()]).toEqual([['a'], 1]);
        expect(frame()).toBe(1);
        expect(frame()).toBe(0);
    });
});
