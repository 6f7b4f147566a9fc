import type { EventFrame, TeamFrame } from '../lib/wire';

/** What pages hear of, beside the agent that is open. */

/** Hears that something happened: to a session, or something that only reading again tells. */
export type Listener = (frame?: EventFrame) => void;

/** A team that a page shows. */
export interface TeamFollower {
    readonly id: string;
    take(frame: TeamFrame): void;
    /** Reads everything again. */
    read(): void;
}
