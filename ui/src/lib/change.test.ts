import { expect, test } from 'vitest';
import { effectOf } from './change';
import type { SessionChange } from './wire';

test('a word of a newer daemon does no harm', () => {
    expect(effectOf({ type: 'dreamt', of: 'sheep' } as unknown as SessionChange)).toEqual({});
});

test('the page knows what it has to do', () => {
    expect(effectOf({ type: 'deleted' })).toEqual({ movesHandles: true });
    expect(effectOf({ type: 'message_cancelled', delivery: 'd' })).toEqual({ cancelled: 'd', queue: true });
    expect(effectOf({ type: 'message_edited', delivery: 'd' })).toEqual({ queue: true });
    expect(effectOf({ type: 'turn_confirmed', turn: 't' })).toEqual({});
    expect(effectOf({ type: 'updated', fields: ['labels'] })).toEqual({ labelled: true });
    expect(effectOf({ type: 'updated', fields: ['name'] })).toEqual({ labelled: false });
    const decided = { type: 'permission_decided', hash: 'h', decision: 'deny' } as const;
    expect(effectOf(decided)).toEqual({ decided: { hash: 'h', decision: 'deny' } });
});
