//! Which files belong to a project, as git says.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::command::Git;
use super::error::{Error, Result};
use super::repository::is_in_repository;

/// What stands before a name in this directory.
const HERE: &[u8] = b"./";

/// Returns which entries of a directory git ignores. None when the directory is in no repository.
///
/// What is in the index is not ignored, whatever the patterns say, and neither is a folder that holds such a file.
pub async fn ignored(directory: &Path, names: &[&OsStr]) -> Result<HashSet<OsString>> {
    let mut ignored = HashSet::new();
    if names.is_empty() || !is_in_repository(directory) {
        return Ok(ignored);
    }
    let git = Git::in_directory(directory).await?;
    let mut tracked: HashSet<OsString> = HashSet::new();
    let listed = git.call("ls-files").args(["-z", "--cached"]).records(|path| {
        let name = path.split(|byte| *byte == b'/').next().unwrap_or(path);
        let name = OsStr::from_bytes(name);
        if !tracked.contains(name) {
            tracked.insert(name.to_owned());
        }
    });
    if is_outside(listed.await)? {
        return Ok(ignored);
    }
    let untracked = names.iter().filter(|name| !tracked.contains(**name));
    // With where it is before it, no name is taken for an option or a pattern.
    let asked: Vec<u8> = untracked.flat_map(|name| [HERE, name.as_bytes(), b"\0"].concat()).collect();
    if asked.is_empty() {
        return Ok(ignored);
    }
    // Without a look at the index, which would be compared with each name.
    let call = git.call("check-ignore").args(["-z", "--no-index", "--stdin"]).input(asked);
    // It takes names only as they are, and fails when it is told to.
    let told = call.variable("GIT_LITERAL_PATHSPECS", "0").records(|path| {
        let name = path.strip_prefix(HERE).unwrap_or(path);
        ignored.insert(OsStr::from_bytes(name).to_owned());
    });
    match told.await {
        Ok(()) => {}
        // It says so when none is.
        Err(error) if error.said() == Some("exit status: 1") => {}
        Err(error) => return Err(error),
    }
    Ok(ignored)
}

/// Hands on every file below a directory that git knows or would add, relative to the directory. Returns whether the
/// directory is in a repository. What was deleted and not committed is among them.
pub async fn files(directory: &Path, mut take: impl FnMut(&OsStr) + Send) -> Result<bool> {
    if !is_in_repository(directory) {
        return Ok(false);
    }
    let git = Git::in_directory(directory).await?;
    let listed = git
        .call("ls-files")
        .args(["-z", "--cached", "--others", "--exclude-standard"])
        .records(|path| take(OsStr::from_bytes(path)));
    Ok(!is_outside(listed.await)?)
}

/// Says whether git found no checkout: what looked like a repository is none, or the directory is git's own.
fn is_outside(listed: Result<()>) -> Result<bool> {
    match listed {
        Ok(()) => Ok(false),
        Err(Error::Failed { said, .. })
            if said.contains("not a git repository (or any")
                || said.contains("must be run in a work tree") =>
        {
            Ok(true)
        }
        Err(error) => Err(error),
    }
}
