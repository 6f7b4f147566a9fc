import { api, explain } from '../lib/client';
import type { Notice } from '../lib/wire';

const PAGE = 50;

/** The history of a team, newest first, page by page; what happens meanwhile comes on top. */
export class Trail {
    notices = $state.raw<readonly Notice[]>([]);
    problem = $state('');
    ready = $state(false);
    reading = $state(false);
    private next = $state<number | null>(null);
    readonly more = $derived(this.next !== null);
    private again = false;

    constructor(private readonly team: string) {}

    /** Reads what is new. */
    async read(): Promise<void> {
        if (this.reading) {
            this.again = true;
            return;
        }
        await this.ask(async () => {
            const page = await this.page();
            const last = this.notices[0]?.cursor ?? 0;
            // Between what was read and this page nothing is left out.
            const joined = this.ready && page.notices.some(({ cursor }) => cursor <= last);
            if (joined)
                this.notices = [...page.notices.filter(({ cursor }) => cursor > last), ...this.notices];
            else [this.notices, this.next] = [page.notices, page.next];
        });
        if (this.again) {
            this.again = false;
            await this.read();
        }
    }

    async readOlder(): Promise<void> {
        const { next } = this;
        if (next === null || this.reading) return;
        await this.ask(async () => {
            const page = await this.page(next);
            this.notices = [...this.notices, ...page.notices];
            this.next = page.next;
        });
    }

    private async ask(read: () => Promise<void>): Promise<void> {
        this.reading = true;
        try {
            await read();
            this.ready = true;
            this.problem = '';
        } catch (error) {
            this.problem = explain(error);
        }
        this.reading = false;
    }

    private page(after?: number) {
        const query = { newest: true, limit: PAGE, ...(after !== undefined && { after }) };
        return api.get('/api/teams/{team}/audit', { path: { team: this.team }, query });
    }
}
