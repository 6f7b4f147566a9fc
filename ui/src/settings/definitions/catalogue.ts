import { visible } from '../../lib/visible';
import type { Definition, DefinitionList, DefinitionProblem, PendingDefinition } from '../../lib/wire';

/** Everything that is known under one slug. */
export interface Row {
    slug: string;
    /** The one that is used, else the first that is there; none for one that cannot be read. */
    definition: Definition | undefined;
    pending: PendingDefinition[];
    problems: DefinitionProblem[];
}

/** Puts together what belongs to a slug, by slug. */
export function catalogue(list: DefinitionList): Row[] {
    const rows = new Map<string, Row>();
    const of = (slug: string): Row => {
        const row = rows.get(slug) ?? { slug, definition: undefined, pending: [], problems: [] };
        rows.set(slug, row);
        return row;
    };
    for (const definition of list.agents) {
        const row = of(definition.slug);
        if (!row.definition || (definition.counts && !row.definition.counts)) row.definition = definition;
    }
    for (const pending of list.pending ?? []) of(pending.slug).pending.push(pending);
    for (const problem of list.problems) if (problem.slug) of(problem.slug).problems.push(problem);
    return [...rows.values()].sort((one, other) => (one.slug < other.slug ? -1 : 1));
}

/** Returns what is wrong with files, and with no definition in particular. */
export function atLarge(list: DefinitionList): DefinitionProblem[] {
    return list.problems.filter((problem) => !problem.slug);
}

/** Says where a definition is defined. */
export function originOf(definition: Definition | undefined): string {
    const words: Record<Definition['origin'], string> = {
        'built-in': 'built in',
        home: 'yours',
        project: 'project',
    };
    return definition ? (words[definition.origin] ?? definition.origin) : 'not loaded';
}

/** Returns the lines of a text, counted from 1, that hold characters which show nothing or turn it around. */
export function hiddenLines(text: string): number[] {
    const hides = (line: string) => visible(line) !== line;
    return text.split('\n').flatMap((line, at) => (hides(line) ? [at + 1] : []));
}

/** Returns the problems of lines that are still there as they were, each at the place where its line is now. */
export function remaining(
    problems: readonly DefinitionProblem[],
    before: string,
    now: string,
): DefinitionProblem[] {
    const [old, lines] = [before.split('\n'), now.split('\n')];
    return problems.flatMap((problem) => {
        const is = (at: number) => lines[at] === old[problem.line - 1];
        const places = [...lines.keys()].filter(is).map((at) => at + 1);
        const away = (line: number) => Math.abs(line - problem.line);
        const [nearest] = places.sort((one, other) => away(one) - away(other));
        return nearest === undefined ? [] : [{ ...problem, line: nearest }];
    });
}
