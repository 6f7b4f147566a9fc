import { describe, expect, it } from 'vitest';
import type { QueuedMessage } from '../../lib/wire';
import { gist, isCut, moveOf, rowsOf, stageOf } from './waiting';

const message = (delivery: string, more: Partial<QueuedMessage> = {}): QueuedMessage => ({
    delivery,
    cause: 'cause',
    origin: 'human:web',
    position: 1,
    since: '2026-01-31T12:00:00.000Z',
    stage: 'queued',
    text: delivery,
    full_length: delivery.length,
    editable: true,
    movable: true,
    releasable: false,
    ...more,
});
const [a, b, c] = [message('a'), message('b'), message('c')];

describe('the rows', () => {
    it('are the queue, in its order', () => {
        expect(rowsOf([b, a], [])).toEqual([
            { message: b, gone: false },
            { message: a, gone: false },
        ]);
    });

    it('keep on top what left while a person was about to change it, and show nothing twice', () => {
        const edited = message('b', { text: 'as it is now' });
        expect(rowsOf([edited, c], [a, b])).toEqual([
            { message: a, gone: true },
            { message: edited, gone: false },
            { message: c, gone: false },
        ]);
    });
});

describe('a move', () => {
    it('goes one place up or down', () => {
        expect(moveOf([a, b, c], 'c', 'up')).toEqual({ to: 'before', before: 'b' });
        expect(moveOf([a, b, c], 'a', 'down')).toEqual({ to: 'before', before: 'c' });
        expect(moveOf([a, b, c], 'b', 'down')).toEqual({ to: 'last' });
    });

    it('goes not beyond the ends', () => {
        expect(moveOf([a, b], 'a', 'up')).toBeUndefined();
        expect(moveOf([a, b], 'b', 'down')).toBeUndefined();
    });

    it('is nothing for what cannot be moved, or left', () => {
        expect(moveOf([message('a', { movable: false }), b], 'a', 'down')).toBeUndefined();
        expect(moveOf([a, b], 'gone', 'up')).toBeUndefined();
    });
});

describe('the words', () => {
    it('say how far a message has come, and why it is held', () => {
        expect(stageOf(a)).toBe('accepted');
        expect(stageOf(message('a', { releasable: true }))).toBe('held');
        expect(stageOf(message('a', { stage: 'held', reason: 'attempts' }))).toBe(
            'held: the agent did not accept it',
        );
    });

    it('say held for a reason that a newer daemon has', () => {
        const reason = 'weather' as unknown as NonNullable<QueuedMessage['reason']>;
        expect(stageOf(message('a', { reason }))).toBe('held');
    });

    it('count bytes, as the daemon does', () => {
        expect(isCut(message('a', { text: 'äöü', full_length: 6 }))).toBe(false);
        expect(isCut(message('a', { text: 'äöü', full_length: 7 }))).toBe(true);
    });

    it('fit on a line', () => {
        expect(gist(message('a', { text: ' Use\n\ttabs ' }))).toBe('Use tabs');
        const long = gist(message('a', { text: '😀'.repeat(50) }));
        expect(long).toBe(`${'😀'.repeat(39)}…`);
    });
});
