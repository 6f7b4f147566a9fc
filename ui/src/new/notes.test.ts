import { expect, it } from 'vitest';
import { notes } from './notes';

const NONE = { included: 0, left_out: 0, left_out_first: [], skipped: [], submodules: 0 };

it('says nothing when there is nothing to know', () => {
    expect(notes({ ...NONE, included: 3 })).toEqual([]);
});

it('names what the worktree lacks, the first files by name', () => {
    expect(notes({ ...NONE, left_out: 4, left_out_first: ['a.rs', 'b.rs'] })).toEqual([
        'Its worktree does not have your uncommitted changes: a.rs, b.rs and 2 more.',
    ]);
    expect(notes({ ...NONE, left_out: 1, left_out_first: ['a.rs'] })[0]).toMatch(/: a\.rs\.$/);
    expect(notes({ ...NONE, note: 'no worktree created', skipped: ['.env'], submodules: 1 })).toEqual([
        'No worktree created.',
        'Not copied from .worktreeinclude: .env.',
        'A submodule is empty in its worktree.',
    ]);
});
