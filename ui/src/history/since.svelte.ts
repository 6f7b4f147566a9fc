import { explain } from '../lib/client';
import type { Happening, Source } from './source';

const PAGE = 50;

/** What happened after a version, page by page. */
export class Since {
    happenings = $state.raw<readonly Happening[]>([]);
    problem = $state('');
    reading = $state(false);
    private next = $state<number>();
    readonly more = $derived(this.next !== undefined);
    /** How far it has read. */
    private reached = 0;
    /** Something happened while it read. */
    private again = false;
    private turn = 0;

    constructor(private readonly source: Pick<Source<unknown>, 'after'>) {}

    /** Begins after a version. */
    async begin(version: number): Promise<void> {
        this.turn += 1;
        this.next = undefined;
        this.reached = version;
        await this.read([]);
    }

    /** Reads what happened meanwhile, once everything before it is here. */
    async grow(): Promise<void> {
        if (this.reading) this.again = true;
        else if (this.next === undefined) await this.read(this.happenings);
    }

    async loadMore(): Promise<void> {
        if (this.next !== undefined && !this.reading) await this.read(this.happenings);
    }

    private async read(before: readonly Happening[]): Promise<void> {
        const { turn } = this;
        this.reading = true;
        this.again = false;
        try {
            const page = await this.source.after(this.reached, PAGE);
            if (turn !== this.turn) return;
            this.happenings = [...before, ...page.happenings];
            this.next = page.next;
            this.reached = page.next ?? page.happenings.at(-1)?.version ?? this.reached;
            this.problem = '';
        } catch (error) {
            if (turn !== this.turn) return;
            this.happenings = before;
            this.problem = explain(error);
        }
        this.reading = false;
        if (this.again) await this.grow();
    }
}
