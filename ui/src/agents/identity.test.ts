import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEFINITION_PATHS } from '../ui/definitionIcons';
import type { Agent } from '../lib/wire';
import { extrasOf, withListed } from './extras';
import { HUES, hueOf, identityOf } from './identity';

/** Reads a file of the repository. */
const repository = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

const agent = (fields: Record<string, unknown>) => ({ agent: 'default', ...fields }) as unknown as Agent;

describe('how a definition looks', () => {
    it('is as it says', () => {
        expect(identityOf(agent({ agent: 'reviewer', icon: '🔍', color: 'purple' }))).toEqual({
            text: '🔍',
            hue: 'purple',
        });
        expect(identityOf(agent({ agent: 'reviewer', icon: 'rocket', color: 'gray' }))).toEqual({
            icon: 'rocket',
            hue: 'gray',
        });
    });

    it('is the same for the same slug, and different for some', () => {
        expect(identityOf(agent({ agent: 'reviewer' }))).toEqual({ text: 'R', hue: hueOf('reviewer') });
        const hues = new Set(Array.from({ length: 64 }, (_, at) => hueOf(`agent-${at}`)));
        expect(hues).toEqual(new Set(HUES.filter((hue) => hue !== 'gray')));
    });

    it('is plain without a definition', () => {
        expect(identityOf(agent({}))).toEqual({ icon: 'spark' });
    });

    it.each([['a whole sentence'], ['<img src=x onerror=alert(1)>'], [7], [null], ['  ']])(
        'does not take %s for an icon',
        (icon) => {
            expect(identityOf(agent({ agent: 'x', icon }))).toEqual({ text: 'X', hue: hueOf('x') });
        },
    );

    it.each(['url(x)', '#12345', 'constructor', 'Red'])('does not take %s for a colour', (color) => {
        expect(identityOf(agent({ agent: 'x', color })).hue).toBe(hueOf('x'));
    });
});

describe('what a definition can say', () => {
    it('has a picture for every icon that the daemon knows', () => {
        const source = repository('crates/core/src/definition/appearance.rs');
        const list = /pub const ICONS: [^=]+ = \[([^\]]+)\]/.exec(source)?.[1] ?? '';
        const icons = [...list.matchAll(/"(\w+)"/g)].map(([, name]) => name);
        expect(icons.length).toBeGreaterThan(0);
        expect(Object.keys(DEFINITION_PATHS).sort()).toEqual(icons.sort());
    });

    it('has every colour that the daemon knows', () => {
        const api = JSON.parse(repository('docs/openapi.json')) as {
            components: { schemas: { AgentColor: { enum: string[] } } };
        };
        expect(HUES).toEqual(api.components.schemas.AgentColor.enum);
    });
});

describe('what a row can tell', () => {
    it('is nothing when the daemon says nothing', () => {
        expect(extrasOf(agent({}))).toEqual({ unread: false });
        const nulls = agent({
            icon: null,
            last_snippet: null,
            step: null,
            todo_done: null,
            todo_total: null,
        });
        expect(extrasOf(nulls)).toEqual({ unread: false });
        const wrong = agent({ unread: 'yes', step: 7, todo_done: 1, todo_total: 0, last_snippet: {} });
        expect(extrasOf(wrong)).toEqual({ unread: false });
    });

    it('is what the daemon says', () => {
        const told = agent({
            unread: true,
            last_snippet: 'Done.',
            step: 'Edit',
            todo_done: 2,
            todo_total: 5,
        });
        expect(extrasOf(told)).toEqual({
            unread: true,
            snippet: 'Done.',
            step: 'Edit',
            todo: { done: 2, total: 5 },
        });
    });

    it('lasts through events that do not tell it, and not longer', () => {
        const before = agent({ last_snippet: 'Done.', unread: true });
        expect(extrasOf(withListed(agent({}), before)).snippet).toBe('Done.');
        const after = withListed(agent({ last_snippet: null, unread: false }), before);
        expect(extrasOf(after)).toEqual({ unread: false });
        expect(withListed(after, undefined)).toBe(after);
    });
});
