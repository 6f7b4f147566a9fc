import { describe, expect, it } from 'vitest';
import type { Item } from '../lib/wire';
import { rows } from './rows';
import { grouped, rowAt, summary, took, type Entry, type Run } from './runs';

let ordinal = 0;
const item = (kind: string, fields: Record<string, unknown>, text: string | null = null): Item => {
    ordinal += 1;
    return { id: `i${ordinal}`, ordinal, kind, fields, text, full_length: null } as unknown as Item;
};
const call = (name: string, fields: Record<string, unknown> = {}) =>
    item('tool_call', { call: name, name, class: 'execute', ...fields }, '{}');
const result = (name: string, fields: Record<string, unknown> = {}) =>
    item('tool_result', { call: name, outcome: 'ok', duration_ms: 0, ...fields }, 'out');
const done = (name: string, fields: Record<string, unknown> = {}) => [call(name, fields), result(name)];
const said = () => item('assistant_text', {}, 'words');
const thought = () => item('thinking', {}, 'hm');

const shape = (entries: readonly Entry[]) =>
    entries.map((entry) =>
        entry.is === 'run'
            ? entry.rows.map((row) => (row.is === 'tool' ? 'tool' : row.is)).join('+')
            : entry.is,
    );
const group = (items: Item[], kept: string[] = []) => grouped(rows(items), (key) => kept.includes(key));

describe('runs of tools', () => {
    it('are the calls between two texts', () => {
        expect(shape(group([said(), ...done('a'), ...done('b'), said(), ...done('c')]))).toEqual([
            'answer',
            'tool+tool',
            'answer',
            'tool',
        ]);
    });

    it('leave out what failed or still runs', () => {
        const failed = [call('x'), result('x', { outcome: 'error', exit_code: 1 })];
        const all = [...done('a'), ...done('b'), ...failed, ...done('c'), ...done('d'), call('e')];
        expect(shape(group(all))).toEqual(['tool+tool', 'tool', 'tool+tool', 'tool']);
        for (const outcome of ['denied', 'interrupted', 'a new word'])
            expect(shape(group([...done('a'), call('x'), result('x', { outcome })]))).toEqual([
                'tool',
                'tool',
            ]);
    });

    it('take in the thoughts and decided requests between their calls', () => {
        const ask = item('permission', { hash: 'h' }, 'May I?');
        const open = item('permission', { hash: 'o' }, 'May I?');
        const decided = item('permission', { hash: 'h', decision: 'allow' });
        expect(
            shape(group([thought(), ...done('a'), thought(), ask, decided, ...done('b'), thought(), said()])),
        ).toEqual(['thinking', 'tool+thinking+ask+tool+thinking', 'answer']);
        expect(shape(group([...done('a'), open, ...done('b')]))).toEqual(['tool', 'ask', 'tool']);
        expect(shape(group([...done('a'), thought(), said()]))).toEqual(['tool', 'thinking', 'answer']);
    });

    it('leave out what was handed to another agent', () => {
        const summon = done('s', { name: 'summon' });
        expect(shape(group([...done('a'), ...summon, ...done('b')]))).toEqual(['tool', 'tool', 'tool']);
    });

    it('leave alone what the reader has opened', () => {
        const [a, b, c] = [call('a'), call('b'), call('c')];
        const all = [a, result('a'), b, result('b'), c, result('c')];
        expect(shape(group(all, [a.id]))).toEqual(['tool', 'tool+tool']);
        expect(shape(group(all, [b.id]))).toEqual(['tool', 'tool', 'tool']);
    });

    it('only take the finished call away, wherever the transcript ends', () => {
        // A run that grows keeps its place and its key; what stands above it stays as it is.
        const all = [said(), ...done('a'), ...done('b'), thought(), ...done('c')];
        let before: Entry[] = [];
        for (let end = 1; end <= all.length; end++) {
            const now = group(all.slice(0, end));
            const stays = now.slice(0, Math.min(before.length, now.length) - 1).map(({ key }) => key);
            expect(before.slice(0, stays.length).map(({ key }) => key)).toEqual(stays);
            before = now;
        }
        expect(shape(before)).toEqual(['answer', 'tool+tool+thinking+tool']);
    });

    it('lose nothing', () => {
        const all = rows([said(), ...done('a'), thought(), ...done('b'), call('c'), said()]);
        const entries = grouped(all, () => false);
        expect(entries.flatMap((entry) => (entry.is === 'run' ? entry.rows : entry))).toEqual(all);
    });
});

describe('the row of an item', () => {
    it('is its own, that of its call, or the one before it', () => {
        const [first, usage, ran, out, end] = [said(), item('usage', {}), call('a'), result('a'), said()];
        const all = rows([first, usage, ran, out, end]);
        const key = (ordinal: number) => rowAt(all, ordinal)?.key;
        expect([first, usage, ran, out, end].map(({ ordinal }) => key(ordinal))).toEqual([
            first.id,
            first.id,
            ran.id,
            ran.id,
            end.id,
        ]);
        expect([key(0), key(1e9)]).toEqual([first.id, end.id]);
        expect(rowAt([], 1)).toBeUndefined();
    });
});

describe('the line of a run', () => {
    const line = (...items: Item[][]) => summary(group(items.flat())[0] as Run);
    const read = (path: string) => done(`r${(ordinal += 1)}`, { class: 'read', locations: [path] });

    it('counts what was done', () => {
        expect(
            line(
                read('a'),
                read('b'),
                done('e', { class: 'edit', locations: ['a'] }),
                done('f', { class: 'edit', locations: ['b'] }),
                done('x'),
                done('y'),
                done('z'),
            ),
        ).toBe('Read 2 files, edited 2, ran 3 commands');
    });

    it('counts a file once, and one of which the path is not known', () => {
        expect(line(read('a'), read('a'))).toBe('Read 1 file');
        expect(line(read('a'), done('n', { class: 'read' }))).toBe('Read 2 files');
        const edits = [done('e', { class: 'edit', locations: ['a'] }), done('f', { class: 'edit' })];
        expect(line(...edits)).toBe('Edited 2 files');
    });

    it('names other tools', () => {
        const other = (name: string) => done(name, { class: 'other' });
        expect(line(done('s', { class: 'search' }), done('f', { class: 'fetch' }))).toBe(
            'Searched once, fetched 1 page',
        );
        expect(line(done('x'), other('set_title'))).toBe('Ran 1 command, called set_title');
        expect(line(other('one'), other('two'))).toBe('Called one and two');
        expect(line(other('one'), other('two'), done('three', { class: 'a new word' }))).toBe(
            'Called 3 other tools',
        );
    });

    it('says how long it took', () => {
        const items = [
            call('a'),
            result('a', { duration_ms: 700 }),
            call('b'),
            result('b', { duration_ms: 800 }),
        ];
        expect(took(group(items)[0] as Run)).toBe(1500);
        expect(took(group([...done('c'), ...done('d')])[0] as Run)).toBe(0);
    });
});
