import { effectOf } from '../lib/change';
import { api, explain } from '../lib/client';
import { grown, type Growing } from './growing';
import { isOpen } from './receipt';
import { rows } from './rows';
import { later, NO_PLAN, parseTodos, readTodos, type Plan } from './todo';
import {
    EMPTY,
    fromMiddle,
    fromPage,
    hasNewer,
    holds,
    trimmed,
    withChanged,
    withItem,
    withNewer,
    withOlder,
    type ItemWindow,
} from './window';
import {
    field,
    type AgentFrame,
    type EventFrame,
    type Item,
    type ItemPage,
    type LiveFrame,
    type Stage,
} from '../lib/wire';

const PAGE = 100;
/** How many items are read above one that was jumped to. */
const ABOVE = 30;

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
    /** The item that was jumped to last. The page shows it. */
    target = $state.raw<{ readonly ordinal: number }>();
    /** Counts how often the window started over: a page that was read for an earlier window is dropped. */
    private begun = 0;
    /** Items of this turn that are stored: a late piece of one is not shown again. */
    private stored = new Set<string>();

    readonly rows = $derived(rows(this.window.items));
    readonly items = $derived(this.window.items);
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
        this.begun += 1;
        await this.read({}, (page) => {
            this.window = fromPage(page, this.window);
            this.fresh = false;
        });
        if (this.newer) await this.loadNewer();
    }

    /**
     * Shows an item, wherever it is: reads what is around it unless that is here. Takes the place of a reading of the
     * newest page that is under way. Where there is no such item, the end is shown. Returns whether it worked.
     */
    async jump(ordinal: number): Promise<boolean> {
        if (!holds(this.window, ordinal)) {
            if (this.fresh) void this.readPlan();
            this.begun += 1;
            let beyond = false;
            await this.read({ after: Math.max(0, ordinal - ABOVE - 1) }, (page) => {
                beyond = page.items.length === 0;
                if (beyond) return;
                this.window = fromMiddle(page, this.window);
                this.fresh = false;
            });
            if (beyond) await this.load();
        }
        if (this.problem || !holds(this.window, ordinal)) return false;
        this.following = false;
        this.target = { ordinal };
        return true;
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

    take(frame: AgentFrame): void {
        if (frame.frame.session !== this.session) return;
        if (frame.type === 'item') this.takeItem(frame.frame.item);
        else if (frame.type === 'live') this.takePiece(frame.frame);
        else this.takeChange(frame.frame);
    }

    private takeChange({ change, seq }: EventFrame): void {
        const { cleared, turnEnded, settles } = effectOf(change);
        if (cleared) void this.restart(seq);
        else if (turnEnded) this.endTurn();
        if (settles) void this.settle();
    }

    /** Asks the daemon what became of the messages in the window of which that was not known. */
    private async settle(): Promise<void> {
        const { begun } = this;
        for (const item of this.window.items) {
            const delivery = field(item, 'delivery');
            if (!delivery || !isOpen(field(item, 'stage'))) continue;
            try {
                const path = { id: this.session, delivery };
                const { stage } = await api.get('/api/sessions/{id}/deliveries/{delivery}', { path });
                if (begun !== this.begun) return;
                this.window = withChanged(this.window, settled(item, stage));
            } catch {
                // The next page that is read says it.
                return;
            }
        }
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
        const before = this.growing.get(piece.item);
        const known = this.stored.has(piece.item) || (!before && this.holds(piece.item));
        if (!known) this.grow(piece.item, grown(before, piece));
    }

    /** Says whether an item is among those that were read. The newest are looked at first. */
    private holds(id: string): boolean {
        return this.window.items.findLast((item) => item.id === id) !== undefined;
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

    /** Takes in a to-do list; those of a harness's own subagents are theirs. */
    private takePlan(item: Item): void {
        if (item.kind !== 'todo' || item.parent) return;
        const todos = parseTodos(item.text ?? '');
        if (todos) this.plan = later(this.plan, { todos, seq: item.seq });
    }

    /** Reads the to-do list, whose item may be older than what was read. */
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
        const { begun } = this;
        this.loading = true;
        this.problem = '';
        try {
            const options = { path: { id: this.session }, query: { limit: PAGE, ...range } };
            const page = await api.get('/api/sessions/{id}/items', options);
            page.items.forEach((item) => this.takePlan(item));
            if (begun === this.begun) use(page);
        } catch (error) {
            if (begun === this.begun) this.problem = explain(error);
        } finally {
            if (begun === this.begun) this.loading = false;
        }
    }
}

/** Returns a message with what became of it. */
function settled(item: Item, stage: Stage): Item {
    if (item.kind !== 'user_text' || field(item, 'origin') === undefined) return item;
    // With an origin, its fields are there.
    const fields = item.fields as Extract<typeof item.fields, { origin: unknown }>;
    return { ...item, fields: { ...fields, stage } };
}
