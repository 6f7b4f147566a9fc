import { api, explain } from '../lib/client';
import type { Turn } from '../lib/wire';

const PAGE = 100;

/** The turns of an agent, as the daemon lists them: some that follow each other, the newest at first. */
export class Outline {
    turns = $state.raw<readonly Turn[]>([]);
    loading = $state(false);
    problem = $state('');
    /** There are turns before the first of these, and after the last. */
    earlier = $state(false);
    later = $state(false);

    constructor(private readonly session: string) {}

    /** Reads the newest turns. */
    newest(): Promise<void> {
        return this.read({}, 'only');
    }

    /** Reads the first turns that there are. */
    oldest(): Promise<void> {
        return this.read({ after: 0 }, 'only');
    }

    /** Reads the turns up to an item. */
    upTo(ordinal: number): Promise<void> {
        return this.read({ before: ordinal + 1 }, 'only');
    }

    async loadEarlier(): Promise<void> {
        const first = this.turns[0]?.ordinal;
        if (first !== undefined) await this.read({ before: first }, 'before');
    }

    async loadLater(): Promise<void> {
        const last = this.turns.at(-1)?.ordinal;
        if (last !== undefined) await this.read({ after: last }, 'after');
    }

    private async read(
        range: { before?: number; after?: number },
        place: 'only' | 'before' | 'after',
    ): Promise<void> {
        if (this.loading) return;
        this.loading = true;
        this.problem = '';
        try {
            const path = { id: this.session };
            const query = { limit: PAGE, ...range };
            const page = await api.get('/api/sessions/{id}/turns', { path, query });
            if (place !== 'after') this.earlier = page.earlier !== null;
            if (place !== 'before') this.later = page.next !== null;
            this.turns =
                place === 'before'
                    ? [...page.turns, ...this.turns]
                    : place === 'after'
                      ? [...this.turns, ...page.turns]
                      : page.turns;
        } catch (error) {
            this.problem = explain(error);
        } finally {
            this.loading = false;
        }
    }
}
