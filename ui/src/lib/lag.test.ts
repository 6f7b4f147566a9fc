import { expect, test } from 'vitest';
import { Lag } from './lag';

test('time follows the clock of the daemon, whatever that of the browser says', () => {
    const lag = new Lag();
    lag.take('2030-01-01T00:00:00.000Z', 1000);
    expect(new Date(lag.now(6000)).toISOString()).toBe('2030-01-01T00:00:05.000Z');
});
