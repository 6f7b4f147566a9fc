import { describe, expect, it } from 'vitest';
import { TOGETHER, Turns } from './turns';

/** Terminals that note what is written to them, and frames that come when they are told to. */
function stage() {
    const frames: (() => void)[] = [];
    const turns = new Turns<{ name: string }>((act) => frames.push(act));
    const terminals = Array.from({ length: TOGETHER * 2 + 1 }, (_, at) => ({ name: `${at}` }));
    const log: string[] = [];
    const write = (at: number, words: string, urgent = false): void => {
        const terminal = terminals[at];
        if (terminal) turns.take(terminal, () => log.push(`${at}${words}`), urgent);
    };
    return {
        write,
        forget: (at: number) => terminals[at] && turns.flush(terminals[at]),
        /** Returns what was written since the last time. */
        written: () => log.splice(0),
        frame: () => frames.shift()?.(),
        frames,
    };
}

describe('the turns of terminals', () => {
    it('writes to few terminals in a frame, and as often as something comes', () => {
        const { write, written } = stage();
        for (const words of ['a', 'b']) for (let at = 0; at <= TOGETHER; at++) write(at, words);
        expect(written()).toEqual(['0a', '1a', '2a', '0b', '1b', '2b']);
    });

    it('goes on with those that wait longest, with all that came for them, in order', () => {
        const { write, written, frame } = stage();
        for (let at = 0; at < TOGETHER * 2 + 1; at++) write(at, 'a');
        write(4, 'b');
        write(4, 'c');
        expect(written()).toEqual(['0a', '1a', '2a']);
        frame();
        expect(written()).toEqual(['3a', '4a', '4b', '4c', '5a']);
        // One that prints without end does not get before the one that still waits.
        write(0, 'd');
        frame();
        expect(written()).toEqual(['6a', '0d']);
    });

    it('lets nothing wait for a terminal that a person types in, nor overtake', () => {
        const { write, written } = stage();
        for (let at = 0; at <= TOGETHER; at++) write(at, 'a');
        written();
        write(TOGETHER, 'b', true);
        expect(written()).toEqual(['3a', '3b']);
    });

    it('writes what waits before a screen begins anew', () => {
        const { write, written, forget, frame } = stage();
        for (let at = 0; at <= TOGETHER; at++) write(at, 'a');
        written();
        forget(TOGETHER);
        expect(written()).toEqual(['3a']);
        frame();
        expect(written()).toEqual([]);
    });

    it('rests when nothing comes', () => {
        const { write, frame, frames } = stage();
        write(0, 'a');
        frame();
        expect(frames).toHaveLength(0);
        write(0, 'b');
        expect(frames).toHaveLength(1);
    });
});
