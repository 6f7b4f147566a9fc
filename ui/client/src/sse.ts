/** One server-sent event. Without `data` it only moves the reader's place. */
export interface SseEvent {
    id: string | undefined;
    event: string;
    data: string | undefined;
}

/**
 * Reads server-sent events from bytes as they come.
 *
 * Unlike the browser's `EventSource`, it reports events that have an id and no data: they move the cursor.
 * Pieces may end anywhere, inside a character or a line break too.
 */
export class SseParser {
    private readonly decoder = new TextDecoder();
    private rest = '';
    private id: string | undefined;
    private event = '';
    private data: string[] = [];

    /** Takes the next bytes and returns the events that are complete now. */
    push(bytes: Uint8Array): SseEvent[] {
        const events: SseEvent[] = [];
        const text = this.rest + this.decoder.decode(bytes, { stream: true });
        let start = 0;
        for (;;) {
            const end = lineEnd(text, start);
            if (!end) break;
            const event = this.line(text.slice(start, end.at));
            if (event) events.push(event);
            start = end.next;
        }
        this.rest = text.slice(start);
        return events;
    }

    private line(line: string): SseEvent | undefined {
        if (line === '') return this.dispatch();
        const colon = line.indexOf(':');
        if (colon === 0) return undefined;
        const name = colon < 0 ? line : line.slice(0, colon);
        const after = colon < 0 ? '' : line.slice(colon + 1);
        const value = after.startsWith(' ') ? after.slice(1) : after;
        if (name === 'id' && !value.includes('\0')) this.id = value;
        else if (name === 'event') this.event = value;
        else if (name === 'data') this.data.push(value);
        return undefined;
    }

    private dispatch(): SseEvent | undefined {
        const { id, event, data } = this;
        this.id = undefined;
        this.event = '';
        this.data = [];
        if (id === undefined && data.length === 0) return undefined;
        return { id, event: event || 'message', data: data.length > 0 ? data.join('\n') : undefined };
    }
}

/** Finds the end of a line: `\n`, `\r\n` or `\r`. A `\r` at the very end may be half of `\r\n`: wait for more. */
function lineEnd(text: string, start: number): { at: number; next: number } | undefined {
    for (let at = start; at < text.length; at++) {
        const char = text[at];
        if (char === '\n') return { at, next: at + 1 };
        if (char !== '\r') continue;
        if (at + 1 === text.length) return undefined;
        return { at, next: text[at + 1] === '\n' ? at + 2 : at + 1 };
    }
    return undefined;
}
