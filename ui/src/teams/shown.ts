import type { Past, TeamState } from '../history/source';
import type { Task, Team, TeamThread } from '../lib/wire';
import type { Board } from './board.svelte';

/** A team with its tasks as a page shows them: as they are, which is a `Board`, or as they were. */
export interface ShownBoard {
    readonly id: string;
    readonly team: Team | undefined;
    readonly tasks: readonly Task[];
    readonly threads: readonly TeamThread[];
    /** The daemon's time, on which leases run. */
    readonly now: number;
    /** The team can be changed: it is the present, and the team is not closed. */
    readonly open: boolean;
    /** The present, with what is known only of it. */
    readonly live: Board | undefined;
    task(id: string | undefined): Task | undefined;
}

/** Returns a team as it was. Its leases are those of that moment, and nothing can be changed. */
export function boardOf({ moment, state: { team, tasks, threads } }: Past<TeamState>): ShownBoard {
    return {
        id: team.id,
        team,
        tasks,
        threads,
        now: Date.parse(moment),
        open: false,
        live: undefined,
        task: (id) => tasks.find((task) => task.id === id),
    };
}
