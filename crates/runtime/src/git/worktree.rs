//! A worktree of ours: its state and its branch's name.

use std::path::{Path, PathBuf};

use super::admin::{Admin, Place, locate};
use super::branch::{BranchName, check_free};
use super::command::Git;
use super::error::{Error, Result};
use super::loss::{Operation, loss_at};

/// A worktree that we made, by what is needed to find it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// Of the repository it belongs to.
    pub common_dir: PathBuf,
    pub path: PathBuf,
    /// The branch we made for it. No other is ever renamed or deleted.
    pub branch: BranchName,
}

/// A worktree in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// What it is on. `None` when that is no branch.
    pub branch: Option<String>,
    /// The commit it is on. `None` before the first one of a branch.
    pub head: Option<String>,
    /// How many commits are in it and nowhere else.
    pub ahead: u64,
    /// Whether there is work that is in no commit.
    pub dirty: bool,
    pub operation: Option<Operation>,
    /// Whether its directory is there.
    pub present: bool,
}

/// A worktree and where it was found.
#[derive(Debug)]
pub(super) struct Located<'a> {
    pub(super) worktree: &'a Worktree,
    pub(super) place: Place,
    /// Pointed at the worktree, or at the repository when it is gone.
    pub(super) git: Git,
}

impl Worktree {
    pub async fn status(&self) -> Result<Status> {
        let located = Located::new(self).await?;
        let loss = loss_at(&located).await?;
        let (branch, head) = match located.place {
            Place::Gone => (None, None),
            _ => (current_branch(&located.git).await?, commit(&located.git, "HEAD").await?),
        };
        Ok(Status {
            branch,
            head,
            ahead: loss.commits.count,
            dirty: !loss.changes.is_empty() || !loss.precious.is_empty() || !loss.repositories.is_empty(),
            operation: loss.operation,
            present: matches!(located.place, Place::Present(_)),
        })
    }

    /// Gives the worktree's branch another name: exactly this one, or none.
    pub async fn rename_branch(&self, new: BranchName) -> Result<Self> {
        let located = Located::new(self).await?;
        if !matches!(located.place, Place::Present(_)) {
            return Err(Error::DirectoryGone(self.path.clone()));
        }
        let git = &located.git;
        let found = current_branch(git).await?;
        if found.as_deref() != Some(self.branch.as_str()) {
            let found = match found {
                Some(branch) => format!("`{branch}`"),
                None => "no branch".to_owned(),
            };
            return Err(Error::Switched { expected: self.branch.to_string(), found });
        }
        if new != self.branch {
            check_free(git, &new, Some(&self.branch)).await?;
            let (old, name) = (self.branch.as_str(), new.as_str());
            let renamed = git.call("branch").args(["-m", "--", old, name]).despite_locks().await;
            renamed.map_err(|error| taken(error, &new))?;
        }
        Ok(Self { branch: new, ..self.clone() })
    }
}

impl<'a> Located<'a> {
    pub(super) async fn new(worktree: &'a Worktree) -> Result<Self> {
        let place = locate(&worktree.common_dir, &worktree.path)?;
        let git = match &place {
            Place::Present(Admin(admin)) => Git::in_worktree(admin, &worktree.path).await?,
            Place::DirectoryGone(Admin(admin)) => Git::in_repository(admin).await?,
            Place::Gone => Git::in_repository(&worktree.common_dir).await?,
        };
        Ok(Self { worktree, place, git })
    }

    pub(super) fn admin(&self) -> Option<&Admin> {
        match &self.place {
            Place::Present(admin) | Place::DirectoryGone(admin) => Some(admin),
            Place::Gone => None,
        }
    }
}

/// Someone may have been faster: git's refusal is then ours.
pub(super) fn taken(error: Error, name: &BranchName) -> Error {
    match error.said() {
        Some(said) if said.contains("already exists") || said.contains("cannot lock ref") => {
            Error::Taken { name: name.to_string(), by: said.to_owned() }
        }
        _ => error,
    }
}

/// The branch that is checked out, without `refs/heads/`.
pub(super) async fn current_branch(git: &Git) -> Result<Option<String>> {
    let reference = git.call("symbolic-ref").args(["--quiet", "HEAD"]).maybe().await?;
    Ok(reference.map(|name| name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned()))
}

/// The id of the commit that a name stands for. `None` when there is none.
pub(super) async fn commit(git: &Git, name: &str) -> Result<Option<String>> {
    let name = format!("{name}^{{commit}}");
    let call = git.call("rev-parse").args(["--verify", "--quiet", "--end-of-options"]).arg(name);
    // `^name` is a commit to leave out, which is none.
    Ok(call.maybe().await?.filter(|id| id.bytes().all(|byte| byte.is_ascii_hexdigit())))
}

/// The path as git will note it: its folder without symbolic links.
pub(super) fn settled(path: &Path) -> Result<PathBuf> {
    let parts = path.parent().zip(path.file_name());
    let Some((folder, name)) = parts.filter(|_| path.is_absolute()) else {
        return Err(Error::NotAWorktree {
            path: path.to_owned(),
            why: "its path is not absolute".to_owned(),
        });
    };
    let what = || format!("making {}", folder.display());
    std::fs::create_dir_all(folder).map_err(Error::io(what()))?;
    Ok(folder.canonicalize().map_err(Error::io(what()))?.join(name))
}
