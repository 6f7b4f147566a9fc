import { Backoff, PaseoError, type ConnectionState, type EventStream, type Topic } from '@paseo/client';
import { api } from '../lib/client';
import type { Frame, TeamFrame } from '../lib/wire';

export interface StreamListener {
    take(frame: Frame): void;
    /** Reads everything again: the cursor is invalid, or a frame says what this page does not know. Returns the new cursor. */
    restart(): Promise<number>;
    /** Something happened in a team that is followed. */
    team(frame: TeamFrame): void;
    /** The session that is followed is not there. */
    gone(): void;
    /** Something happened that a page follows besides. */
    news(): void;
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
    private team: string | undefined;
    /** What pages follow besides, each as often as it is asked for. */
    private besides: Topic[] = [];
    /** Also what happens to agents that the web app does not list. */
    private all = false;
    /** Also what happens in threads. */
    private threads = false;
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

    /** Follows something besides, until the returned function is called. */
    also(topic: Topic): () => void {
        this.besides = [...this.besides, topic];
        this.events?.follow(this.topics());
        return () => {
            const at = this.besides.indexOf(topic);
            this.besides = this.besides.filter((_, each) => each !== at);
            this.events?.follow(this.topics());
        };
    }

    /** Chooses the team whose events come. */
    followTeam(team: string | undefined): void {
        if (team === this.team) return;
        this.team = team;
        this.events?.follow(this.topics());
        this.pauses.hurry();
    }

    /** Brings what happens to all agents, or only to those that the web app lists. */
    widen(all: boolean): void {
        if (all === this.all) return;
        this.all = all;
        if (!this.events) return;
        const before = this.events;
        this.events = this.open(before.cursor);
        before.close();
        this.pauses.hurry();
    }

    /** Brings what happens in all threads, or nothing of it. */
    hearThreads(threads: boolean): void {
        if (threads === this.threads) return;
        this.threads = threads;
        this.events?.follow(this.topics());
        this.pauses.hurry();
    }

    /** Connects again, at once. */
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
        return api.events({
            after,
            topics: this.topics(),
            ui: !this.all,
            onState: (state) => this.show(state),
        });
    }

    private topics(): Topic[] {
        return [
            'sessions',
            'inbox',
            ...(this.threads ? (['threads'] as const) : []),
            ...(this.session ? [`session:${this.session}` as const] : []),
            ...(this.team ? [`team:${this.team}` as const] : []),
            ...new Set(this.besides),
        ];
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
            const { events } = this;
            try {
                await events.forEach((frame) => this.take(frame));
                // Another one has taken its place.
                if (this.events !== events) continue;
            } catch (error) {
                if (await this.isSettled(error)) continue;
            }
            if (!this.events) return;
            this.lost = true;
            await this.pauses.wait();
        }
    }

    private take(
        frame:
            | Frame
            | { type: 'team'; frame: TeamFrame; known: boolean }
            | { type: 'cause'; known: boolean }
            | { type: 'unknown' },
    ): void {
        // A newer daemon says what this page cannot interpret, so anything may have changed.
        const isForeign =
            frame.type === 'unknown' || ((frame.type === 'team' || frame.type === 'cause') && !frame.known);
        if (isForeign) this.listener.restart().catch(() => undefined);
        if (frame.type === 'team') this.listener.team(frame.frame);
        if (
            frame.type === 'event' ||
            frame.type === 'item' ||
            frame.type === 'live' ||
            frame.type === 'thread'
        )
            this.listener.take(frame);
        else this.listener.news();
    }

    /** Does what a refusal asks for. Returns whether that is reason to connect again at once. */
    private async isSettled(error: unknown): Promise<boolean> {
        if (!(error instanceof PaseoError)) return false;
        if (error.status === 404 && this.team) {
            this.followTeam(undefined);
            return true;
        }
        if (error.status === 404 && this.besides.length > 0) {
            // Its page says that it is not there.
            this.besides = [];
            this.events?.follow(this.topics());
            return true;
        }
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
