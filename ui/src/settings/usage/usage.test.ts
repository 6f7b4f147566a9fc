import { describe, expect, it } from 'vitest';
import { bars, daysBefore, subject } from './usage';

const usage = (input_tokens: number, cost_micros: number | null = null) => ({
    input_tokens,
    output_tokens: 0,
    cached_tokens: 0,
    cost_micros,
});

const report = (rows: [string, ReturnType<typeof usage>][], total = usage(1)) => ({
    since: '2026-02-27',
    until: '2026-03-02',
    by: 'day' as const,
    total,
    rows: rows.map(([day, used]) => ({ day, usage: used })),
    left_out: 0,
    complete: true,
});

describe('usage', () => {
    it('has a bar for each day, also for those without any', () => {
        const found = bars(
            report([
                ['2026-02-28', usage(50)],
                ['2026-03-02', usage(100)],
            ]),
        );
        expect(found.map(({ day, share }) => [day, share])).toEqual([
            ['2026-02-27', 0],
            ['2026-02-28', 0.5],
            ['2026-03-01', 0],
            ['2026-03-02', 1],
        ]);
        expect(bars(report([])).every(({ share }) => share === 0)).toBe(true);
    });

    it('is measured in money where there is any', () => {
        const rows: [string, ReturnType<typeof usage>][] = [
            ['2026-02-28', usage(5, 200)],
            ['2026-03-02', usage(900, 100)],
        ];
        expect(bars(report(rows, usage(905, 300))).map(({ share }) => share)).toEqual([0, 1, 0, 0.5]);
    });

    it('counts days in UTC', () => {
        expect(daysBefore('2026-03-01', 1)).toBe('2026-02-28');
        expect(daysBefore('2026-03-01', -1)).toBe('2026-03-02');
    });

    it('names what a row is about', () => {
        expect(subject({ provider: 'claude', usage: usage(1) })).toBe('claude (default model)');
        expect(subject({ provider: 'claude', model: 'opus', usage: usage(1) })).toBe('claude opus');
        expect(subject({ project: '/a', usage: usage(1) })).toBe('/a');
    });
});
