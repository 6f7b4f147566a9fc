//! Worktrees of agents.

use clap::Subcommand;

use super::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum WorktreeCommand {
    /// List worktrees and their unmerged work
    Ls {
        #[command(flatten)]
        output: Output,
    },
    /// Remove a worktree
    ///
    /// Refuses while an agent or a process uses the worktree, or if work would be lost: uncommitted or untracked files,
    /// ignored files that .worktreeinclude lists, and commits that exist only here.
    Rm {
        /// Name (as in `paseo worktree ls`) or branch of the worktree, or the handle of its agent
        worktree: String,
        /// Archive unsaved work under refs/paseo/archive, then remove the worktree
        #[arg(short, long)]
        force: bool,
        #[command(flatten)]
        output: Output,
    },
}
