import { expect, it } from 'vitest';
import { MODE_CHOICES, modeWord } from './permissions';

it('offers the modes from the freest to the strictest', () => {
    expect(MODE_CHOICES.map(([mode, word]) => [mode, word])).toEqual([
        ['full', 'Full access'],
        ['ask', 'Ask first'],
        ['read-only', 'Read-only'],
    ]);
});

it('shows a mode that it does not know as it stands', () => {
    expect(modeWord('ask')).toBe('asks first');
    expect(modeWord('twice' as 'ask')).toBe('twice');
});
