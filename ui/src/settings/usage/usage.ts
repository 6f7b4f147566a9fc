import { costOf, tokensOf } from '../../lib/usage';
import type { UsageReport, UsageRow } from '../../lib/wire';

const DAY_MS = 86_400_000;

export type Usage = UsageReport['total'];

/** How long a person looks back. */
export const RANGES = [7, 30, 90] as const;
export type Range = (typeof RANGES)[number];

/** A bar of the chart. */
export interface Bar {
    readonly day: string;
    readonly usage: Usage;
    /** How tall it is, of the tallest: 0 to 1. */
    readonly share: number;
}

const NOTHING: Usage = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, cost_micros: null };

/** Returns a day so many days before another one, in UTC. */
export function daysBefore(day: string, days: number): string {
    return new Date(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, 10);
}

/** Returns a bar for each day, also for those on which nothing was used. Money counts where there is any. */
export function bars({ since, until, rows, total }: UsageReport): Bar[] {
    const known = new Map(rows.map((row) => [row.day, row.usage]));
    const weigh = total.cost_micros ? costs : tokens;
    const most = Math.max(...rows.map((row) => weigh(row.usage)), 1);
    const found: Bar[] = [];
    for (let day = since; day <= until && found.length < 400; day = daysBefore(day, -1)) {
        const usage = known.get(day) ?? NOTHING;
        found.push({ day, usage, share: weigh(usage) / most });
    }
    return found;
}

/** A bar of the chart of projects or models. */
export interface Share {
    readonly what: string;
    /** How long it is, of the longest: 0 to 1. */
    readonly share: number;
    readonly amount: string;
}

/** Most bars of a chart: the rest is in the table. */
const MOST_SHARES = 8;

/** Returns a bar for each of the largest rows. Money counts where there is any. */
export function shares({ rows, total }: UsageReport): Share[] {
    const weigh = total.cost_micros ? costs : tokens;
    const largest = rows.toSorted((a, b) => weigh(b.usage) - weigh(a.usage)).slice(0, MOST_SHARES);
    const most = Math.max(...largest.map((row) => weigh(row.usage)), 1);
    return largest.map((row) => ({
        what: subject(row),
        share: weigh(row.usage) / most,
        amount: (total.cost_micros && costOf(row.usage)) || tokensOf(row.usage) || '0 tokens',
    }));
}

export function tokens({ input_tokens, output_tokens }: Usage): number {
    return input_tokens + output_tokens;
}

function costs({ cost_micros }: Usage): number {
    return cost_micros ?? 0;
}

/** Returns what a row is about, in words. */
export function subject({ day, project, provider, model }: UsageRow): string {
    if (day) return day;
    if (project) return project;
    return model ? `${provider} ${model}` : `${provider ?? ''} (default model)`;
}
