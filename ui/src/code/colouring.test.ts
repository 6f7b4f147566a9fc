import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Question } from './colour.worker';
import { Colouring, LONGEST, type Hand } from './colouring';

/** Workers that answer when they are told to. */
class Hands {
    readonly asked: Question[] = [];
    hired = 0;
    ended = 0;
    private last: Hand | undefined;

    readonly hire = (): Hand => {
        this.hired += 1;
        this.last = {
            postMessage: (question) => this.asked.push(question),
            terminate: () => (this.ended += 1),
            onmessage: null,
            onerror: null,
        };
        return this.last;
    };

    answer(): void {
        const { id, text } = this.asked.at(-1)!;
        this.last?.onmessage?.({ data: { id, colours: [[text.length, 1]] } });
    }
}

describe('colouring', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it('takes one text after the other, and the same one once', async () => {
        const hands = new Hands();
        const colouring = new Colouring(hands.hire);
        const [first, again, second] = ['a', 'a', 'bc'].map((text) => colouring.of('rust', text));
        expect(hands.asked.map(({ text }) => text)).toEqual(['a']);
        hands.answer();
        expect(await first).toEqual([[1, 1]]);
        expect(await again).toEqual([[1, 1]]);
        hands.answer();
        expect(await second).toEqual([[2, 1]]);
        expect(hands.hired).toBe(1);
    });

    it('leaves alone what it does not know, and what is too long', async () => {
        const hands = new Hands();
        const colouring = new Colouring(hands.hire);
        expect(await colouring.of('klingon', 'a')).toBeUndefined();
        expect(await colouring.of('rust', 'a'.repeat(LONGEST + 1))).toBeUndefined();
        expect(hands.hired).toBe(0);
    });

    it('gives up on a text that takes too long, and on no other', async () => {
        const hands = new Hands();
        const colouring = new Colouring(hands.hire);
        const hostile = colouring.of('rust', 'hostile');
        const next = colouring.of('rust', 'fine');
        vi.advanceTimersByTime(3_000);
        expect(await hostile).toBeUndefined();
        expect([hands.hired, hands.ended]).toEqual([2, 1]);
        hands.answer();
        expect(await next).toEqual([[4, 1]]);
        vi.advanceTimersByTime(60_000);
        expect(hands.ended).toBe(1);
    });
});
