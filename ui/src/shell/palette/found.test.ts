import { expect, it } from 'vitest';
import { found, pieces, type Entry } from './found';

function entry(title: string, also?: string): Entry {
    return { id: title, group: 'Go to', title, run: () => {}, ...(also !== undefined && { also }) };
}

const ENTRIES = [entry('Inbox'), entry('Agents'), entry('Definitions', 'agents kinds'), entry('New agent')];

it('shows everything in its order until something is typed', () => {
    expect(found(ENTRIES, ' ').map(({ entry }) => entry.title)).toEqual([
        'Inbox',
        'Agents',
        'Definitions',
        'New agent',
    ]);
});

it('finds by beginnings, by parts, by other words, and nothing else', () => {
    expect(found(ENTRIES, 'inb')[0]?.entry.title).toBe('Inbox');
    expect(found(ENTRIES, 'dfn')[0]?.entry.title).toBe('Definitions');
    expect(found(ENTRIES, 'na')[0]?.entry.title).toBe('New agent');
    expect(found(ENTRIES, 'kinds').map(({ entry }) => entry.title)).toEqual(['Definitions']);
    expect(found(ENTRIES, 'xyz')).toEqual([]);
});

it('marks what was typed', () => {
    expect(found(ENTRIES, 'inb')[0]?.pieces).toEqual([
        { text: 'Inb', hit: true },
        { text: 'ox', hit: false },
    ]);
    expect(pieces('<b>', [1])).toEqual([
        { text: '<', hit: false },
        { text: 'b', hit: true },
        { text: '>', hit: false },
    ]);
    expect(pieces('', [])).toEqual([]);
});
