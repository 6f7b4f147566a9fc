import { unknown } from '../lib/never';
import { visibleLine } from '../lib/visible';
import { told } from '../inbox/ask';
import { field, type Decision, type Diff, type Item } from '../lib/wire';

/** One thing that a person sees in a transcript. */
export type Row =
    | { is: 'message'; key: string; item: Item }
    /** The agent went on by itself: a turn without a message. The request is that of the message before it, if that is known. */
    | { is: 'own'; key: string; item: Item; request: string | undefined }
    | { is: 'answer'; key: string; item: Item }
    | { is: 'thinking'; key: string; item: Item }
    /** Said in an attempt that broke off: no part of the answer. */
    | { is: 'broken'; key: string; item: Item }
    | {
          is: 'tool';
          key: string;
          item: Item;
          result: Item | undefined;
          /** A person has to allow it first. */
          waits: boolean;
      }
    | { is: 'orphan'; key: string; item: Item }
    | { is: 'ask'; key: string; item: Item; decision: Decision | undefined }
    | { is: 'todo'; key: string; item: Item }
    | { is: 'note'; key: string; item: Item }
    | { is: 'raw'; key: string; item: Item };

/** Puts calls and results, asks and decisions together, and leaves out what only machines read. */
export function rows(items: readonly Item[]): Row[] {
    const results = new Map<string, Item>();
    const calls = new Set<string>();
    const decisions = new Map<string, Decision>();
    const asks = new Set<string>();
    for (const item of items) {
        const call = field(item, 'call');
        const hash = field(item, 'hash');
        if (item.kind === 'tool_call' && call) calls.add(call);
        if (item.kind === 'tool_result' && call) results.set(call, item);
        if (item.kind === 'permission' && hash) {
            const decision = field(item, 'decision');
            if (decision) decisions.set(hash, decision);
            else asks.add(hash);
        }
    }
    const rows: Row[] = [];
    for (const item of items) {
        const row = rowOf(item, { results, calls, decisions, asks });
        if (row) rows.push(row);
    }
    markWaiting(rows);
    return withOwnTurns(rows, items);
}

/** Puts a line before each turn that no message began. The first turn may have its message above what is loaded. */
function withOwnTurns(rows: readonly Row[], items: readonly Item[]): Row[] {
    const told = new Set(items.filter(({ kind }) => kind === 'user_text').map(({ turn }) => turn));
    const seen = new Set<string>();
    let request: string | undefined;
    return rows.flatMap((row): Row[] => {
        const { turn } = row.item;
        const begins = turn && !seen.has(turn);
        const own = begins && seen.size > 0 && !told.has(turn);
        if (turn) seen.add(turn);
        if (row.is === 'message') request = field(row.item, 'delivery') ?? request;
        return own ? [{ is: 'own', key: `own ${turn}`, item: row.item, request }, row] : [row];
    });
}

/** Returns a word for the first and the last row: another one when either is another. */
export function edges(rows: readonly Row[]): string {
    return `${rows[0]?.key} ${rows.at(-1)?.key}`;
}

/** Returns the row of an item. Some items are part of a row before them. */
export function rowAt(rows: readonly Row[], ordinal: number): Row | undefined {
    return rows.findLast(({ item }) => item.ordinal <= ordinal) ?? rows[0];
}

/** Finds the call that each open ask is about: the last one before it by the same tool. */
function markWaiting(rows: Row[]): void {
    const open: Extract<Row, { is: 'tool' }>[] = [];
    for (const row of rows) {
        if (row.is === 'tool' && !row.result) open.push(row);
        if (row.is !== 'ask' || row.decision) continue;
        const { tool } = told(row.item.text ?? '');
        const about = open.findLast(
            (call) => !call.waits && call.item.turn === row.item.turn && field(call.item, 'name') === tool,
        );
        if (about) about.waits = true;
    }
}

/** Returns what a program wrote, without the sequences that colour it. */
export function uncoloured(text: string): string {
    return text.replace(/\u001b\[[0-9;:]*m/g, '');
}

interface Known {
    results: Map<string, Item>;
    calls: Set<string>;
    decisions: Map<string, Decision>;
    asks: Set<string>;
}

function rowOf(item: Item, known: Known): Row | undefined {
    const key = item.id;
    if (item.superseded) return item.text ? { is: 'broken', key, item } : undefined;
    switch (item.kind) {
        case 'user_text':
            return item.text === null ? undefined : { is: 'message', key, item };
        case 'assistant_text':
            return item.text ? { is: 'answer', key, item } : undefined;
        case 'thinking':
            return item.text ? { is: 'thinking', key, item } : undefined;
        case 'tool_call': {
            const call = field(item, 'call');
            if (!call) return undefined;
            return { is: 'tool', key, item, result: known.results.get(call), waits: false };
        }
        case 'tool_result': {
            const call = field(item, 'call');
            return call && !known.calls.has(call) ? { is: 'orphan', key, item } : undefined;
        }
        case 'permission': {
            const hash = field(item, 'hash');
            if (!hash || (field(item, 'decision') && known.asks.has(hash))) return undefined;
            return { is: 'ask', key, item, decision: known.decisions.get(hash) };
        }
        case 'todo':
            return item.text ? { is: 'todo', key, item } : undefined;
        case 'notice':
        case 'error':
            return item.text === null && !field(item, 'code') ? undefined : { is: 'note', key, item };
        case 'raw':
            return item.text ? { is: 'raw', key, item } : undefined;
        // Only machines read it.
        case 'usage':
            return undefined;
        default:
            return unknown(item, undefined);
    }
}

/** Returns the changes that a result brings. */
export function diffs(result: Item): Diff[] {
    return field(result, 'diffs') ?? [];
}

/** Returns what a person would want to see of a call's input: a command as it is typed, else JSON. */
export function inputText(call: Item): string {
    const text = call.text ?? '';
    try {
        const input: unknown = JSON.parse(text);
        if (typeof input !== 'object' || input === null) return text;
        const entries = Object.entries(input);
        const only = entries.length === 1 ? entries[0]?.[1] : undefined;
        if (typeof only === 'string') return only;
        return entries.length === 0 ? '' : JSON.stringify(input, null, 2);
    } catch {
        return text;
    }
}

/** Returns one line that says what a call is about. */
export function titleOf(call: Item): string {
    const first = inputText(call).split('\n')[0] ?? '';
    // The first line of an input with several fields says nothing.
    return visibleLine(field(call, 'title') || (first === '{' || first === '[' ? (call.text ?? '') : first));
}

/** Says why there is no output to show. Only a call that ended well is known to have printed nothing. */
export function withoutOutput(result: Item): string {
    const outcome = field(result, 'outcome') ?? 'ok';
    const failed = 'Failed. No output was recorded.';
    switch (outcome) {
        case 'ok':
            return 'No output.';
        case 'denied':
            return 'Not run.';
        case 'interrupted':
            return 'Interrupted. No output was recorded.';
        case 'error':
            return failed;
        default:
            return unknown(outcome, failed);
    }
}

/** Returns how a call ended, in a few words. */
export function outcomeText(result: Item): string {
    const outcome = field(result, 'outcome') ?? 'ok';
    const code = field(result, 'exit_code');
    const words =
        { ok: '', error: 'failed', denied: 'denied', interrupted: 'interrupted' }[outcome] ?? outcome;
    if (code !== undefined && code !== 0) return outcome === 'interrupted' ? words : `exit ${code}`;
    return words;
}
