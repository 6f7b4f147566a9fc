import { describe, expect, it } from 'vitest';
import { arranged, familyOf } from './family';
import type { Agent } from '../lib/wire';

const agent = (id: string, parent?: string, more: Partial<Agent> = {}): Agent =>
    ({
        id,
        parent: parent ?? null,
        labels: parent ? {} : { ui: 'true' },
        status: 'idle',
        created_at: `2026-01-01T00:00:0${id}Z`,
        ...more,
    }) as Agent;

/** The list as a person sees it: one line each, indented. */
const seen = (...agents: Agent[]) =>
    arranged(agents).map(({ agent, rails }) => `${'- '.repeat(rails.length)}${agent.id}`);

describe('the list', () => {
    it('has the newest first', () => {
        expect(seen(agent('1'), agent('3'), agent('2'))).toEqual(['3', '2', '1']);
    });

    it('has those that are pinned before, and those that ask before all', () => {
        const pinned = agent('1', undefined, { pinned_at: '2026-01-01T00:00:00Z' } as Partial<Agent>);
        const asking = agent('2', undefined, { ask: 'h' });
        expect(seen(pinned, asking, agent('3'))).toEqual(['2', '1', '3']);
    });

    it('has children below their parents', () => {
        expect(seen(agent('4', '3'), agent('3', '1'), agent('5', '1'), agent('2'), agent('1'))).toEqual([
            '2',
            '1',
            '- 5',
            '- 3',
            '- - 4',
        ]);
    });

    it('says which lines go on', () => {
        const placed = arranged([agent('1'), agent('5', '1'), agent('6', '5'), agent('3', '1')]);
        expect(placed.map(({ rails, isParent }) => ({ rails, isParent }))).toEqual([
            { rails: [], isParent: true },
            { rails: [true], isParent: true },
            { rails: [true, false], isParent: false },
            { rails: [false], isParent: false },
        ]);
    });

    it('takes a whole family up when one of it asks', () => {
        const asks = agent('4', '3', { ask: 'h' });
        expect(seen(agent('1'), agent('3', '1'), asks, agent('5', '1'), agent('2'))).toEqual([
            '1',
            '- 3',
            '- - 4',
            '- 5',
            '2',
        ]);
    });

    it('has no agent that is closed, in the background, or below such a one', () => {
        const background = agent('1', undefined, { labels: {} });
        const closed = agent('2', undefined, { status: 'closed' });
        expect(seen(background, agent('3', '1'), closed, agent('4', '2'), agent('5', 'unknown'))).toEqual([]);
    });

    it('has those with the label, wherever they stand', () => {
        const labelled = agent('2', '1', { labels: { ui: 'true' } });
        expect(seen(agent('1', undefined, { labels: {} }), labelled, agent('3', '2'))).toEqual(['2', '- 3']);
        expect(seen(agent('1'), labelled)).toEqual(['1', '- 2']);
    });

    it('ends when records go in a circle', () => {
        const ui = { labels: { ui: 'true' } };
        expect(seen(agent('1', '1', ui))).toEqual(['1']);
        expect(seen(agent('1', '2', ui), agent('2', '1'), agent('3', '2'))).toEqual(['2', '- 3', '1']);
    });
});

describe('the list with more in it', () => {
    const rows = (scope: { background: boolean; closed: boolean }, ...agents: Agent[]) =>
        arranged(agents, scope).map(({ agent, rails }) => `${'- '.repeat(rails.length)}${agent.id}`);
    const all = [
        agent('1'),
        agent('2', '1'),
        agent('3', '1', { status: 'closed' }),
        agent('4', undefined, { labels: {} }),
        agent('5', '4'),
        agent('6', undefined, { status: 'closed' }),
        agent('7', undefined, { labels: {}, status: 'closed' }),
        agent('8', '6'),
    ];

    it('has background agents and what descends from them', () => {
        const shown = rows({ background: true, closed: false }, ...all);
        expect(shown).toEqual(['8', '4', '- 5', '1', '- 2']);
    });

    it('has closed agents with the label: neither those below nor the others', () => {
        expect(rows({ background: false, closed: true }, ...all)).toEqual(['6', '1', '- 2']);
    });

    it('has everything', () => {
        const shown = rows({ background: true, closed: true }, ...all);
        expect(shown).toEqual(['7', '6', '- 8', '4', '- 5', '1', '- 3', '- 2']);
    });
});

describe('the family of an agent', () => {
    const placed = arranged([
        agent('1'),
        agent('2', '1'),
        agent('3', '2'),
        agent('4', '1'),
        agent('5'),
        agent('6', '5'),
    ]);
    const ids = (id: string) => familyOf(placed, agent(id)).map((each) => each.agent.id);

    it('is the whole tree, from whichever member one looks', () => {
        for (const id of ['1', '2', '3', '4']) expect(ids(id).toSorted()).toEqual(['1', '2', '3', '4']);
        for (const id of ['5', '6']) expect(ids(id)).toEqual(['5', '6']);
    });

    it('is the agent alone when the list does not show it', () => {
        expect(ids('7')).toEqual(['7']);
    });
});
