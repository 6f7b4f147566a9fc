import { expect, test } from 'vitest';
import type { MapAgent, MapView } from '../lib/wire';
import { edgesOf, nameOf, nodesOf, wordsOf } from './told';

const agent = (session: string, fields: Partial<MapAgent> = {}) =>
    ({
        session,
        handle: session.slice(0, 4),
        name: null,
        project: '/p',
        parent: null,
        ...fields,
    }) as MapAgent;

const view = {
    agents: [agent('aaaa1'), agent('bbbb2', { parent: 'aaaa1', name: 'x\u200by' })],
    links: [
        { from: 'aaaa1', to: 'bbbb2', messages: 2, answers: 0, spawns: 1, last_at: 't' },
        { from: 'bbbb2', to: 'aaaa1', messages: 0, answers: 1, spawns: 0, last_at: 't' },
    ],
    threads: [
        {
            thread: 'th',
            name: 'plan',
            participants: [{ session: 'aaaa1', posts: 3, wakes: 1, last_at: 't' }],
        },
    ],
    waits: [{ from: 'aaaa1', to: 'bbbb2' }],
} as unknown as MapView;

test('agents and threads have places, and lines say who talks, starts and waits', () => {
    expect(nodesOf(view).map(({ id, cluster, parent }) => [id, cluster, parent])).toEqual([
        ['aaaa1', '/p', undefined],
        ['bbbb2', '/p', 'aaaa1'],
        ['th', 'threads', undefined],
    ]);
    expect(edgesOf(view).map(({ kind, from, to, count }) => [kind, from, to, count])).toEqual([
        ['spawn', 'aaaa1', 'bbbb2', 1],
        ['talk', 'aaaa1', 'bbbb2', 2],
        ['talk', 'bbbb2', 'aaaa1', 1],
        ['talk', 'aaaa1', 'th', 3],
        ['talk', 'th', 'aaaa1', 1],
        ['wait', 'aaaa1', 'bbbb2', 1],
    ]);
});

test('a list says in words what the lines show', () => {
    expect(wordsOf(view, view.agents[0] as MapAgent)).toEqual([
        'waits for bbbb',
        '2 messages to bbbb',
        '3 posts in plan',
    ]);
    expect(wordsOf(view, view.agents[1] as MapAgent)).toEqual(['started by aaaa', '1 message to aaaa']);
});

test('a name hides nothing', () => {
    expect(nameOf(view.agents[1] as MapAgent)).toBe('x\\u{200b}y');
    expect(nameOf(view.agents[0] as MapAgent)).toBe('p aaaa');
});
