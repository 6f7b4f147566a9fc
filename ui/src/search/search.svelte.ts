import { api, explain } from '../lib/client';
import type { SearchHit } from '../lib/wire';
import type { Query } from './narrow';

const PAGE = 30;

/** What else is asked of a hit. */
export type Narrowed = Pick<Query, 'kind' | 'from' | 'since' | 'directory'>;

/** What was found for some words, page by page. */
export class Search {
    hits = $state.raw<readonly SearchHit[]>([]);
    problem = $state('');
    loading = $state(false);
    /** How many of the newest events were not looked at yet. */
    behind = $state(0);
    /** The words to which the hits belong. */
    words = $state('');
    private narrowed: Narrowed = {};
    private next = $state<string | undefined>(undefined);
    readonly more = $derived(this.next !== undefined);
    /** An answer to an older question is not shown. */
    private turn = 0;

    /** Looks for words; without any, there is nothing to find. */
    async look(words: string, narrowed: Narrowed = {}): Promise<void> {
        const turn = ++this.turn;
        this.problem = '';
        this.next = undefined;
        this.loading = false;
        this.narrowed = narrowed;
        if (words.trim() === '') {
            this.hits = [];
            this.words = '';
            return;
        }
        await this.read(turn, words, undefined);
    }

    async loadMore(): Promise<void> {
        if (this.next && !this.loading) await this.read(this.turn, this.words, this.next);
    }

    private async read(turn: number, words: string, after: string | undefined): Promise<void> {
        this.loading = true;
        try {
            const query = { q: words, limit: PAGE, ...this.narrowed, ...(after !== undefined && { after }) };
            const page = await api.get('/api/search', { query });
            if (turn !== this.turn) return;
            this.hits = after === undefined ? page.hits : [...this.hits, ...page.hits];
            this.words = words;
            this.behind = page.behind;
            this.next = page.next ?? undefined;
        } catch (error) {
            if (turn === this.turn) this.problem = explain(error);
        } finally {
            if (turn === this.turn) this.loading = false;
        }
    }
}
