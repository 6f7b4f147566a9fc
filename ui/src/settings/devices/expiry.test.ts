import { expect, it } from 'vitest';
import { timeLeft } from './expiry';

it('counts down to the moment, and not beyond', () => {
    const until = '2026-01-31T12:05:00.000Z';
    const before = (ms: number) => timeLeft(until, Date.parse(until) - ms);
    expect(before(300_000)).toBe('5:00');
    expect(before(299_001)).toBe('5:00');
    expect(before(61_000)).toBe('1:01');
    expect(before(1)).toBe('0:01');
    expect(before(0)).toBeUndefined();
    expect(before(-5)).toBeUndefined();
    expect(timeLeft('nonsense', 0)).toBeUndefined();
});
