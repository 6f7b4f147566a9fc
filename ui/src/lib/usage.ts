import type { Agent } from './wire';

const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

/** Returns the tokens of an agent in a few characters; nothing when there are none. */
export function tokensOf({ input_tokens, output_tokens }: Agent['usage']): string {
    const tokens = input_tokens + output_tokens;
    return tokens > 0 ? `${compact.format(tokens)} tokens` : '';
}

/** Returns what an agent cost, in dollars; nothing when its provider does not say. */
export function costOf({ cost_micros }: Agent['usage'], locale?: string): string {
    if (!cost_micros) return '';
    const dollars = cost_micros / 1_000_000;
    const digits = dollars < 1 ? 3 : 2;
    return new Intl.NumberFormat(locale, {
        style: 'currency',
        currency: 'USD',
        minimumFractionDigits: 2,
        maximumFractionDigits: digits,
    }).format(dollars);
}
