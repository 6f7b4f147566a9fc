import type { Task } from '../lib/wire';

/** Returns a task for tests. */
export function taskOf(id: string, more: Partial<Task> = {}): Task {
    return {
        id,
        title: id,
        status: 'pending',
        deps: [],
        resources: [],
        epoch: 0,
        created_by: 'user',
        created_at: '2026-01-01T00:00:00.000Z',
        ...more,
    };
}
