import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SLICE_MS } from './reading';
import { work, type Step } from './work';

/** The clock, which only work moves. */
let now = 0;

/** A step that takes as long as a slice of reading may, so many times. */
function slices(times: number): Step {
    let left = times;
    return () => {
        now += SLICE_MS;
        left -= 1;
        return { done: left <= 0, parts: 0 };
    };
}

describe('work', () => {
    beforeEach(() => {
        vi.useFakeTimers({ toFake: ['setTimeout'] });
        now = 0;
        vi.spyOn(performance, 'now').mockImplementation(() => now);
    });
    afterEach(() => {
        vi.restoreAllMocks();
        vi.useRealTimers();
    });

    /** Runs what is waiting, and returns how long each task took. */
    function tasks(): number[] {
        const found: number[] = [];
        while (vi.getTimerCount() > 0) {
            const before = now;
            vi.runOnlyPendingTimers();
            found.push(now - before);
        }
        return found;
    }

    it('leaves the page alone after less than 50 ms, with one text and with a hundred', () => {
        for (const texts of [1, 100]) {
            const before = now;
            for (let text = 0; text < texts; text++) work.begin(slices(12));
            expect(now - before).toBeLessThan(50);
            const found = tasks();
            expect(found.length).toBeGreaterThan(1);
            for (const task of found) expect(task).toBeLessThan(50);
            expect(now - before).toBe(texts * 12 * SLICE_MS);
        }
    });

    it('counts what is to be drawn', () => {
        let steps = 0;
        const draws: Step = () => ({ done: ++steps === 10, parts: 500 });
        work.begin(draws);
        expect(steps).toBe(1);
        while (vi.getTimerCount() > 0) {
            const before = steps;
            vi.runOnlyPendingTimers();
            expect(steps - before).toBeLessThanOrEqual(2);
        }
        expect(steps).toBe(10);
    });

    it('goes on with what was not taken back', () => {
        work.begin(slices(20));
        const steps = vi.fn(slices(20));
        work.begin(steps)();
        tasks();
        expect(steps).not.toHaveBeenCalled();
    });
});
