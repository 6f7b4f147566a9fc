import type { CauseChange, SessionChange, TeamChange } from './wire.js';

// The compiler wants every word of the API here, and no other.
const OF_SESSIONS: Readonly<Record<SessionChange['type'], true>> = {
    created: true,
    closed: true,
    reopened: true,
    promoted: true,
    cleared: true,
    deleted: true,
    erased: true,
    hold_changed: true,
    process_ended: true,
    message_accepted: true,
    message_held: true,
    message_handing: true,
    message_handed: true,
    message_returned: true,
    message_cancelled: true,
    message_edited: true,
    message_moved: true,
    message_released: true,
    turn_started: true,
    turn_confirmed: true,
    turn_retried: true,
    turn_ended: true,
    answer_checked: true,
    answer_abandoned: true,
    permission_requested: true,
    permission_decided: true,
    updated: true,
};

const OF_TEAMS: Readonly<Record<TeamChange['type'], true>> = {
    created: true,
    closed: true,
    agent_enrolled: true,
    agent_left: true,
    worker_started: true,
    worker_ended: true,
    write_refused: true,
    thread_started: true,
    thread_linked: true,
    thread_posted: true,
    task_created: true,
    task_edited: true,
    task_claimed: true,
    task_renewed: true,
    task_expired: true,
    task_completed: true,
    task_failed: true,
    task_released: true,
    task_reassigned: true,
    task_canceled: true,
    task_retried: true,
    updated: true,
};

const OF_CAUSES: Readonly<Record<CauseChange['type'], true>> = {
    opened: true,
    posted: true,
    woken: true,
    spawned: true,
    stopped: true,
    updated: true,
};

/** Returns whether this client knows what happened to a session. The daemon may be newer than the client. */
export function isKnownSessionChange(change: SessionChange): boolean {
    return Object.hasOwn(OF_SESSIONS, change.type);
}

/** Returns whether this client knows what happened in a team. */
export function isKnownTeamChange(change: TeamChange): boolean {
    return Object.hasOwn(OF_TEAMS, change.type);
}

/** Returns whether this client knows what happened to a cause. */
export function isKnownCauseChange(change: CauseChange): boolean {
    return Object.hasOwn(OF_CAUSES, change.type);
}
