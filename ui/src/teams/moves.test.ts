import { describe, expect, it } from 'vitest';
import { actsOf, moveOf } from './moves';
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
