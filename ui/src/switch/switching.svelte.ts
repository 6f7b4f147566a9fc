import { SvelteMap } from 'svelte/reactivity';
import { api, explain } from '../lib/client';
import type { Agent } from '../lib/wire';
import { route } from '../shell/route.svelte';

/** How many definitions are asked for their newest session. */
const MOST_LATEST = 40;

/** Where a person switches from. */
export interface Origin {
    /** Whose definitions are offered, and where a new session works. */
    readonly project: string;
    /** The agent that they are in. */
    readonly from: string | undefined;
}

/** Switching from one agent to another. What was typed for the other one lasts until it was sent. */
class Switching {
    text = $state('');
    /** The definition that is being opened. */
    busy = $state<string>();
    problem = $state('');
    /** The session that choosing a definition leads to, by slug; null when it has none yet. */
    readonly latest = new SvelteMap<string, Agent | null>();

    /** Opens the latest session of a definition, or creates one. */
    open(slug: string, origin: Origin): Promise<void> {
        return this.go(slug, origin, false);
    }

    /** Creates a session of a definition, whether it has one or not. */
    create(slug: string, origin: Origin): Promise<void> {
        return this.go(slug, origin, true);
    }

    /** Finds out where each choice leads. */
    async look(slugs: readonly string[], project: string): Promise<void> {
        await Promise.all(
            slugs.slice(0, MOST_LATEST).map(async (slug) => {
                try {
                    const options = { path: { slug }, query: { project, limit: 1 } };
                    const { sessions } = await api.get('/api/agents/{slug}/sessions', options);
                    this.latest.set(slug, sessions[0] ?? null);
                } catch {
                    // The choice then says nothing about its session, and works all the same.
                    this.latest.delete(slug);
                }
            }),
        );
    }

    private async go(slug: string, { project, from }: Origin, isNew: boolean): Promise<void> {
        if (this.busy) return;
        this.busy = slug;
        this.problem = '';
        try {
            const text = this.text.trim() === '' ? null : this.text;
            const body = { project, from: from ?? null, text, ui: true, new: isNew };
            const { session } = await api.post('/api/agents/{slug}/switch', { path: { slug }, body });
            this.text = '';
            if (session.id === route.agent) route.closeSheet();
            else route.follow(session.id);
        } catch (error) {
            this.problem = explain(error);
        } finally {
            this.busy = undefined;
        }
    }
}

export const switching = new Switching();
