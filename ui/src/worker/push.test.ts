import { expect, it } from 'vitest';
import { clicked, shownOf, targetOf } from './push';

const ORIGIN = 'https://paseo.example';

it('shows the agent and what it is about', () => {
    const message = {
        web_push: 8030,
        notification: {
            title: 'df73 asks for permission',
            navigate: `${ORIGIN}/app/agents/3f2a`,
            tag: 'paseo-3f2a',
            app_badge: 2,
            actions: [
                { action: 'agent', title: 'Open agent', navigate: `${ORIGIN}/app/agents/3f2a` },
                { action: 'away', title: 'Away', navigate: 'https://example.org/' },
                { action: 7, title: 'Odd' },
                null,
            ],
        },
    };
    expect(shownOf(JSON.stringify(message), ORIGIN)).toEqual({
        title: 'df73 asks for permission',
        tag: 'paseo-3f2a',
        url: `${ORIGIN}/app/agents/3f2a`,
        actions: [
            { action: 'agent', title: 'Open agent', url: `${ORIGIN}/app/agents/3f2a` },
            { action: 'away', title: 'Away', url: `${ORIGIN}/app` },
        ],
        badge: 2,
    });
});

it('hides nothing in the name of an agent', () => {
    const actions = [{ action: 'agent', title: 'Open\u200b agent', navigate: '/app' }];
    const message = { notification: { title: 'a\u202eb\nc failed', actions } };
    const shown = shownOf(JSON.stringify(message), ORIGIN);
    expect(shown.title).toBe('a\\u{202e}b\\nc failed');
    expect(shown.actions.map(({ title }) => title)).toEqual(['Open\\u{200b} agent']);
});

it('always has something to show', () => {
    for (const text of [
        undefined,
        '',
        'x',
        'null',
        '7',
        '{}',
        '{"notification":7}',
        '{"notification":{"title":""}}',
    ])
        expect(shownOf(text, ORIGIN), text).toEqual({
            title: 'An agent has news',
            tag: 'paseo',
            url: `${ORIGIN}/app`,
            actions: [],
            badge: undefined,
        });
    expect(shownOf('{"notification":{"app_badge":-1}}', ORIGIN).badge).toBeUndefined();
});

it('leads to the app and nowhere else', () => {
    expect(targetOf('/app/agents/1?panel=info', ORIGIN)).toBe(`${ORIGIN}/app/agents/1?panel=info`);
    expect(targetOf('http://127.0.0.1:6767/app/agents/1', ORIGIN)).toBe(`${ORIGIN}/app/agents/1`);
    for (const address of ['https://evil.example/', 'javascript:alert(1)', '//evil.example/x', '/login', 7])
        expect(targetOf(address, ORIGIN), String(address)).toBe(`${ORIGIN}/app`);
});

it('opens what was clicked', () => {
    const data = { url: '/app?agent=1', actions: [{ action: 'agent', title: 'Open', url: '/app/agents/1' }] };
    expect(clicked(data, '', ORIGIN)).toBe(`${ORIGIN}/app?agent=1`);
    expect(clicked(data, 'agent', ORIGIN)).toBe(`${ORIGIN}/app/agents/1`);
    expect(clicked(data, 'other', ORIGIN)).toBe(`${ORIGIN}/app?agent=1`);
    expect(clicked(undefined, 'agent', ORIGIN)).toBe(`${ORIGIN}/app`);
});
