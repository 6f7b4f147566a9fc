import { describe, expect, it } from 'vitest';
import { leftWords } from './lease';

describe('what is left of a lease', () => {
    it('is written as a clock', () => {
        expect(leftWords(0)).toBe('expired');
        expect(leftWords(-5)).toBe('expired');
        expect(leftWords(1)).toBe('0:01');
        expect(leftWords(299_001)).toBe('5:00');
        expect(leftWords(3_600_000)).toBe('1:00:00');
        expect(leftWords(86_400_000)).toBe('24:00:00');
    });
});
