import { visible } from '../lib/visible';
/** Where an entry of a to-do list stands. */
export type TodoStatus = 'pending' | 'in_progress' | 'completed' | 'cancelled';

/** One thing that an agent has set itself to do. */
export interface Todo {
    readonly content: string;
    readonly status: TodoStatus;
    /** It matters more than the others. */
    readonly high: boolean;
}

/** A list as it stood at a place in the log. */
export interface Plan {
    readonly todos: readonly Todo[];
    readonly seq: number;
}

export const NO_PLAN: Plan = { todos: [], seq: 0 };

/** Returns the later one of two: pages, answers and the stream may bring them in any order. */
export function later(known: Plan, found: Plan): Plan {
    return found.seq >= known.seq ? found : known;
}

/** Reads a list as text. */
export function parseTodos(text: string): Todo[] | undefined {
    try {
        return readTodos(JSON.parse(text));
    } catch {
        return undefined;
    }
}

/** Reads a list. Agents write theirs in several ways; what is no list at all is `undefined`. */
export function readTodos(value: unknown): Todo[] | undefined {
    const list = isObject(value) ? value['todos'] : value;
    if (!Array.isArray(list)) return undefined;
    return list.map(readTodo).filter((todo) => todo.content !== '');
}

/** How far a list is, in few words. */
export interface Progress {
    /** How much of it is done. What was cancelled does not count. */
    readonly count: string;
    /** What is being done, or comes next. */
    readonly now: string;
}

/** Sums a list up. */
export function progress(todos: readonly Todo[]): Progress {
    const kept = todos.filter((todo) => todo.status !== 'cancelled');
    const done = kept.filter((todo) => todo.status === 'completed').length;
    if (kept.length === 0) return { count: 'all canceled', now: '' };
    if (done === kept.length) return { count: done === 1 ? 'done' : `all ${done} done`, now: '' };
    const count = `${done} of ${kept.length}`;
    const current = kept.find((todo) => todo.status === 'in_progress');
    if (current) return { count, now: current.content };
    const next = kept.find((todo) => todo.status === 'pending');
    return { count, now: next ? `next: ${next.content}` : '' };
}

/** Words that harnesses have for a status. */
const WORDS: Record<TodoStatus | 'done' | 'canceled', TodoStatus> = {
    pending: 'pending',
    in_progress: 'in_progress',
    completed: 'completed',
    done: 'completed',
    cancelled: 'cancelled',
    canceled: 'cancelled',
};
const STATUSES = new Map<string, TodoStatus>(Object.entries(WORDS));

function readTodo(entry: unknown): Todo {
    const fields = isObject(entry) ? entry : { content: entry };
    const word = (...names: string[]) =>
        names.map((name) => fields[name]).find((value) => typeof value === 'string') ?? '';
    return {
        content: visible(word('content', 'text', 'title').trim()),
        status: STATUSES.get(word('status', 'state')) ?? 'pending',
        high: word('priority') === 'high',
    };
}

function isObject(value: unknown): value is Record<string, unknown> {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}
