import type { Agent } from './wire';

type Mode = Agent['permissions'];

interface ModeWords {
    /** As a fact about an agent. */
    readonly fact: string;
    /** As a choice, with what it means. */
    readonly choice: string;
    readonly meaning: string;
}

/** The words for each permission mode, wherever people read it or choose it. */
const MODES: Record<Mode, ModeWords> = {
    full: { fact: 'full access', choice: 'Full access', meaning: 'Never asks for permission' },
    ask: { fact: 'asks first', choice: 'Ask first', meaning: 'Asks before changes and commands' },
    'read-only': { fact: 'read-only', choice: 'Read-only', meaning: 'Reads files, changes nothing' },
};

/** What the choice of a mode is about. */
export const MODE_LEGEND = 'What it may do without a permission request';

/** The modes as a choice of one. */
export const MODE_CHOICES = Object.entries(MODES).map(
    ([mode, { choice, meaning }]) => [mode, choice, meaning] as const,
);

/** Returns a mode in a few words; one that only a newer daemon knows, as it stands. */
export function modeWord(mode: Mode): string {
    return MODES[mode]?.fact ?? mode;
}
