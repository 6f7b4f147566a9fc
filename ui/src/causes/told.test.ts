import { expect, test } from 'vitest';
import type { Cause, CauseMessage } from '../lib/wire';
import { canStop, nameOf, senderOf, stageOf, stateOf, timeOf, took } from './told';

const cause = (fields: Partial<Cause>) =>
    ({ stopped: false, running: 0, waiting: 0, turns: [], ...fields }) as Cause;

test('a request says how it is, and whether there is something to stop', () => {
    expect(stateOf(cause({}))).toBe('not started');
    expect(stateOf(cause({ turns: [{} as Cause['turns'][number]] }))).toBe('finished');
    expect([stateOf(cause({ running: 1 })), canStop(cause({ running: 1 }))]).toEqual(['running', true]);
    expect([stateOf(cause({ waiting: 1 })), canStop(cause({ waiting: 1 }))]).toEqual(['waiting', true]);
    const stopping = cause({ stopped: true, running: 1 });
    expect([stateOf(stopping), canStop(stopping)]).toEqual(['stopping', true]);
    const stopped = cause({ stopped: true, waiting: 2 });
    expect([stateOf(stopped), canStop(stopped)]).toEqual(['stopped', false]);
    // Nothing runs, but what it led to can still wake agents.
    expect(
        [{}, { wakes_left: 3 }, { wakes_left: 3, stopped: true }].map((some) => canStop(cause(some))),
    ).toEqual([false, true, false]);
});

test('a message says who sent it and how far it has come', () => {
    const message = (fields: Partial<CauseMessage>) => fields as CauseMessage;
    expect(senderOf(message({ from: 'human:cli' }))).toBe('you');
    expect(senderOf(message({ from: 'session:x', from_handle: '3f2a' }))).toBe('3f2a');
    expect(senderOf(message({ from: 'daemon' }))).toBe('Paseo');
    expect(senderOf(message({ from: 'seat:\u202eann' }))).toBe('\\u{202e}ann');
    expect(stageOf(message({ stage: 'held', reason: 'cause_stopped' }))).toBe('held (cause stopped)');
    expect(stageOf(message({ stage: 'answered', reason: null }))).toBe('answered');
});

test('names hide nothing, and a handle stands in for one', () => {
    expect(nameOf({ name: 'a\u200bb', handle: '3f2a' })).toBe('a\\u{200b}b');
    expect(nameOf({ name: null, handle: '3f2a' })).toBe('3f2a');
});

test('what still runs has taken until now', () => {
    const from = '2026-01-01T00:00:00Z';
    expect(took(from, '2026-01-01T00:00:02Z', 0)).toBe('2.0 s');
    expect(took(from, null, Date.parse(from) + 500)).toBe('500 ms');
    expect(took(null, null, 0)).toBe('');
});

test('a request goes on only as long as something runs or waits for it', () => {
    const opened_at = '2026-01-01T00:00:00Z';
    const ended_at = '2026-01-01T00:00:02Z';
    const at = (fields: Partial<Cause>) =>
        timeOf(cause({ opened_at, ...fields }), Date.parse(opened_at) + 9000);
    expect(at({ running: 1 })).toEqual({ time: '9.0 s', goesOn: true });
    expect(at({ waiting: 1 })).toEqual({ time: '9.0 s', goesOn: true });
    expect(at({ ended_at })).toEqual({ time: '2.0 s', goesOn: false });
    expect(at({ ended_at, waiting: 1, stopped: true })).toEqual({ time: '2.0 s', goesOn: false });
    expect(at({})).toEqual({ time: '–', goesOn: false });
});
