import { expect, test } from 'vitest';
import type { MapAgent, MapView } from '../lib/wire';
import { edgesOf, factsOf, isAt, linkedWith, nameOf, nodesOf, wordsOf } from './told';

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

test('facts come in the order of their importance, those that say nothing not at all', () => {
    const usage = { input_tokens: 1200, output_tokens: 0 };
    const known = agent('aaaa1', { name: 'x', queued: 3, wakes: 1, usage } as Partial<MapAgent>);
    expect(factsOf(known, 'running')).toEqual(['aaaa', 'running', '3 queued', '1 wake', '1.2K tok']);
    const none = { input_tokens: 0, output_tokens: 0 };
    const idle = agent('aaaa1', { queued: 0, wakes: 0, usage: none } as Partial<MapAgent>);
    expect(factsOf(idle, 'idle')).toEqual(['idle']);
});

test('what is pointed at has its lines, and what they lead to', () => {
    const edges = edgesOf(view);
    expect(edges.filter((edge) => isAt(edge, 'th')).map(({ key }) => key)).toEqual([
        'post aaaa1 th',
        'wake th aaaa1',
    ]);
    expect([...linkedWith(edges, 'th')].sort()).toEqual(['aaaa1', 'th']);
    expect(linkedWith(edges, undefined).size).toBe(0);
});
