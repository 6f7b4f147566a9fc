import { expect, it } from 'vitest';
import { matching } from './commands';

const named = (...names: string[]) => names.map((name) => ({ name, description: null, hint: null }));

it('offers what begins with the query before what contains it', () => {
    const names = (typed: string) =>
        matching(named('compact', 'Review', 'preview', 'test'), typed).map(({ name }) => name);
    expect(names('re')).toEqual(['Review', 'preview']);
    expect(names('')).toEqual(['compact', 'Review', 'preview', 'test']);
    expect(names('x')).toEqual([]);
});

it('offers no more than fit', () => {
    const many = named(...Array.from({ length: 50 }, (_, at) => `c${at}`));
    expect(matching(many, 'c')).toHaveLength(20);
});
