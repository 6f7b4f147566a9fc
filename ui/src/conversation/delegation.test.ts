import { describe, expect, it } from 'vitest';
import type { Agent, Item } from '../lib/wire';
import { delegates, delegation, stateWord } from './delegation';

const ID = 'cfe96903-92d4-4e25-9434-c4dd15e877e8';
const call = (name: string, input: unknown) =>
    ({ kind: 'tool_call', fields: { name, call: 'c' }, text: JSON.stringify(input) }) as unknown as Item;
const result = (text: string, outcome = 'ok') =>
    ({ kind: 'tool_result', fields: { call: 'c', outcome }, text }) as unknown as Item;

describe('a delegation', () => {
    it('is a call of our own tools', () => {
        for (const name of [
            'summon',
            'mcp__paseo-tools__summon',
            'mcp__paseo_tools__summon',
            'paseo-tools_summon',
        ])
            expect(delegates(call(name, {}))).toBe('summon');
        for (const name of ['mcp__theirs__summon', 'summon_all', 'Task', '', 'constructor'])
            expect(delegates(call(name, {}))).toBeUndefined();
    });

    it('to a new agent', () => {
        const asked = call('summon', { agent: 'helper', task: 'look around' });
        expect(delegation(asked, undefined)).toEqual({
            tool: 'summon',
            asked: 'look around',
            to: { session: undefined, handle: undefined, definition: 'helper' },
            state: 'waiting',
            answer: '',
        });
        const answered = (text: string, outcome?: string) => delegation(asked, result(text, outcome));
        expect(answered(`agent_id: ${ID}\nwithheld: x\n\nNothing\n\nhere`)).toMatchObject({
            to: { session: ID, definition: 'helper' },
            state: 'finished',
            answer: 'Nothing\n\nhere',
        });
        const state = (words: string) => answered(`agent_id: ${ID}\n\n${words}`)?.state;
        expect(state('The agent works in the background. You will …')).toBe('background');
        expect(state('The agent is still working; …')).toBe('unfinished');
        expect(state('A person wrote to you while you waited: …')).toBe('unfinished');
        expect(state('HELD — do not summon it again.')).toBe('held');
        expect(answered(`agent_id: ${ID}\n\nThe agent failed: no luck`, 'error')).toMatchObject({
            to: { session: ID },
            state: 'failed',
            answer: 'The agent failed: no luck',
        });
        expect(answered('agent definition `x` not found', 'error')).toMatchObject({
            to: { session: undefined },
            answer: 'agent definition `x` not found',
        });
    });

    it('to the agent of a definition', () => {
        const asked = call('agents_message', { agentId: 'notes', content: 'please' });
        const report = { status: 'complete', sessionId: ID, sessionName: 'x', response: 'done' };
        expect(delegation(asked, result(JSON.stringify(report)))).toMatchObject({
            asked: 'please',
            to: { session: ID, definition: 'notes' },
            state: 'finished',
            answer: 'done',
        });
        const state = (more: object) =>
            delegation(asked, result(JSON.stringify({ ...report, ...more })))?.state;
        expect(state({ status: 'timeout' })).toBe('unfinished');
        expect(state({ status: 'started', held: true })).toBe('held');
        expect(state({ status: 'started' })).toBe('background');
    });

    it('to an agent by its handle', () => {
        expect(
            delegation(call('send_to_tab', { tab_id: '8942', message: 'hi' }), result('Delivered')),
        ).toEqual({
            tool: 'send_to_tab',
            asked: 'hi',
            to: { session: undefined, handle: '8942', definition: undefined },
            state: 'sent',
            answer: 'Delivered',
        });
        expect(delegation(call('retrieve', { agent_id: ID }), undefined)?.to.session).toBe(ID);
    });

    it('says nothing of what is not there', () => {
        for (const input of ['not json', '[]', 'null', '{"task":7,"agent":{}}'])
            expect(delegation({ ...call('summon', 0), text: input } as Item, result(''))).toMatchObject({
                asked: '',
                to: { session: undefined, definition: undefined },
            });
    });
});

describe('its state', () => {
    const target = (status: string, ask: string | null = null) => ({ status, ask }) as unknown as Agent;

    it('follows the target while that may change', () => {
        expect(stateWord('waiting', undefined, true)).toBe('waiting');
        expect(stateWord('waiting', undefined, false)).toBe('interrupted');
        expect(stateWord('waiting', target('running'), true)).toBe('running');
        expect(stateWord('background', target('waiting', 'h'), true)).toBe('asks you');
        expect(stateWord('background', target('idle'), false)).toBe('finished');
        expect(stateWord('unfinished', target('error'), false)).toBe('failed');
        expect(stateWord('background', undefined, false)).toBe('in the background');
        expect(stateWord('finished', target('running'), true)).toBe('finished');
        expect(stateWord('sent', target('running'), true)).toBe('sent');
    });
});
