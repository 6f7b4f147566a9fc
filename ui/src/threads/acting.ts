import { api, explain } from '../lib/client';
import type { Thread } from '../lib/wire';
import type { Threads } from './threads.svelte';

/** Changes who takes part in a thread, or who may do what. Returns why it was refused. */
export function control(
    threads: Threads,
    thread: string,
    content: Record<string, unknown>,
): Promise<string | undefined> {
    const path = { thread };
    return attempt(threads, () => api.post('/api/threads/{thread}/controls', { path, body: content }));
}

/** Changes the name or the directory of a thread. Returns why it was refused. */
export function update(
    threads: Threads,
    thread: string,
    body: { name?: string; directory?: string },
): Promise<string | undefined> {
    return attempt(threads, () => api.patch('/api/threads/{thread}', { path: { thread }, body }));
}

export function mute(threads: Threads, thread: string, id: string, on: boolean): Promise<string | undefined> {
    return control(threads, thread, { [on ? 'mute' : 'unmute']: { targets: [id] } });
}

async function attempt(
    threads: Threads,
    send: () => Promise<{ thread: Thread }>,
): Promise<string | undefined> {
    try {
        threads.put((await send()).thread);
        return undefined;
    } catch (error) {
        return explain(error);
    }
}
