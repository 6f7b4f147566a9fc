//! What can go wrong, by what the caller can do about it.

use std::io;
use std::path::PathBuf;

use super::branch::BadName;
use super::changes::Paths;
use super::loss::Loss;

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("git cannot be started: {0}")]
    Unavailable(#[source] io::Error),

    #[error("there is no directory {}", .0.display())]
    NoDirectory(PathBuf),
    #[error("{} is in a git repository, but in no checkout of it: it is bare, or its inside", .0.display())]
    NoCheckout(PathBuf),
    #[error("the repository has no commit yet, and a worktree starts from one")]
    NoCommit,
    #[error("there is no commit `{0}` to start from")]
    UnknownBase(String),
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),

    #[error(transparent)]
    BadName(#[from] BadName),
    #[error("the branch name `{name}` cannot be used: {by}")]
    Taken { name: String, by: String },
    /// Someone, perhaps the agent, has switched the worktree to something else.
    #[error("the worktree is not on its branch `{expected}` any more, but on {found}")]
    Switched { expected: String, found: String },

    #[error("{} is not the worktree it was: {why}", .path.display())]
    NotAWorktree { path: PathBuf, why: String },
    #[error("the directory of the worktree, {}, is gone", .0.display())]
    DirectoryGone(PathBuf),

    /// Can be forced, which archives first.
    #[error("removing the worktree would lose {0}")]
    Loss(Box<Loss>),
    /// Cannot be forced: an archive holds files, not the history of other repositories.
    #[error(
        "the worktree holds other git repositories, which an archive cannot keep ({0}): move or delete them first"
    )]
    Repositories(Paths),
    /// Cannot be forced either.
    #[error(
        "what .worktreeinclude lists and only this worktree has ({paths}) takes {mebibytes} MiB, and an archive \
         at most {most}: move or delete it first"
    )]
    Heavy { paths: Paths, mebibytes: u64, most: u64 },
    #[error("the archive would not hold everything ({0}), so nothing was removed")]
    Incomplete(Paths),

    #[error(".worktreeinclude {0}")]
    Include(String),

    #[error("git {command} took longer than {seconds} s and was stopped")]
    Timeout { command: String, seconds: u64 },
    #[error("git {command} failed: {said}")]
    Failed { command: String, said: String },
    #[error("git {command} said more than is reasonable")]
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
