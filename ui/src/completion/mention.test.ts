import { describe, expect, it } from 'vitest';
import { completed, mentionAt, moved } from './mention';

describe('a mention', () => {
    it('is what was typed after an @ that begins a word', () => {
        expect(mentionAt('look at @src/ma', 15)).toEqual({ of: 'file', from: 8, to: 15, query: 'src/ma' });
        expect(mentionAt('@', 1)).toEqual({ of: 'file', from: 0, to: 1, query: '' });
        expect(mentionAt('(@a', 3)).toEqual({ of: 'file', from: 1, to: 3, query: 'a' });
        expect(mentionAt('one\n@a', 6)?.query).toBe('a');
    });

    it('ends at the caret, and with the word', () => {
        expect(mentionAt('@src/main', 4)?.query).toBe('src');
        expect(mentionAt('@src main', 9)).toBeUndefined();
        expect(mentionAt('@src', 0)).toBeUndefined();
    });

    it('is no address, and no word that is too long', () => {
        expect(mentionAt('ann@example', 11)).toBeUndefined();
        expect(mentionAt('@@a', 3)).toBeUndefined();
        expect(mentionAt(`@${'a'.repeat(300)}`, 301)).toBeUndefined();
    });

    it('is replaced by the path, with the caret behind it', () => {
        const done = (text: string, caret: number, file: string) =>
            completed(text, mentionAt(text, caret)!, file);
        expect(done('see @ma', 7, 'src/main.rs')).toEqual({ text: 'see @src/main.rs ', caret: 17 });
        expect(done('see @ma now', 7, 'src/main.rs')).toEqual({ text: 'see @src/main.rs now', caret: 17 });
        expect(done('@a', 2, 'my notes.md').text).toBe('@"my notes.md" ');
    });
});

describe('a command', () => {
    it('begins the text, and is no path', () => {
        expect(mentionAt('/re', 3)).toEqual({ of: 'command', from: 0, to: 3, query: 're' });
        expect(mentionAt('/', 1)?.query).toBe('');
        expect(mentionAt('/review', 3)?.query).toBe('re');
        for (const text of [' /re', 'see /re', '/usr/bin', '/re now', 'one\n/re'])
            expect(mentionAt(text, text.length), text).toBeUndefined();
    });

    it('is replaced by its name, and what was there stays', () => {
        expect(completed('/re', mentionAt('/re', 3)!, 'review')).toEqual({ text: '/review ', caret: 8 });
        expect(completed('/re HEAD', mentionAt('/re HEAD', 3)!, 'review').text).toBe('/review HEAD');
    });
});

it('a key moves around the ends of a list', () => {
    expect(moved('ArrowDown', 2, 3)).toBe(0);
    expect(moved('ArrowUp', 0, 3)).toBe(2);
    expect(moved('ArrowDown', -1, 3)).toBe(0);
    expect(moved('ArrowDown', 0, 0)).toBeUndefined();
    expect(moved('a', 0, 3)).toBeUndefined();
});
