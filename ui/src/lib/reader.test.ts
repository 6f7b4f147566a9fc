import { expect, test, vi } from 'vitest';
import { Reader } from './reader';

test('what changes while it is read is read once more, after a pause', async () => {
    vi.useFakeTimers();
    const finish: (() => void)[] = [];
    const once = vi.fn(() => new Promise<void>((resolve) => finish.push(resolve)));
    const reader = new Reader(once, 100);
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
    vi.useRealTimers();
});
