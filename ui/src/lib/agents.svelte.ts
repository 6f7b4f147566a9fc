import { PaseoError } from '@paseo/client';
import { getContext, setContext } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';
import { effectOf } from './change';
import { api } from './client';
import { arranged } from './family';
import { isAlike } from './handles';
import { isUi, type Agent, type AgentPage, type EventFrame } from './wire';

const CONTEXT = Symbol('agents');
const PAGE = 100;

/** The agents that the web app shows: those with the label `ui=true`, and those below them. */
export class Agents {
    private readonly known = new SvelteMap<string, Agent>();
    private next = $state<string | undefined>(undefined);
    /** Whom somebody wanted to know of, and was not listed: each is asked for once. */
    private readonly sought = new Set<string>();
    /** The place in the log of the newest event of each: an answer from before it is older than what is known. */
    private readonly heard = new Map<string, number>();
    /** Whose handle is to be asked for. */
    private readonly renamed = new Set<string>();
    private asking = false;
    /** The first page is there. */
    ready = $state(false);

    /** Open ones, each below whoever started it. */
    readonly placed = $derived(arranged(this.known.values()));
    /** The same, from top to bottom. */
    readonly list = $derived(this.placed.map(({ agent }) => agent));
    readonly more = $derived(this.next !== undefined);
    private readonly listed = $derived(new Set(this.list.map((agent) => agent.id)));

    get(id: string): Agent | undefined {
        return this.known.get(id);
    }

    /** Says whether the list shows it: then events keep it current. */
    shows(id: string): boolean {
        return this.listed.has(id);
    }

    /** Reads the first page. Returns the place in the log from which to stream. */
    async load(): Promise<number> {
        const page = await this.page();
        const kept = new Set(page.sessions.map((agent) => agent.id));
        for (const id of [...this.known.keys()]) if (!kept.has(id)) this.known.delete(id);
        this.sought.clear();
        this.add(page);
        this.ready = true;
        return page.seq;
    }

    async loadMore(): Promise<void> {
        if (this.next) this.add(await this.page(this.next));
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
        const { labelled, movesHandles } = effectOf(frame.change);
        this.heard.set(session, frame.seq);
        if (movesHandles) this.askForHandles([...this.known.keys()].filter((id) => isAlike(id, session)));
        if (!view) return this.forget(session);
        const before = this.known.get(session);
        this.known.set(session, view);
        this.seekParent(view);
        // Those below it come into the list with it, without an event of their own.
        if (labelled && isUi(view) && !(before && isUi(before)))
            this.page()
                .then(({ sessions }) => sessions.forEach((agent) => this.learn(agent)))
                .catch(() => {});
    }

    /** Asks again for the handles that could not be read. */
    retryHandles(): void {
        this.askForHandles([]);
    }

    /** Reads the handles of agents again, one after the other: an answer that is older never comes after a newer one. */
    private askForHandles(of: readonly string[]): void {
        for (const id of of) this.renamed.add(id);
        if (this.asking || this.renamed.size === 0) return;
        this.asking = true;
        void this.readHandles().finally(() => (this.asking = false));
    }

    private async readHandles(): Promise<void> {
        for (const id of this.renamed) {
            this.renamed.delete(id);
            try {
                const { session } = await api.get('/api/sessions/{id}', { path: { id } });
                const known = this.known.get(id);
                if (known) this.known.set(id, { ...known, handle: session.handle });
            } catch (error) {
                if (error instanceof PaseoError) continue;
                // The daemon is away: the next connection brings another chance.
                this.renamed.add(id);
                return;
            }
        }
    }

    private page(after?: string): Promise<AgentPage> {
        return api.get('/api/sessions', { query: { ui: true, limit: PAGE, ...(after && { after }) } });
    }

    private add(page: AgentPage): void {
        for (const agent of page.sessions) this.known.set(agent.id, agent);
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

/** Makes them known to everything on the page. */
export function provideAgents(): Agents {
    return setContext(CONTEXT, new Agents());
}

export function useAgents(): Agents {
    return getContext<Agents>(CONTEXT);
}
