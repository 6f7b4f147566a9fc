import { visible } from '../lib/visible';
import type { Agent } from '../lib/wire';

/** One reason why an agent is where it is, and where a person can do something about it. */
export interface Reason {
    readonly words: string;
    readonly leads?: 'inbox';
}

const HOLDS: Partial<Record<Agent['hold'], string>> = {
    stopped: 'A person stopped it. Send a message to continue.',
    error: 'The last turn failed. Send a message to continue.',
    budget: 'The budget of turns without a human message is used up.',
    paused: 'It is paused. Send a message to continue.',
};

/** Returns why an agent has the status that it has, as far as the daemon says; what needs a person comes first. */
export function reasons(agent: Agent, now: number): Reason[] {
    const found: Reason[] = [];
    const say = (words: string | null | undefined) => {
        if (words && !found.some((reason) => reason.words === words)) found.push({ words: visible(words) });
    };
    if (agent.asks > 0) {
        const words =
            agent.asks === 1
                ? 'A permission request waits for you.'
                : `${agent.asks} permission requests wait for you.`;
        found.push({ words, leads: 'inbox' });
    }
    const parked = agent.parked_until ? Date.parse(agent.parked_until) : 0;
    if (agent.parked_until && parked > now)
        say(
            `A rate limit ends at ${new Date(parked).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}.`,
        );
    say(HOLDS[agent.hold]);
    if (agent.retry) say(attempt(agent.retry.attempt, agent.retry.of));
    say(agent.status_reason);
    if (agent.status_code) say(`Error: ${agent.status_code}`);
    if (agent.queued > 0) say(messages(agent.queued, 'for its next turn'));
    if (agent.held > 0) say(messages(agent.held, 'for a person'));
    say(agent.notice);
    return found;
}

function attempt(number: number | null | undefined, of: number | null | undefined): string {
    if (!number) return 'The model did not answer. The request is retried.';
    return `The model did not answer. This is attempt ${number}${of ? ` of ${of}` : ''}.`;
}

function messages(count: number, forWhat: string): string {
    return `${count} ${count === 1 ? 'message waits' : 'messages wait'} ${forWhat}.`;
}

/** How the daemon knows a status, in words. */
export const SOURCES: Record<Agent['status_source'], string> = {
    protocol: 'reported by the agent program',
    process_exit: 'inferred from the end of the process',
    hook: 'reported by a hook',
    screen: 'read from the terminal',
    person: 'set by a person',
    daemon: 'set by the daemon',
    restart: 'restored when the daemon restarted',
};
