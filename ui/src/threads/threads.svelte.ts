import { PaseoError } from '@paseo/client';
import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import { api, explain } from '../lib/client';
import type { Thread, ThreadFrame } from '../lib/wire';
import { Room } from './room.svelte';

/** The pause between two readings of a thread: agents at work bring many events. */
const PAUSE_MS = 120;

/**
 * The threads as the daemon has them, and the one that is open. Events say which of them changed; those are read again.
 */
export class Threads {
    private readonly known = new SvelteMap<string, Thread>();
    private readonly gone = new SvelteSet<string>();
    private readonly stale = new Set<string>();
    private reading = false;
    private watchers = 0;
    /** The list was read. */
    ready = $state(false);
    problem = $state('');
    /** The thread that is open. */
    room = $state.raw<Room>();

    /** All of them, those in which something happened last first. */
    readonly list = $derived(
        [...this.known.values()].sort((one, other) => (one.updated_at < other.updated_at ? 1 : -1)),
    );

    get(id: string): Thread | undefined {
        return this.known.get(id);
    }

    /** Says whether a thread was deleted, or never was. */
    isGone(id: string): boolean {
        return this.gone.has(id);
    }

    /** Keeps the list current until `unwatch`. */
    watch(): void {
        this.watchers += 1;
        void this.load();
    }

    unwatch(): void {
        this.watchers -= 1;
        if (this.watchers === 0) this.close();
    }

    /** Opens a thread; the one before it is closed. */
    open(id: string): void {
        if (this.room?.id === id) return;
        this.close();
        this.room = new Room(id);
        this.room.begin();
        if (!this.known.has(id)) this.refresh(id);
    }

    close(): void {
        this.room?.end();
        this.room = undefined;
    }

    take(frame: ThreadFrame): void {
        if (frame.deleted) {
            this.known.delete(frame.thread);
            this.gone.add(frame.thread);
            if (this.room?.id === frame.thread) this.close();
            return;
        }
        this.refresh(frame.thread);
        if (this.room?.id === frame.thread) this.room.take(frame);
    }

    /** Something happened to an agent: it may be one of the thread that is open. */
    heard(session: string): void {
        const { room } = this;
        const here = room && this.known.get(room.id)?.state.participants.invited;
        if (here?.some((participant) => participant.session === session)) room?.refresh();
    }

    /** Reads everything again that may have changed while nothing was heard. */
    catchUp(): void {
        if (this.watchers === 0) return;
        void this.load();
        this.room?.refresh();
        void this.room?.timeline.recover();
    }

    /** The position in the log is not valid any more. */
    restart(): void {
        if (this.watchers === 0) return;
        void this.load();
        this.room?.begin();
    }

    /** Takes in a thread that an answer brought. */
    put(thread: Thread): void {
        const before = this.known.get(thread.id);
        // An answer that was overtaken says nothing new.
        if (!before || before.version <= thread.version) this.known.set(thread.id, thread);
    }

    /** Reads one thread again, soon. */
    refresh(id: string): void {
        this.stale.add(id);
        if (!this.reading) void this.readStale();
    }

    private async load(): Promise<void> {
        const found = new Set<string>();
        try {
            for await (const page of api.pages('/api/threads')) {
                for (const thread of page.threads) {
                    found.add(thread.id);
                    this.put(thread);
                }
            }
        } catch (error) {
            // The next connection brings another chance.
            this.problem = explain(error);
            return;
        }
        for (const id of [...this.known.keys()]) if (!found.has(id)) this.known.delete(id);
        this.problem = '';
        this.ready = true;
    }

    private async readStale(): Promise<void> {
        this.reading = true;
        for (let [id] = this.stale; id !== undefined; [id] = this.stale) {
            this.stale.delete(id);
            await this.readOne(id);
            await new Promise((resolve) => setTimeout(resolve, this.stale.has(id ?? '') ? PAUSE_MS : 0));
        }
        this.reading = false;
    }

    private async readOne(id: string): Promise<void> {
        try {
            this.put((await api.get('/api/threads/{thread}', { path: { thread: id } })).thread);
        } catch (error) {
            if (!(error instanceof PaseoError) || error.status !== 404) return;
            this.known.delete(id);
            this.gone.add(id);
        }
    }
}
