import { PaseoError } from '@paseo/client';
import { api } from '../lib/client';
import { whole } from '../lib/pages';
import type { Notice, Task, Team, TeamThread, Thread, ThreadEvent } from '../lib/wire';

/** Which state is meant: the one after an event, or the one at a moment. */
export type Point = { readonly version: number } | { readonly at: string };

/** A state of the past. */
export interface Past<State> {
    readonly version: number;
    /** When the newest event was. */
    readonly moment: string;
    /** What happened then, if it is something that people see. */
    readonly words: string | undefined;
    readonly state: State;
}

/** Something that happened. */
export interface Happening {
    readonly version: number;
    readonly moment: string;
    readonly words: string;
}

export interface HappeningPage {
    /** Oldest first. */
    readonly happenings: readonly Happening[];
    /** The version to read on after; `undefined` at the end. */
    readonly next: number | undefined;
}

/** Something whose past the daemon knows. */
export interface Source<State> {
    read(point: Point): Promise<Past<State>>;
    /** Returns what happened after a version. */
    after(version: number, limit: number): Promise<HappeningPage>;
}

export interface TeamState {
    readonly team: Team;
    readonly tasks: readonly Task[];
    readonly threads: readonly TeamThread[];
}

/**
 * The past of a team. `words` says what an entry of its audit trail is about; `present` returns the threads that it has now,
 * without those that were deleted.
 */
export function pastOfTeam(
    id: string,
    words: (notice: Notice) => string,
    present: () => readonly TeamThread[],
): Source<TeamState> {
    const path = { team: id };
    const after = async (version: number, limit: number): Promise<HappeningPage> => {
        const page = await api.get('/api/teams/{team}/audit', { path, query: { after: version, limit } });
        const happenings = page.notices.map((notice) => ({
            version: notice.cursor,
            moment: notice.ts,
            words: words(notice),
        }));
        return { happenings, next: page.next ?? undefined };
    };
    return {
        after,
        async read(point) {
            const answer = api.get('/api/teams/{team}', { path, query: point });
            const version = await versionOf(point, async () => (await answer).team.version);
            const pages = api.pages('/api/teams/{team}/tasks', { path, query: { version, limit: 500 } });
            const [{ team }, { tasks }, then, threads] = await Promise.all([
                answer,
                whole(pages, (page) => page.tasks),
                wordsAt(after, version),
                answer.then(({ team }) => threadsAt(present(), team.updated_at)),
            ]);
            return { version, moment: team.updated_at, words: then, state: { team, tasks, threads } };
        },
    };
}

/** Returns threads as they were at a moment, without those that came later. */
async function threadsAt(threads: readonly TeamThread[], moment: string): Promise<readonly TeamThread[]> {
    const there = threads.filter(({ created_at }) => created_at <= moment);
    const then = there.map(async (thread) => {
        if (thread.updated_at <= moment) return [thread];
        try {
            const path = { thread: thread.id };
            const past = await api.get('/api/threads/{thread}', { path, query: { at: moment } });
            return [past.thread];
        } catch (error) {
            // What was deleted meanwhile has no past.
            if (error instanceof PaseoError && error.status === 404) return [];
            throw error;
        }
    });
    return (await Promise.all(then)).flat();
}

/** The past of a thread, without its messages. `words` says what an event is about. */
export function pastOfThread(id: string, words: (event: ThreadEvent) => string): Source<Thread> {
    const path = { thread: id };
    const after = async (version: number, limit: number): Promise<HappeningPage> => {
        const page = await api.get('/api/threads/{thread}/events', {
            path,
            query: { after: version, limit },
        });
        const happenings = page.events.map((event) => ({
            version: event.version,
            moment: event.ts,
            words: words(event),
        }));
        return { happenings, next: page.next ?? undefined };
    };
    return {
        after,
        async read(point) {
            const answer = api.get('/api/threads/{thread}', { path, query: point });
            const version = await versionOf(point, async () => (await answer).thread.version);
            const [{ thread }, then] = await Promise.all([answer, wordsAt(after, version)]);
            return { version, moment: thread.updated_at, words: then, state: thread };
        },
    };
}

/**
 * Returns the version of a point. One that is a version is known at once, so that all of its state is read at the same
 * time; which one a moment is, the first answer says.
 */
async function versionOf(point: Point, answered: () => Promise<number>): Promise<number> {
    return 'version' in point ? point.version : answered();
}

/** Returns what an event was about. */
async function wordsAt(after: Source<unknown>['after'], version: number): Promise<string | undefined> {
    const { happenings } = await after(version - 1, 1);
    return happenings.find((happening) => happening.version === version)?.words;
}
