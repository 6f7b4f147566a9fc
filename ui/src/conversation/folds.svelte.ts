import { SvelteSet } from 'svelte/reactivity';
import type { Run } from './runs';

/** What the reader of a transcript has opened. It stays open, whatever comes before or after it. */
export class Folds {
    /** Calls whose details were on the screen. */
    private readonly seen = new SvelteSet<string>();
    /** Rows of runs that were expanded: of a run that grows, others may be the first and the last. */
    private readonly expanded = new SvelteSet<string>();

    /** Keeps a call out of the runs, because its details are on the screen. */
    keep(key: string): void {
        this.seen.add(key);
    }

    readonly kept = (key: string): boolean => this.seen.has(key);

    isOpen(run: Run): boolean {
        return run.rows.some(({ key }) => this.expanded.has(key));
    }

    set(run: Run, open: boolean): void {
        for (const { key } of run.rows)
            if (open) this.expanded.add(key);
            else this.expanded.delete(key);
    }
}
