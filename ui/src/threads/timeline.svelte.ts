import { api, explain } from '../lib/client';
import type { ThreadEvent, ThreadEventPage } from '../lib/wire';
import {
    EMPTY,
    fromPage,
    hasEnd,
    reached,
    trimmed,
    withEvent,
    withNewer,
    withOlder,
    type EventWindow,
} from './window';

const PAGE = 40;

/** What happened in one thread: a window of events, read page by page. */
export class Timeline {
    private window = $state.raw<EventWindow>(EMPTY);
    /** Nothing was read yet. */
    fresh = $state(true);
    loading = $state(false);
    problem = $state('');
    /** The reader looks at the end, so what comes is shown. */
    following = true;
    /** The message that was jumped to last. The page shows it. */
    target = $state.raw<{ readonly id: string }>();
    /** Counts how often the window started over: a page that was read for an earlier window is dropped. */
    private begun = 0;

    /** The version of the last event that is shown, if that is not the newest; and the one that is asked for. */
    private until = $state<number>();
    private wanted: number | undefined;

    readonly events = $derived(
        this.until === undefined ? this.window.events : eventsTo(this.window.events, this.until),
    );
    readonly older = $derived(this.window.older);
    readonly newer = $derived(
        this.window.newer && (this.until === undefined || reached(this.window) < this.until),
    );
    readonly rows = $derived(this.events.map((event) => ({ key: event.id, event })));

    constructor(readonly thread: string) {}

    get(id: string): ThreadEvent | undefined {
        return this.window.events.find((event) => event.id === id);
    }

    /** Reads the newest page, or the one that ends where the timeline does, and forgets the rest. */
    async load(): Promise<void> {
        this.begun += 1;
        const { wanted } = this;
        const range = wanted === undefined ? {} : { before: wanted + 1 };
        await this.read(range, (page) => {
            this.begin(page, wanted);
            this.until = wanted;
        });
        if (this.newer) await this.loadNewer();
    }

    /** Ends the timeline at a version, as it did then; without one, it goes on with the present. */
    async endAt(version: number | undefined): Promise<void> {
        if (version === this.wanted) return;
        this.wanted = version;
        if (!hasEnd(this.window, version)) return this.load();
        // What is still being read belongs to an end that is no longer shown.
        this.begun += 1;
        this.loading = false;
        this.until = version;
    }

    /** Shows a message, wherever it is. Returns whether there is one. */
    async jump(id: string): Promise<boolean> {
        if (!this.get(id)) {
            this.begun += 1;
            await this.read({ from: id }, (page) => this.begin(page));
        }
        if (!this.get(id)) return false;
        this.following = false;
        this.target = { id };
        return true;
    }

    async loadOlder(): Promise<void> {
        const first = this.window.events[0];
        if (!first || !this.older || this.loading) return;
        await this.read({ before: first.version }, (page) => (this.window = withOlder(this.window, page)));
    }

    async loadNewer(): Promise<void> {
        while (this.newer && !this.loading && !this.problem) {
            const after = reached(this.window);
            await this.read({ after }, (page) => (this.window = withNewer(this.window, page)));
            if (!this.following) return;
        }
    }

    take(event: ThreadEvent): void {
        const window = withEvent(this.window, event);
        this.window = this.following && this.until === undefined ? trimmed(window) : window;
    }

    /** Tries again what failed while the daemon could not be reached. */
    async recover(): Promise<void> {
        if (!this.problem) return;
        this.problem = '';
        if (this.fresh || this.until !== this.wanted) await this.load();
        else if (this.following) await this.loadNewer();
    }

    private begin(page: ThreadEventPage, upTo?: number): void {
        this.window = fromPage(page, this.window, upTo);
        this.fresh = false;
    }

    private async read(
        range: { before?: number; after?: number; from?: string },
        use: (page: ThreadEventPage) => void,
    ): Promise<void> {
        const { begun } = this;
        this.loading = true;
        this.problem = '';
        try {
            const options = { path: { thread: this.thread }, query: { limit: PAGE, ...range } };
            const page = await api.get('/api/threads/{thread}/events', options);
            if (begun === this.begun) use(page);
        } catch (error) {
            if (begun === this.begun) this.problem = explain(error);
        } finally {
            if (begun === this.begun) this.loading = false;
        }
    }
}

function eventsTo(events: readonly ThreadEvent[], last: number): readonly ThreadEvent[] {
    return events.filter(({ version }) => version <= last);
}
