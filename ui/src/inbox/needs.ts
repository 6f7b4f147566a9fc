import { unknown } from '../lib/never';
import { visible, visibleLine } from '../lib/visible';
import { folderOf, type Ask, type InboxAgent, type InboxRequest } from '../lib/wire';

/** Something that needs a person: a request with its answers, or trouble with what to do about it. */
export type Need =
    | { readonly is: 'request'; readonly key: string; readonly ask: Ask }
    | { readonly is: 'trouble'; readonly key: string; readonly trouble: InboxRequest };

/** Returns what needs a person, oldest first. Requests are those that can be answered here, or in a terminal. */
export function needs(asks: readonly Ask[], listed: readonly InboxRequest[]): Need[] {
    const all: Need[] = asks.map((ask) => ({ is: 'request', key: ask.hash, ask }));
    for (const trouble of listed)
        // What fails again later is another entry: it does not take the place of the one before.
        if (!trouble.request)
            all.push({
                is: 'trouble',
                key: `${trouble.agent.session} ${trouble.kind} ${trouble.since}`,
                trouble,
            });
    return all.sort((one, other) => sinceOf(one).localeCompare(sinceOf(other)));
}

/** What is known of the inbox. */
interface Known {
    readonly needs: readonly InboxRequest[];
    readonly counts: { readonly needs_you: number };
    /** Its entries were read, not only how many there are. */
    readonly ready: boolean;
}

/**
 * Returns how many things need a person. Where the inbox is on the screen, as many as stand there; elsewhere as many as
 * the daemon counted, or more if requests came since.
 */
export function waiting(asks: readonly Ask[], { needs: listed, counts, ready }: Known): number {
    return ready ? needs(asks, listed).length : Math.max(asks.length, counts.needs_you);
}

function sinceOf(need: Need): string {
    return need.is === 'request' ? need.ask.since : need.trouble.since;
}

/** What went wrong, and what a person does about it. */
export interface Told {
    readonly title: string;
    /** Words of others: of the agent, or of its provider. */
    readonly words: string | undefined;
    readonly next: string;
}

export function toldOf({ kind, agent, summary, code, until, held, hint }: InboxRequest): Told {
    const words = visible(summary ?? '') || (code ? `Error: ${visible(code)}` : undefined);
    // The daemon says what to do.
    const other = { title: 'needs you', words, next: hint };
    switch (kind) {
        case 'failure':
            return agent.status === 'interrupted'
                ? { title: 'was interrupted', words, next: 'Retry, or reply to continue.' }
                : { title: 'failed', words, next: 'Retry, or reply to continue.' };
        case 'rate_limit': {
            const end = until ? ` at ${time(until)}` : ' when the limit ends';
            return {
                title: 'reached a rate limit',
                words,
                next: `It continues on its own${end}.`,
            };
        }
        case 'hold':
            return {
                title: 'is held',
                words: held === 1 ? '1 message waits for you.' : `${held} messages wait for you.`,
                next: 'Resume to release the held messages, or reply.',
            };
        // Requests have cards of their own, unless the daemon cannot name the request.
        case 'permission':
        case 'question':
        case 'terminal':
            return other;
        default:
            return unknown(kind, other);
    }
}

function time(moment: string): string {
    return new Date(moment).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}

/** What stands at the head of an entry. */
export function headOf(agent: InboxAgent) {
    const { session, handle } = agent;
    return { session, name: nameOf(agent), handle: agent.name ? handle : undefined, look: agent };
}

/** What people call the agent of an entry. */
export function nameOf({ name, project, handle }: InboxAgent): string {
    return name ? visibleLine(name) : `${folderOf(project)} ${handle}`;
}
