import { describe, expect, it } from 'vitest';
import type { Agent } from '../lib/wire';
import { arranged } from './family';
import { filtered, labelCounts, labelKeys, prominent, type Filter } from './filter';

const agent = (id: string, parent?: string, more: Partial<Agent> = {}): Agent =>
    ({
        id,
        handle: id,
        name: `agent ${id}`,
        parent: parent ?? null,
        labels: parent ? {} : { ui: 'true' },
        status: 'idle',
        agent: 'default',
        provider: 'scripted',
        project: '/work/shop',
        created_at: `2026-01-01T00:00:0${id}Z`,
        ...more,
    }) as Agent;

const labels = (more: Record<string, string>) => ({ labels: { ui: 'true', ...more } });

const placed = arranged([
    agent('1', undefined, { name: 'Fix Login', ...labels({ env: 'ci', note: 'a=b' }) }),
    agent('2', '1', { name: 'look around', agent: 'helper' }),
    agent('3', '1', { name: 'write tests' }),
    agent('4', undefined, { name: 'Translate', ...labels({ env: 'prod' }) }),
    agent('5', undefined, { name: 'Release', project: '/work/api' }),
]);

const seen = (filter: Partial<Filter>) => {
    const found = filtered(placed, { text: '', labels: [], ...filter });
    return [...found.placed.map(({ agent, rails }) => '- '.repeat(rails.length) + agent.id), found.matches];
};

describe('the filter', () => {
    it('lets everything through when it is empty', () => {
        expect(seen({ text: '  ' })).toEqual(['5', '4', '1', '- 3', '- 2', 5]);
    });

    it('finds all words, in any case, in what the row is about', () => {
        expect(seen({ text: 'LOGIN fix' })).toEqual(['1', 1]);
        expect(seen({ text: 'api' })).toEqual(['5', 1]);
        expect(seen({ text: 'env=prod' })).toEqual(['4', 1]);
        expect(seen({ text: 'fix translate' })).toEqual([0]);
    });

    it('keeps the parents of what it finds, and does not count them', () => {
        expect(seen({ text: 'helper' })).toEqual(['1', '- 2', 1]);
    });

    it('draws the lines to what is left', () => {
        const { placed: left } = filtered(placed, { text: 'tests', labels: [] });
        expect(left.map(({ rails, isParent }) => ({ rails, isParent }))).toEqual([
            { rails: [], isParent: true },
            { rails: [false], isParent: false },
        ]);
        // Untouched, they are as they were.
        const whole = filtered(placed, { text: 'work', labels: [] });
        expect(whole.placed).toEqual(placed);
    });

    it('takes labels with all that descend from who has them', () => {
        expect(seen({ labels: ['env=ci'] })).toEqual(['1', '- 3', '- 2', 3]);
        expect(seen({ labels: ['env=ci'], text: 'look' })).toEqual(['1', '- 2', 1]);
        expect(seen({ labels: ['env=ci', 'env=prod'] })).toEqual([0]);
        expect(seen({ labels: ['note=a=b'] })).toEqual(['1', '- 3', '- 2', 3]);
    });

    it('does not take what every object has for a label', () => {
        expect(seen({ labels: ['constructor=x'] })).toEqual([0]);
        expect(seen({ labels: ['toString='] })).toEqual([0]);
    });
});

describe('labels', () => {
    it('are counted, without the one that the list is about', () => {
        expect(labelCounts(placed)).toEqual([
            { label: 'env=ci', count: 1 },
            { label: 'env=prod', count: 1 },
            { label: 'note=a=b', count: 1 },
        ]);
        expect(labelKeys(placed)).toEqual(['env', 'note']);
    });

    it('have a button each as long as there are few, and always when they are chosen', () => {
        const counts = [
            { label: 'a=1', count: 1 },
            { label: 'b=1', count: 3 },
            { label: 'c=1', count: 2 },
        ];
        expect(prominent(counts, [], 2).map(({ label }) => label)).toEqual(['b=1', 'c=1']);
        expect(prominent(counts, ['a=1', 'gone=1'], 1)).toEqual([
            { label: 'a=1', count: 1 },
            { label: 'b=1', count: 3 },
            { label: 'gone=1', count: 0 },
        ]);
    });
});
