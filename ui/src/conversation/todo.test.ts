import { describe, expect, it } from 'vitest';
import { later, NO_PLAN, parseTodos, progress, readTodos, type Todo, type TodoStatus } from './todo';

const todo = (status: TodoStatus, content: string = status): Todo => ({ content, status, high: false });

describe('a to-do list', () => {
    it('is read as the daemon writes it', () => {
        const text = JSON.stringify([
            { content: 'look', status: 'completed', priority: 'medium' },
            { content: 'fix', status: 'in_progress', priority: 'high' },
            { content: 'test', status: 'pending', priority: 'low' },
            { content: 'ship', status: 'cancelled', priority: 'medium' },
        ]);
        expect(parseTodos(text)).toEqual([
            { content: 'look', status: 'completed', high: false },
            { content: 'fix', status: 'in_progress', high: true },
            { content: 'test', status: 'pending', high: false },
            { content: 'ship', status: 'cancelled', high: false },
        ]);
    });

    it('is read as harnesses write theirs', () => {
        expect(
            readTodos({ todos: ['a', { text: 'b', state: 'done' }, { title: 'c', status: '?' }] }),
        ).toEqual([todo('pending', 'a'), todo('completed', 'b'), todo('pending', 'c')]);
        expect(readTodos([null, 7, { content: ' ' }, { content: ' d ' }])).toEqual([todo('pending', 'd')]);
    });

    it('may be empty, or none', () => {
        expect(parseTodos('[]')).toEqual([]);
        for (const text of ['', 'plain text', '7', 'null', '{"items":[]}'])
            expect(parseTodos(text)).toBeUndefined();
        expect(readTodos(undefined)).toBeUndefined();
    });
});

describe('its progress', () => {
    it('names what is being done', () => {
        expect(progress([todo('completed'), todo('pending'), todo('in_progress', 'fix it')])).toEqual({
            count: '1 of 3',
            now: 'fix it',
        });
    });

    it('names what comes next when nothing is being done', () => {
        expect(progress([todo('pending', 'first'), todo('pending', 'second')])).toEqual({
            count: '0 of 2',
            now: 'next: first',
        });
    });

    it('does not wait for what was cancelled', () => {
        expect(progress([todo('completed'), todo('cancelled'), todo('completed')]).count).toBe('all 2 done');
        expect(progress([todo('completed')])).toEqual({ count: 'done', now: '' });
        expect(progress([todo('cancelled')])).toEqual({ count: 'all canceled', now: '' });
    });
});

describe('of two lists', () => {
    it('the later one counts, whichever came first', () => {
        const old = { todos: [todo('pending')], seq: 3 };
        const cleared = { todos: [], seq: 7 };
        expect(later(later(NO_PLAN, old), cleared)).toBe(cleared);
        expect(later(later(NO_PLAN, cleared), old)).toBe(cleared);
    });
});
