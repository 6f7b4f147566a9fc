import { expect, it } from 'vitest';
import { isUnsaved, resolve, saved, take, typed, type Draft } from './draft';
import type { DefinitionSource } from '../../lib/wire';

function source(text: string | null): DefinitionSource {
    const version = text === null ? null : `of ${text}`;
    return { slug: 'a', file: '/home/agents/a.toml', text, version, locked: null, others: [] };
}

it('shows what the file holds until a person types', () => {
    const draft = take(take(undefined, source('one')), source('two'));
    expect(draft).toMatchObject({ text: 'two', base: { version: 'of two' } });
    expect(isUnsaved(draft)).toBe(false);
    expect(isUnsaved(take(undefined, source('a\r\nb')))).toBe(false);
});

it('keeps what a person typed, whatever happens to the file', () => {
    const mine = typed(take(undefined, source('one')), 'mine');
    expect(take(mine, source('one'))).toEqual(mine);
    for (const theirs of ['two', null]) {
        const draft = take(mine, source(theirs));
        expect(draft).toMatchObject({ text: 'mine', base: { version: 'of one' }, found: { text: theirs } });
        expect(take(draft, source('one')).found, 'it was put back').toBeUndefined();
    }
    const same = take(mine, source('mine'));
    expect([isUnsaved(same), same.found]).toEqual([false, undefined]);
    const emptied = typed(take(undefined, source('one')), '');
    expect(take(emptied, source(null)).found, 'it is gone').toBeDefined();
});

it('takes no save of the person for a change by another', () => {
    const sent = typed(take(undefined, source('one')), 'sent');
    const more = take(saved(typed(sent, 'sent and more'), 'sent'), source('sent'));
    expect(more).toEqual({ base: source('sent'), text: 'sent and more' });
});

it('lets the person choose between two texts', () => {
    const draft: Draft = take(typed(take(undefined, source('one')), 'mine'), source('two'));
    expect(resolve(draft, 'theirs')).toEqual({ base: source('two'), text: 'two' });
    const kept = resolve(draft, 'mine');
    expect(kept).toEqual({ base: source('two'), text: 'mine' });
    expect(isUnsaved(kept)).toBe(true);
});
