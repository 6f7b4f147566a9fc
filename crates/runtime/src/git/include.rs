//! `.worktreeinclude`: files that are in no commit and that a new worktree is to have all the same.
//!
//! Git evaluates the patterns. Files are then opened folder by folder from the top, never through a symbolic
//! link, on either side: what is read is in the checkout, what is written is in the worktree.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, fchmod, fstat, mkdirat, open, openat, readlinkat, symlinkat};
use rustix::io::Errno;

use super::changes::to_path;
use super::command::Git;
use super::error::{Error, Result};

pub(super) const NAME: &str = ".worktreeinclude";
const MOST_FILES: usize = 10_000;
const MOST_BYTES: u64 = 512 << 20;

/// What came of `.worktreeinclude`. Nothing when there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Included {
    /// Relative to the worktree.
    pub copied: Vec<PathBuf>,
    pub skipped: Vec<Skipped>,
}

/// A file that is listed and was not copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    pub path: PathBuf,
    pub why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// A symbolic link that is absolute or leads out of the checkout.
    LeadsOut,
    /// The commit that the worktree starts from has something there.
    InTheWay,
    /// A repository of its own, a pipe, a socket.
    NotAFile,
}

/// Copies what `.worktreeinclude` in `from` lists and git does not track there.
pub(super) async fn include(git: &Git, from: &Path, to: &Path) -> Result<Included> {
    let list = from.join(NAME);
    match fs::symlink_metadata(&list) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(Error::Include("is not a file".to_owned())),
        Err(_) => return Ok(Included::default()),
    }
    let (paths, count) = listed(git, &list).await?;
    if count > MOST_FILES {
        return Err(Error::Include(format!("lists {count} files; the limit is {MOST_FILES}")));
    }
    let (from, to) = (from.to_owned(), to.to_owned());
    let copied = tokio::task::spawn_blocking(move || copy_all(&from, &to, paths, MOST_BYTES)).await;
    copied.map_err(|error| Error::Io { what: "copying files".to_owned(), source: error.into() })?
}

/// What a list names of the files that git does not track, and how many that are: no more than
/// [`MOST_FILES`] are returned.
pub(super) async fn listed(git: &Git, list: &Path) -> Result<(Vec<PathBuf>, usize)> {
    let (mut paths, mut count) = (Vec::new(), 0);
    let mut exclude_from = std::ffi::OsString::from("--exclude-from=");
    exclude_from.push(list);
    git.call("ls-files")
        .args(["--others", "--ignored", "-z"])
        .arg(exclude_from)
        .records(|record| {
            count += 1;
            if count <= MOST_FILES {
                paths.push(to_path(record));
            }
        })
        .await?;
    Ok((paths, count))
}

fn copy_all(from: &Path, to: &Path, paths: Vec<PathBuf>, most_bytes: u64) -> Result<Included> {
    let (source, target) = (top(from)?, top(to)?);
    let mut included = Included::default();
    let mut bytes = 0;
    for path in paths {
        match copy(&source, &target, &path, most_bytes - bytes) {
            Ok(Outcome::Copied(length)) => {
                bytes += length;
                included.copied.push(path);
            }
            Ok(Outcome::Skipped(why)) => included.skipped.push(Skipped { path, why }),
            Ok(Outcome::TooLarge) => {
                let most = most_bytes >> 20;
                return Err(Error::Include(format!("lists more than {most} MiB, the limit for copying")));
            }
            // Gone since git listed it.
            Err(Errno::NOENT) => {}
            Err(error) => {
                return Err(Error::Io { what: format!("copying {}", path.display()), source: error.into() });
            }
        }
    }
    Ok(included)
}

fn top(path: &Path) -> Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    open(path, flags, Mode::empty())
        .map_err(|error| Error::Io { what: format!("opening {}", path.display()), source: error.into() })
}

enum Outcome {
    Copied(u64),
    Skipped(Why),
    TooLarge,
}

fn copy(source: &OwnedFd, target: &OwnedFd, path: &Path, room: u64) -> rustix::io::Result<Outcome> {
    let Some((folders, name)) = parts(path) else { return Ok(Outcome::Skipped(Why::NotAFile)) };
    let folder = match descend(source, &folders, Missing::Fail) {
        // A folder that has become a link since.
        Err(Errno::LOOP | Errno::NOTDIR) => return Ok(Outcome::Skipped(Why::LeadsOut)),
        folder => folder?,
    };
    // Not blocking, as it may have become a pipe.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match openat(&folder, name, flags, Mode::empty()) {
        Ok(file) => file,
        Err(Errno::LOOP) => return copy_link(&folder, target, path, &folders, name),
        Err(Errno::NXIO) => return Ok(Outcome::Skipped(Why::NotAFile)),
        Err(error) => return Err(error),
    };
    let metadata = fstat(&file)?;
    if FileType::from_raw_mode(metadata.st_mode) != FileType::RegularFile {
        return Ok(Outcome::Skipped(Why::NotAFile));
    }
    if u64::try_from(metadata.st_size).unwrap_or_default() > room {
        return Ok(Outcome::TooLarge);
    }
    let Some(folder) = descend_or_make(target, &folders)? else { return Ok(Outcome::Skipped(Why::InTheWay)) };
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let copy = match openat(&folder, name, flags, Mode::RUSR | Mode::WUSR) {
        Err(Errno::EXIST) => return Ok(Outcome::Skipped(Why::InTheWay)),
        copy => copy?,
    };
    // One byte more than there is room for tells a file that has grown since.
    let mut from = io::Read::take(File::from(file), room.saturating_add(1));
    let mut to = File::from(copy);
    let length =
        io::copy(&mut from, &mut to).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    if length > room {
        return Ok(Outcome::TooLarge);
    }
    fchmod(&to, Mode::from_raw_mode(metadata.st_mode) & (Mode::RWXU | Mode::RWXG | Mode::RWXO))?;
    Ok(Outcome::Copied(length))
}

/// Copies a symbolic link as a link, if it stays within the checkout.
fn copy_link(
    from: &OwnedFd,
    target: &OwnedFd,
    path: &Path,
    folders: &[&OsStr],
    name: &OsStr,
) -> rustix::io::Result<Outcome> {
    let leads_to = readlinkat(from, name, Vec::new())?;
    if !stays_within(path, Path::new(OsStr::from_bytes(leads_to.as_bytes()))) {
        return Ok(Outcome::Skipped(Why::LeadsOut));
    }
    let Some(folder) = descend_or_make(target, folders)? else { return Ok(Outcome::Skipped(Why::InTheWay)) };
    match symlinkat(&leads_to, &folder, name) {
        Ok(()) => Ok(Outcome::Copied(0)),
        Err(Errno::EXIST) => Ok(Outcome::Skipped(Why::InTheWay)),
        Err(error) => Err(error),
    }
}

/// Whether a link is relative and never climbs over the top. Links it passes through are not followed up: it is
/// only written, never opened.
fn stays_within(link: &Path, leads_to: &Path) -> bool {
    let mut depth = link.components().count().saturating_sub(1);
    for part in leads_to.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return false,
        }
    }
    true
}

/// A path's folders and its name. `None` for anything but plain names, and for the inside of `.git`.
fn parts(path: &Path) -> Option<(Vec<&OsStr>, &OsStr)> {
    // A repository of its own is listed as a folder.
    if path.as_os_str().as_bytes().ends_with(b"/") {
        return None;
    }
    let mut names = path
        .components()
        .map(|part| match part {
            Component::Normal(name) if !name.eq_ignore_ascii_case(".git") => Some(name),
            _ => None,
        })
        .collect::<Option<Vec<_>>>()?;
    let name = names.pop()?;
    Some((names, name))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Fail,
    Make,
}

/// Opens the folders in the worktree, and makes those that are missing. `None` when something else is there.
fn descend_or_make(top: &OwnedFd, folders: &[&OsStr]) -> rustix::io::Result<Option<OwnedFd>> {
    match descend(top, folders, Missing::Make) {
        Ok(folder) => Ok(Some(folder)),
        Err(Errno::LOOP | Errno::NOTDIR) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Opens one folder after the other, never through a symbolic link.
fn descend(top: &OwnedFd, folders: &[&OsStr], missing: Missing) -> rustix::io::Result<OwnedFd> {
    let mut folder = top.try_clone().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for name in folders {
        if missing == Missing::Make
            && let Err(error) =
                mkdirat(folder.as_fd(), *name, Mode::RWXU | Mode::RGRP | Mode::XGRP | Mode::ROTH | Mode::XOTH)
            && error != Errno::EXIST
        {
            return Err(error);
        }
        folder = openat(&folder, *name, flags, Mode::empty())?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{Why, copy_all, parts, stays_within};

    #[test]
    fn a_link_may_not_climb_over_the_top() {
        let stays = |link: &str, to: &str| stays_within(Path::new(link), Path::new(to));
        assert!(stays("a/link", "../b"));
        assert!(stays("link", "a/../b"));
        assert!(!stays("link", "../b"));
        assert!(!stays("a/link", "../../b"));
        assert!(!stays("link", "a/../../b/a"));
        assert!(!stays("link", "/etc/passwd"));
    }

    #[test]
    fn only_plain_names_are_paths() {
        for path in ["", "/a", "../a", "a/../b", "nested/", ".git/config", "a/.GIT/hooks/x"] {
            assert!(parts(Path::new(path)).is_none(), "{path}");
        }
        assert!(parts(Path::new("a/b\nc")).is_some());
    }

    #[test]
    fn a_folder_that_is_a_link_is_followed_on_neither_side() {
        let place = tempfile::TempDir::new().unwrap();
        let at = |name: &str| place.path().join(name);
        for folder in ["from", "from/real", "to", "outside"] {
            std::fs::create_dir(at(folder)).unwrap();
        }
        std::fs::write(at("outside/secret"), "secret").unwrap();
        std::fs::write(at("from/real/new"), "new").unwrap();
        std::os::unix::fs::symlink(at("outside"), at("from/link")).unwrap();
        std::os::unix::fs::symlink(at("outside"), at("to/real")).unwrap();
        let paths: Vec<PathBuf> = vec!["link/secret".into(), "real/new".into()];
        let included = copy_all(&at("from"), &at("to"), paths, 1000).unwrap();
        assert!(included.copied.is_empty());
        assert_eq!(
            included.skipped.iter().map(|skipped| skipped.why).collect::<Vec<_>>(),
            [Why::LeadsOut, Why::InTheWay]
        );
        assert!(!at("outside/new").exists());
    }

    #[test]
    fn too_many_bytes_are_an_error() {
        let place = tempfile::TempDir::new().unwrap();
        let at = |name: &str| place.path().join(name);
        for folder in ["from", "to"] {
            std::fs::create_dir(at(folder)).unwrap();
        }
        std::fs::write(at("from/a"), "123").unwrap();
        std::fs::write(at("from/b"), "123").unwrap();
        assert!(copy_all(&at("from"), &at("to"), vec!["a".into(), "b".into()], 6).is_ok());
        let place = at("to2");
        std::fs::create_dir(&place).unwrap();
        assert!(copy_all(&at("from"), &place, vec!["a".into(), "b".into()], 5).is_err());
    }
}
