import { unknown } from '../lib/never';
import type { Task } from '../lib/wire';

/** The columns of a board, in order. */
export const COLUMNS = [
    { name: 'blocked', title: 'Blocked', empty: 'No task waits for another one.' },
    { name: 'ready', title: 'Ready', empty: 'No task is free to claim.' },
    { name: 'progress', title: 'In progress', empty: 'No member owns a task.' },
    { name: 'done', title: 'Done', empty: 'Nothing is completed yet.' },
    { name: 'failed', title: 'Failed', empty: 'Nothing failed.' },
] as const;

export type ColumnName = (typeof COLUMNS)[number]['name'];

export interface Column {
    readonly name: ColumnName;
    readonly title: string;
    readonly empty: string;
    readonly tasks: readonly Task[];
}

/** Returns the column of a task. */
export function columnOf(task: Pick<Task, 'status'>): ColumnName {
    const { status } = task;
    switch (status) {
        case 'blocked':
            return 'blocked';
        case 'pending':
            return 'ready';
        case 'in_progress':
            return 'progress';
        case 'completed':
            return 'done';
        case 'failed':
        case 'canceled':
            return 'failed';
        // Only those that can be claimed are ready.
        default:
            return unknown(status, 'blocked');
    }
}

/** Divides tasks into columns. What is over is shown with the newest first. */
export function columnsOf(tasks: readonly Task[], canceled: boolean): readonly Column[] {
    const of = new Map<ColumnName, Task[]>(COLUMNS.map(({ name }) => [name, []]));
    for (const task of tasks) {
        if (task.status === 'canceled' && !canceled) continue;
        of.get(columnOf(task))?.push(task);
    }
    for (const name of ['done', 'failed'] as const) of.get(name)?.sort(newestFirst);
    return COLUMNS.map((column) => ({ ...column, tasks: of.get(column.name) ?? [] }));
}

/** Returns the first column with a task in it: where a screen with room for one begins. */
export function firstFilled(tasks: readonly Task[]): ColumnName {
    return columnsOf(tasks, false).find(({ tasks }) => tasks.length > 0)?.name ?? 'ready';
}

function newestFirst(one: Task, other: Task): number {
    return (other.ended_at ?? '').localeCompare(one.ended_at ?? '') || other.id.localeCompare(one.id);
}

/** Returns which task needs which other one, once for each pair. */
export function dependencies(tasks: readonly Task[]): readonly { task: string; needs: string }[] {
    return tasks.flatMap(({ id, deps }) => [...new Set(deps)].map((needs) => ({ task: id, needs })));
}

/** How another task stands to the one that is looked at. */
export type Relation = 'needs' | 'needed-by' | 'overlaps';

/** Returns how others stand to a task: what it needs, what needs it, and what needs the same files. */
export function relationsOf(tasks: readonly Task[], id: string | undefined): ReadonlyMap<string, Relation> {
    const found = new Map<string, Relation>();
    const own = id === undefined ? undefined : tasks.find((task) => task.id === id);
    if (!own) return found;
    for (const { task } of own.overlaps ?? []) found.set(task, 'overlaps');
    for (const task of tasks) if (task.deps.includes(own.id)) found.set(task.id, 'needed-by');
    for (const dep of own.deps) found.set(dep, 'needs');
    return found;
}
