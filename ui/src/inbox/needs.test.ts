import { describe, expect, it } from 'vitest';
import type { Ask, InboxAgent, InboxRequest } from '../lib/wire';
import { nameOf, needs, toldOf, waiting } from './needs';

const AGENT = { session: 's1', handle: '3f2a', project: '/home/ann/shop', status: 'error' } as InboxAgent;

function trouble(fields: Partial<InboxRequest>): InboxRequest {
    return {
        kind: 'failure',
        agent: AGENT,
        since: '2026-01-31T12:00:00.000Z',
        hint: 'do this',
        held: 0,
        ...fields,
    };
}

describe('how many things need a person', () => {
    const asks = [{ hash: 'h1', since: '2026-01-31T12:00:01.000Z' } as Ask];
    const counts = { needs_you: 1 };

    it('is as many as the inbox shows, also before the daemon has counted again', () => {
        expect(waiting(asks, { needs: [trouble({})], counts, ready: true })).toBe(2);
        expect(waiting([], { needs: [trouble({})], counts: { needs_you: 2 }, ready: true })).toBe(1);
    });

    it('is what the daemon counted where the inbox is not shown, or more', () => {
        expect(waiting(asks, { needs: [], counts: { needs_you: 3 }, ready: false })).toBe(3);
        expect(waiting([...asks, ...asks], { needs: [], counts, ready: false })).toBe(2);
    });
});

describe('what needs a person', () => {
    it('is oldest first, and has each request once', () => {
        const ask = { hash: 'h1', since: '2026-01-31T12:00:01.000Z' } as Ask;
        const listed = [
            trouble({ since: '2026-01-31T12:00:02.000Z' }),
            trouble({ kind: 'permission', request: 'h1', since: ask.since }),
            trouble({ kind: 'hold', since: '2026-01-31T12:00:00.000Z' }),
        ];
        expect(needs([ask], listed).map(({ key }) => key)).toEqual([
            's1 hold 2026-01-31T12:00:00.000Z',
            'h1',
            's1 failure 2026-01-31T12:00:02.000Z',
        ]);
    });

    it('says what went wrong, else its code', () => {
        expect(toldOf(trouble({ summary: 'no such model', code: 'harness_error' })).words).toBe(
            'no such model',
        );
        expect(toldOf(trouble({ code: 'harness_error' })).words).toBe('Error: harness_error');
        expect(toldOf(trouble({})).words).toBeUndefined();
        expect(toldOf(trouble({ agent: { ...AGENT, status: 'interrupted' } })).title).toBe('was interrupted');
    });

    it('counts what is held, and says when a limit ends', () => {
        expect(toldOf(trouble({ kind: 'hold', held: 1 })).words).toBe('1 message waits for you.');
        expect(toldOf(trouble({ kind: 'hold', held: 3 })).words).toBe('3 messages wait for you.');
        const until = '2026-01-31T12:00:00.000Z';
        expect(toldOf(trouble({ kind: 'rate_limit', until })).next).toMatch(/ at \d/);
        expect(toldOf(trouble({ kind: 'rate_limit' })).next).toContain('when the limit ends');
    });

    it('leaves what it does not know to the words of the daemon', () => {
        const newer = trouble({ kind: 'newer' as InboxRequest['kind'] });
        expect(toldOf(newer)).toMatchObject({ title: 'needs you', next: 'do this' });
    });

    it('hides nothing in names and words', () => {
        expect(toldOf(trouble({ summary: 'a\u202eb' })).words).toBe('a\\u{202e}b');
        expect(nameOf({ ...AGENT, name: 'x\u200by' })).toBe('x\\u{200b}y');
        expect(nameOf(AGENT)).toBe('shop 3f2a');
    });
});
