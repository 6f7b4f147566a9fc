import { lasting, USUAL, type Options } from './options';

const VERSION = 1;
/** Most projects whose last choice is kept. */
export const MOST_PROJECTS = 30;

/** What this browser keeps about new agents: the choices for the one being written, and the last ones in each project. */
export interface Remembered {
    readonly directory: string;
    readonly options: Options;
    /** The newest last. */
    readonly projects: readonly (readonly [directory: string, options: Options])[];
}

export const NOTHING: Remembered = { directory: '', options: USUAL, projects: [] };

export function written(remembered: Remembered): string {
    return JSON.stringify({ version: VERSION, ...remembered });
}

/** Reads what was kept. What is not exactly as it was written is left out. */
export function read(text: string | null): Remembered {
    try {
        const kept = JSON.parse(text ?? '') as Record<string, unknown>;
        if (kept['version'] !== VERSION) return NOTHING;
        const projects = Array.isArray(kept['projects']) ? kept['projects'] : [];
        return {
            directory: word(kept['directory']),
            options: optionsOf(kept['options']),
            projects: projects.flatMap((entry: unknown): (readonly [string, Options])[] =>
                Array.isArray(entry) && typeof entry[0] === 'string'
                    ? [[entry[0], lasting(optionsOf(entry[1]))]]
                    : [],
            ),
        };
    } catch {
        return NOTHING;
    }
}

/** Returns the prompt that an earlier version kept here; now it is a draft. */
export function formerPrompt(text: string | null): string {
    try {
        return word((JSON.parse(text ?? '') as Record<string, unknown>)['prompt']);
    } catch {
        return '';
    }
}

/** Notes what was chosen in a project, in place of what was chosen there before. */
export function noted(
    projects: Remembered['projects'],
    directory: string,
    options: Options,
): Remembered['projects'] {
    const others = projects.filter(([path]) => path !== directory);
    return [...others, [directory, lasting(options)] as const].slice(-MOST_PROJECTS);
}

/** Returns what was chosen in a project the last time. */
export function lastChoice(projects: Remembered['projects'], directory: string): Options | undefined {
    return projects.find(([path]) => path === directory)?.[1];
}

const WORDS: { readonly [Key in keyof Options]?: readonly string[] } = {
    permissions: ['', 'full', 'ask', 'read-only'],
    worktree: ['', 'own', 'in-place'],
    teamRole: ['', 'worker', 'leader'],
    guard: ['', 'lease'],
};

function optionsOf(value: unknown): Options {
    if (typeof value !== 'object' || value === null) return USUAL;
    const given = value as Record<string, unknown>;
    const known = (Object.keys(USUAL) as (keyof Options)[]).flatMap((key): [string, string][] => {
        const found = given[key];
        return typeof found === 'string' && (WORDS[key]?.includes(found) ?? true) ? [[key, found]] : [];
    });
    return { ...USUAL, ...Object.fromEntries(known) };
}

function word(value: unknown): string {
    return typeof value === 'string' ? value : '';
}
