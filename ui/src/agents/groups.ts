import { visibleLine } from '../lib/visible';
import { folderOf, type Agent } from '../lib/wire';
import type { Placed } from './family';
import { labelKey, type Grouping } from './options';

/** Agents under one heading. */
export interface Group {
    /** Unlike the key of any other group, of this and other groupings. */
    readonly key: string;
    readonly title: string;
    /** What the title leaves out. */
    readonly hint?: string;
    readonly rows: readonly Row[];
}

export interface Row extends Placed {
    /** It has left the list, which keeps its place until nothing is pointed at. */
    readonly gone?: true;
}

interface Heading {
    readonly key: string;
    readonly title: string;
    readonly hint?: string;
    /** Where the group is among the others; those with the same rank are in the order of their titles. */
    readonly rank: number;
}

/** Where work is wanted comes first, and what is over last. */
const STATUSES = [
    ['ask', 'Asks you'],
    ['working', 'Working'],
    ['error', 'Failed'],
    ['interrupted', 'Interrupted'],
    ['idle', 'Idle'],
    ['closed', 'Closed'],
] as const;

/** Divides the list. A family is in the group of its first agent, and among those who ask if one of it does. */
export function grouped(placed: readonly Placed[], by: Grouping): Group[] {
    const groups = new Map<string, { heading: Heading; rows: Placed[] }>();
    for (const family of families(placed)) {
        const heading = headingOf(family, by);
        const group = groups.get(heading.key);
        if (group) group.rows.push(...family);
        else groups.set(heading.key, { heading, rows: [...family] });
    }
    const ordered = [...groups.values()].sort(
        (a, b) =>
            a.heading.rank - b.heading.rank ||
            a.heading.title.localeCompare(b.heading.title) ||
            a.heading.key.localeCompare(b.heading.key),
    );
    const shared = twice(ordered.map(({ heading }) => heading.title));
    return ordered.map(({ heading: { key, title, hint }, rows }) => ({
        key,
        // Two folders of the same name are told apart by where they are.
        title: hint && shared.has(title) ? ending(hint) : title,
        ...(hint && { hint }),
        rows,
    }));
}

function families(placed: readonly Placed[]): Placed[][] {
    const result: Placed[][] = [];
    for (const row of placed) {
        if (row.rails.length === 0) result.push([]);
        result.at(-1)?.push(row);
    }
    return result;
}

function headingOf(family: readonly Placed[], by: Grouping): Heading {
    const agent = family[0]!.agent;
    const label = labelKey(by);
    if (label !== undefined) {
        const value = Object.hasOwn(agent.labels, label) ? agent.labels[label] : undefined;
        return value === undefined
            ? { key: `${by}:`, title: `Without ${visibleLine(label)}`, rank: 1 }
            : { key: `${by}:=${value}`, title: visibleLine(`${label}=${value}`), rank: 0 };
    }
    if (by === 'status') return statusHeading(family);
    if (by === 'definition')
        return agent.agent === 'default'
            ? { key: 'definition:default', title: 'No definition', rank: 1 }
            : { key: `definition:${agent.agent}`, title: visibleLine(agent.agent), rank: 0 };
    const { project } = agent;
    return {
        key: `project:${project}`,
        title: folderOf(project) || visibleLine(project),
        hint: project,
        rank: 0,
    };
}

function statusHeading(family: readonly Placed[]): Heading {
    const word = family.some(({ agent }) => agent.ask) ? 'ask' : stateOf(family[0]!.agent);
    const rank = STATUSES.findIndex(([state]) => state === word);
    // A newer daemon may know a word that is not here.
    const [, title] = STATUSES[rank] ?? [word, word];
    return { key: `status:${word}`, title, rank: rank < 0 ? STATUSES.length : rank };
}

function stateOf({ status }: Agent): string {
    return status === 'starting' || status === 'running' || status === 'waiting' ? 'working' : status;
}

function twice(titles: readonly string[]): Set<string> {
    return new Set(titles.filter((title, at) => titles.indexOf(title) !== at));
}

/** Returns the last two parts of a path. */
function ending(path: string): string {
    return path.split('/').filter(Boolean).slice(-2).map(visibleLine).join('/');
}
