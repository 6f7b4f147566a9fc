import { Backoff } from './backoff.js';
import { isTransient, PaseoError, UnreachableError } from './error.js';
import { frameOf, positionOf, type Frame } from './frame.js';
import { SseParser, type SseEvent } from './sse.js';
import type { ErrorBody } from './wire.js';

/** The daemon sends something at least every 25 seconds. */
const SILENCE_MS = 60_000;

/** `sessions`, `permissions`, `inbox`, `threads`, or one thing with everything that happens in it. */
export type Topic =
    | 'sessions'
    | 'permissions'
    | 'inbox'
    | 'threads'
    | `session:${string}`
    | `thread:${string}`
    | `team:${string}`
    | `cause:${string}`;

/** `open`: the daemon sends. `closed`: the connection ended. `waiting`: the next attempt comes after a pause. */
export type ConnectionState = 'open' | 'closed' | 'waiting';

export interface FollowOptions {
    /** The position in the log behind which to begin: the `seq` of a page, an answer, a receipt or a frame. */
    readonly after: number;
    readonly topics: readonly Topic[];
    /** Of the topic `sessions`, only those that the web app lists. */
    readonly ui?: boolean;
    readonly signal?: AbortSignal;
    readonly onState?: (state: ConnectionState) => void;
    /** The pauses between attempts to connect. */
    readonly backoff?: Backoff;
}

export interface StreamQuery {
    readonly after: number;
    readonly topics: string;
    readonly ui: true | undefined;
}

/** Opens one connection, or throws what the daemon said against it. */
export type Connect = (query: StreamQuery, signal: AbortSignal) => Promise<Response>;

/**
 * What happens, frame by frame.
 *
 * It holds a cursor: the position of the last frame that was taken. Whatever ends a connection, the next one begins there.
 * So nothing is missed, and nothing comes twice. A frame counts as taken when the loop asks for the next one: one that
 * made the loop throw comes again when you iterate again.
 *
 * A refusal ends the iteration with a `PaseoError`: 400 when the position is not one of this log (read again, and follow
 * from there), 401 and 403 when you may not see this, 404 when a topic does not exist.
 */
export class EventStream implements AsyncIterable<Frame> {
    private position: number;
    private topics: readonly Topic[];
    private connection: AbortController | undefined;
    private hurried = false;
    /** The daemon said to connect again. */
    private resumes = false;
    private closed = false;
    private readonly backoff: Backoff;

    constructor(
        private readonly connect: Connect,
        private readonly options: FollowOptions,
    ) {
        this.position = options.after;
        this.topics = options.topics;
        this.backoff = options.backoff ?? new Backoff({ first: 250 });
    }

    /** The position of the last frame that was taken. */
    get cursor(): number {
        return this.position;
    }

    /** Follows other topics from the cursor on. */
    follow(topics: readonly Topic[]): void {
        this.topics = topics;
        this.reconnect();
    }

    /** Connects again, at once. */
    reconnect(): void {
        this.hurried = true;
        this.backoff.hurry();
        this.connection?.abort();
    }

    /** Gives the connection up, as if it had been lost. */
    drop(): void {
        this.connection?.abort();
    }

    /** Ends the iteration. */
    close(): void {
        this.closed = true;
        this.reconnect();
    }

    async *[Symbol.asyncIterator](): AsyncGenerator<Frame, void, undefined> {
        for await (const events of this.chunks()) {
            for (const event of events) {
                const frame = this.open(event);
                if (frame) yield frame;
                // Only now, when the loop has taken it.
                this.position = positionOf(event) ?? this.position;
                if (this.hurried) break;
            }
        }
    }

    /** Takes frames that arrive together one after the other, with nothing in between: a page draws once for all of them. */
    async forEach(take: (frame: Frame) => void): Promise<void> {
        for await (const events of this.chunks()) {
            for (const event of events) {
                const frame = this.open(event);
                if (frame) take(frame);
                this.position = positionOf(event) ?? this.position;
                if (this.hurried) break;
            }
        }
    }

    /** Reads the frame of an event. Throws when it says that there will be no other. */
    private open(event: SseEvent): Frame | undefined {
        if (event.data === undefined) return undefined;
        const data: unknown = JSON.parse(event.data);
        if (event.event === 'ended') throw new PaseoError(0, data as Partial<ErrorBody>);
        if (event.event !== 'resume') return frameOf(event, data);
        this.resumes = true;
        this.position = Math.max(this.position, (data as { after: number }).after);
        return undefined;
    }

    /** Reads one connection after the other. Yields what arrives together. */
    private async *chunks(): AsyncGenerator<SseEvent[], void, undefined> {
        const { signal } = this.options;
        while (!this.closed) {
            signal?.throwIfAborted();
            this.hurried = false;
            this.resumes = false;
            try {
                yield* this.read();
            } catch (error) {
                if (!this.isPassing(error)) throw error;
            }
            if (this.closed || this.hurried || this.resumes) continue;
            this.options.onState?.('waiting');
            if (!(await this.backoff.wait(signal))) throw new UnreachableError('the patience is used up');
        }
    }

    /** Reads one connection to its end. */
    private async *read(): AsyncGenerator<SseEvent[], void, undefined> {
        const connection = new AbortController();
        this.connection = connection;
        const stop = () => connection.abort();
        this.options.signal?.addEventListener('abort', stop);
        let silence = setTimeout(stop, SILENCE_MS);
        let answered = false;
        try {
            const { topics, position: after } = this;
            const query = { after, topics: topics.join(','), ui: this.options.ui || undefined } as const;
            const { body } = await this.connect(query, connection.signal);
            if (!body) throw new UnreachableError('the answer has no body');
            answered = true;
            const reader = body.getReader();
            const parser = new SseParser();
            for (let isFirst = true; ; isFirst = false) {
                const { done, value } = await reader.read();
                if (done || connection.signal.aborted) return;
                clearTimeout(silence);
                silence = setTimeout(stop, SILENCE_MS);
                if (isFirst) {
                    this.backoff.reset();
                    this.options.onState?.('open');
                }
                yield parser.push(value);
            }
        } catch (error) {
            if (connection.signal.aborted) return;
            throw answered ? new UnreachableError(error) : error;
        } finally {
            clearTimeout(silence);
            this.options.signal?.removeEventListener('abort', stop);
            connection.abort();
            this.options.onState?.('closed');
        }
    }

    private isPassing(error: unknown): boolean {
        return isTransient(error) || (error instanceof PaseoError && error.status === 429);
    }
}
