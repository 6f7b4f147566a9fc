import { describe, expect, it } from 'vitest';
import type { Agent } from '../lib/wire';
import { actionsOf, applies } from './actions';
import { forEach, lossOf, lossWords } from './bulk';

const agent = (id: string, more: Partial<Agent> = {}): Agent =>
    ({
        id,
        handle: id,
        name: `agent ${id}`,
        project: '/p',
        status: 'idle',
        turns: 2,
        queued: 0,
        held: 0,
        ...more,
    }) as Agent;

const busy = ({ status }: Agent) => status === 'running';

describe('several agents', () => {
    it('are done one after the other, and a failure keeps none from it', async () => {
        const seen: string[] = [];
        const outcome = await forEach(
            [agent('1'), agent('2'), agent('3')],
            async ({ id }) => {
                seen.push(id);
                if (id === '2') throw new Error('it is busy');
            },
            (error) => (error as Error).message,
            (done) => seen.push(`after ${done}`),
        );
        expect(seen).toEqual(['after 0', '1', 'after 1', '2', 'after 2', '3']);
        expect(outcome).toEqual({
            done: ['1', '3'],
            failed: [{ id: '2', name: 'agent 2', why: 'it is busy' }],
        });
    });
});

describe('what is lost', () => {
    it('is said for one', () => {
        const one = agent('1', {
            status: 'running',
            turns: 1,
            queued: 1,
            held: 2,
            children: ['2', '3'],
        } as Partial<Agent>);
        expect(lossWords(lossOf([one], busy), 1)).toEqual([
            'Its transcript of 1 turn will be deleted. This cannot be undone.',
            'It is working: the current turn is stopped.',
            '3 messages waiting for it are lost.',
            '2 agents started by it are closed.',
            'Files stay as they are.',
        ]);
        expect(lossWords(lossOf([agent('1', { turns: 0 })], busy), 1)).toEqual([
            'Its transcript will be deleted. This cannot be undone.',
            'Files stay as they are.',
        ]);
    });

    it('is added up for several, and children among them are not counted twice', () => {
        const parent = agent('1', { children: ['2', '9'], status: 'running' } as Partial<Agent>);
        const child = agent('2', { queued: 1, worktree: {} } as Partial<Agent>);
        expect(lossWords(lossOf([parent, child], busy), 2)).toEqual([
            'Their transcripts of 4 turns will be deleted. This cannot be undone.',
            '1 agent working: the current turn is stopped.',
            '1 message waiting for them is lost.',
            '1 agent started by them is closed.',
            'Files and worktrees stay.',
        ]);
    });
});

describe('what can be done', () => {
    const ids = (status: Agent['status'], more: Partial<Agent> = {}) =>
        actionsOf(agent('1', { status, ...more })).map(({ id }) => id);

    it('depends on how the agent is', () => {
        expect(ids('running')).toContain('stop');
        expect(ids('idle')).not.toContain('stop');
        expect(ids('closed')).toEqual(
            expect.arrayContaining(['reopen', 'delete', 'rename', 'label', 'copy-handle', 'copy-link']),
        );
        for (const none of ['close', 'clear', 'stop']) expect(ids('closed')).not.toContain(none);
        expect(ids('idle', { pinned_at: '2026-01-01T00:00:00Z' })).toContain('unpin');
    });

    it('offers independence to an open agent that another one started', () => {
        expect(ids('running', { parent: '2' })).toContain('promote');
        expect(ids('closed', { parent: '2' })).not.toContain('promote');
        expect(ids('running')).not.toContain('promote');
        expect(ids('running', { parent: null })).not.toContain('promote');
    });

    it('asks for several only what does something', () => {
        expect(applies('stop', agent('1', { status: 'waiting' }))).toBe(true);
        expect(applies('stop', agent('1'))).toBe(false);
        expect(applies('close', agent('1', { status: 'closed' }))).toBe(false);
        expect(applies('reopen', agent('1', { status: 'closed' }))).toBe(true);
    });
});
