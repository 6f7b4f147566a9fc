import type { EventFrame } from './wire';

/** Kinds of events after which the daemon may call other agents by other handles. */
const MOVING = new Set(['session.created', 'session.reopened', 'session.closed', 'session.deleted']);
/** No handle is shorter. */
const SHORTEST = 4;

/** Says whether an event may have changed the handles of other agents than its own. */
export function movesHandles(frame: EventFrame): boolean {
    return MOVING.has(frame.kind);
}

/** Says whether two agents are alike enough for the handle of one to depend on the other. Which it is, the daemon says. */
export function isAlike(one: string, other: string): boolean {
    return one !== other && one.slice(0, SHORTEST) === other.slice(0, SHORTEST);
}
