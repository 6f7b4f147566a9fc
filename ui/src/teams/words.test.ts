import { describe, expect, it } from 'vitest';
import type { Notice } from '../lib/wire';
import { listOf, noticeWords } from './words';

const of = (more: Partial<Notice>): string =>
    noticeWords({ cursor: 1, type: 'task_created', actor: 'user', ts: '2026-01-01T00:00:00.000Z', ...more });

describe('what happened', () => {
    it('reads as a sentence', () => {
        expect(of({ task: 'task-0001' })).toBe('You created task-0001');
        expect(of({ type: 'task_assigned', task: 'task-0001', to: 'ann' })).toBe(
            'You assigned task-0001 to ann',
        );
        expect(of({ type: 'task_expired', actor: 'daemon', task: 'task-0001', to: 'ann' })).toBe(
            'Paseo ended the lease on task-0001 of ann',
        );
        expect(of({ type: 'write_refused', actor: 'daemon', to: 'ann' })).toBe(
            'Paseo refused a write of ann',
        );
        expect(of({ type: 'team_created' })).toBe('You created the team');
    });

    it('is told in the words of a newer daemon, when those are not known', () => {
        expect(of({ type: 'task_split' as 'task_created', task: 'task-0001' })).toBe(
            'You task_split task-0001',
        );
    });
});

describe('a list that was typed', () => {
    it('has each entry once', () => {
        expect(listOf(' src\n\ndocs, src ,')).toEqual(['src', 'docs']);
    });
});
