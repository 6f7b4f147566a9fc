import { describe, expect, it } from 'vitest';
import type { Agent } from '../lib/wire';
import { reasons } from './why';

const IDLE = {
    status: 'idle',
    hold: 'none',
    asks: 0,
    queued: 0,
    held: 0,
} as unknown as Agent;
const NOW = Date.parse('2026-03-01T12:00:00Z');
const words = (agent: Partial<Agent>) => reasons({ ...IDLE, ...agent }, NOW).map((reason) => reason.words);

describe('why an agent is where it is', () => {
    it('has nothing to say about one that nothing holds up', () => {
        expect(words({})).toEqual([]);
    });

    it('names what needs a person first, and where to answer it', () => {
        const found = reasons({ ...IDLE, asks: 2, queued: 1, status_reason: 'no slot is free' }, NOW);
        expect(found[0]).toEqual({ words: '2 permission requests wait for you.', leads: 'inbox' });
        expect(found.map((reason) => reason.words).slice(1)).toEqual([
            'no slot is free',
            '1 message waits for its next turn.',
        ]);
    });

    it('mentions a rate limit until it ends', () => {
        expect(words({ parked_until: '2026-03-01T12:05:00Z' })[0]).toMatch(/^A rate limit ends at/);
        expect(words({ parked_until: '2026-03-01T11:55:00Z' })).toEqual([]);
    });

    it('tells which attempt is made, as far as that is known', () => {
        const since = '2026-03-01T11:59:00Z';
        expect(words({ retry: { since, attempt: 2, of: 5 } })).toEqual([
            'The model did not answer. This is attempt 2 of 5.',
        ]);
        expect(words({ retry: { since } })).toEqual(['The model did not answer. The request is retried.']);
    });

    it('says nothing twice', () => {
        expect(words({ status_reason: 'same', notice: 'same' })).toEqual(['same']);
    });

    it('says why it goes on with nothing, and what waits for a person', () => {
        expect(words({ hold: 'stopped', held: 3 })).toEqual([
            'A person stopped it. Send a message to continue.',
            '3 messages wait for a person.',
        ]);
    });
});
