import { columnOf, type ColumnName } from './columns';
import type { Task } from '../lib/wire';

/** What can be done with a task. Whether it may be done, the daemon decides. */
export type Act =
    | { readonly is: 'claim' | 'renew' | 'complete' | 'fail' | 'release' | 'cancel' | 'retry' }
    | { readonly is: 'assign'; readonly to: string };

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
            if (from === 'blocked')
                return {
                    is: 'none',
                    why: `${task.id} is blocked: ${task.reason ?? 'it waits for other tasks'}.`,
                };
            return { is: 'retry' };
        case 'progress':
            return { is: 'choose' };
        case 'done':
            return { is: 'complete' };
        case 'failed':
            return { is: 'cancel' };
    }
}

/** Returns what a menu offers for a task as it stands. */
export function actsOf(task: Task): readonly (Exclude<Act['is'], 'assign'> | 'choose' | 'edit')[] {
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
