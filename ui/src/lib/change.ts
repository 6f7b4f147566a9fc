import type { SessionChange } from './wire';

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
    readonly decided?: { readonly hash: string; readonly decision: string };
    /** Its transcript is not what it was. */
    readonly cleared?: boolean;
    readonly turnEnded?: boolean;
}

/** Returns what to do, beside reading everything again when the word is not known. */
export function effectOf(change: SessionChange): Effect {
    switch (change.type) {
        case 'created':
        case 'reopened':
        case 'closed':
        case 'deleted':
        case 'erased':
            return { movesHandles: true };
        case 'cleared':
            return { cleared: true };
        case 'turn_ended':
            return { turnEnded: true };
        case 'message_cancelled':
            return { cancelled: change.delivery };
        case 'permission_requested':
            return { asked: true };
        case 'permission_decided':
            return { decided: { hash: change.hash, decision: change.decision } };
        case 'updated':
            return { labelled: change.fields.includes('labels') };
        case 'hold_changed':
        case 'process_ended':
        case 'message_accepted':
        case 'message_held':
        case 'message_handing':
        case 'message_handed':
        case 'message_returned':
        case 'turn_started':
        case 'turn_confirmed':
        case 'turn_retried':
        case 'answer_checked':
        case 'answer_abandoned':
            return {};
        default:
            return nothing(change);
    }
}

/** The compiler says that nothing comes here; the daemon may be newer than the page. */
function nothing(change: never): Effect {
    void change;
    return {};
}
