import { tokensOf } from '../lib/usage';
import { folderOf, type MapAgent, type MapView } from '../lib/wire';
import { visibleLine } from '../lib/visible';
import type { Node } from './layout';

/** A thread stands on the map beside the agents. */
export const THREADS = 'threads';

/** Something that a line connects to something else. */
export interface Edge {
    readonly key: string;
    readonly from: string;
    readonly to: string;
    readonly kind: 'talk' | 'spawn' | 'wait';
    /** Messages, by which a line is as thick as it is. */
    readonly count: number;
    readonly last: string | undefined;
}

/** What people call an agent. */
export function nameOf({ name, project, handle }: MapAgent): string {
    return visibleLine(name ?? '') || `${folderOf(project)} ${handle}`;
}

/** Returns everything that has a place, in the order of the daemon. */
export function nodesOf({ agents, threads }: MapView): Node[] {
    return [
        ...agents.map(({ session, project, parent }) => ({
            id: session,
            cluster: project,
            parent: parent ?? undefined,
        })),
        ...threads.map(({ thread }) => ({ id: thread, cluster: THREADS })),
    ];
}

/** Returns the lines, those on top last. */
export function edgesOf({ links, threads, waits }: MapView): Edge[] {
    const edges: Edge[] = [];
    for (const { from, to, messages, answers, spawns, last_at } of links) {
        const last = last_at;
        if (spawns > 0)
            edges.push({ key: `spawn ${from} ${to}`, from, to, kind: 'spawn', count: spawns, last });
        const count = messages + answers;
        if (count > 0) edges.push({ key: `talk ${from} ${to}`, from, to, kind: 'talk', count, last });
    }
    for (const { thread, participants } of threads)
        for (const { session, posts, wakes, last_at } of participants) {
            const last = last_at;
            if (posts > 0)
                edges.push({
                    key: `post ${session} ${thread}`,
                    from: session,
                    to: thread,
                    kind: 'talk',
                    count: posts,
                    last,
                });
            if (wakes > 0)
                edges.push({
                    key: `wake ${thread} ${session}`,
                    from: thread,
                    to: session,
                    kind: 'talk',
                    count: wakes,
                    last,
                });
        }
    for (const { from, to } of waits)
        edges.push({ key: `wait ${from} ${to}`, from, to, kind: 'wait', count: 1, last: undefined });
    return edges;
}

/** Says whether a line begins or ends at something. */
export function isAt({ from, to }: Edge, id: string | undefined): boolean {
    return id !== undefined && (from === id || to === id);
}

/** Returns what something has lines to, itself too. */
export function linkedWith(edges: readonly Edge[], id: string | undefined): ReadonlySet<string> {
    return new Set(edges.filter((edge) => isAt(edge, id)).flatMap(({ from, to }) => [from, to]));
}

/** Returns what is known of an agent in a few characters each, the most important first. */
export function factsOf({ handle, name, queued, wakes, usage }: MapAgent, status: string): string[] {
    return [
        // Without a name, the handle stands in place of it.
        name ? handle : '',
        status,
        queued > 0 ? `${queued} queued` : '',
        wakes > 0 ? counted(wakes, 'wake') : '',
        tokensOf(usage).replace(' tokens', ' tok'),
    ].filter(Boolean);
}

/** Returns what an agent has to do with others, in words: for lists and for those who do not see lines. */
export function wordsOf(view: MapView, agent: MapAgent): string[] {
    const handles = new Map(view.agents.map(({ session, handle }) => [session, handle]));
    const of = (session: string) => handles.get(session) ?? session.slice(0, 8);
    const words: string[] = [];
    const waits = view.waits.filter(({ from }) => from === agent.session).map(({ to }) => of(to));
    if (waits.length > 0) words.push(`waits for ${waits.join(', ')}`);
    if (agent.parent) words.push(`started by ${of(agent.parent)}`);
    for (const { from, to, messages, answers } of view.links)
        if (from === agent.session && messages + answers > 0)
            words.push(`${counted(messages + answers, 'message')} to ${of(to)}`);
    for (const { name, participants } of view.threads)
        for (const { session, posts } of participants)
            if (session === agent.session && posts > 0)
                words.push(`${counted(posts, 'post')} in ${visibleLine(name ?? '') || 'a deleted thread'}`);
    return words;
}

export function counted(count: number, what: string): string {
    return `${count} ${what}${count === 1 ? '' : 's'}`;
}
