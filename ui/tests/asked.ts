import type { Daemon } from './daemon';

interface Said {
    text: string;
    turn: string;
    fields: { delivery: string };
}

/** Returns the messages that an agent got, and the turn that took each. */
export async function said(daemon: Daemon, handle: string): Promise<Said[]> {
    const { items } = await daemon.api<{ items: (Said & { kind: string })[] }>(`/sessions/${handle}/items`);
    return items.filter(({ kind }) => kind === 'user_text');
}

/** Posts in a thread, as a person. */
export async function post(daemon: Daemon, thread: string, text: string): Promise<void> {
    await daemon.api(`/threads/${thread}/messages`, { text });
}
