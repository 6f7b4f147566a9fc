import type { AddProvider, Provider } from '../../lib/wire';

/** Whether a provider can be used, as a mark and a word. */
export interface Ready {
    readonly tone: 'good' | 'ask' | 'bad' | 'off';
    readonly word: string;
}

const READY: Record<Provider['readiness'], Ready> = {
    ready: { tone: 'good', word: 'Ready' },
    no_login: { tone: 'ask', word: 'Not logged in' },
    unset: { tone: 'ask', word: 'Not set up' },
    missing: { tone: 'off', word: 'Not installed' },
    broken: { tone: 'bad', word: 'Not working' },
};

export function readyOf({ readiness }: Provider): Ready {
    // The daemon may be newer, and have another word.
    return Object.hasOwn(READY, readiness) ? READY[readiness] : { tone: 'off', word: readiness };
}

/** Says why it is the default, if it is. */
export function defaultOf(provider: Provider): string | undefined {
    if (!provider.default) return undefined;
    return provider.default_reason === 'configured' ? 'default (configured)' : 'default (first ready)';
}

/** Returns what a provider cannot do, in the words of `paseo providers`. */
export function missing({ capabilities: able }: Provider): string[] {
    const files = { image: 'images', pdf: 'PDF documents', text: 'text files' } as const;
    const modes = ['full', 'ask', 'read-only'] as const;
    const lacks: (string | false)[] = [
        !able.steer && 'steering',
        !able.resume && 'resume',
        !able.models && 'models',
        able.efforts.length === 0 && 'efforts',
        !able.mcp && 'MCP tools',
        !able.thinking && 'thinking',
        !able.cost && 'costs',
        !able.terminal && 'terminals',
        ...Object.entries(files).map(
            ([kind, words]) => !able.attachments?.some((taken) => taken === kind) && words,
        ),
        ...modes.map((mode) => !able.permissions.includes(mode) && `permission mode ${mode}`),
    ];
    return lacks.filter((words) => words !== false);
}

/** A known agent, whose ways an added one may have. */
export type Preset = NonNullable<AddProvider['preset']>;

/** What a person typed to add a provider. */
export interface Typed {
    name: string;
    program: string;
    /** One on each line, as they are. */
    argumentLines: string;
    preset: Preset | '';
    mode: string;
    asks: boolean;
    /** `NAME=VALUE` on each line. */
    variableLines: string;
}

export type Field = 'name' | 'program' | 'variables';

/** Something wrong, at a field or at the form as a whole. */
export interface Wrong {
    readonly field: Field | undefined;
    readonly why: string;
}

/** Reads what was typed. Whether it makes sense, the daemon says. */
export function read(typed: Typed): AddProvider | Wrong {
    const environment: Record<string, string> = {};
    for (const [at, line] of typed.variableLines.split('\n').entries()) {
        if (line.trim() === '') continue;
        const cut = line.indexOf('=');
        if (cut < 0) return { field: 'variables', why: `line ${at + 1}: expected NAME=VALUE` };
        environment[line.slice(0, cut).trim()] = line.slice(cut + 1);
    }
    return {
        name: typed.name.trim(),
        command: [typed.program.trim(), ...typed.argumentLines.split('\n').filter((line) => line !== '')],
        preset: typed.preset || null,
        mode: typed.mode.trim() || null,
        asks: typed.asks,
        environment,
    };
}

export function isWrong(read: AddProvider | Wrong): read is Wrong {
    return 'why' in read;
}

/** Finds the field that a refusal is about: the daemon quotes what it does not take. */
export function blamed(why: string, sent: AddProvider): Wrong {
    const quotes = (value: string | undefined) =>
        value !== undefined && value !== '' && why.includes(`\`${value}\``);
    const fields: Field[] = [];
    if (quotes(sent.name)) fields.push('name');
    if (quotes(sent.command[0])) fields.push('program');
    if (Object.keys(sent.environment ?? {}).some(quotes)) fields.push('variables');
    // Two fields with the same text: neither is blamed for the other.
    return { field: fields.length === 1 ? fields[0] : undefined, why };
}
