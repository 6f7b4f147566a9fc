import { expect, it } from 'vitest';
import type { Worktree } from '../../lib/wire';
import { holds, listed, ownerOf, shownOf } from './worktree';

const CLEAN: Worktree = {
    name: 'app-1',
    path: '/w/app-1',
    open: false,
    ahead: 0,
    dirty: false,
    present: true,
};

it('says what only a worktree holds', () => {
    expect(holds(CLEAN)).toEqual([]);
    expect(holds({ ...CLEAN, ahead: 1 })).toEqual(['1 commit']);
    const all = holds({ ...CLEAN, dirty: true, ahead: 3, operation: 'rebase' });
    expect(listed(all)).toBe('uncommitted work, 3 commits and a rebase in progress');
});

it('shows unsaved work before a directory that is gone', () => {
    expect(shownOf(CLEAN).tone).toBe('good');
    expect(shownOf({ ...CLEAN, present: false }).word).toBe('Directory gone');
    // Its branch still has the commits.
    expect(shownOf({ ...CLEAN, present: false, ahead: 1 }).tone).toBe('ask');
    expect(shownOf({ ...CLEAN, problem: 'it is not a git worktree', dirty: true }).tone).toBe('bad');
});

it('names its agent', () => {
    expect(ownerOf(CLEAN)).toBe('agent deleted');
    expect(ownerOf({ ...CLEAN, session: '3f2a', handle: '3f2a' })).toBe('3f2a (closed)');
    expect(ownerOf({ ...CLEAN, session: '3f2a', handle: '3f2a', open: true })).toBe('3f2a');
});
