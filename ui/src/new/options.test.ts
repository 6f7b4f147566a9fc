import { describe, expect, it } from 'vitest';
import { fieldOf, labelsOf, lasting, problemsOf, requestOf, USUAL, type Wanted } from './options';

const WANTED: Wanted = { prompt: 'look around', directory: '/srv/shop', options: USUAL, attachments: [] };
const wanted = (options: Partial<typeof USUAL>): Wanted => ({ ...WANTED, options: { ...USUAL, ...options } });

describe('the request', () => {
    it('says only what was chosen, and that the web app shows the agent', () => {
        expect(requestOf(WANTED)).toEqual({
            directory: '/srv/shop',
            prompt: 'look around',
            labels: { ui: 'true' },
        });
    });

    it('says everything that was chosen', () => {
        const options = {
            agent: 'reviewer',
            provider: 'claude',
            model: ' opus ',
            effort: 'high',
            permissions: 'ask',
            worktree: 'own',
            worktreeName: 'try',
            base: 'main',
            team: 'red',
            teamAgent: 'ann',
            teamRole: 'leader',
            guard: 'lease',
            labels: 'area=web  ui=false',
            name: 'Try it',
            cwd: '/srv/shop/web',
            schema: '{"type":"object"}',
        } as const;
        expect(requestOf({ ...WANTED, options, attachments: ['f1'] })).toEqual({
            directory: '/srv/shop',
            prompt: 'look around',
            attachments: ['f1'],
            agent: 'reviewer',
            provider: 'claude',
            model: 'opus',
            effort: 'high',
            permissions: 'ask',
            worktree: true,
            worktree_name: 'try',
            base: 'main',
            team: 'red',
            team_agent: 'ann',
            team_role: 'leader',
            guard: 'lease',
            labels: { area: 'web', ui: 'true' },
            name: 'Try it',
            cwd: '/srv/shop/web',
            output_schema: { type: 'object' },
        });
    });

    it('leaves out what makes no sense without something else', () => {
        const request = requestOf(wanted({ worktree: 'in-place', base: 'main', teamRole: 'leader' }));
        expect(request).toEqual({
            directory: '/srv/shop',
            prompt: 'look around',
            labels: { ui: 'true' },
            worktree: false,
        });
    });
});

describe('problems', () => {
    it('are found before anything is sent', () => {
        expect(problemsOf(WANTED)).toEqual({});
        expect(Object.keys(problemsOf({ ...WANTED, directory: 'shop' }))).toEqual(['directory']);
        expect(Object.keys(problemsOf(wanted({ cwd: 'web', labels: 'a=1 web', schema: '[]' })))).toEqual([
            'cwd',
            'labels',
            'schema',
        ]);
        expect(problemsOf(wanted({ labels: 'a=1 web' })).labels).toContain('“web”');
        expect(problemsOf(wanted({ schema: 'true' }))).toEqual({});
    });

    it('of the daemon belong to the field whose value it quotes', () => {
        const refused = wanted({ agent: 'ask', model: 'opus', base: 'main', schema: '{}' });
        expect(fieldOf('/srv/shop does not exist', 'invalid_request', refused)).toBe('directory');
        expect(fieldOf('no branch, tag or commit `main`', 'invalid_request', refused)).toBe('base');
        expect(fieldOf('unknown model `opus`', 'invalid_request', refused)).toBe('model');
        // Part of another word.
        expect(fieldOf('the task is missing', 'invalid_request', refused)).toBeUndefined();
        expect(fieldOf('codex needs a key', 'provider_unavailable', refused)).toBe('provider');
        expect(fieldOf('it takes no PDF', 'attachment_refused', refused)).toBe('prompt');
        expect(fieldOf('the output schema is too large', 'invalid_request', refused)).toBe('schema');
        const deeper = { ...refused, options: { ...refused.options, cwd: '/srv/shop/web' } };
        expect(fieldOf('/srv/shop/web is not a directory', 'invalid_request', deeper)).toBe('cwd');
    });
});

it('reads labels', () => {
    expect(labelsOf(' a=1\n b=x=y c= =d e')).toEqual({ a: '1', b: 'x=y', c: '' });
});

it('keeps for a project what is not about one task', () => {
    const options = { ...USUAL, provider: 'pi', base: 'main', name: 'x', schema: '{}', labels: 'a=1' };
    expect(lasting(options)).toEqual({ ...USUAL, provider: 'pi', labels: 'a=1' });
});
