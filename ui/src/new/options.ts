import type { NewSession } from '../lib/wire';

/** What a person can choose for a new agent; empty means that the definition or the daemon decides. */
export interface Options {
    readonly agent: string;
    readonly provider: string;
    readonly model: string;
    readonly effort: string;
    readonly permissions: '' | 'full' | 'ask' | 'read-only';
    readonly worktree: '' | 'own' | 'in-place';
    readonly worktreeName: string;
    readonly base: string;
    readonly team: string;
    readonly teamAgent: string;
    readonly teamRole: '' | 'worker' | 'leader';
    readonly guard: '' | 'lease';
    /** `key=value`, separated by spaces. */
    readonly labels: string;
    readonly name: string;
    readonly cwd: string;
    /** JSON. */
    readonly schema: string;
}

export const USUAL: Options = {
    agent: '',
    provider: '',
    model: '',
    effort: '',
    permissions: '',
    worktree: '',
    worktreeName: '',
    base: '',
    team: '',
    teamAgent: '',
    teamRole: '',
    guard: '',
    labels: '',
    name: '',
    cwd: '',
    schema: '',
};

/** What is about one task rather than about a project: not offered again. */
const ONCE = ['worktreeName', 'base', 'teamAgent', 'name', 'cwd', 'schema'] as const;

/** Returns the choices that the next agent of the same project begins with. */
export function lasting(options: Options): Options {
    const usual = Object.fromEntries(ONCE.map((key) => [key, USUAL[key]]));
    return { ...options, ...usual };
}

/** A part of the form at which a problem can be shown. */
export type Field = keyof Options | 'prompt' | 'directory';
export type Problems = Partial<Record<Field, string>>;

/** Everything that is needed to start an agent. */
export interface Wanted {
    readonly prompt: string;
    readonly directory: string;
    readonly options: Options;
    /** Ids of uploaded files. */
    readonly attachments: readonly string[];
}

/** Returns what cannot be sent as it was typed. What may be sent and still be refused, the daemon says. */
export function problemsOf({ directory, options }: Wanted): Problems {
    const problems: Problems = {};
    // Before anything is typed, nothing is wrong.
    if (directory !== '' && !directory.startsWith('/'))
        problems.directory = 'Give an absolute path, such as /home/me/project.';
    if (options.cwd && !options.cwd.startsWith('/')) problems.cwd = 'Give an absolute path.';
    const odd = words(options.labels).find((word) => !/^[^=]+=/.test(word));
    if (odd !== undefined) problems.labels = `“${odd}” is not a label. Write key=value, separated by spaces.`;
    if (options.schema.trim() !== '' && schemaOf(options.schema) === undefined)
        problems.schema = 'Give a JSON Schema: an object, true or false.';
    return problems;
}

/** Returns the request that starts the agent. It is shown in the web app, which started it. */
export function requestOf({ prompt, directory, options, attachments }: Wanted): NewSession {
    const { agent, provider, model, effort, permissions, worktree, worktreeName, base } = options;
    const { team, teamAgent, teamRole, guard, name, cwd, schema } = options;
    const given: NewSession = { directory, labels: { ...labelsOf(options.labels), ui: 'true' } };
    if (prompt.trim() !== '') given.prompt = prompt;
    if (attachments.length > 0) given.attachments = [...attachments];
    if (agent) given.agent = agent;
    if (provider) given.provider = provider;
    if (model.trim()) given.model = model.trim();
    if (effort) given.effort = effort;
    if (permissions) given.permissions = permissions;
    if (worktree) given.worktree = worktree === 'own';
    if (worktree !== 'in-place') {
        if (worktreeName.trim()) given.worktree_name = worktreeName.trim();
        if (base.trim()) given.base = base.trim();
    }
    if (team) {
        given.team = team;
        if (teamAgent.trim()) given.team_agent = teamAgent.trim();
        if (teamRole) given.team_role = teamRole;
        if (guard) given.guard = guard;
    }
    if (name.trim()) given.name = name.trim();
    if (cwd) given.cwd = cwd;
    const document = schemaOf(schema);
    if (document !== undefined) given.output_schema = document;
    return given;
}

/**
 * Returns the field that a refusal is about: the one whose value it quotes. The daemon says in words what is wrong, and
 * does not name fields of this form.
 */
export function fieldOf(message: string, code: string, { directory, options }: Wanted): Field | undefined {
    if (code === 'attachment_refused') return 'prompt';
    const values: [Field, string][] = [
        ...(Object.entries(options) as [keyof Options, string][]).filter(([key]) => key !== 'schema'),
        ['directory', directory],
    ];
    const named = values
        .filter(([, value]) => value.trim() !== '' && quotes(message, value.trim()))
        // A path that contains another one is the more exact match.
        .sort(([, one], [, other]) => other.length - one.length);
    if (named[0]) return named[0][0];
    if (code === 'provider_unavailable') return 'provider';
    return /output schema/i.test(message) && options.schema ? 'schema' : undefined;
}

/** Says whether a message has a value as a word of its own. */
function quotes(message: string, value: string): boolean {
    for (let at = message.indexOf(value); at >= 0; at = message.indexOf(value, at + 1)) {
        const around = [message[at - 1] ?? ' ', message[at + value.length] ?? ' '];
        if (around.every((character) => !/[\p{L}\p{N}_/-]/u.test(character))) return true;
    }
    return false;
}

/** Reads `key=value` words. */
export function labelsOf(text: string): Record<string, string> {
    return Object.fromEntries(
        words(text).flatMap((word) => {
            const at = word.indexOf('=');
            return at > 0 ? [[word.slice(0, at), word.slice(at + 1)]] : [];
        }),
    );
}

function words(text: string): string[] {
    return text.split(/\s+/).filter(Boolean);
}

function schemaOf(text: string): NonNullable<NewSession['output_schema']> | undefined {
    try {
        const value = JSON.parse(text) as unknown;
        if (typeof value === 'boolean') return value;
        if (typeof value === 'object' && value !== null && !Array.isArray(value))
            return value as Record<string, never>;
    } catch {
        // Said where it is typed.
    }
    return undefined;
}
