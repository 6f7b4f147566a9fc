import { expect, it } from 'vitest';
import type { DefinitionList } from '../../lib/wire';
import { asNew, filesOf, goneOf, toReview } from './trust';

it('names files that are gone, too', () => {
    const own = {
        files: ['b.md', 'a.md'],
        changes: [
            { file: 'b.md', change: 'changed' },
            { file: 'old.md', change: 'removed' },
        ],
    } as NonNullable<DefinitionList['project']>;
    expect(filesOf(own)).toEqual([
        { file: 'a.md', change: undefined },
        { file: 'b.md', change: 'changed' },
        { file: 'old.md', change: 'removed' },
    ]);
    expect(filesOf({ ...own, changes: null })).toHaveLength(2);
});

it('reviews what is not trusted, with its difference', () => {
    const list = {
        agents: [
            { slug: 'a', origin: 'project', trusted: true },
            { slug: 'a', origin: 'project', trusted: false },
            { slug: 'b', origin: 'project', trusted: false },
            { slug: 'c', origin: 'home', trusted: false },
        ],
        pending: [
            { slug: 'a', origin: 'home', diff: 'other' },
            { slug: 'a', origin: 'project', diff: 'this' },
            { slug: 'd', origin: 'project', change: 'removed' },
            { slug: 'e', origin: 'home', change: 'removed' },
        ],
    } as unknown as DefinitionList;
    expect(toReview(list).map(({ definition, pending }) => [definition.slug, pending?.diff])).toEqual([
        ['a', 'this'],
        ['b', undefined],
    ]);
    expect(goneOf(list).map(({ slug }) => slug)).toEqual(['d']);
});

it('shows a text as new', () => {
    expect(asNew('a\n\n-b\n')).toBe('+a\n+\n+-b');
});
