//! Worktrees of agents.

use clap::Subcommand;

use super::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum WorktreeCommand {
    /// List the worktrees of agents, with what only they hold
    Ls {
        #[command(flatten)]
        output: Output,
    },
    /// Remove a worktree
    ///
    /// Refuses while an agent or a process works in it, and while anything would be lost: uncommitted files,
    /// files that git does not know, ignored files that .worktreeinclude lists, commits that are nowhere else.
    Rm {
        /// Which one: its name, its branch or the handle of its agent
        worktree: String,
        /// Archive what would be lost under refs/paseo/archive first, then remove it
        #[arg(short, long)]
        force: bool,
        #[command(flatten)]
        output: Output,
    },
}
