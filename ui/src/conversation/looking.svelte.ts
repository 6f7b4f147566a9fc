import { onMount } from 'svelte';
import { api } from '../lib/client';
import type { Agent } from '../lib/wire';

/** Where a person is, as far as it says what they see. */
interface View {
    readonly agent: Agent;
    /** The end of the transcript is displayed. */
    readonly atEnd: boolean;
    readonly connected: boolean;
}

/**
 * Tells the daemon how much of an agent's news a person has seen, so that it is read in all browsers: while the end of
 * its transcript is displayed, in a tab that is visible.
 */
export class Looking {
    private visible = $state(document.visibilityState === 'visible');
    /** The news that the daemon was told of. */
    private told = 0;

    constructor(view: () => View) {
        onMount(() => {
            const look = () => (this.visible = document.visibilityState === 'visible');
            document.addEventListener('visibilitychange', look);
            return () => document.removeEventListener('visibilitychange', look);
        });
        $effect(() => {
            const { agent, atEnd, connected } = view();
            // A new connection is another chance for what could not be told.
            if (this.visible && atEnd && connected && agent.unread) void this.tell(agent.id, agent.news);
        });
    }

    private async tell(id: string, news: number): Promise<void> {
        if (news <= this.told) return;
        const before = this.told;
        this.told = news;
        try {
            await api.post('/api/sessions/{id}/looked', { path: { id }, body: { news } });
        } catch {
            // It stays unread, as it does everywhere else.
            this.told = before;
        }
    }
}
