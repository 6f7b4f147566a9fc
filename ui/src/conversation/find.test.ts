import { describe, expect, it } from 'vitest';
import type { Item } from '../lib/wire';
import { matches, merged, searchQuery, step } from './find';
import { rows } from './rows';

let ordinal = 0;
const item = (kind: string, fields: object, text: string) =>
    ({ id: `i${(ordinal += 1)}`, ordinal, kind, fields, text }) as unknown as Item;

describe('find', () => {
    it('looks at words, titles and output, whatever the case', () => {
        const all = rows([
            item('assistant_text', {}, 'The Needle'),
            item('tool_call', { call: 'a', title: 'Run needle' }, '{}'),
            item('tool_result', { call: 'a' }, ''),
            item('tool_call', { call: 'b', title: 'Run x' }, '{}'),
            item('tool_result', { call: 'b' }, 'nee\u001b[31mdle'),
            item('assistant_text', {}, 'hay'),
        ]);
        expect(matches(all, ' NEEDLE ')).toEqual([1, 2, 4]);
        expect(matches(all, ' ')).toEqual([]);
    });

    it('asks for beginnings of words, and only for what can be found', () => {
        expect(searchQuery('two wor')).toBe('two wor*');
        expect(searchQuery('"a phrase"')).toBe('"a phrase"');
        expect(searchQuery('--')).toBeUndefined();
        expect(searchQuery('')).toBeUndefined();
    });

    it('shows a call and its output as one place', () => {
        const [call, result] = [
            item('tool_call', { call: 'c' }, '{}'),
            item('tool_result', { call: 'c' }, 'x'),
        ];
        const places = merged(rows([call, result]), [], [call.ordinal, result.ordinal]);
        expect(places).toEqual([call.ordinal]);
    });

    it('goes from place to place, and round', () => {
        const places = merged([], [5, 9], [9, 2]);
        expect(places).toEqual([2, 5, 9]);
        expect(step(places, undefined, -1)).toBe(9);
        expect(step(places, 9, -1)).toBe(5);
        expect(step(places, 2, -1)).toBe(9);
        expect(step(places, 6, 1)).toBe(9);
        expect(step(places, 9, 1)).toBe(2);
        expect(step([], 9, 1)).toBeUndefined();
    });
});
