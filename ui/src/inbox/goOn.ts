import type { InboxRequest } from '../lib/wire';

/** A way to let an agent go on that does not by itself. */
export interface GoOn {
    readonly word: 'Resume' | 'Retry';
    /** With what waits for it; else with a word. */
    readonly by: 'queue' | 'message';
}

/** Returns what lets an agent go on, the same as in its conversation; nothing where only an answer does. */
export function goOnOf({ kind, held }: InboxRequest): GoOn | undefined {
    if (kind === 'hold') return held > 0 ? { word: 'Resume', by: 'queue' } : undefined;
    if (kind !== 'failure' && kind !== 'rate_limit') return undefined;
    return { word: 'Retry', by: held > 0 ? 'queue' : 'message' };
}
