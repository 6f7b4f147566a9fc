//! Worktrees on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::SessionId;
use crate::words::GitOperation;

/// A page of worktrees that belong to Paseo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorktreeList {
    pub worktrees: Vec<WorktreeEntry>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[serde(default)]
    #[schema(required)]
    pub next: Option<String>,
}

/// A worktree in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorktreeEntry {
    /// The name of its directory.
    pub name: String,
    pub path: String,
    /// The agent that it belongs to; null if that was deleted.
    pub session: Option<SessionId>,
    pub handle: Option<String>,
    /// Whether the agent is open.
    pub open: bool,
    /// The branch it is on.
    pub branch: Option<String>,
    /// The commit it is on.
    pub head: Option<String>,
    /// Number of commits that are nowhere else.
    pub ahead: u64,
    /// Whether it has uncommitted work.
    pub dirty: bool,
    /// An unfinished git operation, such as a merge or rebase.
    pub operation: Option<GitOperation>,
    /// Whether its directory exists.
    pub present: bool,
    /// Why other fields are unknown.
    pub problem: Option<String>,
}

/// A worktree that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RemovedWorktree {
    pub name: String,
    /// Archive of its unmerged work, if it had any.
    pub archive: Option<ArchiveView>,
    /// False if it had no branch of its own, or the branch is still in use.
    pub branch_deleted: bool,
}

/// Work that was archived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ArchiveView {
    pub reference: String,
    pub commit: String,
    /// Shell command that restores it.
    pub restore: String,
}
