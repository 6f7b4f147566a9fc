import type { Agent } from '../lib/wire';
import type { Group, Row } from './groups';

/** The heading of agents that came while the list was kept still. */
export const NEW = 'new';

/**
 * Keeps the list as it was before, with the rows as they are now: while a person points at it, no row moves. Rows that
 * left stay, marked as gone; those that came are at the end.
 */
export function steady(
    before: readonly Group[],
    now: readonly Group[],
    known: (id: string) => Agent | undefined,
): Group[] {
    const rows = new Map(now.flatMap((group) => group.rows.map((row): [string, Row] => [row.agent.id, row])));
    const seen = new Set<string>();
    const kept = before.map((group) => ({
        ...group,
        rows: group.rows.map((row): Row => {
            const { id } = row.agent;
            seen.add(id);
            const { rails, isParent } = row;
            const current = rows.get(id);
            if (current) return { agent: current.agent, rails, isParent };
            return { agent: known(id) ?? row.agent, rails, isParent, gone: true };
        }),
    }));
    const came = [...rows.values()]
        .filter(({ agent }) => !seen.has(agent.id))
        .map(({ agent }): Row => ({ agent, rails: [], isParent: false }));
    if (came.length === 0) return kept;
    const last = kept.at(-1);
    if (last?.key === NEW) return [...kept.slice(0, -1), { ...last, rows: [...last.rows, ...came] }];
    return [...kept, { key: NEW, title: 'New', rows: came }];
}

/** Returns the same groups with the very rows of before where nothing changed: then only the others are drawn again. */
export function reused(before: readonly Group[], now: readonly Group[]): readonly Group[] {
    const rows = new Map<string, Row>();
    for (const group of before) for (const row of group.rows) rows.set(row.agent.id, row);
    return now.map((group) => ({
        ...group,
        rows: group.rows.map((row) => {
            const old = rows.get(row.agent.id);
            return old && isSame(old, row) ? old : row;
        }),
    }));
}

function isSame(one: Row, other: Row): boolean {
    return (
        one.agent === other.agent &&
        one.isParent === other.isParent &&
        one.gone === other.gone &&
        one.rails.length === other.rails.length &&
        one.rails.every((rail, at) => rail === other.rails[at])
    );
}
