import type { Definition, DefinitionList, PendingDefinition } from '../../lib/wire';

type Project = NonNullable<DefinitionList['project']>;

export interface ReviewedFile {
    readonly file: string;
    /** How it differs from the trusted one, if that is known. */
    readonly change: string | undefined;
}

/** Returns the files of a project, and those that are gone. */
export function filesOf({ files, changes }: Project): ReviewedFile[] {
    const known = new Map((changes ?? []).map(({ file, change }) => [file, change]));
    const all = [...new Set([...files, ...known.keys()])].sort();
    return all.map((file) => ({ file, change: known.get(file) }));
}

export interface Waiting {
    readonly definition: Definition;
    /** How it differs from the one in effect. */
    readonly pending: PendingDefinition | undefined;
}

/** Returns the definitions of a project that are not trusted as they are now. */
export function toReview({ agents, pending }: DefinitionList): Waiting[] {
    return agents
        .filter(({ origin, trusted }) => origin === 'project' && !trusted)
        .map((definition) => ({
            definition,
            pending: pending?.find(({ origin, slug }) => origin === 'project' && slug === definition.slug),
        }));
}

/** Returns the definitions of a project that are in effect and have no file any more. */
export function goneOf({ pending }: DefinitionList): PendingDefinition[] {
    return (pending ?? []).filter(({ origin, change }) => origin === 'project' && change === 'removed');
}

/** Returns a text as a diff in which all of it is new. */
export function asNew(text: string): string {
    return text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => `+${line}`)
        .join('\n');
}
