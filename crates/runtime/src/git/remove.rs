//! Removing a worktree without losing work.

use std::fs;
use std::path::Path;

use super::admin::{Place, locate};
use super::archive::{Archive, archive};
use super::command::Git;
use super::create::undisturbed;
use super::error::{Error, Result};
use super::loss::{branch_tip, loss_at};
use super::worktree::{Located, Worktree};

/// Whether work that is nowhere else may be moved into an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Force {
    No,
    Yes,
}

/// A worktree that was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// Where its work is, if it had any that is nowhere else.
    pub archive: Option<Archive>,
    /// False when there was no branch, or when another worktree uses it.
    pub branch_deleted: bool,
    /// What git still knows its work by: the archive, else the commit that its branch was on.
    pub kept: Option<String>,
}

impl Worktree {
    /// Removes the worktree and its branch. No agent should be working in it.
    ///
    /// Work that is nowhere else is a reason to refuse, or with [`Force::Yes`] is archived first. Files that git
    /// ignores are deleted, unless `.worktreeinclude` lists them. A directory that is gone already is not an error.
    pub async fn remove(&self, force: Force) -> Result<Removed> {
        let worktree = self.clone();
        undisturbed(async move { worktree.remove_undisturbed(force).await }).await
    }

    /// Takes back a worktree that was just made, with all that was copied into it. No agent has worked in it.
    pub async fn take_back(&self, base_commit: &str) -> Result<()> {
        let (worktree, tip) = (self.clone(), base_commit.to_owned());
        undisturbed(async move {
            undo(&Git::in_repository(&worktree.common_dir).await?, &worktree, &tip).await;
            Ok(())
        })
        .await
    }

    async fn remove_undisturbed(self, force: Force) -> Result<Removed> {
        let located = Located::new(&self).await?;
        // Read before the loss: a commit that comes later keeps the branch.
        let tip = branch_tip(&located.git, &self).await?;
        let loss = loss_at(&located).await?;
        let archive = match force {
            _ if loss.is_empty() => None,
            Force::No => return Err(Error::Loss(Box::new(loss))),
            Force::Yes if !loss.repositories.is_empty() => {
                return Err(Error::Repositories(loss.repositories));
            }
            // A lock alone is nothing to keep.
            Force::Yes if loss.is_only_a_lock() => None,
            Force::Yes => Some(archive(&located).await?),
        };
        let git = Git::in_repository(&self.common_dir).await?;
        if !matches!(located.place, Place::Gone) {
            unregister(&git, &self.path).await?;
        }
        let branch_deleted = match &tip {
            Some(tip) => delete_branch(&git, &self, tip).await?,
            None => false,
        };
        let kept = archive.as_ref().map(|archive| archive.reference.clone()).or(tip);
        Ok(Removed { archive, branch_deleted, kept })
    }
}

/// Removes a worktree's directory, if it is there, and what git knows about it.
async fn unregister(git: &Git, path: &Path) -> Result<()> {
    // Twice, as it may be locked. Git itself checks that the directory is this worktree.
    git.call("worktree").args(["remove", "--force", "--force", "--"]).arg(path).long().despite_locks().await
}

/// Deletes the worktree's branch if it still is where it was seen and no other worktree has it checked out.
async fn delete_branch(git: &Git, worktree: &Worktree, tip: &str) -> Result<bool> {
    let reference = worktree.branch.reference();
    let elsewhere = git.call("for-each-ref").args(["--format=%(worktreepath)", &reference]).text().await?;
    if !elsewhere.trim().is_empty() {
        return Ok(false);
    }
    match git.call("update-ref").args(["--no-deref", "-d", &reference, tip]).despite_locks().await {
        Ok(()) => {}
        Err(error) if error.said().is_some_and(|said| said.contains("cannot lock ref")) => return Ok(false),
        Err(error) => return Err(error),
    }
    // What `git push -u` noted about it, if anything.
    let section = format!("branch.{}", worktree.branch);
    let _ = git.call("config").args(["--local", "--remove-section", &section]).despite_locks().await;
    Ok(true)
}

/// Takes back what a creation that failed has made. What cannot be taken back is logged.
pub(super) async fn undo(git: &Git, worktree: &Worktree, tip: &str) {
    let mut problems = Vec::new();
    if let Err(error) = fs::remove_dir_all(&worktree.path)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        problems.push(error.to_string());
    }
    if !matches!(locate(&worktree.common_dir, &worktree.path), Ok(Place::Gone))
        && let Err(error) = unregister(git, &worktree.path).await
    {
        problems.push(error.to_string());
    }
    if let Err(error) = delete_branch(git, worktree, tip).await {
        problems.push(error.to_string());
    }
    if !problems.is_empty() {
        tracing::warn!(path = %worktree.path.display(), ?problems, "cannot remove a worktree that failed \
                                                                    to start");
    }
}
