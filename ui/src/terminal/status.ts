import { visibleLine } from '../lib/visible';
import type { Holder, TerminalState } from './protocol';

export interface Standing {
    readonly phase: 'opening' | 'live' | 'lost' | 'over';
    readonly holds: boolean;
    readonly heldByOther: Holder | null;
    readonly stalled: boolean;
    readonly state: TerminalState | undefined;
}

/** Says how it stands with a terminal, in a few words. */
export function standing({ phase, holds, heldByOther, stalled, state }: Standing): string {
    if (phase === 'over') return 'Closed';
    if (phase === 'lost') return 'Reconnecting…';
    if (phase === 'opening') return 'Connecting…';
    if (stalled) return 'tmux does not answer';
    if (holds) return 'You have the keyboard';
    if (heldByOther) return `${visibleLine(heldByOther.name)} has the keyboard`;
    if (state && !state.alive) return ended(state);
    return state?.scrolled ? 'Watching; a person scrolls in it' : 'Watching';
}

function ended({ exit, signal }: TerminalState): string {
    if (exit !== null) return `Program exited with code ${exit}`;
    return signal !== null ? `Program killed by signal ${signal}` : 'Program ended';
}
