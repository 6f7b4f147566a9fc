import { api } from '../lib/client';
import { Reader } from '../lib/reader';
import type { HeldReply, Presence, ThreadFrame } from '../lib/wire';
import { Timeline } from './timeline.svelte';

/** Who is there runs out after a while, and programs elsewhere tell only the daemon: looked at this often. */
const EVERY_MS = 5000;
/** The shortest time between two readings. */
const PAUSE_MS = 150;

/** The thread that is open: what was said, who is there, and which replies are held. */
export class Room {
    readonly timeline: Timeline;
    /** By participant. */
    presence = $state.raw<ReadonlyMap<string, Presence>>(new Map());
    held = $state.raw<readonly HeldReply[]>([]);
    private timer: ReturnType<typeof setInterval> | undefined;
    private readonly reader = new Reader(
        () => this.readOnce(),
        () => PAUSE_MS,
    );

    constructor(readonly id: string) {
        this.timeline = new Timeline(id);
    }

    /** Reads everything, and looks from time to time. */
    begin(): void {
        void this.timeline.load();
        this.refresh();
        this.timer ??= setInterval(() => {
            if (document.visibilityState === 'visible') this.refresh();
        }, EVERY_MS);
    }

    end(): void {
        clearInterval(this.timer);
        this.timer = undefined;
        this.reader.end();
    }

    take(frame: ThreadFrame): void {
        if (frame.event) this.timeline.take(frame.event);
        this.refresh();
    }

    /** Reads who is there and what is held. Calls that come meanwhile are one more reading. */
    refresh(): void {
        this.reader.read();
    }

    private async readOnce(): Promise<void> {
        const path = { thread: this.id };
        try {
            const [present, held] = await Promise.all([
                api.get('/api/threads/{thread}/presence', { path }),
                api.get('/api/threads/{thread}/held', { path }),
            ]);
            this.presence = new Map(present.participants.map((one) => [one.id, one]));
            if (JSON.stringify(held.replies) !== JSON.stringify(this.held)) this.held = held.replies;
        } catch {
            // The next event, or the next look, brings another chance.
        }
    }
}
