import { unknown } from '../lib/never';
import type { Stage } from '../lib/wire';

/** What the page says of a message that the agent has. */
export interface Receipt {
    readonly word: string;
    readonly title: string;
    readonly mark: string;
    readonly bad?: true;
}

const HANDED: Receipt = { word: 'handed', title: 'Handed to the agent', mark: '✓' };

/** Returns how far a message has come, in the daemon's words. Nothing when the daemon does not know any more. */
export function receiptOf(stage: Stage | undefined): Receipt | undefined {
    switch (stage) {
        case undefined:
            return undefined;
        case 'answered':
            return { word: 'answered', title: 'Answered', mark: '✓✓' };
        case 'failed':
            return { word: 'failed', title: 'The turn failed', mark: '✕', bad: true };
        case 'interrupted':
            return { word: 'interrupted', title: 'The turn was interrupted', mark: '◼', bad: true };
        case 'cancelled':
            return { word: 'canceled', title: 'Canceled', mark: '✕' };
        case 'queued':
        case 'held':
        case 'handing':
        case 'handed':
            return HANDED;
        default:
            return unknown(stage, undefined);
    }
}

/** Says whether something more will happen to a message. */
export function isOpen(stage: Stage | undefined): boolean {
    return stage === 'queued' || stage === 'held' || stage === 'handing' || stage === 'handed';
}
