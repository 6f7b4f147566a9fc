//! What can go wrong, by what the caller can do about it.

use std::io;
use std::path::PathBuf;

use super::branch::BadName;
use super::changes::Paths;
use super::loss::Loss;

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot start git: {0}")]
    Unavailable(#[source] io::Error),

    #[error("directory not found: {}", .0.display())]
    NoDirectory(PathBuf),
    #[error("{} is in a git repository but not in a working tree: the repository is bare, or this is its \
             `.git` directory", .0.display())]
    NoCheckout(PathBuf),
    #[error("the repository has no commits yet, and a worktree needs one")]
    NoCommit,
    #[error("commit `{0}` not found")]
    UnknownBase(String),
    #[error("{} already exists", .0.display())]
    Exists(PathBuf),

    #[error(transparent)]
    BadName(#[from] BadName),
    #[error("cannot use the branch name `{name}`: {by}")]
    Taken { name: String, by: String },
    /// Someone, perhaps the agent, has switched the worktree to something else.
    #[error("the worktree is no longer on its branch `{expected}` but on {found}")]
    Switched { expected: String, found: String },

    #[error("{} is not the original worktree: {why}", .path.display())]
    NotAWorktree { path: PathBuf, why: String },
    #[error("the worktree directory {} no longer exists", .0.display())]
    DirectoryGone(PathBuf),

    /// Can be forced, which archives first.
    #[error("removing the worktree would lose {0}")]
    Loss(Box<Loss>),
    /// Cannot be forced: an archive holds files, not the history of other repositories.
    #[error(
        "the worktree contains other git repositories, which cannot be archived ({0}); move or delete them \
         first"
    )]
    Repositories(Paths),
    /// Cannot be forced either.
    #[error(
        "untracked .worktreeinclude files ({paths}) total {mebibytes} MiB; the archive limit is {most} MiB; \
         move or delete them first"
    )]
    Heavy { paths: Paths, mebibytes: u64, most: u64 },
    #[error("the archive would be incomplete ({0}), so nothing was removed")]
    Incomplete(Paths),

    #[error(".worktreeinclude {0}")]
    Include(String),

    #[error("git {command} took longer than {seconds} s and was stopped")]
    Timeout { command: String, seconds: u64 },
    #[error("git {command} failed: {said}")]
    Failed { command: String, said: String },
    #[error("git {command} produced too much output")]
    TooMuch { command: String },
    #[error("{what}: {source}")]
    Io { what: String, source: io::Error },
}

impl Error {
    pub(super) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }

    /// What git said, when it said something.
    pub(super) fn said(&self) -> Option<&str> {
        match self {
            Self::Failed { said, .. } => Some(said),
            _ => None,
        }
    }
}
