import { describe, expect, it } from 'vitest';
import type { Ask, Question } from '../lib/wire';
import { answersOf, isStructured, NOTHING, press, write } from './question';

const question = (multiple: boolean): Question => ({
    text: 'Which?',
    header: null,
    options: ['A', 'B', 'C'].map((label) => ({ label, description: '', preview: '' })),
    multiple,
    open: true,
    secret: false,
});

describe('a question', () => {
    it('that takes one answer keeps no other', () => {
        const one = question(false);
        const b = press(one, press(one, NOTHING, 0), 1);
        expect(b).toEqual({ chosen: [1], other: '' });
        expect(press(one, b, 1).chosen).toEqual([]);
        const words = write(one, b, 'none of them');
        expect(words).toEqual({ chosen: [], other: 'none of them' });
        expect(press(one, words, 2)).toEqual({ chosen: [2], other: '' });
        expect(write(one, b, ' ').chosen).toEqual([1]);
    });

    it('that takes several keeps them in its order', () => {
        const many = question(true);
        const two = press(many, press(many, NOTHING, 2), 0);
        expect(two.chosen).toEqual([0, 2]);
        expect(write(many, two, 'and more')).toEqual({ chosen: [0, 2], other: 'and more' });
        expect(press(many, two, 2).chosen).toEqual([0]);
    });

    it('has to be answered like all the others', () => {
        const soon = { chosen: [], other: ' soon ' };
        expect(answersOf([{ chosen: [1], other: '' }, soon])).toEqual([
            { chosen: [1], text: null },
            { chosen: [], text: 'soon' },
        ]);
        expect(answersOf([soon, { chosen: [], other: ' ' }])).toBeUndefined();
    });
});

it('only what can be answered here has answers of its own', () => {
    const asked = (more: Partial<Ask>) => isStructured({ text: '', ...more } as Ask);
    expect(asked({})).toBe(false);
    expect(asked({ questions: [] })).toBe(false);
    expect(asked({ questions: [question(true)] })).toBe(true);
    expect(asked({ plan: { text: 'x', advance: false } })).toBe(true);
    expect(asked({ questions: [question(true)], terminal: 'red-1' })).toBe(false);
});
