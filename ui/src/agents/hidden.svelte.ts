import { api } from '../lib/client';

/** How many agents the list does not have, as the daemon counts them. */
export class HiddenCount {
    background = $state(0);
    closed = $state(0);
    private reading = false;
    /** Something happened since the last reading began, or that failed. */
    private stale = false;

    /** Takes the numbers that came with the list. */
    take(hidden: { readonly labels: number; readonly status: number }): void {
        this.background = hidden.labels;
        this.closed = hidden.status;
    }

    /** Reads the numbers; once for all that happens meanwhile. */
    read(): void {
        this.stale = true;
        if (this.reading) return;
        this.reading = true;
        void this.readAll().finally(() => (this.reading = false));
    }

    /** Reads what could not be read before. */
    catchUp(): void {
        if (this.stale) this.read();
    }

    private async readAll(): Promise<void> {
        while (this.stale) {
            this.stale = false;
            try {
                const { hidden } = await api.get('/api/sessions', { query: { ui: true, limit: 1 } });
                this.take(hidden);
            } catch {
                // The daemon is away: the next connection brings another chance.
                this.stale = true;
                return;
            }
        }
    }
}
