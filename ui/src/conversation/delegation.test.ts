import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Agent, DelegationState, Item } from '../lib/wire';
import { delegates, delegation, stateWord } from './delegation';

const ID = 'cfe96903-92d4-4e25-9434-c4dd15e877e8';
const call = (name: string, input: unknown) =>
    ({ kind: 'tool_call', fields: { name, call: 'c' }, text: JSON.stringify(input) }) as unknown as Item;
const result = (text: string, outcome = 'ok') =>
    ({ kind: 'tool_result', fields: { call: 'c', outcome }, text }) as unknown as Item;

interface Played {
    readonly tool: string;
    readonly input: string;
    readonly outcome: string;
    readonly delegation: { readonly session: string; readonly state: DelegationState } | null;
    readonly text: string;
}
const PLAYED = JSON.parse(
    readFileSync(new URL('delegations.json', import.meta.url), 'utf8'),
) as readonly Played[];
const called = (name: string, text: string) =>
    ({ kind: 'tool_call', fields: { name, call: 'c' }, text }) as unknown as Item;
const reported = (text: string, outcome: string, delegation: Played['delegation']) =>
    ({
        kind: 'tool_result',
        fields: { call: 'c', outcome, ...(delegation && { delegation }) },
        text,
    }) as unknown as Item;

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

    // The daemon's own answers: the end-to-end tests of the daemon write them.
    it.each(PLAYED)('$tool: $delegation.state', ({ tool, input, outcome, delegation: told, text }) => {
        const read = delegation(called(tool, input), reported(text, outcome, told));
        expect(read?.state).toBe(told?.state ?? 'failed');
        expect(read?.to.session).toBe(told?.session);
        expect(read?.asked).toMatch(tool === 'retrieve' ? /^$/ : /^\w/);
        // Words for people: neither JSON nor facts.
        expect(read?.answer).toMatch(/^$|^(?!agent_id)[\w(]/);
    });

    it('has every state that the daemon knows', () => {
        const states = new Set(PLAYED.map(({ delegation: told }) => told?.state));
        expect([...states].filter(Boolean).sort()).toEqual(
            ['background', 'failed', 'finished', 'held', 'sent', 'unfinished'].sort(),
        );
    });

    it('is waited for until there is a result', () => {
        expect(delegation(call('summon', { agent: 'helper', task: 'look around' }), undefined)).toEqual({
            tool: 'summon',
            asked: 'look around',
            to: { session: undefined, handle: undefined, definition: 'helper' },
            state: 'waiting',
            answer: '',
        });
        expect(delegation(call('retrieve', { agent_id: ID }), undefined)?.to.session).toBe(ID);
        expect(delegation(call('retrieve', { agent_id: '8942' }), undefined)?.to.handle).toBe('8942');
    });

    it('is known by its outcome if the daemon did not say more', () => {
        const asked = call('summon', { agent: 'helper', task: 'x' });
        const answered = (text: string, outcome?: string) => delegation(asked, result(text, outcome));
        expect(answered(`agent_id: ${ID}\nwithheld: x\n\nNothing\n\nhere`)).toMatchObject({
            to: { session: ID },
            state: 'finished',
            answer: 'Nothing\n\nhere',
        });
        expect(answered('[framed] whatever it is')).toMatchObject({
            to: { session: undefined },
            state: 'finished',
            answer: '[framed] whatever it is',
        });
        expect(answered('agent definition `x` not found', 'error')).toMatchObject({
            state: 'failed',
            answer: 'agent definition `x` not found',
        });
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
