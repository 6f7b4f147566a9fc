import { columnOf, type ColumnName } from './columns';
import type { Task } from '../lib/wire';

/** What can be done with a task. Whether it may be done, the daemon decides. */
export type Act =
    | { readonly is: 'claim' | 'renew' | 'complete' | 'fail' | 'release' | 'cancel' | 'retry' }
    | { readonly is: 'assign'; readonly to: string }
    | { readonly is: 'depend'; readonly deps: readonly string[] };

/** What a drop means: something to do, a member to choose first, or nothing, and why. */
export type Move = Act | { readonly is: 'choose' } | { readonly is: 'none'; readonly why: string };

/** The person, as tasks call them. */
export const PERSON = 'user';

/** Returns what moving a task to a column means. */
export function moveOf(task: Task, to: ColumnName): Move {
    const from = columnOf(task);
    if (from === to) return { is: 'none', why: '' };
    switch (to) {
        case 'blocked':
            return from === 'failed'
                ? { is: 'retry' }
                : { is: 'none', why: `To block ${task.id}, edit its dependencies.` };
        case 'ready':
            if (from === 'progress') return { is: 'release' };
            if (from === 'blocked') return { is: 'none', why: blocked(task) };
            return { is: 'retry' };
        case 'progress':
            return { is: 'choose' };
        case 'done':
            return { is: 'complete' };
        case 'failed':
            return { is: 'cancel' };
    }
}

/** Returns what giving a task to a member means. */
export function handOver(task: Task, to: string): Exclude<Move, { readonly is: 'choose' }> {
    if (task.lease?.holder === to) return { is: 'none', why: '' };
    switch (columnOf(task)) {
        case 'ready':
        case 'progress':
            return { is: 'assign', to };
        case 'blocked':
            return { is: 'none', why: blocked(task) };
        case 'done':
        case 'failed':
            return { is: 'none', why: `${task.id} is ${task.status}. Reopen it first.` };
    }
}

/** A dependency that can be added or removed. */
export interface Join {
    readonly task: Task;
    readonly needs: Task;
    /** It is added. */
    readonly join: boolean;
    readonly act: Act;
}

/** Returns which dependencies between two tasks can be added or removed. */
export function joinsOf(one: Task, other: Task): readonly Join[] {
    const joins = [
        { task: one, needs: other },
        { task: other, needs: one },
    ];
    const known = joins.filter(({ task, needs }) => task.deps.includes(needs.id));
    return (known.length > 0 ? known : joins)
        .filter(({ task, needs }) => task.id !== needs.id && columnOf(task) !== 'done')
        .map(({ task, needs }) => {
            const rest = task.deps.filter((dep) => dep !== needs.id);
            const join = rest.length === task.deps.length;
            return { task, needs, join, act: { is: 'depend', deps: join ? [...rest, needs.id] : rest } };
        });
}

function blocked({ id, reason }: Task): string {
    return `${id} is blocked: ${reason ?? 'it waits for other tasks'}.`;
}

/** Returns what a menu offers for a task as it stands. */
export function actsOf(task: Task): readonly (Exclude<Act['is'], 'assign' | 'depend'> | 'choose' | 'edit')[] {
    const own = task.lease?.holder === PERSON;
    switch (columnOf(task)) {
        case 'blocked':
            return ['edit', 'cancel'];
        case 'ready':
            return ['edit', 'claim', 'choose', 'cancel'];
        case 'progress':
            return own
                ? ['edit', 'complete', 'fail', 'renew', 'release', 'choose', 'cancel']
                : ['edit', 'release', 'choose', 'cancel'];
        case 'done':
            return [];
        case 'failed':
            return ['edit', 'retry'];
    }
}
