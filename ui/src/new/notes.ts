import { visible } from '../lib/visible';
import type { PlaceNotes } from '../lib/wire';

/** Returns what a person should know about the place of a new agent, a line each. */
export function notes({ note, left_out, left_out_first, skipped, submodules }: PlaceNotes): string[] {
    const lines: string[] = [];
    if (note) lines.push(`${note.charAt(0).toUpperCase()}${note.slice(1)}.`);
    if (left_out > 0) {
        const more = left_out - left_out_first.length;
        const files = `${left_out_first.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
        lines.push(`Its worktree does not have your uncommitted changes: ${files}.`);
    }
    if (skipped.length > 0) lines.push(`Not copied from .worktreeinclude: ${skipped.join(', ')}.`);
    if (submodules > 0)
        lines.push(
            `${submodules === 1 ? 'A submodule is' : `${submodules} submodules are`} empty in its worktree.`,
        );
    return lines.map(visible);
}
