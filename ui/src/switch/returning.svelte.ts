import { SvelteMap } from 'svelte/reactivity';
import { api, explain } from '../lib/client';
import { route } from '../shell/route.svelte';

/** What goes back with a person. */
export type Along = 'summary' | 'question' | 'nothing';

/** How a return goes on. */
export interface Way {
    readonly state: 'here' | 'going';
    readonly problem: string;
}

const HERE: Way = { state: 'here', problem: '' };

/**
 * Returns from agents to those that a person came from. The agent first writes what is taken along, which can take
 * minutes: meanwhile the person may be anywhere.
 */
class Returning {
    private readonly ways = new SvelteMap<string, Way>();

    of(agent: string): Way {
        return this.ways.get(agent) ?? HERE;
    }

    /** Asks an agent for a summary or for the answer to a question, and goes back with it. */
    async go(agent: string, text: string | null, arrived: () => void): Promise<void> {
        if (this.of(agent).state === 'going') return;
        this.ways.set(agent, { state: 'going', problem: '' });
        try {
            const { session } = await api.post('/api/sessions/{id}/back', {
                path: { id: agent },
                body: { text },
            });
            this.ways.delete(agent);
            arrived();
            // A person who went elsewhere in the meantime stays there.
            if (route.agent === agent) route.follow(session.id);
        } catch (error) {
            this.ways.set(agent, { state: 'here', problem: explain(error) });
        }
    }
}

export const returning = new Returning();
