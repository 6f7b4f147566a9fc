import { shownName, type Agent } from '../lib/wire';
import type { Placed } from './family';

/** What a person looks for in the list. */
export interface Filter {
    readonly text: string;
    /** `key=value`; an agent has to have all of them. */
    readonly labels: readonly string[];
}

export interface Found {
    readonly placed: readonly Placed[];
    /** How many fit; the others are there because one below them does. */
    readonly matches: number;
}

/** A label, and how many agents have it. */
export interface LabelCount {
    readonly label: string;
    readonly count: number;
}

/**
 * Keeps the agents that fit, and those above them. Like in the daemon's list, a label counts for all that descend from
 * the agent that has it.
 */
export function filtered(placed: readonly Placed[], { text, labels }: Filter): Found {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0 && labels.length === 0) return { placed, matches: placed.length };
    const kept = new Set<Placed>();
    let matches = 0;
    /** The row, and those above it; and whether one of them has the labels. */
    const line: { row: Placed; labelled: boolean }[] = [];
    for (const row of placed) {
        line.length = row.rails.length;
        const labelled = (line.at(-1)?.labelled ?? false) || hasLabels(row.agent, labels);
        line.push({ row, labelled });
        if (!labelled || !hasWords(row.agent, words)) continue;
        matches += 1;
        for (const above of line) kept.add(above.row);
    }
    return { placed: railed(placed.filter((row) => kept.has(row))), matches };
}

/** Returns the labels of agents and how many have each, by name. `ui` is what the list itself is about. */
export function labelCounts(placed: readonly Placed[]): LabelCount[] {
    const counts = new Map<string, number>();
    for (const { agent } of placed)
        for (const label of labelsOf(agent)) counts.set(label, (counts.get(label) ?? 0) + 1);
    return [...counts]
        .map(([label, count]) => ({ label, count }))
        .sort((a, b) => a.label.localeCompare(b.label));
}

/** Returns the labels that have a button of their own: the most frequent, by name, and all that are chosen. */
export function prominent(
    counts: readonly LabelCount[],
    chosen: readonly string[],
    most: number,
): LabelCount[] {
    const frequent = [...counts].sort((a, b) => b.count - a.count).slice(0, most);
    const shown = counts.filter((each) => frequent.includes(each) || chosen.includes(each.label));
    // The last agent that had it may be gone: the filter can still be taken away.
    const gone = chosen.filter((label) => !counts.some((each) => each.label === label));
    return [...shown, ...gone.map((label) => ({ label, count: 0 }))];
}

/** Returns the keys of labels by which the list can be divided. */
export function labelKeys(placed: readonly Placed[]): string[] {
    const keys = new Set(placed.flatMap(({ agent }) => Object.keys(agent.labels)));
    keys.delete('ui');
    return [...keys].sort((a, b) => a.localeCompare(b));
}

/** Returns the labels of an agent that say something about it, as `key=value`. */
export function labelsOf(agent: Agent): string[] {
    return Object.entries(agent.labels)
        .filter(([key]) => key !== 'ui')
        .map(([key, value]) => `${key}=${value}`)
        .sort((a, b) => a.localeCompare(b));
}

function hasLabels(agent: Agent, labels: readonly string[]): boolean {
    return labels.every((label) => {
        const [key = '', value = ''] = split(label);
        return Object.hasOwn(agent.labels, key) && agent.labels[key] === value;
    });
}

/** Only the first equals sign divides key and value. */
function split(label: string): [string, string] {
    const at = label.indexOf('=');
    return [label.slice(0, at), label.slice(at + 1)];
}

function hasWords(agent: Agent, words: readonly string[]): boolean {
    if (words.length === 0) return true;
    const about = [shownName(agent), agent.title, agent.handle, agent.agent, agent.project, agent.provider];
    const text = [...about, ...labelsOf(agent)].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
}

/** Draws the lines from parents to children again, after some rows have gone. */
function railed(rows: readonly Placed[]): Placed[] {
    const result: Placed[] = [];
    /** For each generation: whether another one of it follows. */
    let follows: boolean[] = [];
    let below = 0;
    for (const { agent, rails } of rows.toReversed()) {
        const depth = rails.length;
        const own = Array.from({ length: depth }, (_, at) => follows[at + 1] ?? false);
        result.push({ agent, rails: own, isParent: below > depth });
        follows = follows.slice(0, depth);
        follows[depth] = true;
        below = depth;
    }
    return result.reverse();
}
