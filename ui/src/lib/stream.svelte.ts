import { Backoff, PaseoError, type ConnectionState, type EventStream, type Topic } from '@paseo/client';
import { api } from './client';
import type { Frame } from './wire';

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
 * Whatever ends a connection, the next one begins at the cursor. So nothing is missed and nothing comes twice.
 */
export class PageStream {
    /** Frames arrive, or would if there were any. */
    connected = $state(false);
    /** It was connected before and is not now. */
    lost = $state(false);

    private session: string | undefined;
    private events: EventStream | undefined;
    /** The pauses after a refusal; those after a lost connection are the stream's own. */
    private readonly pauses = new Backoff({ first: 250 });

    constructor(private readonly listener: StreamListener) {}

    /** Begins to read after an event; from then on it keeps itself connected. */
    start(cursor: number): void {
        if (this.events) return this.reconnect();
        window.addEventListener('online', this.reconnect);
        window.addEventListener('offline', this.drop);
        this.events = this.open(cursor);
        void this.run();
    }

    /** Chooses the session whose items and live text come, besides the control events of all. */
    follow(session: string | undefined): void {
        if (session === this.session) return;
        this.session = session;
        this.events?.follow(this.topics());
        this.pauses.hurry();
    }

    /** Connects anew, at once. */
    readonly reconnect = (): void => {
        this.events?.reconnect();
        this.pauses.hurry();
    };

    stop(): void {
        window.removeEventListener('online', this.reconnect);
        window.removeEventListener('offline', this.drop);
        this.events?.close();
        this.events = undefined;
        this.pauses.hurry();
    }

    /** The browser says that the network is gone. The daemon may be on this machine, so try anyway. */
    private readonly drop = (): void => this.events?.drop();

    private open(after: number): EventStream {
        return api.events({ after, topics: this.topics(), ui: true, onState: (state) => this.show(state) });
    }

    private topics(): Topic[] {
        return ['sessions', 'permissions', ...(this.session ? [`session:${this.session}` as const] : [])];
    }

    private show(state: ConnectionState): void {
        this.connected = state === 'open';
        if (state === 'open') {
            this.lost = false;
            this.pauses.reset();
        }
        if (state === 'waiting') this.lost = true;
    }

    private async run(): Promise<void> {
        while (this.events) {
            try {
                await this.events.forEach((frame) => this.take(frame));
            } catch (error) {
                if (await this.isSettled(error)) continue;
            }
            if (!this.events) return;
            this.lost = true;
            await this.pauses.wait();
        }
    }

    private take(frame: Frame | { type: 'team' | 'thread' | 'unknown' }): void {
        if (frame.type === 'event' || frame.type === 'item' || frame.type === 'live')
            this.listener.take(frame);
    }

    /** Does what a refusal asks for. Returns whether that is reason to connect again at once. */
    private async isSettled(error: unknown): Promise<boolean> {
        if (!(error instanceof PaseoError)) return false;
        if (error.status === 404 && this.session) {
            this.follow(undefined);
            this.listener.gone();
            return true;
        }
        if (error.status !== 400) return false;
        try {
            const cursor = await this.listener.restart();
            if (this.events) this.events = this.open(cursor);
        } catch {
            // The daemon is away again; the next refusal brings another chance.
        }
        return false;
    }
}
