import { unknown } from './never';
import type { Decision, SessionChange } from './wire';

/** What the page does about something that happened to an agent. */
export interface Effect {
    /** The daemon may call other agents by other handles now. */
    readonly movesHandles?: boolean;
    /** Those below it may be listed now. */
    readonly labelled?: boolean;
    /** This message was taken back. */
    readonly cancelled?: string;
    /** It asks for a permission. */
    readonly asked?: boolean;
    /** A permission request ended. */
    readonly decided?: { readonly hash: string; readonly decision: Decision };
    /** Its transcript is not what it was. */
    readonly cleared?: boolean;
    readonly turnEnded?: boolean;
    /** What became of messages that the agent has may be known now. */
    readonly settles?: boolean;
    /** What waits for it, or what can be done about that, may be something else now. */
    readonly queue?: boolean;
}

/** Returns what to do, beside reading everything again when the word is not known. */
export function effectOf(change: SessionChange): Effect {
    switch (change.type) {
        case 'created':
        case 'deleted':
        case 'erased':
            return { movesHandles: true };
        // Of a closed agent, nothing can be released.
        case 'reopened':
        case 'closed':
            return { movesHandles: true, queue: true };
        case 'cleared':
            return { cleared: true, queue: true };
        // A turn that failed may leave its messages, and a limit.
        case 'turn_ended':
            return { turnEnded: true, settles: true, queue: true };
        case 'message_cancelled':
            return { cancelled: change.delivery, queue: true };
        case 'permission_requested':
            return { asked: true };
        case 'permission_decided':
            return { decided: { hash: change.hash, decision: change.decision } };
        // It has `ui=true` and no parent now: those below it are listed under it alone.
        case 'promoted':
            return { labelled: true };
        case 'updated':
            return { labelled: change.fields.includes('labels') };
        case 'hold_changed':
        case 'message_accepted':
        case 'message_held':
        case 'message_handing':
        case 'message_handed':
        case 'message_returned':
        case 'message_edited':
        case 'message_moved':
        case 'message_released':
        case 'turn_started':
            return { queue: true };
        case 'answer_checked':
        case 'answer_abandoned':
            return { settles: true, queue: true };
        case 'process_ended':
        case 'turn_confirmed':
        case 'turn_retried':
            return {};
        default:
            return unknown(change, {});
    }
}

/** Returns the delivery that the fields of an item are about, or an empty text. */
export const deliveryOf = (fields: unknown) =>
    String((fields as Record<string, unknown> | null)?.['delivery'] ?? '');
