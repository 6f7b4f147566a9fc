import { describe, expect, it } from 'vitest';
import { arranged } from './family';
import type { Agent } from './wire';

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

    it('has nobody who is closed, in the background, or below such a one', () => {
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
