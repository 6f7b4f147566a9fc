import { api, explain } from '../lib/client';
import type { FileEntry } from '../lib/wire';

const PAGE = 200;

interface Listing {
    readonly path: string;
    readonly ignored: boolean;
    readonly entries: readonly FileEntry[];
    readonly next: string | undefined;
    /** The daemon reads no more of this directory. */
    readonly truncated: boolean;
}

/** One directory of an agent at a time, page by page. */
export class FileBrowser {
    private listing = $state.raw<Listing>();
    /** Where it is, also when that could not be read. */
    path = $state('');
    problem = $state('');
    loading = $state(false);
    /** What git ignores is listed, too. */
    ignored = $state(false);
    readonly entries = $derived(this.listing?.entries);
    readonly more = $derived(this.listing?.next !== undefined);
    readonly truncated = $derived(this.listing?.truncated === true && this.listing.next === undefined);
    /** An answer to an older question is not shown. */
    private turn = 0;

    constructor(private readonly session: string) {}

    /** Goes to a directory. */
    async open(path: string, ignored = this.ignored): Promise<void> {
        await this.take(path, ignored, 1);
    }

    /** Reads again what is shown. */
    async reread(): Promise<void> {
        await this.take(this.path, this.ignored, this.listing?.entries.length ?? 1);
    }

    async loadMore(): Promise<void> {
        const { listing } = this;
        if (!listing?.next || this.loading) return;
        await this.attempt(async () => {
            const page = await this.page(listing.path, listing.ignored, listing.next);
            return { ...page, entries: [...listing.entries, ...page.entries] };
        });
    }

    /** Shows a directory with at least so many of its entries. */
    private async take(path: string, ignored: boolean, least: number): Promise<void> {
        const arrived = await this.attempt(async () => {
            let found = await this.page(path, ignored, undefined);
            while (found.next !== undefined && found.entries.length < least) {
                const page = await this.page(path, ignored, found.next);
                found = { ...page, entries: [...found.entries, ...page.entries] };
            }
            return found;
        });
        if (arrived === false && path !== this.path) {
            this.path = path;
            this.listing = undefined;
        }
    }

    /** Returns whether it worked, or nothing when something else was asked for meanwhile. */
    private async attempt(read: () => Promise<Listing>): Promise<boolean | undefined> {
        const turn = ++this.turn;
        this.loading = true;
        try {
            const found = await read();
            if (turn !== this.turn) return undefined;
            this.listing = found;
            this.path = found.path;
            this.ignored = found.ignored;
            this.problem = '';
            return true;
        } catch (error) {
            if (turn !== this.turn) return undefined;
            this.problem = explain(error);
            return false;
        } finally {
            if (turn === this.turn) this.loading = false;
        }
    }

    private async page(path: string, ignored: boolean, after: string | undefined): Promise<Listing> {
        const query = { path, ignored, limit: PAGE, ...(after !== undefined && { after }) };
        const page = await api.get('/api/sessions/{id}/files', { path: { id: this.session }, query });
        const { files: entries, next, truncated } = page;
        return { path: page.path, ignored, entries, next: next ?? undefined, truncated };
    }
}
