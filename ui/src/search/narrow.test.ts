import { describe, expect, it } from 'vitest';
import { narrowed } from './narrow';

const NOW = Date.parse('2026-01-31T12:00:30Z');
const of = (address: string) => narrowed(new URLSearchParams(address), NOW);

describe('what narrows a search', () => {
    it('is read from the address', () => {
        expect(of('q=x')).toEqual({});
        expect(of('q=x&kind=tool&from=3f2a&when=7&project=/a/b')).toEqual({
            kind: ['tool'],
            from: '3f2a',
            since: '2026-01-24T12:00:00.000Z',
            directory: '/a/b',
        });
    });

    it('ignores words that are no choices', () => {
        expect(of('kind=odd&when=3')).toEqual({});
        expect(of('kind=&when=&from=&project=')).toEqual({});
    });
});
