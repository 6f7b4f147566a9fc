import { visible } from '../../lib/visible';
import type { MoveMessage, QueuedMessage } from '../../lib/wire';

/** A message in the list of those that wait. */
export interface Row {
    readonly message: QueuedMessage;
    /** It left the queue while a person was about to change it: the row stays until they have read that. */
    readonly gone: boolean;
}

/**
 * Returns the rows of the list: what waits, in order, below what left the queue under a person's hands. That was
 * taken up before all others, and stands where it stood: on top.
 */
export function rowsOf(messages: readonly QueuedMessage[], kept: Iterable<QueuedMessage>): Row[] {
    const waiting = new Set(messages.map(({ delivery }) => delivery));
    const gone = [...kept].filter(({ delivery }) => !waiting.has(delivery));
    return [
        ...gone.map((message) => ({ message, gone: true })),
        ...messages.map((message) => ({ message, gone: false })),
    ];
}

export type Direction = 'up' | 'down';

/** Returns where a message has to go to stand one place further up or down; nothing where it cannot. */
export function moveOf(
    messages: readonly QueuedMessage[],
    delivery: string,
    direction: Direction,
): MoveMessage | undefined {
    const at = messages.findIndex((message) => message.delivery === delivery);
    if (at < 0 || !messages[at]?.movable) return undefined;
    if (direction === 'up') {
        const above = messages[at - 1];
        return above && { to: 'before', before: above.delivery };
    }
    if (at === messages.length - 1) return undefined;
    const behind = messages[at + 2];
    return behind ? { to: 'before', before: behind.delivery } : { to: 'last' };
}

const REASONS: Record<NonNullable<QueuedMessage['reason']>, string> = {
    stopped: 'held: a person stopped the agent',
    budget: 'held: the budget of turns without a human message is used up',
    paused: 'held: paused',
    attempts: 'held: the agent did not accept it',
    cause_stopped: 'held: a person stopped the request',
};

/** Says how far a message has come. */
export function stageOf({ stage, reason, releasable }: QueuedMessage): string {
    if (reason) return REASONS[reason] ?? 'held';
    // It waits for more than the end of a turn.
    return stage === 'held' || releasable ? 'held' : 'accepted';
}

/** Says whether the list shows less of a message than there is. */
export function isCut({ text, full_length }: QueuedMessage): boolean {
    return new TextEncoder().encode(text).length < full_length;
}

/** Returns what a message says in a few words, on one line. */
export function gist({ text }: QueuedMessage): string {
    const line = visible(text.trim().replace(/\s+/g, ' '));
    const letters = [...line];
    return letters.length > 40 ? `${letters.slice(0, 39).join('')}…` : line;
}
