import { isKnownCauseChange, isKnownSessionChange, isKnownTeamChange } from './change.js';
import type { SseEvent } from './sse.js';
import type { CauseFrame, EventFrame, ItemFrame, LiveFrame, TeamFrame, ThreadFrame } from './wire.js';

interface Known {
    /**
     * False: the daemon is newer than this client, and `change.type` is a word that the client does not know. The frame is
     * right as far as it goes; read again whatever you derived from earlier frames.
     */
    readonly known: boolean;
}

interface Position {
    /** Pass it as `after` to go on behind this frame. Live text has no position. */
    readonly seq: number | undefined;
}

/** One thing that the stream brought. */
export type Frame = Position &
    (
        | ({ readonly type: 'event'; readonly frame: EventFrame } & Known)
        | ({ readonly type: 'team'; readonly frame: TeamFrame } & Known)
        | ({ readonly type: 'cause'; readonly frame: CauseFrame } & Known)
        | { readonly type: 'item'; readonly frame: ItemFrame }
        | { readonly type: 'live'; readonly frame: LiveFrame }
        | { readonly type: 'thread'; readonly frame: ThreadFrame }
        // A kind of frame that this client does not know: read again.
        | { readonly type: 'unknown'; readonly name: string; readonly frame: unknown }
    );

/** Returns the position in the log that an event moves its reader to. */
export function positionOf({ id }: SseEvent): number | undefined {
    return id !== undefined && /^\d+$/.test(id) ? Number(id) : undefined;
}

/** Reads a frame out of an event that has data. */
export function frameOf(event: SseEvent, data: unknown): Frame {
    const seq = positionOf(event);
    switch (event.event) {
        case 'event': {
            const frame = data as EventFrame;
            return { type: 'event', seq, frame, known: isKnownSessionChange(frame.change) };
        }
        case 'team': {
            const frame = data as TeamFrame;
            return { type: 'team', seq, frame, known: isKnownTeamChange(frame.change) };
        }
        case 'cause': {
            const frame = data as CauseFrame;
            return { type: 'cause', seq, frame, known: isKnownCauseChange(frame.change) };
        }
        case 'item':
            return { type: 'item', seq, frame: data as ItemFrame };
        case 'live':
            return { type: 'live', seq, frame: data as LiveFrame };
        case 'thread':
            return { type: 'thread', seq, frame: data as ThreadFrame };
        default:
            return { type: 'unknown', seq, name: event.event, frame: data };
    }
}
