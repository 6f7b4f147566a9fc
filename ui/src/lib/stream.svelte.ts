import { refusal } from './client';
import { SseParser, type SseEvent } from './sse';
import type { EventFrame, Frame, ItemFrame, LiveFrame } from './wire';

/** The daemon sends something at least every 25 seconds. */
const SILENCE_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;

export interface StreamListener {
    take(frame: Frame): void;
    /** The cursor is not valid any more: everything has to be read again. Returns the new cursor. */
    restart(): Promise<number>;
    /** The session that is followed is not there. */
    gone(): void;
}

/**
 * The one event stream of the page.
 *
 * It holds a cursor: the number of the last stored event that was seen. Whatever ends a connection, the next one
 * begins there. So nothing is missed and nothing comes twice.
 */
export class EventStream {
    /** Frames arrive, or would if there were any. */
    connected = $state(false);
    /** It was connected before and is not now. */
    lost = $state(false);

    private cursor = 0;
    private session: string | undefined;
    private connection: AbortController | undefined;
    private wake: (() => void) | undefined;
    private running = false;
    /** Somebody wants a new connection at once. */
    private hurry = false;

    constructor(private readonly listener: StreamListener) {}

    /** Begins to read after an event; from then on it keeps itself connected. */
    start(cursor: number): void {
        this.cursor = cursor;
        if (this.running) return this.reconnect();
        this.running = true;
        window.addEventListener('online', this.reconnect);
        window.addEventListener('offline', this.drop);
        void this.run();
    }

    /** Chooses the session whose items and live text come, besides the control events of all. */
    follow(session: string | undefined): void {
        if (session === this.session) return;
        this.session = session;
        if (this.running) this.reconnect();
    }

    /** Connects anew, at once. */
    readonly reconnect = (): void => {
        this.hurry = true;
        this.wake?.();
        this.connection?.abort();
    };

    stop(): void {
        this.running = false;
        window.removeEventListener('online', this.reconnect);
        window.removeEventListener('offline', this.drop);
        this.reconnect();
    }

    /** The browser says that the network is gone. The daemon may be on this machine, so try anyway. */
    private readonly drop = (): void => this.connection?.abort();

    private async run(): Promise<void> {
        let pause = FIRST_PAUSE_MS;
        while (this.running) {
            this.hurry = false;
            const served = await this.connect();
            this.connected = false;
            if (!this.running) return;
            if (served) pause = FIRST_PAUSE_MS;
            if (this.hurry || served === 'again') continue;
            this.lost = true;
            await this.sleep(pause * (0.75 + Math.random() / 2));
            pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
        }
    }

    /** Reads one connection to its end. Returns whether it brought anything; `again` when told to come back. */
    private async connect(): Promise<boolean | 'again'> {
        const connection = new AbortController();
        this.connection = connection;
        let silence: ReturnType<typeof setTimeout> | undefined;
        const heard = () => {
            clearTimeout(silence);
            silence = setTimeout(() => connection.abort(), SILENCE_MS);
        };
        let served: boolean | 'again' = false;
        try {
            heard();
            const response = await fetch(this.address(), {
                headers: { Accept: 'text/event-stream', 'Last-Event-ID': String(this.cursor) },
                signal: connection.signal,
                credentials: 'same-origin',
                cache: 'no-store',
            });
            if (!response.ok || !response.body) return await this.refused(response);
            const reader = response.body.getReader();
            const parser = new SseParser();
            for (;;) {
                const { done, value } = await reader.read();
                if (done || connection.signal.aborted) return served;
                heard();
                this.connected = true;
                this.lost = false;
                if (!served) served = true;
                for (const event of parser.push(value)) if (this.take(event)) served = 'again';
            }
        } catch {
            return served;
        } finally {
            clearTimeout(silence);
            connection.abort();
        }
    }

    private address(): string {
        const topics = ['sessions', 'permissions'];
        if (this.session) topics.push(`session:${this.session}`);
        const query = { after: String(this.cursor), topics: topics.join(','), ui: 'true' };
        return `/api/stream?${new URLSearchParams(query)}`;
    }

    private async refused(response: Response): Promise<boolean | 'again'> {
        const { status } = await refusal(response);
        if (status === 404 && this.session) {
            this.session = undefined;
            this.listener.gone();
            return 'again';
        }
        if (status === 400) this.cursor = await this.listener.restart();
        return false;
    }

    /** Takes one event. Returns true when the daemon wants us to connect again. */
    private take({ id, event, data }: SseEvent): boolean {
        let resume = false;
        if (data !== undefined) {
            const body: unknown = JSON.parse(data);
            if (event === 'event') this.listener.take({ type: 'event', frame: body as EventFrame });
            else if (event === 'item') this.listener.take({ type: 'item', frame: body as ItemFrame });
            else if (event === 'live') this.listener.take({ type: 'live', frame: body as LiveFrame });
            else if (event === 'resume') {
                this.cursor = Math.max(this.cursor, (body as { after: number }).after);
                resume = true;
            }
        }
        // Only after it was taken: an event that could not be shown comes again.
        if (id !== undefined && /^\d+$/.test(id)) this.cursor = Number(id);
        return resume;
    }

    private async sleep(ms: number): Promise<void> {
        await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, ms);
            this.wake = () => {
                clearTimeout(timer);
                resolve();
            };
        });
        this.wake = undefined;
    }
}
