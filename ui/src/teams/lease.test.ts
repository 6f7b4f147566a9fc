import { describe, expect, it } from 'vitest';
import { Lag, leftWords } from './lease';

describe('what is left of a lease', () => {
    it('is written as a clock', () => {
        expect(leftWords(0)).toBe('expired');
        expect(leftWords(-5)).toBe('expired');
        expect(leftWords(1)).toBe('0:01');
        expect(leftWords(299_001)).toBe('5:00');
        expect(leftWords(3_600_000)).toBe('1:00:00');
        expect(leftWords(86_400_000)).toBe('24:00:00');
    });

    it('follows the clock of the daemon, whatever that of the browser says', () => {
        const lag = new Lag();
        lag.take('2030-01-01T00:00:00.000Z', 1000);
        expect(new Date(lag.now(6000)).toISOString()).toBe('2030-01-01T00:00:05.000Z');
    });
});
