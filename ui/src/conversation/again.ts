import { api } from '../lib/client';

/** What a person would write. The daemon keeps what the agent had not accepted, and sends it along. */
export const AGAIN = 'Continue.';

/** Lets an agent go on with everything that waits for it. */
export async function release(session: string): Promise<void> {
    await api.post('/api/sessions/{id}/queue/release', { path: { id: session } });
}

/** Lets an agent go on for which nothing waits. */
export async function sendAgain(session: string): Promise<void> {
    await api.send(session, { text: AGAIN, verb: 'queue' });
}
