import { PaseoError } from '@paseo/client';
import { getContext, setContext } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';
import { effectOf } from '../lib/change';
import { api } from '../lib/client';
import { listedOf, withListed } from './extras';
import { arranged, type Scope } from './family';
import { isAlike } from './handles';
import { HiddenCount } from './hidden.svelte';
import { isUi, type Agent, type AgentPage, type EventFrame } from '../lib/wire';

const CONTEXT = Symbol('agents');
/** So few that drawing a page is a short task. */
const PAGE = 100;

/** The agents that the web app shows: those with the label `ui=true`, and those below them; others while a page asks. */
export class Agents {
    private readonly known = new SvelteMap<string, Agent>();
    private next = $state<string | undefined>(undefined);
    /** What is read beside what the web app shows. */
    private scope: Scope = { background: false, closed: false };
    /** The newest reading of the list: an older one ends. */
    private reading = 0;
    /** Agents that are not listed and that the page needs: each is read once. */
    private readonly sought = new Set<string>();
    /** The place in the log of the newest event of each: an answer from before it is older than what is known. */
    private readonly heard = new Map<string, number>();
    /** Whose handle is to be asked for. */
    private readonly renamed = new Set<string>();
    private asking = false;
    /** The first page is there. */
    ready = $state(false);
    /** Pages are on their way. */
    busy = $state(false);
    readonly hidden = new HiddenCount();

    /** Open ones, each below its parent. */
    readonly placed = $derived(arranged(this.known.values()));
    /** The same, from top to bottom. */
    readonly list = $derived(this.placed.map(({ agent }) => agent));
    /** There are pages that were not read: those of closed agents are read one by one, or the daemon went away. */
    readonly more = $derived(this.next !== undefined);
    private readonly listed = $derived(new Set(this.list.map((agent) => agent.id)));

    /** Returns all that are known, listed or not. */
    all(): Iterable<Agent> {
        return this.known.values();
    }

    get(id: string): Agent | undefined {
        return this.known.get(id);
    }

    /** Says whether the list shows it: then events keep it current. */
    shows(id: string): boolean {
        return this.listed.has(id);
    }

    /** Reads the first page, and the others after it. Returns the place in the log from which to stream. */
    async load(): Promise<number> {
        const reading = ++this.reading;
        const page = await this.page(PAGE);
        const kept = new Set(page.sessions.map((agent) => agent.id));
        for (const id of [...this.known.keys()]) if (!kept.has(id)) this.known.delete(id);
        this.sought.clear();
        this.add(page);
        this.ready = true;
        const { background, closed } = this.scope;
        // What is listed is not counted among what is hidden.
        if (background || closed) this.hidden.read();
        else this.hidden.take(page.hidden);
        if (page.next && page.sessions.some(isOpen)) void this.readOn(reading, page.next);
        return page.seq;
    }

    /** Lists other agents, too, or no longer. What happens to them has to come by the stream from now on. */
    widen(scope: Scope): void {
        if (scope.background === this.scope.background && scope.closed === this.scope.closed) return;
        this.scope = scope;
        void this.readOn(++this.reading);
    }

    async loadMore(): Promise<void> {
        const { next } = this;
        if (next !== undefined) await this.readOn(++this.reading, next);
    }

    /** Makes sure that one is known, also when the list does not show it. */
    async fetch(id: string): Promise<Agent> {
        const { session, seq } = await api.get('/api/sessions/{id}', { path: { id } });
        if (seq >= (this.heard.get(session.id) ?? 0)) this.known.set(session.id, session);
        return session;
    }

    /** Asks for one that is not known yet; whether there is such a one, time will tell. */
    seek(id: string): void {
        if (this.known.has(id) || this.sought.has(id)) return;
        this.sought.add(id);
        api.get('/api/sessions/{id}', { path: { id } })
            .then(({ session }) => this.learn(session))
            .catch((error: unknown) => {
                if (!(error instanceof PaseoError)) this.sought.delete(id);
            });
    }

    /** It is not there any more. */
    forget(id: string): void {
        this.known.delete(id);
    }

    take(frame: EventFrame): void {
        const { view, session } = frame;
        const { labelled, movesHandles, turnEnded } = effectOf(frame.change);
        this.heard.set(session, frame.seq);
        if (movesHandles || labelled) this.hidden.read();
        if (movesHandles) this.reread([...this.known.keys()].filter((id) => isAlike(id, session)));
        if (!view) return this.forget(session);
        const before = this.known.get(session);
        this.known.set(session, withListed(view, before));
        this.seekParent(view);
        // What it said last is not in the event.
        if (turnEnded && !('last_snippet' in view) && this.shows(session)) this.reread([session]);
        // Those below it come into the list with it, without an event of their own.
        if (labelled && isUi(view) && !(before && isUi(before)))
            this.page(PAGE)
                .then(({ sessions }) => sessions.forEach((agent) => this.learn(agent)))
                .catch(() => {});
    }

    /** Asks again for what could not be read. */
    catchUp(): void {
        this.reread([]);
        if (this.next !== undefined && !this.busy) void this.loadMore();
        this.hidden.catchUp();
    }

    /** Reads agents again, one after the other: an answer that is older never comes after a newer one. */
    private reread(of: readonly string[]): void {
        for (const id of of) this.renamed.add(id);
        if (this.asking || this.renamed.size === 0) return;
        this.asking = true;
        void this.readEach().finally(() => (this.asking = false));
    }

    private async readEach(): Promise<void> {
        for (const id of this.renamed) {
            this.renamed.delete(id);
            try {
                const { session } = await api.get('/api/sessions/{id}', { path: { id } });
                const known = this.known.get(id);
                // An event may have told more of everything else.
                if (known) this.known.set(id, { ...known, ...listedOf(session), handle: session.handle });
            } catch (error) {
                if (error instanceof PaseoError) continue;
                // The daemon is away: the next connection brings another chance.
                this.renamed.add(id);
                return;
            }
        }
    }

    /** Reads on after a page, or from the beginning: all open agents, and a page of those that are closed. */
    private async readOn(reading: number, from?: string): Promise<void> {
        this.busy = true;
        try {
            let page: AgentPage;
            let after = from;
            do {
                page = await this.page(PAGE, after);
                if (reading !== this.reading) return;
                this.add(page);
                after = page.next ?? undefined;
            } while (after !== undefined && page.sessions.some(isOpen));
        } catch {
            // What is not there can be asked for again.
        } finally {
            if (reading === this.reading) this.busy = false;
        }
    }

    private page(limit: number, after?: string): Promise<AgentPage> {
        const { background, closed } = this.scope;
        const query = {
            ...(background ? { any_labels: true } : { ui: true }),
            ...(closed && { all_statuses: true }),
            limit,
            ...(after && { after }),
        };
        return api.get('/api/sessions', { query });
    }

    /** Takes a page in, unless an event has told more meanwhile. */
    private add(page: AgentPage): void {
        for (const agent of page.sessions)
            if (page.seq >= (this.heard.get(agent.id) ?? 0)) this.known.set(agent.id, agent);
        page.sessions.forEach((agent) => this.seekParent(agent));
        this.next = page.next ?? undefined;
    }

    /** Takes one in, unless an event has told more meanwhile. */
    private learn(agent: Agent): void {
        if (this.known.has(agent.id)) return;
        this.known.set(agent.id, agent);
        this.seekParent(agent);
    }

    /** Its place is below its parent, which may be on a page that was not read. */
    private seekParent(agent: Agent): void {
        if (agent.parent && agent.status !== 'closed') this.seek(agent.parent);
    }
}

function isOpen(agent: Agent): boolean {
    return agent.status !== 'closed';
}

/** Makes them known to everything on the page. */
export function provideAgents(): Agents {
    return setContext(CONTEXT, new Agents());
}

export function useAgents(): Agents {
    return getContext<Agents>(CONTEXT);
}
