import { describe, expect, it } from 'vitest';
import { diffs, inputText, outcomeText, rows, titleOf, uncoloured, withoutOutput } from './rows';
import type { Item } from '../lib/wire';

let ordinal = 0;
const item = (kind: string, fields: Record<string, unknown>, text: string | null = null): Item => {
    ordinal += 1;
    return { id: `i${ordinal}`, ordinal, kind, fields, text, full_length: null } as unknown as Item;
};

describe('rows', () => {
    it('puts a result to its call, however late it comes', () => {
        const first = item('tool_call', { call: 'a', name: 'shell' }, '{}');
        const second = item('tool_call', { call: 'b', name: 'shell' }, '{}');
        const late = item('tool_result', { call: 'a', outcome: 'ok' }, 'out');
        expect(rows([first, second, late])).toMatchObject([
            { is: 'tool', item: first, result: late },
            { is: 'tool', item: second, result: undefined },
        ]);
    });

    it('shows a result whose call is above the window', () => {
        expect(rows([item('tool_result', { call: 'a', outcome: 'ok' }, 'out')])).toMatchObject([
            { is: 'orphan' },
        ]);
    });

    it('shows an ask once, with its decision', () => {
        const ask = item('permission', { hash: 'h' }, 'May I?');
        const decided = item('permission', { hash: 'h', decision: 'deny' });
        expect(rows([ask])).toMatchObject([{ is: 'ask', decision: undefined }]);
        expect(rows([ask, decided])).toMatchObject([{ is: 'ask', item: ask, decision: 'deny' }]);
        expect(rows([decided])).toMatchObject([{ is: 'ask', decision: 'deny' }]);
    });

    it('marks turns that no message began, with the request before them', () => {
        const of = (turn: string, item: Item): Item => ({ ...item, turn });
        const items = [
            // Its message is above the window.
            of('t0', item('assistant_text', {}, 'earlier')),
            of('t1', item('user_text', { delivery: 'd1' }, 'build it')),
            of('t1', item('assistant_text', {}, 'begun')),
            item('notice', { code: 'background_ended' }, 'It has ended.'),
            of('t2', item('assistant_text', {}, 'it is built')),
            of('t2', item('assistant_text', {}, 'really')),
            of('t3', item('user_text', { delivery: 'd3' }, 'thanks')),
            of('t4', item('assistant_text', {}, 'and more')),
        ];
        const found = rows(items);
        expect(found.map(({ is }) => is).join(' ')).toBe(
            'answer message answer note own answer answer message own answer',
        );
        expect(found.filter(({ is }) => is === 'own')).toMatchObject([
            { key: 'own t2', item: items[4], request: 'd1' },
            { key: 'own t4', item: items[7], request: 'd3' },
        ]);
        // Above the window, no request is known.
        expect(rows([items[0]!, items[4]!])).toMatchObject([{}, { is: 'own', request: undefined }, {}]);
        expect(new Set(found.map(({ key }) => key)).size).toBe(found.length);
    });

    it('knows which call waits for a person', () => {
        const asked = JSON.stringify({ input: { command: 'ls' }, tool: 'shell' });
        const done = item('tool_call', { call: 'a', name: 'shell' }, '{}');
        const result = item('tool_result', { call: 'a', outcome: 'ok' }, 'out');
        const other = item('tool_call', { call: 'b', name: 'web' }, '{}');
        const call = item('tool_call', { call: 'c', name: 'shell' }, '{"command":"ls"}');
        const ask = item('permission', { hash: 'h' }, asked);
        const waits = (items: Item[]) =>
            rows(items).flatMap((row) => (row.is === 'tool' && row.waits ? [row.item] : []));
        expect(waits([done, result, other, call, ask])).toEqual([call]);
        const decided = item('permission', { hash: 'h', decision: 'allow' });
        expect(waits([done, result, other, call, ask, decided])).toEqual([]);
        expect(waits([call, item('permission', { hash: 'q' }, 'which?')])).toEqual([]);
    });

    it('sets apart what was said in an attempt that broke off', () => {
        const broken = (kind: string) => ({ ...item(kind, {}, 'The ans'), superseded: true });
        const answer = item('assistant_text', {}, 'The answer');
        const thought = broken('thinking');
        const half = broken('assistant_text');
        expect(rows([thought, half, answer])).toMatchObject([
            { is: 'broken', item: thought },
            { is: 'broken', item: half },
            { is: 'answer', item: answer },
        ]);
        expect(rows([{ ...half, text: null }])).toEqual([]);
    });

    it('leaves out what only machines read, and what was cleared', () => {
        const cleared = ['user_text', 'assistant_text', 'thinking', 'tool_call', 'notice', 'raw'];
        expect(
            rows([item('usage', {}), item('new_kind', {}), ...cleared.map((kind) => item(kind, {}))]),
        ).toEqual([]);
    });
});

describe('tool calls', () => {
    it('shows output without its colours', () => {
        expect(uncoloured('\u001b[1;31merror\u001b[0m: \u001b[38:5:9mx\u001b[2J')).toBe('error: x\u001b[2J');
    });

    it('shows a command as it is typed', () => {
        expect(inputText(item('tool_call', {}, '{"command":"ls\\n-la"}'))).toBe('ls\n-la');
        expect(inputText(item('tool_call', {}, '{"a":1,"b":2}'))).toBe('{\n  "a": 1,\n  "b": 2\n}');
        expect(inputText(item('tool_call', {}, '{}'))).toBe('');
        expect(inputText(item('tool_call', {}, 'not json'))).toBe('not json');
    });

    it('says on one line what it is about', () => {
        expect(titleOf(item('tool_call', { title: 'List' }, '{"command":"ls"}'))).toBe('List');
        expect(titleOf(item('tool_call', {}, '{"command":"ls\\n-la"}'))).toBe('ls');
        expect(titleOf(item('tool_call', {}, '{"a":1,"b":2}'))).toBe('{"a":1,"b":2}');
        expect(titleOf(item('tool_call', {}, '{}'))).toBe('');
    });

    it('says how it ended', () => {
        const said = (fields: Record<string, unknown>) => outcomeText(item('tool_result', fields));
        expect(said({ outcome: 'ok', exit_code: 0 })).toBe('');
        expect(said({ outcome: 'error', exit_code: 2 })).toBe('exit 2');
        expect(said({ outcome: 'denied' })).toBe('denied');
        expect(said({ outcome: 'interrupted', exit_code: -15 })).toBe('interrupted');
    });

    it('says that there was no output only of a call that ended well', () => {
        const said = (outcome: string) => withoutOutput(item('tool_result', { outcome }));
        expect(said('ok')).toBe('No output.');
        for (const outcome of ['error', 'denied', 'interrupted', 'new'])
            expect(said(outcome)).not.toBe('No output.');
    });

    it('has its diffs, or none', () => {
        const good = { path: 'a.rs', patch: '@@\n-x\n+y' };
        expect(diffs(item('tool_result', { diffs: [good] }))).toEqual([good]);
        expect(diffs(item('tool_result', {}))).toEqual([]);
    });
});
