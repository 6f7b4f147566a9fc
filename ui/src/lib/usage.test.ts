import { expect, it } from 'vitest';
import { costOf, tokensOf } from './usage';

const NONE = { input_tokens: 0, output_tokens: 0, cached_tokens: 0 };

it('says nothing about what is not known', () => {
    expect(tokensOf(NONE)).toBe('');
    expect(costOf(NONE)).toBe('');
    expect(costOf({ ...NONE, cost_micros: null })).toBe('');
});

it('adds what went in and what came out', () => {
    expect(tokensOf({ ...NONE, input_tokens: 700, output_tokens: 200 })).toBe('900 tokens');
});

it('shows small sums exactly enough', () => {
    expect(costOf({ ...NONE, cost_micros: 12_340 }, 'en-US')).toBe('$0.012');
    expect(costOf({ ...NONE, cost_micros: 2_500_000 }, 'en-US')).toBe('$2.50');
});
