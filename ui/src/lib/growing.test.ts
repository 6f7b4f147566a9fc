import { describe, expect, it } from 'vitest';
import { grown } from './growing';

const piece = (offset: number, text: string) => ({
    session: 's',
    item: 'i',
    kind: 'assistant_text' as const,
    offset,
    text,
});

describe('grown', () => {
    it('counts in bytes', () => {
        const text = grown(grown(undefined, piece(0, 'über ')), piece(6, 'alles'));
        expect(text).toMatchObject({ text: 'über alles', bytes: 11 });
    });

    it('does not repeat what it has', () => {
        const first = grown(undefined, piece(0, 'one two'));
        expect(grown(first, piece(0, 'one'))).toBe(first);
        expect(grown(first, piece(4, 'two three')).text).toBe('one two three');
    });

    it('shows that something is missing', () => {
        expect(grown(undefined, piece(10, 'end')).text).toBe('… end');
        expect(grown(grown(undefined, piece(0, 'a ')), piece(8, 'z')).text).toBe('a … z');
    });
});
