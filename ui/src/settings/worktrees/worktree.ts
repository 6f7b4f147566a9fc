import type { Worktree } from '../../lib/wire';

/** Returns what only this worktree holds, as the daemon says. */
export function holds(entry: Worktree): string[] {
    const parts: string[] = [];
    if (entry.dirty) parts.push('uncommitted work');
    if (entry.ahead > 0) parts.push(entry.ahead === 1 ? '1 commit' : `${entry.ahead} commits`);
    if (entry.operation) parts.push(`a ${entry.operation} in progress`);
    return parts;
}

/** Joins words as a sentence does. */
export function listed(words: readonly string[]): string {
    if (words.length < 2) return words.join('');
    return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** What a worktree is like, as a mark and words. */
export interface Shown {
    readonly tone: 'good' | 'ask' | 'bad' | 'off';
    readonly word: string;
}

export function shownOf(entry: Worktree): Shown {
    if (entry.problem) return { tone: 'bad', word: 'Status unknown' };
    if (holds(entry).length > 0) return { tone: 'ask', word: 'Unsaved work' };
    if (!entry.present) return { tone: 'off', word: 'Directory gone' };
    return { tone: 'good', word: 'Nothing unsaved' };
}

/** The agent that has it. */
export function ownerOf(entry: Worktree): string {
    if (!entry.session) return 'agent deleted';
    const handle = entry.handle ?? '';
    return entry.open ? handle : `${handle} (closed)`;
}
