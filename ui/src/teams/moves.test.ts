import { describe, expect, it } from 'vitest';
import { actsOf, handOver, joinsOf, moveOf } from './moves';
import { taskOf } from './sample';
import type { Task } from '../lib/wire';

const lease = (holder: string): Partial<Task> => ({
    status: 'in_progress',
    lease: { holder, epoch: 1, expires_at: '2026-01-01T00:05:00.000Z' },
});

describe('moving a task to another column', () => {
    it('is the action that leads there', () => {
        const held = taskOf('task-0001', lease('ann'));
        expect(moveOf(held, 'ready')).toEqual({ is: 'release' });
        expect(moveOf(held, 'done')).toEqual({ is: 'complete' });
        expect(moveOf(held, 'failed')).toEqual({ is: 'cancel' });
        expect(moveOf(taskOf('task-0001'), 'progress')).toEqual({ is: 'choose' });
        const failed = taskOf('task-0001', { status: 'failed' });
        expect(moveOf(failed, 'ready')).toEqual({ is: 'retry' });
        expect(moveOf(failed, 'blocked')).toEqual({ is: 'retry' });
    });

    it('asks the daemon about what only the daemon can refuse', () => {
        expect(moveOf(taskOf('task-0001', { status: 'completed' }), 'ready')).toEqual({ is: 'retry' });
        expect(moveOf(taskOf('task-0001', { status: 'blocked' }), 'progress')).toEqual({ is: 'choose' });
    });

    it('is nothing where no action leads there, and says why', () => {
        const blocked = taskOf('task-0002', { status: 'blocked', reason: 'task-0001 is not completed' });
        expect(moveOf(blocked, 'ready')).toEqual({
            is: 'none',
            why: 'task-0002 is blocked: task-0001 is not completed.',
        });
        expect(moveOf(taskOf('task-0001'), 'blocked').is).toBe('none');
        expect(moveOf(taskOf('task-0001'), 'ready')).toEqual({ is: 'none', why: '' });
    });
});

describe('the menu of a task', () => {
    it('offers what fits its status', () => {
        expect(actsOf(taskOf('task-0001'))).toContain('claim');
        expect(actsOf(taskOf('task-0001', lease('ann')))).not.toContain('complete');
        expect(actsOf(taskOf('task-0001', lease('user')))).toContain('complete');
        expect(actsOf(taskOf('task-0001', { status: 'completed' }))).toEqual([]);
        expect(actsOf(taskOf('task-0001', { status: 'canceled' }))).toEqual(['edit', 'retry']);
    });
});

describe('a task that is dropped on a member', () => {
    it('is assigned, also by taking it from another', () => {
        expect(handOver(taskOf('task-0001'), 'bob')).toEqual({ is: 'assign', to: 'bob' });
        expect(handOver(taskOf('task-0001', lease('ann')), 'bob')).toEqual({ is: 'assign', to: 'bob' });
        expect(handOver(taskOf('task-0001', lease('bob')), 'bob')).toEqual({ is: 'none', why: '' });
    });

    it('stays where it is if it cannot be worked on, and says why', () => {
        const done = taskOf('task-0001', { status: 'completed' });
        expect(handOver(done, 'bob')).toEqual({
            is: 'none',
            why: 'task-0001 is completed. Reopen it first.',
        });
        const blocked = taskOf('task-0001', { status: 'blocked', reason: 'task-0002 is not completed' });
        expect(handOver(blocked, 'bob')).toMatchObject({
            why: 'task-0001 is blocked: task-0002 is not completed.',
        });
    });
});

describe('a task that is dropped on another one', () => {
    const joins = (one: Task, other: Task) =>
        joinsOf(one, other).map(({ task, act }) => [task.id, act.is === 'depend' && act.deps]);

    it('can depend on it, and the other way round', () => {
        const one = taskOf('task-0001', { deps: ['task-0009'] });
        expect(joins(one, taskOf('task-0002'))).toEqual([
            ['task-0001', ['task-0009', 'task-0002']],
            ['task-0002', ['task-0001']],
        ]);
    });

    it('can be freed of a dependency', () => {
        const one = taskOf('task-0001', { deps: ['task-0002', 'task-0009'] });
        expect(joins(one, taskOf('task-0002'))).toEqual([['task-0001', ['task-0009']]]);
        expect(joins(taskOf('task-0002'), one)).toEqual([['task-0001', ['task-0009']]]);
    });

    it('changes nothing about what is completed', () => {
        const done = taskOf('task-0002', { status: 'completed' });
        expect(joins(taskOf('task-0001'), done)).toEqual([['task-0001', ['task-0002']]]);
        expect(joins(done, done)).toEqual([]);
    });
});
