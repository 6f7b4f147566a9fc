import { api } from '../lib/client';
import { matches, merged, searchQuery, step } from './find';
import type { Transcript } from './transcript.svelte';

/** How long the page waits for another key before it asks the daemon. */
const PAUSE_MS = 250;
const MOST = 500;

/** Words that the reader looks for in a transcript: in what is loaded at once, in the rest through the daemon. */
export class Finding {
    query = $state('');
    /** Which place is shown. */
    current = $state<number>();
    searching = $state(false);
    private found = $state.raw<readonly number[]>([]);
    private timer: ReturnType<typeof setTimeout> | undefined;

    readonly places = $derived.by(() =>
        merged(this.transcript.rows, matches(this.transcript.rows, this.query), this.found),
    );
    /** The number of the place that is shown, from 1. */
    readonly number = $derived(this.current === undefined ? 0 : this.places.indexOf(this.current) + 1);

    constructor(private readonly transcript: Transcript) {}

    /** The reader has typed. */
    type(query: string): void {
        this.query = query;
        this.current = undefined;
        this.found = [];
        clearTimeout(this.timer);
        const asked = searchQuery(query);
        this.searching = asked !== undefined;
        if (asked !== undefined) this.timer = setTimeout(() => void this.search(query, asked), PAUSE_MS);
    }

    /** Goes to the next place: towards the end or the beginning. */
    async go(by: 1 | -1): Promise<void> {
        const next = step(this.places, this.current, by);
        if (next === undefined) return;
        this.current = next;
        await this.transcript.jump(next);
    }

    stop(): void {
        clearTimeout(this.timer);
    }

    private async search(query: string, asked: string): Promise<void> {
        try {
            const { session } = this.transcript;
            const { hits } = await api.get('/api/search', {
                query: { q: asked, agent: session, limit: MOST },
            });
            if (query === this.query) this.found = hits.flatMap(({ ordinal }) => ordinal ?? []);
        } catch {
            // What is loaded was looked through all the same.
        } finally {
            if (query === this.query) this.searching = false;
        }
    }
}
