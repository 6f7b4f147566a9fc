//! Git worktrees: a checkout of its own for an agent, beside the one of its user.
//!
//! Knows no sessions. Git is only ever run as the command line, by `command.rs`, with a configuration that starts
//! no program of the repository's choosing. Nothing here touches another worktree, another branch, or the index
//! of the user's checkout.
//!
//! What is removed was either safe elsewhere or is archived first, under `refs/paseo/archive/`.

mod admin;
mod archive;
mod branch;
mod changes;
mod command;
mod create;
mod error;
mod ignored;
mod include;
mod loss;
mod neutral;
mod precious;
mod remove;
mod repository;
mod worktree;

pub use archive::Archive;
pub use branch::{BadName, BranchName};
pub use changes::{Changes, Paths};
pub use create::{Created, NewWorktree};
pub use error::{Error, Result};
pub use ignored::{files, ignored};
pub use include::{Included, Skipped, Why};
pub use loss::{Commits, Loss, Operation};
pub use remove::{Force, Removed};
pub use repository::{LeftOut, Repository, branch_of, is_in_repository, left_out, repository};
pub use worktree::{Status, Worktree};
