//! Files that git ignores and `.worktreeinclude` lists: precious by declaration, unlike what a build leaves.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::admin::{Place, checkouts};
use super::changes::to_path;
use super::error::{Error, Result};
use super::include::{NAME, listed};
use super::worktree::Located;

/// Finds what `.worktreeinclude` lists in a worktree, git ignores, and no other checkout has like that.
pub(super) async fn only_here(located: &Located<'_>) -> Result<Vec<PathBuf>> {
    let Place::Present(_) = &located.place else { return Ok(Vec::new()) };
    let here = &located.worktree.path;
    let others = checkouts(&located.worktree.common_dir, here);
    let Some(list) = list(here, &others) else { return Ok(Vec::new()) };
    let (mut paths, count) = listed(&located.git, &list).await?;
    if count > paths.len() {
        return Err(Error::Include(format!("lists {count} files in the worktree, which is too many")));
    }
    if paths.is_empty() {
        return Ok(paths);
    }
    // What is not ignored is uncommitted work like any other.
    let mut untracked = HashSet::new();
    let call = located.git.call("ls-files").args(["--others", "--exclude-standard", "-z"]);
    call.records(|record| {
        untracked.insert(to_path(record));
    })
    .await?;
    paths.retain(|path| !untracked.contains(path));
    let here = here.clone();
    let compared = tokio::task::spawn_blocking(move || {
        paths
            .retain(|path| is_kept(&here.join(path)) && !others.iter().any(|other| same(&here, other, path)));
        paths
    });
    compared.await.map_err(|error| Error::Io { what: "comparing files".to_owned(), source: error.into() })
}

/// The list that counts: that of the user's checkout, else the worktree's own, else any.
fn list(here: &Path, others: &[PathBuf]) -> Option<PathBuf> {
    let first = others.first().map(PathBuf::as_path);
    let rest = others.iter().skip(1).map(PathBuf::as_path);
    let mut lists = first.into_iter().chain([here]).chain(rest).map(|place| place.join(NAME));
    lists.find(|list| is_file(list))
}

/// How many bytes these files have.
pub(super) fn bytes(top: &Path, paths: &[PathBuf]) -> u64 {
    paths.iter().filter_map(|path| fs::symlink_metadata(top.join(path)).ok()).map(|found| found.len()).sum()
}

fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

/// Whether an archive could keep it: a file or a link, no pipe.
fn is_kept(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file() || found.is_symlink())
}

fn same(here: &Path, other: &Path, path: &Path) -> bool {
    let (here, other) = (here.join(path), other.join(path));
    match (fs::read_link(&here), fs::read_link(&other)) {
        (Ok(here), Ok(other)) => here == other,
        (Err(_), Err(_)) => same_content(&here, &other).unwrap_or(false),
        _ => false,
    }
}

fn same_content(here: &Path, other: &Path) -> io::Result<bool> {
    let (mut here, mut other) = (open(here)?, open(other)?);
    if here.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let (mut one, mut two) = (vec![0; 64 << 10], vec![0; 64 << 10]);
    loop {
        let length = here.read(&mut one)?;
        if length == 0 {
            return Ok(other.read(&mut two)? == 0);
        }
        other.read_exact(&mut two[..length])?;
        if one[..length] != two[..length] {
            return Ok(false);
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    // Not blocking, as it may have become a pipe.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}
