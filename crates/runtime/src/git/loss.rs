//! What would be lost with a worktree.

use std::fmt;
use std::fs;

use super::admin::Place;
use super::changes::{Changes, Paths, Untracked, look, submodules};
use super::command::Git;
use super::error::Result;
use super::precious;
use super::worktree::{Located, Worktree, commit};

const SHOWN: &str = "--max-count=5";

/// What is in a worktree and nowhere else. Files that git ignores only count if `.worktreeinclude` lists them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loss {
    pub changes: Changes,
    /// Files that git ignores and `.worktreeinclude` lists.
    pub precious: Paths,
    pub commits: Commits,
    pub operation: Option<Operation>,
    /// Why the user locked the worktree.
    pub locked: Option<String>,
    /// Other repositories in it: clones, and submodules that are not empty. They cannot be archived.
    pub repositories: Paths,
}

/// Commits that are on no other branch, no remote-tracking branch and no tag.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Commits {
    pub count: u64,
    /// The newest, as short id and subject.
    pub first: Vec<String>,
}

/// What is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Merge,
    Rebase,
    CherryPick,
    Revert,
    Bisect,
}

impl Loss {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn is_only_a_lock(&self) -> bool {
        Self { locked: None, ..self.clone() }.is_empty()
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        match &self.changes.paths {
            Paths { count: 0, .. } => {}
            paths @ Paths { count: 1, .. } => parts.push(format!("an uncommitted file ({paths})")),
            paths => parts.push(format!("{} uncommitted files ({paths})", paths.count)),
        }
        match &self.precious {
            Paths { count: 0, .. } => {}
            paths @ Paths { count: 1, .. } => {
                parts.push(format!("an ignored file listed in .worktreeinclude ({paths})"));
            }
            paths => {
                parts.push(format!("{} ignored files listed in .worktreeinclude ({paths})", paths.count))
            }
        }
        match self.commits.count {
            0 => {}
            1 => parts.push("a commit that exists nowhere else".to_owned()),
            count => parts.push(format!("{count} commits that exist nowhere else")),
        }
        if let Some(operation) = self.operation {
            parts.push(format!("a {operation} in progress"));
        }
        if !self.repositories.is_empty() {
            parts.push(format!("other repositories ({})", self.repositories));
        }
        match &self.locked {
            None => {}
            Some(reason) if reason.is_empty() => parts.push("its lock".to_owned()),
            Some(reason) => parts.push(format!("its lock ({reason})")),
        }
        f.write_str(&parts.join(", "))
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Merge => "merge",
            Self::Rebase => "rebase",
            Self::CherryPick => "cherry-pick",
            Self::Revert => "revert",
            Self::Bisect => "bisect",
        })
    }
}

impl Worktree {
    /// Looks at what would be lost with this worktree.
    pub async fn loss(&self) -> Result<Loss> {
        loss_at(&Located::new(self).await?).await
    }
}

pub(super) async fn loss_at(located: &Located<'_>) -> Result<Loss> {
    let git = &located.git;
    let mut loss = Loss::default();
    if let Some(admin) = located.admin() {
        loss.operation = admin.operation();
        loss.locked = admin.lock();
    }
    if let Place::Present(admin) = &located.place {
        let found = look(git, Untracked::Files).await?;
        (loss.changes, loss.repositories) = (found.changes, found.repositories);
        precious::only_here(located).await?.into_iter().for_each(|path| loss.precious.add(path));
        let path = &located.worktree.path;
        submodules(git, |submodule| {
            if fs::symlink_metadata(path.join(submodule).join(".git")).is_ok() {
                loss.repositories.add(submodule);
            }
        })
        .await?;
        if loss.repositories.is_empty() {
            admin.submodule_repositories().into_iter().for_each(|path| loss.repositories.add(path));
        }
    }
    let tips = tips(located).await?;
    if !tips.is_empty() {
        loss.commits.count = only_here(located, &["--count"], &tips).await?.parse().unwrap_or(u64::MAX);
    }
    if loss.commits.count > 0 {
        let first = only_here(located, &["--oneline", SHOWN], &tips).await?;
        loss.commits.first = first.lines().map(str::to_owned).collect();
    }
    Ok(loss)
}

/// The commits that only the worktree may hold on to. The first is the one it is on, if any.
pub(super) async fn tips(located: &Located<'_>) -> Result<Vec<String>> {
    let git = &located.git;
    let mut tips = Vec::new();
    if let Some(admin) = located.admin() {
        tips.extend(commit(git, "HEAD").await?);
        for id in admin.commits_in_hand() {
            tips.extend(commit(git, &id).await?);
        }
    }
    tips.extend(branch_tip(git, located.worktree).await?);
    let mut seen = std::collections::BTreeSet::new();
    tips.retain(|tip| seen.insert(tip.clone()));
    Ok(tips)
}

pub(super) async fn branch_tip(git: &Git, worktree: &Worktree) -> Result<Option<String>> {
    commit(git, &worktree.branch.reference()).await
}

/// Runs `git rev-list` over the commits that only `tips` hold.
pub(super) async fn only_here(located: &Located<'_>, options: &[&str], tips: &[String]) -> Result<String> {
    located
        .git
        .call("rev-list")
        .args(options)
        .args(tips)
        // A branch's name has no character that means something in a pattern.
        .args(["--not", &format!("--exclude={}", located.worktree.branch)])
        .args(["--branches", "--remotes", "--tags", "--"])
        .text()
        .await
}
