import { expect, test } from 'vitest';
import { liveOf, type Ranked } from './ranking';

interface Named extends Ranked {
    readonly name: string;
}

function shown(...names: string[]): Named[] {
    return names.map((name) => ({
        name: name.replace(/\W|\d/g, ''),
        kept: name.endsWith('!'),
        asked: Number(/\d/.exec(name)?.[0] ?? 0),
    }));
}

function live(...names: string[]): string {
    const all = shown(...names);
    const those = liveOf(all, 3);
    return all
        .filter((each) => those.has(each))
        .map(({ name }) => name)
        .join('');
}

test('those at the top of the page are live', () => {
    expect(live('a', 'b')).toBe('ab');
    expect(live('a', 'b', 'c', 'd', 'e')).toBe('abc');
});

test('one that was asked for takes the place of the last', () => {
    expect(live('a', 'b', 'c', 'd', 'e1')).toBe('abe');
    expect(live('a', 'b', 'c', 'd2', 'e1')).toBe('ade');
});

test('of more that were asked for than have a place, the first to be asked for gives way', () => {
    expect(live('a1', 'b2', 'c3', 'd4')).toBe('bcd');
});

test('one that a person has the keyboard of keeps its place', () => {
    expect(live('a', 'b', 'c', 'd!')).toBe('abd');
    expect(live('a', 'b', 'c!', 'd1', 'e2', 'f3')).toBe('cef');
});
