import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LONGEST_REST_MS, Reader, restAfter } from './reader';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the rest grows with the time that a reading takes, up to a limit', () => {
    expect(restAfter(0, 100)).toBe(100);
    expect(restAfter(20, 100)).toBe(100);
    expect(restAfter(50, 100)).toBe(200);
    // A machine under load: a reading of three seconds is no reason to show old things for twelve.
    expect(restAfter(3000, 100)).toBe(LONGEST_REST_MS);
    expect(restAfter(3000, 5000)).toBe(5000);
});

test('what changes while it is read is read once more, after a pause', async () => {
    const finish: (() => void)[] = [];
    const once = vi.fn(() => new Promise<void>((resolve) => finish.push(resolve)));
    const reader = new Reader(once, () => 100);
    reader.read();
    reader.read();
    reader.read();
    expect(once).toHaveBeenCalledTimes(1);
    finish.pop()?.();
    await vi.advanceTimersByTimeAsync(99);
    expect(once).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(once).toHaveBeenCalledTimes(2);
    finish.pop()?.();
    await vi.advanceTimersByTimeAsync(500);
    expect(once).toHaveBeenCalledTimes(2);
    reader.end();
    reader.read();
    await vi.advanceTimersByTimeAsync(500);
    expect(once).toHaveBeenCalledTimes(2);
});

test('after a reading that took long, the next one is not much later than that', async () => {
    const once = vi.fn(() => new Promise<void>((resolve) => setTimeout(resolve, 3000)));
    const reader = new Reader(once, () => 100);
    reader.read();
    await vi.advanceTimersByTimeAsync(1000);
    reader.read();
    await vi.advanceTimersByTimeAsync(2000 + LONGEST_REST_MS - 1);
    expect(once).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(once).toHaveBeenCalledTimes(2);
    reader.end();
});

test('what a person did is read without a rest', async () => {
    const once = vi.fn(() => Promise.resolve());
    const reader = new Reader(once, () => 1000);
    reader.read();
    await vi.advanceTimersByTimeAsync(10);
    reader.readNow();
    await vi.advanceTimersByTimeAsync(0);
    expect(once).toHaveBeenCalledTimes(2);
    // The rest that was cut short is over, too: nothing is read without being asked for.
    await vi.advanceTimersByTimeAsync(5000);
    expect(once).toHaveBeenCalledTimes(2);
});

test('a reading that asks for itself again, as it failed, waits as long as it says', async () => {
    let failed = true;
    const once = vi.fn(() => {
        if (failed) reader.read();
        return Promise.resolve();
    });
    const reader: Reader = new Reader(once, () => (failed ? 700 : 100));
    reader.read();
    await vi.advanceTimersByTimeAsync(699);
    expect(once).toHaveBeenCalledTimes(1);
    failed = false;
    await vi.advanceTimersByTimeAsync(1);
    expect(once).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(1000);
    expect(once).toHaveBeenCalledTimes(2);
});
