import { expect, it } from 'vitest';
import { parts } from './prose';

it('finds code between backticks', () => {
    expect(parts('run `paseo up`, then wait')).toEqual([
        { text: 'run ', code: false },
        { text: 'paseo up', code: true },
        { text: ', then wait', code: false },
    ]);
});

it('loses no character', () => {
    for (const text of ['', 'a ` b', '``', '`a` `b', '<b>`x`</b>', '`a\nb`'])
        expect(
            parts(text)
                .map(({ text, code }) => (code ? `\`${text}\`` : text))
                .join(''),
        ).toBe(text);
});
