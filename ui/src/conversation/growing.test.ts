import { describe, expect, it } from 'vitest';
import { grown, textOf } from './growing';

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
        expect(text).toMatchObject({ head: 'über alles', missing: 0, bytes: 11 });
    });

    it('does not repeat what it has', () => {
        const first = grown(undefined, piece(0, 'one two'));
        expect(grown(first, piece(0, 'one'))).toBe(first);
        expect(textOf(grown(first, piece(4, 'two three')))).toBe('one two three');
    });

    it('knows whose output it is', () => {
        const output = grown(undefined, { ...piece(0, 'a'), kind: 'tool_output' as const, call: 'c1' });
        expect(grown(output, piece(1, 'b'))).toMatchObject({ head: 'ab', call: 'c1' });
    });

    it('shows that something is missing, and knows how much', () => {
        expect(grown(undefined, piece(10, 'end'))).toMatchObject({ head: '', missing: 10, tail: 'end' });
        const gap = grown(grown(undefined, piece(0, 'a ')), piece(8, 'z'));
        expect(gap).toMatchObject({ head: 'a ', missing: 6, tail: 'z' });
        expect(textOf(gap)).toBe('a … z');
        expect(grown(gap, piece(9, 'y'))).toMatchObject({ head: 'a ', missing: 6, tail: 'zy' });
    });

    it('keeps the beginning and the end of what is too long', () => {
        let text = grown(undefined, piece(0, 'begin'));
        for (let at = 5; at < 5 + 200_000; at += 1000) text = grown(text, piece(at, 'é'.repeat(500)));
        text = grown(text, piece(text.bytes, 'end'));
        expect(text.bytes).toBe(200_008);
        expect(text.head.startsWith('begin')).toBe(true);
        expect(text.tail.endsWith('end')).toBe(true);
        expect(text.head.length + text.tail.length).toBe(64 * 1024);
        const known = new TextEncoder().encode(text.head + text.tail).length;
        expect(known + text.missing).toBe(text.bytes);
    });
});
