import { describe, expect, it } from 'vitest';
import { columnsOf, dependencies, firstFilled, relationsOf } from './columns';
import { taskOf } from './sample';

describe('the columns of a board', () => {
    it('divides tasks by their status, what is over with the newest first', () => {
        const tasks = [
            taskOf('task-0001', { status: 'completed', ended_at: '2026-01-01T00:00:01.000Z' }),
            taskOf('task-0002', { status: 'completed', ended_at: '2026-01-01T00:00:02.000Z' }),
            taskOf('task-0003', { status: 'pending' }),
            taskOf('task-0004', { status: 'blocked', deps: ['task-0003'] }),
            taskOf('task-0005', { status: 'in_progress' }),
            taskOf('task-0006', { status: 'failed' }),
            taskOf('task-0007', { status: 'canceled' }),
        ];
        const ids = (canceled: boolean) =>
            columnsOf(tasks, canceled).map((column) => column.tasks.map(({ id }) => id.slice(-1)).join(''));
        expect(ids(false)).toEqual(['4', '3', '5', '21', '6']);
        expect(ids(true)).toEqual(['4', '3', '5', '21', '76']);
    });

    it('shows a status that it does not know, rather than nothing', () => {
        const [blocked] = columnsOf([taskOf('task-0001', { status: 'parked' as 'blocked' })], false);
        expect(blocked?.tasks).toHaveLength(1);
    });

    it('knows which task needs which', () => {
        const tasks = [
            taskOf('task-0001', {}),
            taskOf('task-0002', { deps: ['task-0001'] }),
            taskOf('task-0003', { deps: ['task-0001', 'task-0002', 'task-0001'] }),
        ];
        expect(dependencies(tasks).map(({ task, needs }) => `${task} ${needs}`)).toEqual([
            'task-0002 task-0001',
            'task-0003 task-0001',
            'task-0003 task-0002',
        ]);
    });

    it('knows what a task needs, what needs it, and what needs the same files', () => {
        const tasks = [
            taskOf('task-0001'),
            taskOf('task-0002', {
                deps: ['task-0001'],
                overlaps: [{ task: 'task-0004', own: 'a', theirs: 'a' }],
            }),
            taskOf('task-0003', { deps: ['task-0002'] }),
            taskOf('task-0004'),
        ];
        expect([...relationsOf(tasks, 'task-0002')].sort()).toEqual([
            ['task-0001', 'needs'],
            ['task-0003', 'needed-by'],
            ['task-0004', 'overlaps'],
        ]);
        expect(relationsOf(tasks, undefined).size).toBe(0);
    });

    it('begins with the first column that has a task', () => {
        const [done, held] = [{ status: 'completed' }, { status: 'in_progress' }] as const;
        expect(firstFilled([taskOf('task-0001', done), taskOf('task-0002', held)])).toBe('progress');
        expect(firstFilled([taskOf('task-0001', { status: 'canceled' })])).toBe('ready');
        expect(firstFilled([])).toBe('ready');
    });
});
