import { visibleLine } from '../lib/visible';
import { field } from '../lib/wire';
import { delegates } from './delegation';
import type { Row } from './rows';

export type ToolRow = Extract<Row, { is: 'tool' }>;

/** Consecutive calls that went well, shown as one line. */
export interface Run {
    is: 'run';
    key: string;
    /** At least two calls, and the thoughts and decided requests between and after them. */
    rows: readonly Row[];
}

/** What stands in a transcript, one below the other. */
export type Entry = Row | Run;

/** Says whether that is what an agent does for a message: it stands close to what it did before. */
export function isWork(entry: Entry | undefined): boolean {
    return entry?.is === 'tool' || entry?.is === 'run';
}

/** Fewer calls are a line each. */
const FEWEST = 2;

/**
 * Puts calls that went well together. Whatever else there is stands for itself and separates two runs: words, work
 * that was handed to another agent, a call that failed or still runs, and `kept` calls, of which the reader sees the details.
 *
 * A call joins the run above it and nothing else changes, so that no other row moves.
 */
export function grouped(rows: readonly Row[], kept: (key: string) => boolean): Entry[] {
    const entries: Entry[] = [];
    let run: Row[] = [];
    const end = () => {
        const first = run[0];
        if (first && run.filter((row) => row.is === 'tool').length >= FEWEST)
            entries.push({ is: 'run', key: first.key, rows: run });
        else entries.push(...run);
        run = [];
    };
    for (const row of rows) {
        const joins = row.is === 'tool' ? folds(row) && !kept(row.key) : run.length > 0 && isBetween(row);
        if (!joins) end();
        if (joins) run.push(row);
        else entries.push(row);
    }
    end();
    return entries;
}

/** It is over, and went well. Work that was handed to another agent is a card. */
function folds(row: ToolRow): boolean {
    return (
        row.result !== undefined && (field(row.result, 'outcome') ?? 'ok') === 'ok' && !delegates(row.item)
    );
}

function isBetween(row: Row): boolean {
    return row.is === 'thinking' || (row.is === 'ask' && row.decision !== undefined);
}

/** Returns the row that shows an item: its own, that of its call, or the last one before it. */
export function rowAt(rows: readonly Row[], ordinal: number): Row | undefined {
    const shows = (row: Row) =>
        (row.is !== 'own' && row.item.ordinal === ordinal) ||
        (row.is === 'tool' && row.result?.ordinal === ordinal);
    return rows.find(shows) ?? rows.findLast((row) => row.item.ordinal <= ordinal) ?? rows[0];
}

const CLASSES = ['read', 'search', 'fetch', 'edit', 'execute'] as const;

/** Returns what a run did, in a line: `Read 4 files, edited 2, ran 3 commands`. */
export function summary(run: Run): string {
    const calls = run.rows.filter((row) => row.is === 'tool');
    const of = (wanted: string) => calls.filter((row) => classOf(row) === wanted);
    const parts = CLASSES.flatMap((name) => {
        const members = of(name);
        return members.length > 0 ? [words(name, members)] : [];
    });
    const others = of('other');
    if (others.length > 0) parts.push(`called ${tools(others)}`);
    // The second number of files needs no noun.
    const [read, edited] = [of('read').length > 0, parts.findIndex((part) => part.startsWith('edited'))];
    if (read && edited > 0) parts[edited] = parts[edited]!.replace(/ files?$/, '');
    const line = parts.join(', ');
    return line.charAt(0).toUpperCase() + line.slice(1);
}

/** Returns how long the calls took, in milliseconds. */
export function took(run: Run): number {
    return run.rows
        .map((row) => (row.is === 'tool' && row.result ? (field(row.result, 'duration_ms') ?? 0) : 0))
        .reduce((sum, each) => sum + each, 0);
}

function classOf(row: ToolRow): string {
    const name: string = field(row.item, 'class') ?? '';
    return (CLASSES as readonly string[]).includes(name) ? name : 'other';
}

function words(name: (typeof CLASSES)[number], calls: readonly ToolRow[]): string {
    switch (name) {
        case 'read':
            return `read ${counted(files(calls), 'file')}`;
        case 'edit':
            return `edited ${counted(files(calls), 'file')}`;
        case 'execute':
            return `ran ${counted(calls.length, 'command')}`;
        case 'search':
            return calls.length === 1 ? 'searched once' : `searched ${calls.length} times`;
        case 'fetch':
            return `fetched ${counted(calls.length, 'page')}`;
    }
}

/** Returns how many files calls are about; one that says nothing about it is about one of its own. */
function files(calls: readonly ToolRow[]): number {
    const named = new Set<string>();
    let unnamed = 0;
    for (const { item } of calls) {
        const paths = field(item, 'locations') ?? [];
        if (paths.length === 0) unnamed += 1;
        for (const path of paths) named.add(path);
    }
    return named.size + unnamed;
}

/** Returns the names of one or two tools, or how many there are. */
function tools(calls: readonly ToolRow[]): string {
    const names = [...new Set(calls.map(({ item }) => visibleLine(field(item, 'name') ?? 'tool')))];
    return names.length <= 2 ? names.join(' and ') : `${names.length} other tools`;
}

function counted(number: number, noun: string): string {
    return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
