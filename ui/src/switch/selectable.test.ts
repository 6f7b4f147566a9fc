import { expect, it } from 'vitest';
import type { Definition } from '../lib/wire';
import { selectable } from './selectable';

function definition(slug: string, about: Partial<Definition> = {}): Definition {
    return {
        slug,
        name: slug,
        counts: true,
        ui_visible: true,
        is_subagent: false,
        ...about,
    } as Definition;
}

it('offers what people may choose, by name, and marks the current one', () => {
    const all = [
        definition('writer', { name: 'Author', description: 'Writes' }),
        definition('default', { name: 'Default' }),
        definition('helper', { is_subagent: true }),
        definition('hidden', { ui_visible: false }),
        definition('old', { counts: false }),
    ];
    expect(selectable(all, 'default')).toEqual([
        { slug: 'writer', name: 'Author', description: 'Writes', current: false },
        { slug: 'default', name: 'Default', description: '', current: true },
    ]);
});

it('calls one without a name by its slug', () => {
    expect(selectable([definition('plain', { name: '' })], undefined)[0]?.name).toBe('plain');
});
