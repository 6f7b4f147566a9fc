//! Making a worktree: whole, or not at all.

use std::fs;
use std::future::Future;
use std::path::PathBuf;

use super::branch::{BranchName, check_free};
use super::command::Git;
use super::error::{Error, Result};
use super::include::{Included, include};
use super::remove::undo;
use super::repository::Repository;
use super::worktree::{Worktree, commit, settled, taken};

/// A worktree to make.
#[derive(Debug, Clone)]
pub struct NewWorktree {
    pub repository: Repository,
    /// Absolute; must not exist.
    pub path: PathBuf,
    /// Must not exist.
    pub branch: BranchName,
    /// Where the branch starts: whatever git takes for a commit. Otherwise what the user's checkout is on.
    pub base: Option<String>,
    /// Whether to copy what `.worktreeinclude` lists.
    pub include: bool,
}

/// A worktree that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    /// Its path has no symbolic links in it any more.
    pub worktree: Worktree,
    pub base_commit: String,
    pub included: Included,
}

impl Worktree {
    /// Makes a worktree with a branch of its own. After an error there is neither.
    pub async fn create(new: NewWorktree) -> Result<Created> {
        undisturbed(create(new)).await
    }
}

async fn create(new: NewWorktree) -> Result<Created> {
    let NewWorktree { repository, path, branch, base, include } = new;
    let git = Git::in_directory(&repository.root).await?;
    check_free(&git, &branch, None).await?;
    let base_commit = base_commit(&git, base).await?;
    let path = settled(&path)?;
    // Makes the path ours, in one step.
    fs::create_dir(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Error::Exists(path.clone()),
        _ => Error::Io { what: format!("making {}", path.display()), source: error },
    })?;
    let worktree = Worktree { common_dir: repository.common_dir.clone(), path, branch };
    // Before the branch is made, as from then on it is ours to delete.
    let made =
        git.call("update-ref").args(["--create-reflog", &worktree.branch.reference(), &base_commit, ""]);
    if let Err(error) = made.despite_locks().await {
        let _ = fs::remove_dir(&worktree.path);
        return Err(taken(error, &worktree.branch));
    }
    match fill(&git, &repository, &worktree, include).await {
        Ok(included) => Ok(Created { worktree, base_commit, included }),
        Err(error) => {
            undo(&git, &worktree, &base_commit).await;
            Err(error)
        }
    }
}

async fn fill(
    git: &Git,
    repository: &Repository,
    worktree: &Worktree,
    with_include: bool,
) -> Result<Included> {
    let add =
        git.call("worktree").args(["add", "--quiet", "--"]).arg(&worktree.path).arg(worktree.branch.as_str());
    add.long().despite_locks().await?;
    if with_include { include(git, &repository.root, &worktree.path).await } else { Ok(Included::default()) }
}

/// The commit to start from, as an id, so that nothing else can be read into its name.
async fn base_commit(git: &Git, base: Option<String>) -> Result<String> {
    match base {
        None => commit(git, "HEAD").await?.ok_or(Error::NoCommit),
        Some(base) if base.is_empty() || base.starts_with('-') || base.contains(char::is_control) => {
            Err(Error::UnknownBase(base.escape_debug().to_string()))
        }
        Some(base) => match commit(git, &base).await {
            Ok(Some(id)) => Ok(id),
            // Git has words for some of them: a file, an id that fits several commits.
            Ok(None) | Err(Error::Failed { .. }) => Err(Error::UnknownBase(base)),
            Err(error) => Err(error),
        },
    }
}

/// Runs something to its end even if its caller is gone: half a worktree is useless.
pub(super) async fn undisturbed<T: Send + 'static>(
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    match tokio::spawn(work).await {
        Ok(outcome) => outcome,
        Err(error) => Err(Error::Io { what: "working on a worktree".to_owned(), source: error.into() }),
    }
}
