import { expect, it } from 'vitest';
import { outdated, planFor } from './plan';

const ORIGIN = 'http://127.0.0.1:6767';

function plan(path: string, mode = 'navigate', method = 'GET'): string {
    return planFor({ method, mode, url: new URL(path, ORIGIN).href }, ORIGIN);
}

it('has the page of the app when the daemon is away', () => {
    for (const path of ['/app', '/app/', '/app/agents/3f2a?panel=info', '/app/settings/keys'])
        expect(plan(path), path).toBe('shell');
});

it('has assets at hand', () => {
    expect(plan('/app/assets/index-abc.js', 'cors')).toBe('asset');
});

it('leaves everything else alone', () => {
    for (const [path, mode, method] of [
        ['/api/sessions', 'cors', 'GET'],
        ['/api/stream', 'navigate', 'GET'],
        ['/login', 'navigate', 'GET'],
        ['/application', 'navigate', 'GET'],
        ['/app', 'navigate', 'POST'],
        ['/app', 'cors', 'GET'],
        ['/app/sw.js', 'same-origin', 'GET'],
        ['/app/assets/x.js', 'cors', 'HEAD'],
        ['https://elsewhere.example/app', 'navigate', 'GET'],
    ] as const)
        expect(plan(path, mode, method), path).toBe('leave');
});

it('keeps this version and the one before', () => {
    expect(outdated(['shell-1', 'other', 'shell-2', 'shell-3'], 'shell-', 'shell-3')).toEqual(['shell-1']);
    expect(outdated(['shell-3'], 'shell-', 'shell-3')).toEqual([]);
});
