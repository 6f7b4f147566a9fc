//! Worktrees on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::SessionId;

/// All worktrees that belong to Paseo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorktreeList {
    pub worktrees: Vec<WorktreeEntry>,
}

/// A worktree in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorktreeEntry {
    /// The name of its directory.
    pub name: String,
    pub path: String,
    /// Whose it is; null when the agent was deleted.
    pub session: Option<SessionId>,
    pub handle: Option<String>,
    /// Whether the agent is open.
    pub open: bool,
    /// The branch it is on.
    pub branch: Option<String>,
    /// The commit it is on.
    pub head: Option<String>,
    /// Commits that are nowhere else.
    pub ahead: u64,
    /// Whether it has uncommitted work.
    pub dirty: bool,
    /// A merge, rebase or the like that is under way.
    pub operation: Option<String>,
    /// Whether its directory exists.
    pub present: bool,
    /// Why nothing more is known.
    pub problem: Option<String>,
}

/// A worktree that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RemovedWorktree {
    pub name: String,
    /// Where its work is, when it had some that was nowhere else.
    pub archive: Option<ArchiveView>,
    /// False when there was no branch of its own, or someone else uses it.
    pub branch_deleted: bool,
}

/// Work that was archived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ArchiveView {
    pub reference: String,
    pub commit: String,
    /// The shell command that brings it back.
    pub restore: String,
}
