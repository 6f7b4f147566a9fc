import { describe, expect, it } from 'vitest';
import { SseParser, type SseEvent } from '../src/sse.js';

const bytes = (text: string) => new TextEncoder().encode(text);

function read(text: string, step: number): SseEvent[] {
    const parser = new SseParser();
    const all = bytes(text);
    const events: SseEvent[] = [];
    for (let at = 0; at < all.length; at += step) events.push(...parser.push(all.slice(at, at + step)));
    return events;
}

describe('SseParser', () => {
    const text =
        ': paseo\n\nid: 7\nevent: item\ndata: {"a":"ü€😀"}\n\nid: 9\n\nevent: live\ndata: x\ndata: y\n\n';
    const expected = [
        { id: '7', event: 'item', data: '{"a":"ü€😀"}' },
        { id: '9', event: 'message', data: undefined },
        { id: undefined, event: 'live', data: 'x\ny' },
    ];

    it.each([1, 2, 3, 5, 7, 1000])('reads the same in pieces of %i bytes', (step) => {
        expect(read(text, step)).toEqual(expected);
    });

    it.each(['\r\n', '\r'])('takes line ends %j', (end) => {
        // The line after a final `\r` tells whether a `\n` belongs to it.
        expect(read(text.replaceAll('\n', end) + ':', 1)).toEqual(expected);
    });

    it('reports an event that only moves the cursor', () => {
        expect(read('id: 12\n\n', 3)).toEqual([{ id: '12', event: 'message', data: undefined }]);
    });

    it('ignores comments and what it does not know', () => {
        expect(read(':\n\nretry: 10\nfoo\n\n', 4)).toEqual([]);
    });

    it('does not report an event before its blank line', () => {
        expect(read('id: 1\ndata: x\n', 4)).toEqual([]);
    });
});
