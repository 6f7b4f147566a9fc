import { describe, expect, it } from 'vitest';
import type { FormField } from '../lib/wire';
import { isChosen, limits, press, start, valuesOf, type Draft } from './form';

const field = (kind: string, more: Partial<FormField> = {}): FormField => ({
    name: kind,
    title: kind,
    description: '',
    required: false,
    kind: kind as FormField['kind'],
    default: null,
    options: ['a', 'b', 'c'].map((value) => ({ value, title: value, description: '' })),
    format: null,
    pattern: null,
    minimum: null,
    maximum: null,
    ...more,
});

describe('a form', () => {
    it('starts with what the server proposes', () => {
        expect(start(field('text', { default: 'here' }))).toBe('here');
        expect(start(field('integer', { default: 3 }))).toBe('3');
        expect(start(field('boolean', { default: true }))).toBe(true);
        expect(start(field('boolean'))).toBeUndefined();
        expect(start(field('boolean', { required: true }))).toBe(false);
        expect(start(field('choices', { default: ['b'] }))).toEqual(['b']);
    });

    it('has values of the kinds that its fields take', () => {
        const fields = ['text', 'secret', 'integer', 'number', 'boolean', 'choice', 'choices'].map((kind) =>
            field(kind),
        );
        const drafts: Draft[] = [' x ', ' y ', '3', '1.5', false, 'a', ['b', 'c']];
        expect(valuesOf(fields, drafts)).toEqual({
            text: 'x',
            secret: ' y ',
            integer: 3,
            number: 1.5,
            boolean: false,
            choice: 'a',
            choices: ['b', 'c'],
        });
        expect(valuesOf(fields, ['', '', '', '', undefined, '', []])).toEqual({});
        expect(valuesOf([field('integer')], ['three'])).toEqual({ integer: 'three' });
    });

    it('is not sent without what it needs', () => {
        const needed = field('text', { required: true });
        expect(valuesOf([needed], [' '])).toBeUndefined();
        expect(valuesOf([needed], ['x'])).toEqual({ text: 'x' });
    });

    it('keeps one option, or several in their order', () => {
        const one = field('choice');
        expect(press(one, press(one, '', 'a'), 'b')).toBe('b');
        expect(press(one, 'b', 'b')).toBe('');
        const many = field('choices');
        const two = press(many, press(many, [], 'c'), 'a');
        expect(two).toEqual(['a', 'c']);
        expect(isChosen(two, 'c')).toBe(true);
        expect(press(many, two, 'a')).toEqual(['c']);
    });

    it('says what its fields take', () => {
        expect(limits(field('integer', { minimum: 1, maximum: 5 }))).toBe('From 1 to 5.');
        expect(limits(field('text', { maximum: 9, pattern: '^x' }))).toBe(
            'At most 9 characters. Has to match ^x',
        );
        expect(limits(field('text'))).toBe('');
    });
});
