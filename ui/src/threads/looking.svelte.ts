import { onMount } from 'svelte';
import { api } from '../lib/client';
import type { Thread } from '../lib/wire';

/** Where a person is, as far as it says what they see. */
interface View {
    readonly thread: Thread;
    /** The newest message is displayed. */
    readonly atEnd: boolean;
}

/**
 * Tells the daemon how many messages of a thread a person has seen, so that they are read in all browsers: while the newest
 * is displayed, in a tab that is visible.
 */
export class Looking {
    private visible = $state(document.visibilityState === 'visible');
    /** The messages that the daemon was told of. */
    private told = 0;

    constructor(view: () => View) {
        onMount(() => {
            const look = () => (this.visible = document.visibilityState === 'visible');
            document.addEventListener('visibilitychange', look);
            return () => document.removeEventListener('visibilitychange', look);
        });
        $effect(() => {
            const { thread, atEnd } = view();
            if (this.visible && atEnd && (thread.unread ?? 0) > 0) void this.tell(thread.id, thread.messages);
        });
    }

    private async tell(thread: string, messages: number): Promise<void> {
        if (messages <= this.told) return;
        const before = this.told;
        this.told = messages;
        try {
            await api.post('/api/threads/{thread}/looked', { path: { thread }, body: { messages } });
        } catch {
            // They stay unread, as they do everywhere else.
            this.told = before;
        }
    }
}
