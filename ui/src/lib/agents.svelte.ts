import { SvelteMap } from 'svelte/reactivity';
import { get } from './client';
import type { Agent, AgentAnswer, AgentPage, EventFrame } from './wire';

const PAGE = 100;

/** The agents that the web app shows: those with the label `ui=true`. */
export class Agents {
    private readonly known = new SvelteMap<string, Agent>();
    private next = $state<string | undefined>(undefined);
    /** The first page is there. */
    ready = $state(false);

    /** Open ones: first those that ask, then the newest. */
    readonly list = $derived(
        [...this.known.values()]
            .filter((agent) => agent.status !== 'closed' && agent.labels['ui'] === 'true')
            .sort(
                (a, b) =>
                    Number(Boolean(b.ask)) - Number(Boolean(a.ask)) ||
                    b.created_at.localeCompare(a.created_at) ||
                    a.id.localeCompare(b.id),
            ),
    );
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

    /** It is not there any more. */
    forget(id: string): void {
        this.known.delete(id);
    }

    take(frame: EventFrame): void {
        if (frame.view) this.known.set(frame.session, frame.view);
        else this.known.delete(frame.session);
    }

    private page(after?: string): Promise<AgentPage> {
        const query = new URLSearchParams({ ui: 'true', limit: String(PAGE) });
        if (after) query.set('after', after);
        return get<AgentPage>(`/api/sessions?${query}`);
    }

    private add(page: AgentPage): void {
        for (const agent of page.sessions) this.known.set(agent.id, agent);
        this.next = page.next ?? undefined;
    }
}
