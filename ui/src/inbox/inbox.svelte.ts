import { api } from '../lib/client';
import type { InboxCounts, InboxFinished, InboxRequest, InboxWorking } from '../lib/wire';

/** Most entries that are read. The counts say how many there are. */
const ROOM = 300;
/** The pause between two readings: agents at work bring many events. */
const PAUSE_MS = 250;
/** The same while no page shows it: only how many there are is read then. */
const COUNT_PAUSE_MS = 1000;

/**
 * The inbox as the daemon has it. It decides what stands there; while a page shows it, it is read again whenever
 * something happened, and else how many entries it has.
 */
export class Inbox {
    needs = $state.raw<readonly InboxRequest[]>([]);
    finished = $state.raw<readonly InboxFinished[]>([]);
    working = $state.raw<readonly InboxWorking[]>([]);
    counts = $state.raw<InboxCounts>({ needs_you: 0, finished: 0, working: 0 });
    /** It was read. */
    ready = $state(false);
    private watched = false;
    private reading = false;
    private stale = false;
    private hurry = () => {};

    /** Keeps it current until the returned function is called. */
    watch(): () => void {
        this.watched = true;
        this.read();
        this.hurry();
        return () => {
            this.watched = false;
            this.ready = false;
        };
    }

    /** Something may have changed. Calls that come while it is read are one more reading. */
    read(): void {
        this.stale = true;
        if (!this.reading) void this.readAll();
    }

    private async readAll(): Promise<void> {
        this.reading = true;
        try {
            while (this.stale) {
                this.stale = false;
                if (this.watched) await this.readOnce();
                else this.counts = (await api.get('/api/inbox', { query: { limit: 1 } })).counts;
                await this.pause();
            }
        } catch {
            // The next event, or the next connection, brings another chance.
        } finally {
            this.reading = false;
        }
    }

    /** A page that comes to show it does not wait for the longer pause. */
    private pause(): Promise<void> {
        const pause = this.watched ? PAUSE_MS : COUNT_PAUSE_MS;
        return new Promise((resolve) => {
            this.hurry = resolve;
            setTimeout(resolve, pause);
        });
    }

    private async readOnce(): Promise<void> {
        const needs: InboxRequest[] = [];
        const finished: InboxFinished[] = [];
        const working: InboxWorking[] = [];
        for await (const page of api.pages('/api/inbox')) {
            needs.push(...page.needs_you);
            finished.push(...page.finished);
            working.push(...page.working);
            this.counts = page.counts;
            if (needs.length + finished.length + working.length >= ROOM) break;
        }
        [this.needs, this.finished, this.working] = [needs, finished, working];
        // A page that is left meanwhile keeps nothing current: then the counts say how many there are.
        this.ready = this.watched;
    }
}
