import { expect, it } from 'vitest';
import { entry } from './entry';

it('reads the code of a link', () => {
    expect(entry('#code=aZ09-_')).toEqual({ code: 'aZ09-_', wanted: undefined });
    for (const hash of ['', '#', '#code=', '#code=a b', '#code=a&to=/app'])
        expect(entry(hash).code).toBeUndefined();
});

it('goes on to pages of ours and nowhere else', () => {
    for (const path of [
        '/app',
        '/app/agents/3f2a0000-0000-4000-8000-000000000000',
        '/app/agents/3f2a',
        '/app/definitions',
        '/app/definitions/my_agent-2',
        '/app/new-definition',
        '/app/new',
    ])
        expect(entry(`#to=${path}`)).toEqual({ code: undefined, wanted: path });
    for (const path of [
        '',
        '/',
        '//evil.example',
        '/app//evil.example',
        '/app/agents/../../login',
        '/application',
        '/app/definitions/',
        '/app/definitions/a/b',
        '/app/definitions/..%2flogin',
        '/login',
        '/app/agents/3f2a?x',
        'https://evil.example/app',
        'javascript:alert(1)',
        '/app\n',
    ])
        expect(entry(`#to=${path}`).wanted, path).toBeUndefined();
});
