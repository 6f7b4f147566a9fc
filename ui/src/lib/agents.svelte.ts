import { getContext, setContext } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';
import { ApiError, get } from './client';
import { arranged } from './family';
import { isUi, type Agent, type AgentAnswer, type AgentPage, type EventFrame } from './wire';

const CONTEXT = Symbol('agents');
const PAGE = 100;

/** The agents that the web app shows: those with the label `ui=true`, and those below them. */
export class Agents {
    private readonly known = new SvelteMap<string, Agent>();
    private next = $state<string | undefined>(undefined);
    /** Whom somebody wanted to know of, and was not listed: each is asked for once. */
    private readonly sought = new Set<string>();
    /** The first page is there. */
    ready = $state(false);

    /** Open ones, each below whoever started it. */
    readonly placed = $derived(arranged(this.known.values()));
    /** The same, from top to bottom. */
    readonly list = $derived(this.placed.map(({ agent }) => agent));
    readonly more = $derived(this.next !== undefined);
    readonly asking = $derived(this.list.filter((agent) => agent.ask).length);

    get(id: string): Agent | undefined {
        return this.known.get(id);
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
        const { session } = await get<AgentAnswer>(`/api/sessions/${encodeURIComponent(id)}`);
        this.known.set(session.id, session);
        return session;
    }

    /** Asks for one that is not known yet; whether there is such a one, time will tell. */
    seek(id: string): void {
        if (this.known.has(id) || this.sought.has(id)) return;
        this.sought.add(id);
        get<AgentAnswer>(`/api/sessions/${encodeURIComponent(id)}`)
            .then(({ session }) => this.learn(session))
            .catch((error: unknown) => {
                if (!(error instanceof ApiError)) this.sought.delete(id);
            });
    }

    /** It is not there any more. */
    forget(id: string): void {
        this.known.delete(id);
    }

    take(frame: EventFrame): void {
        const { view, session } = frame;
        if (!view) return this.forget(session);
        const before = this.known.get(session);
        this.known.set(session, view);
        this.seekParent(view);
        // Those below it come into the list with it, without an event of their own.
        if (frame.kind === 'session.labelled' && isUi(view) && !(before && isUi(before)))
            this.page()
                .then(({ sessions }) => sessions.forEach((agent) => this.learn(agent)))
                .catch(() => {});
    }

    private page(after?: string): Promise<AgentPage> {
        const query = new URLSearchParams({ ui: 'true', limit: String(PAGE) });
        if (after) query.set('after', after);
        return get<AgentPage>(`/api/sessions?${query}`);
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
