import type { Agent } from './wire';

export type Shortcut = 'next' | 'previous' | 'write' | 'definitions' | 'back' | 'help';

const SHORTCUTS: Record<string, Shortcut> = {
    j: 'next',
    k: 'previous',
    '/': 'write',
    d: 'definitions',
    Escape: 'back',
    '?': 'help',
};

/** Returns what a key asks for. Keys typed into a field, or while a dialog is open, ask for nothing. */
export function shortcut(event: KeyboardEvent): Shortcut | undefined {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const target = event.target;
    if (target instanceof HTMLElement && target.closest('textarea, input, select')) return undefined;
    // The dialog itself is asked: its `close` event comes a moment after it closed, when the next key may be there.
    if (document.querySelector('dialog[open]')) return undefined;
    return SHORTCUTS[event.key];
}

/** Returns the agent that stands a step away from the chosen one; the first when none is chosen. */
export function neighbour(
    list: readonly Agent[],
    chosen: string | undefined,
    step: 1 | -1,
): Agent | undefined {
    const at = list.findIndex((agent) => agent.id === chosen);
    return at < 0 ? list[0] : list[at + step];
}
