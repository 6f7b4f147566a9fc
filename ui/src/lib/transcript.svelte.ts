import { effectOf } from './change';
import { api, explain } from './client';
import { grown, type Growing } from './growing';
import { rows } from './rows';
import { later, NO_PLAN, parseTodos, readTodos, type Plan } from './todo';
import {
    EMPTY,
    fromPage,
    hasNewer,
    trimmed,
    withItem,
    withNewer,
    withOlder,
    type ItemWindow,
} from './window';
import { field, type EventFrame, type Frame, type Item, type ItemPage, type LiveFrame } from './wire';

const PAGE = 100;

/** The transcript of one agent: a window of stored items, and what grows below it. */
export class Transcript {
    private window = $state.raw<ItemWindow>(EMPTY);
    private growing = $state.raw<ReadonlyMap<string, Growing>>(new Map());
    private plan = $state.raw<Plan>(NO_PLAN);
    /** Nothing was read yet. */
    fresh = $state(true);
    loading = $state(false);
    problem = $state('');
    /** The reader looks at the end, so what comes is shown. */
    following = true;
    /** Items of this turn that are stored: a late piece of one is not shown again. */
    private stored = new Set<string>();

    readonly rows = $derived(rows(this.window.items));
    readonly older = $derived(this.window.older);
    readonly newer = $derived(hasNewer(this.window));
    readonly live = $derived(this.newer ? [] : [...this.growing.values()]);
    /** What the agent has set itself to do, by its newest list. */
    readonly todos = $derived(this.plan.todos);
    /** Deliveries that are part of the transcript. */
    readonly delivered = $derived(new Set(this.window.items.map((item) => field(item, 'delivery') ?? '')));

    constructor(readonly session: string) {}

    /** Reads the newest page and forgets the rest. */
    async load(): Promise<void> {
        void this.readPlan();
        await this.read({}, (page) => {
            this.window = fromPage(page, this.window);
            this.fresh = false;
        });
        if (this.newer) await this.loadNewer();
    }

    async loadOlder(): Promise<void> {
        const first = this.window.items[0];
        if (!first || !this.older || this.loading) return;
        await this.read({ before: first.ordinal }, (page) => (this.window = withOlder(this.window, page)));
    }

    async loadNewer(): Promise<void> {
        while (this.newer && !this.loading && !this.problem) {
            const last = this.window.items.at(-1)?.ordinal ?? 0;
            await this.read({ after: last }, (page) => (this.window = withNewer(this.window, page)));
            if (!this.following) return;
        }
    }

    take(frame: Frame): void {
        if (frame.frame.session !== this.session) return;
        if (frame.type === 'item') this.takeItem(frame.frame.item);
        else if (frame.type === 'live') this.takePiece(frame.frame);
        else this.takeChange(frame.frame);
    }

    private takeChange({ change, seq }: EventFrame): void {
        const { cleared, turnEnded } = effectOf(change);
        if (cleared) void this.restart(seq);
        else if (turnEnded) this.endTurn();
    }

    /** Tries again what failed while the daemon could not be reached. */
    async recover(): Promise<void> {
        this.problem = '';
        if (this.fresh) await this.load();
        else if (this.following) await this.loadNewer();
    }

    /** Forgets everything, as of a place in the log, and reads again. */
    async restart(seq = 0): Promise<void> {
        this.endTurn();
        this.plan = { ...NO_PLAN, seq };
        this.window = EMPTY;
        this.fresh = true;
        await this.load();
    }

    private takePiece(piece: LiveFrame): void {
        if (!this.stored.has(piece.item)) this.grow(piece.item, grown(this.growing.get(piece.item), piece));
    }

    private endTurn(): void {
        this.growing = new Map();
        this.stored.clear();
    }

    private takeItem(item: Item): void {
        this.stored.add(item.id);
        this.grow(item.id, undefined);
        this.takePlan(item);
        const window = withItem(this.window, item);
        this.window = this.following ? trimmed(window) : window;
        if (!this.fresh && this.newer && this.following) void this.loadNewer();
    }

    /** Takes in a task list; those of a harness's own subagents are theirs. */
    private takePlan(item: Item): void {
        if (item.kind !== 'todo' || item.parent) return;
        const todos = parseTodos(item.text ?? '');
        if (todos) this.plan = later(this.plan, { todos, seq: item.seq });
    }

    /** Reads the task list, whose item may be older than what was read. */
    private async readPlan(): Promise<void> {
        try {
            const { seq, session } = await api.get('/api/sessions/{id}', { path: { id: this.session } });
            const todos = readTodos(session.todo);
            if (todos) this.plan = later(this.plan, { todos, seq });
        } catch {
            // The transcript says that the daemon cannot be reached.
        }
    }

    private grow(id: string, to: Growing | undefined): void {
        if (!to && !this.growing.has(id)) return;
        const growing = new Map(this.growing);
        if (to) growing.set(id, to);
        else growing.delete(id);
        this.growing = growing;
    }

    private async read(
        range: { before?: number; after?: number },
        use: (page: ItemPage) => void,
    ): Promise<void> {
        this.loading = true;
        this.problem = '';
        try {
            const options = { path: { id: this.session }, query: { limit: PAGE, ...range } };
            const page = await api.get('/api/sessions/{id}/items', options);
            page.items.forEach((item) => this.takePlan(item));
            use(page);
        } catch (error) {
            this.problem = explain(error);
        } finally {
            this.loading = false;
        }
    }
}
