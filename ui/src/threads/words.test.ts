import { describe, expect, it } from 'vitest';
import type { Thread, ThreadEvent } from '../lib/wire';
import { eventWords, happened, presenceThen, stateOf, stateWord, stateWords } from './words';

function event(type: ThreadEvent['type'], content: unknown, from = 'user'): ThreadEvent {
    return {
        id: 'e1',
        ts: '2026-01-01T00:00:00Z',
        thread: 't',
        type,
        from,
        to: 'all',
        content,
        meta: { reply_to: null, tags: [] },
        version: 1,
    } as ThreadEvent;
}

describe('what happened in a thread', () => {
    it.each([
        ['thread.created', { name: 'plan', directory: '/work' }, 'You created the thread in /work'],
        ['thread.renamed', { name: 'plan 2' }, 'You renamed the thread to plan 2'],
        ['thread.moved', { directory: '/tmp' }, 'You set the working directory to /tmp'],
        ['control', { invite: { participant_id: 'ada', profile: {} } }, 'You invited ada'],
        ['control', { uninvite: { participant_id: 'ada' } }, 'You removed ada'],
        ['control', { mute: { targets: ['ada', 'ben'] } }, 'You muted ada, ben'],
        ['control', { pause: {} }, 'You paused the thread'],
        ['control', { pause: { on: false } }, 'You resumed the thread'],
        [
            'control',
            { discussion: { on: false }, unmute: { targets: ['ada'] } },
            'You unmuted ada, turned discussion between agents off',
        ],
        ['control', { something: 'newer' }, 'You changed the thread'],
    ] as const)('%s %j', (type, content, words) => {
        expect(happened(event(type, content))).toBe(words);
    });

    it('has words for what a newer daemon tells', () => {
        expect(happened(event('thread.painted' as 'control', { color: 'red' }))).toMatch(
            /changed the thread$/,
        );
    });

    it('says who did it, and hides nothing', () => {
        const odd = { mute: { targets: ['a\u202eb'] } };
        expect(happened(event('control', odd, 'bridge-coordinator'))).toBe('Paseo muted a\\u{202e}b');
    });
});

it('is told in one line, messages with how they begin', () => {
    expect(eventWords(event('message', 'one\ntwo', 'ada'))).toBe('ada: one two');
    expect(eventWords(event('control', { pause: {} }))).toBe('You paused the thread');
});

describe('presence', () => {
    it('is not known of the past, except of those who worked on a reply', () => {
        const invited = [
            { id: 'ada', working: true },
            { id: 'ben', working: false },
        ];
        const state = { participants: { invited }, guests: ['eve'] } as unknown as Thread['state'];
        const then = presenceThen({ state });
        const words = ['ada', 'ben', 'eve'].map((id) => stateWords(then.get(id), id === 'ben'));
        expect(words).toEqual(['working', 'muted', '']);
        expect(stateWords(undefined, true)).toBe('muted, offline');
    });

    it('is offline for one that says nothing, and any word for others', () => {
        const says = (state: string) => ({ id: 'ada', state, updated_at: null, stale: false, details: null });
        expect(stateOf(undefined)).toBe('offline');
        expect(stateOf(says('thinking'))).toBe('thinking');
        expect([stateOf(says('juggling')), stateWord(says('jug\u202egling'))]).toEqual([
            'other',
            'jug\\u{202e}gling',
        ]);
    });
});
