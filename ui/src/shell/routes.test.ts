import { describe, expect, it } from 'vitest';
import { entry } from './entry';
import { href, matched, PAGES, redirected, SECTIONS, titleOf, type PageName } from './routes';

describe('the table of pages', () => {
    it('finds each page by its own address', () => {
        for (const name of Object.keys(PAGES) as PageName[]) {
            const path = href(name, { id: '3f2a-00', slug: 'my_agent-2', team: 'red.2' });
            expect(matched(path)?.name, path).toBe(name);
            expect(entry(`#to=${path}`).wanted).toBe(path);
        }
    });

    it('reads parameters', () => {
        expect(matched('/app/agents/3f2a')).toEqual({ name: 'agent', params: { id: '3f2a' } });
        const definition = matched('/app/settings/definitions/new');
        expect(definition).toEqual({ name: 'definition', params: { slug: 'new' } });
        expect(definition && titleOf(definition)).toBe('new · Definitions');
    });

    it('knows nothing else', () => {
        for (const path of [
            '/',
            '/login',
            '/app/',
            '/application',
            '/app/agents/',
            '/app/agents/UPPER',
            '/app/agents/3f2a/files',
            '/app/settings/nothing',
            '/app/settings/definitions/a/b',
            `/app/settings/definitions/${'a'.repeat(65)}`,
            '/app\n',
        ])
            expect(matched(path), path).toBeUndefined();
    });

    it('leads from old addresses to pages that exist', () => {
        expect(redirected('/app/')).toBe('/app');
        expect(redirected('/app/definitions')).toBe('/app/settings/definitions');
        expect(redirected('/app/definitions/mine')).toBe('/app/settings/definitions/mine');
        expect(redirected('/app/new-definition')).toBe('/app/settings/new-definition');
        for (const path of ['/app/', '/app/definitions/mine', '/app/new-definition'])
            expect(matched(redirected(path) ?? '')).toBeDefined();
        expect(redirected('/app')).toBeUndefined();
    });

    it('leads up to pages that exist, and has a page for each section', () => {
        for (const { up, section } of Object.values(PAGES)) {
            if (up) expect(matched(up), up).toBeDefined();
            expect(SECTIONS.map(({ name }) => name)).toContain(section);
        }
        for (const { path, name } of SECTIONS)
            expect(PAGES[matched(path)?.name ?? 'agent'].section).toBe(name);
    });
});
