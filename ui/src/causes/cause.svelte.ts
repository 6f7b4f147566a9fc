import { PaseoError } from '@paseo/client';
import { api, explain } from '../lib/client';
import { Lag } from '../lib/lag';
import { Reader } from '../lib/reader';
import type { Cause, CauseMessage, EventFrame } from '../lib/wire';

/** Messages on one page. */
const PAGE = 200;
/** The shortest time between two readings. */
const PAUSE_MS = 300;

/** What one request led to, as the daemon has it. Its id may be that of any message that descends from it. */
export class CauseStory {
    view = $state.raw<Cause>();
    messages = $state.raw<readonly CauseMessage[]>([]);
    /** There are more messages than were read. */
    more = $state(false);
    missing = $state(false);
    problem = $state('');
    /** The daemon's time, as of the last second. */
    now = $state(0);
    private readonly lag = new Lag();
    private room = PAGE;
    private readonly reader = new Reader(
        () => this.readOnce(),
        () => PAUSE_MS,
    );

    constructor(private readonly id: string) {}

    read(): void {
        this.reader.read();
    }

    /** Reads one more page of messages. */
    extend(): void {
        this.room += PAGE;
        this.reader.readNow();
    }

    /** Keeps what goes on counting. */
    tick(): () => void {
        const timer = setInterval(() => this.lookAtClock(), 1000);
        return () => clearInterval(timer);
    }

    end(): void {
        this.reader.end();
    }

    /** Says whether an event may change it. Without one, something happened that only reading tells. */
    concerns(frame: EventFrame | undefined): boolean {
        const { view } = this;
        if (!frame || !view) return true;
        return (
            frame.view?.cause === view.cause || view.agents.some(({ session }) => session === frame.session)
        );
    }

    /** Stops all of it. Returns why that was refused. */
    async stop(): Promise<string | undefined> {
        try {
            this.take(await api.post('/api/causes/{cause}/stop', { path: { cause: this.id } }));
            this.reader.readNow();
            return undefined;
        } catch (error) {
            return explain(error);
        }
    }

    private take(view: Cause): void {
        this.lag.take(view.now, performance.now());
        this.lookAtClock();
        this.view = view;
    }

    private lookAtClock(): void {
        this.now = this.lag.now(performance.now());
    }

    private async readOnce(): Promise<void> {
        const path = { cause: this.id };
        try {
            const view = await api.get('/api/causes/{cause}', { path });
            const messages: CauseMessage[] = [];
            let next: string | null | undefined;
            do {
                const query = { limit: PAGE, ...(next ? { after: next } : {}) };
                const page = await api.get('/api/causes/{cause}/messages', { path, query });
                messages.push(...page.messages);
                ({ next } = page);
            } while (next && messages.length < this.room);
            this.take(view);
            [this.messages, this.more] = [messages, Boolean(next)];
            this.missing = false;
            this.problem = '';
        } catch (error) {
            this.missing = error instanceof PaseoError && error.status === 404;
            this.problem = explain(error);
        }
    }
}
