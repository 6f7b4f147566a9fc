import type { DefinitionSource } from '../../lib/wire';

/** A definition that a person looks at, and perhaps changes. */
export interface Draft {
    /** What the file held when the person began. */
    readonly base: DefinitionSource;
    readonly text: string;
    /** Current content of the file, where that is neither what the person began with nor what they wrote. */
    readonly found?: DefinitionSource;
}

/** Lines end as the browser has them in a field. */
export function lines(text: string | null | undefined): string {
    return (text ?? '').replace(/\r\n?/g, '\n');
}

export function isUnsaved(draft: Draft): boolean {
    return draft.text !== lines(draft.base.text);
}

/** Takes in what the file holds now. What a person has typed is never replaced by it. */
export function take(draft: Draft | undefined, source: DefinitionSource): Draft {
    const opened = { base: source, text: lines(source.text) };
    if (!draft || !isUnsaved(draft)) return opened;
    if ((source.text ?? null) === (draft.base.text ?? null)) return { base: source, text: draft.text };
    if (typeof source.text === 'string' && lines(source.text) === draft.text) return opened;
    return { ...draft, found: source };
}

/** Takes in what a person typed. */
export function typed(draft: Draft, text: string): Draft {
    return { ...draft, text };
}

/** Notes that a text was saved: what was typed since is unsaved, and no conflict. */
export function saved(draft: Draft, sent: string): Draft {
    return { base: { ...draft.base, text: sent }, text: draft.text };
}

/** Ends a conflict: the file's text takes the place of the person's, or is what the next save replaces. */
export function resolve(draft: Draft, keep: 'theirs' | 'mine'): Draft {
    const { found } = draft;
    if (!found) return draft;
    return { base: found, text: keep === 'theirs' ? lines(found.text) : draft.text };
}
