import { describe, expect, it } from 'vitest';
import type { Agent } from '../lib/wire';
import { arranged } from './family';
import { grouped, type Group } from './groups';
import { NEW, reused, steady } from './steady';

const agent = (id: string, more: Partial<Agent> = {}): Agent =>
    ({
        id,
        parent: null,
        labels: { ui: 'true' },
        status: 'idle',
        agent: 'default',
        project: '/work/shop',
        created_at: `2026-01-01T00:00:0${id}Z`,
        ...more,
    }) as Agent;

const seen = (groups: readonly Group[]) =>
    groups.map(({ title, rows }) => [
        title,
        ...rows.map(({ agent, rails, gone }) => '- '.repeat(rails.length) + agent.id + (gone ? ' gone' : '')),
    ]);

describe('groups', () => {
    it('are projects, by name, each with whole families', () => {
        const placed = arranged([
            agent('1'),
            agent('2', { parent: '1', labels: {}, project: '/work/api' }),
            agent('3', { project: '/work/api' }),
        ]);
        expect(seen(grouped(placed, 'project'))).toEqual([
            ['api', '3'],
            ['shop', '1', '- 2'],
        ]);
    });

    it('tell folders of the same name apart', () => {
        const placed = arranged([
            agent('1', { project: '/a/web' }),
            agent('2', { project: '/b/web' }),
            agent('3'),
        ]);
        const groups = grouped(placed, 'project');
        expect(groups.map(({ title }) => title)).toEqual(['shop', 'a/web', 'b/web']);
        expect(groups.map(({ hint }) => hint)).toEqual(['/work/shop', '/a/web', '/b/web']);
        expect(grouped(arranged([agent('1', { project: '/' })]), 'project')[0]?.title).toBe('/');
    });

    it('are the values of a label, and what has none last', () => {
        const placed = arranged([
            agent('1', { labels: { ui: 'true', env: 'prod' } }),
            agent('2', { labels: { ui: 'true', env: '' } }),
            agent('3'),
        ]);
        expect(seen(grouped(placed, 'label:env'))).toEqual([
            ['env=', '2'],
            ['env=prod', '1'],
            ['Without env', '3'],
        ]);
        expect(seen(grouped(placed, 'label:constructor'))).toEqual([['Without constructor', '3', '2', '1']]);
    });

    it('are statuses: what asks first, also when a child does; unknown words last', () => {
        const placed = arranged([
            agent('1', { status: 'running' }),
            agent('2', { status: 'waiting' }),
            agent('3', { parent: '1', labels: {}, status: 'waiting', ask: 'h' }),
            agent('4', { status: 'error' }),
            agent('5', { status: 'dreaming' as Agent['status'] }),
            agent('6'),
        ]);
        expect(seen(grouped(placed, 'status'))).toEqual([
            ['Asks you', '1', '- 3'],
            ['Working', '2'],
            ['Failed', '4'],
            ['Idle', '6'],
            ['dreaming', '5'],
        ]);
    });

    it('are definitions, and agents without one last', () => {
        const placed = arranged([agent('1'), agent('2', { agent: 'reviewer' })]);
        expect(seen(grouped(placed, 'definition'))).toEqual([
            ['reviewer', '2'],
            ['No definition', '1'],
        ]);
    });

    it('have keys of their own', () => {
        const placed = arranged([
            agent('1', { labels: { ui: 'true', env: '' } }),
            agent('2'),
            agent('3', { labels: { ui: 'true', env: '=' } }),
        ]);
        const keys = grouped(placed, 'label:env').map(({ key }) => key);
        expect(new Set(keys).size).toBe(3);
    });
});

describe('a list that is kept still', () => {
    const groups = (...agents: Agent[]) => grouped(arranged(agents), 'project');
    const before = groups(agent('1'), agent('2'), agent('3', { project: '/work/api' }));

    it('keeps the order while its rows change', () => {
        const now = groups(
            agent('1', { status: 'waiting', ask: 'h' }),
            agent('2', { name: 'renamed' }),
            agent('3', { project: '/work/api' }),
        );
        expect(seen(now)).toEqual([
            ['api', '3'],
            ['shop', '1', '2'],
        ]);
        const kept = steady(before, now, () => undefined);
        expect(seen(kept)).toEqual([
            ['api', '3'],
            ['shop', '2', '1'],
        ]);
        expect(kept[1]?.rows[0]?.agent.name).toBe('renamed');
    });

    it('keeps the place of what left, as it is now or as it was', () => {
        const closed = agent('1', { status: 'closed' });
        const kept = steady(before, groups(agent('2')), (id) => (id === '1' ? closed : undefined));
        expect(seen(kept)).toEqual([
            ['api', '3 gone'],
            ['shop', '2', '1 gone'],
        ]);
        expect(kept[1]?.rows[1]?.agent.status).toBe('closed');
        // It may come back.
        expect(seen(steady(kept, before, () => undefined))).toEqual(seen(before));
    });

    it('adds what came at the end, once', () => {
        const four = agent('4', { parent: '1', labels: {} });
        const kept = steady(before, [...groups(agent('1'), agent('2'), four)], () => undefined);
        expect(seen(kept).at(-1)).toEqual(['New', '4']);
        const later = steady(kept, groups(agent('1'), agent('2'), four, agent('5')), () => undefined);
        expect(seen(later)).toEqual([
            ['api', '3 gone'],
            ['shop', '2', '1'],
            ['New', '4', '5'],
        ]);
        expect(later.filter(({ key }) => key === NEW)).toHaveLength(1);
    });
});

it('rows in which nothing changed are not drawn again', () => {
    const [one, two, three] = [agent('1'), agent('2'), agent('3', { parent: '2', labels: {} })];
    const before = grouped(arranged([one, two, three]), 'project');
    const busy = { ...one, status: 'running' } as Agent;
    const now = reused(before, grouped(arranged([busy, two, three]), 'project'));
    expect(seen(now)).toEqual([['shop', '2', '- 3', '1']]);
    expect(now[0]?.rows[0]).toBe(before[0]?.rows[0]);
    expect(now[0]?.rows[1]).toBe(before[0]?.rows[1]);
    expect(now[0]?.rows[2]?.agent).toBe(busy);
    // Without the child, its parent looks different.
    const alone = reused(before, grouped(arranged([one, two]), 'project'));
    expect(alone[0]?.rows[0]?.isParent).toBe(false);
});
