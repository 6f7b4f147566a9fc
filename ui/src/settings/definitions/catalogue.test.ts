import { expect, it } from 'vitest';
import { atLarge, catalogue, hiddenLines, originOf, remaining } from './catalogue';
import type { Definition, DefinitionList, DefinitionProblem, PendingDefinition } from '../../lib/wire';

function definition(slug: string, origin: string, counts: boolean): Definition {
    return { slug, origin, counts } as Definition;
}

function problem(slug: string | null): DefinitionProblem {
    return { file: '/f', line: 1, message: 'wrong', slug, severity: 'error' };
}

it('has one row for each slug, also for what cannot be read', () => {
    const list: DefinitionList = {
        project: null,
        next: null,
        agents: [
            definition('b', 'project', false),
            definition('b', 'home', true),
            definition('a', 'home', true),
        ],
        problems: [problem('lost'), problem('a'), problem(null)],
        pending: [{ slug: 'a' } as PendingDefinition],
    };
    const rows = catalogue(list).map(({ slug, definition, pending, problems }) => [
        slug,
        definition?.origin,
        pending.length,
        problems.length,
    ]);
    expect(rows).toEqual([
        ['a', 'home', 1, 1],
        ['b', 'home', 0, 0],
        ['lost', undefined, 0, 1],
    ]);
    expect(atLarge(list)).toEqual([problem(null)]);
});

it('finds the lines in which something is hidden', () => {
    expect(hiddenLines('a\n\tb \u00e4\n\u202etxt\n\u200b\n')).toEqual([3, 4]);
});

it('follows a line with a mistake until it is mended', () => {
    const at = (line: number) => ({ ...problem(null), line });
    const lines = (now: string) => remaining([at(2), at(3)], 'a\nb\nc\n', now).map(({ line }) => line);
    expect(lines('a\nb\nc\n')).toEqual([2, 3]);
    expect(lines('a\nnew\nb\nc\n')).toEqual([3, 4]);
    expect(lines('a\nmended\nc\n')).toEqual([3]);
    expect(lines('b\na\nb\n')).toEqual([1]);
});

it('shows a word of a newer daemon as it is', () => {
    expect(originOf(definition('a', 'home', true))).toBe('yours');
    expect(originOf(definition('a', 'organisation', true))).toBe('organisation');
});
