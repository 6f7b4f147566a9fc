import { visibleLine } from '../lib/visible';
import type { Agent } from '../lib/wire';

/**
 * What a row can tell beyond the fields that every daemon sends. A daemon that does not know a field leaves it out, and
 * the row does not show it.
 */
export interface Extras {
    /** How its definition looks. */
    readonly icon?: string;
    readonly color?: string;
    /** Something happened since a person looked. */
    readonly unread: boolean;
    /** The newest text, in one line. */
    readonly snippet?: string;
    /** What it does right now. */
    readonly step?: string;
    readonly todo?: { readonly done: number; readonly total: number };
}

/** The fields that only lists and answers have: an event of the stream does not tell them. */
const LISTED = ['icon', 'color', 'unread', 'last_snippet', 'step', 'todo_done', 'todo_total'] as const;

export function extrasOf(agent: object): Extras {
    const fields = agent as Record<string, unknown>;
    const text = (name: string) => {
        const value = fields[name];
        return typeof value === 'string' && value.trim() !== '' ? visibleLine(value) : undefined;
    };
    const icon = text('icon');
    const color = text('color');
    const snippet = text('last_snippet');
    const step = text('step');
    const [done, total] = [fields['todo_done'], fields['todo_total']];
    const counted = typeof done === 'number' && typeof total === 'number' && total > 0;
    return {
        unread: fields['unread'] === true,
        ...(icon !== undefined && { icon }),
        ...(color !== undefined && { color }),
        ...(snippet !== undefined && { snippet }),
        ...(step !== undefined && { step }),
        ...(counted && { todo: { done, total } }),
    };
}

/** Returns those fields that only lists and answers have. */
export function listedOf(view: Agent): Partial<Agent> {
    const fields = view as unknown as Record<string, unknown>;
    return Object.fromEntries(
        LISTED.filter((name) => name in fields).map((name) => [name, fields[name]]),
    ) as Partial<Agent>;
}

/** Takes over what an event did not tell from what was known before. */
export function withListed(view: Agent, before: Agent | undefined): Agent {
    return before ? { ...listedOf(before), ...view } : view;
}
