//! What git keeps about a worktree: the folder `worktrees/<name>` of the repository.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::changes::to_path;
use super::error::{Error, Result};
use super::loss::Operation;
use crate::plain_file;

/// Paths and ids: small files.
const LONGEST: u64 = 16 << 10;

/// Where a worktree is, if it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    Present(Admin),
    /// Someone has deleted the directory, and git does not know yet.
    DirectoryGone(Admin),
    /// Neither git nor the disk knows it.
    Gone,
}

/// The folder of one worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Admin(pub(super) PathBuf);

impl Admin {
    /// Why the user locked the worktree, if so.
    pub(super) fn lock(&self) -> Option<String> {
        let reason = read(&self.0.join("locked"))?;
        Some(String::from_utf8_lossy(&reason).trim().chars().filter(|c| !c.is_control()).collect())
    }

    pub(super) fn operation(&self) -> Option<Operation> {
        [
            ("rebase-merge", Operation::Rebase),
            ("rebase-apply", Operation::Rebase),
            ("MERGE_HEAD", Operation::Merge),
            ("CHERRY_PICK_HEAD", Operation::CherryPick),
            ("REVERT_HEAD", Operation::Revert),
            ("BISECT_LOG", Operation::Bisect),
        ]
        .into_iter()
        .find_map(|(name, operation)| fs::symlink_metadata(self.0.join(name)).is_ok().then_some(operation))
    }

    /// The commits that an operation under way holds on to.
    pub(super) fn commits_in_hand(&self) -> Vec<String> {
        [
            "MERGE_HEAD",
            "MERGE_AUTOSTASH",
            "CHERRY_PICK_HEAD",
            "REBASE_HEAD",
            "rebase-merge/orig-head",
            "rebase-merge/autostash",
            "rebase-apply/orig-head",
            "rebase-apply/autostash",
        ]
        .iter()
        .filter_map(|name| read(&self.0.join(name)))
        .flat_map(|text| String::from_utf8_lossy(&text).lines().map(str::to_owned).collect::<Vec<_>>())
        .filter(|id| matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .collect()
    }

    /// The repositories of submodules that were filled here. They go with the worktree.
    pub(super) fn submodule_repositories(&self) -> Option<PathBuf> {
        let modules = self.0.join("modules");
        fs::read_dir(&modules).ok()?.next()?.ok()?;
        Some(modules)
    }
}

/// Finds a worktree. The repository's word counts; the `.git` file in the directory must only agree with it.
pub(super) fn locate(common_dir: &Path, path: &Path) -> Result<Place> {
    let refuse = |why: &str| Err(Error::NotAWorktree { path: path.to_owned(), why: why.to_owned() });
    let admin = find(common_dir, path)?;
    let directory = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(admin.map_or(Place::Gone, Place::DirectoryGone));
        }
        Err(source) => return Err(Error::Io { what: format!("reading {}", path.display()), source }),
    };
    let Some(admin) = admin else {
        return refuse("it is not registered in the repository (try `git worktree repair`)");
    };
    if !directory.is_dir() {
        return refuse("it is not a directory");
    }
    let link = path.join(".git");
    if !fs::symlink_metadata(&link).is_ok_and(|link| link.is_file()) {
        return refuse("its `.git` is not the file git created");
    }
    let pointed = read(&link)
        .and_then(|text| Some(path.join(to_path(text.strip_prefix(b"gitdir: ")?.trim_ascii_end()))));
    match pointed.and_then(|pointed| pointed.canonicalize().ok()) {
        Some(pointed) if admin.0.canonicalize().is_ok_and(|admin| admin == pointed) => {
            Ok(Place::Present(admin))
        }
        _ => refuse("its `.git` file points elsewhere"),
    }
}

/// The other checkouts of a repository: its first one, if it is not bare, then its other worktrees.
pub(super) fn checkouts(common_dir: &Path, but: &Path) -> Vec<PathBuf> {
    let first = common_dir.parent().filter(|_| common_dir.ends_with(".git")).map(Path::to_owned);
    let admins = fs::read_dir(common_dir.join("worktrees")).into_iter().flatten().flatten();
    let others = admins.filter_map(|entry| {
        let text = read(&entry.path().join("gitdir"))?;
        Some(resolve(&entry.path().join(to_path(text.trim_ascii_end()))).parent()?.to_owned())
    });
    first.into_iter().chain(others).filter(|checkout| checkout != but && checkout.is_dir()).collect()
}

fn find(common_dir: &Path, path: &Path) -> Result<Option<Admin>> {
    let worktrees = common_dir.join("worktrees");
    let entries = match fs::read_dir(&worktrees) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound && common_dir.is_dir() => return Ok(None),
        Err(source) => return Err(Error::Io { what: format!("reading {}", worktrees.display()), source }),
    };
    let link = path.join(".git");
    Ok(entries
        .flatten()
        .map(|entry| entry.path())
        .find(|admin| {
            read(&admin.join("gitdir"))
                .is_some_and(|text| resolve(&admin.join(to_path(text.trim_ascii_end()))) == link)
        })
        .map(Admin))
}

/// Takes out `..`, by which newer versions of git may point at a worktree.
fn resolve(link: &Path) -> PathBuf {
    if !link.components().any(|part| part == std::path::Component::ParentDir) {
        return link.to_owned();
    }
    match (link.parent().and_then(|parent| parent.canonicalize().ok()), link.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => link.to_owned(),
    }
}

/// Reads a small file. `None` when it cannot be read.
fn read(path: &Path) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    plain_file::open(path).ok()?.take(LONGEST).read_to_end(&mut text).ok()?;
    Some(text)
}
