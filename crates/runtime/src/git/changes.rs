//! What is in a checkout and in no commit.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::command::Git;
use super::error::Result;

const SHOWN: usize = 5;

/// Some paths: how many, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Paths {
    pub count: u64,
    pub first: Vec<PathBuf>,
}

impl Paths {
    pub(super) fn add(&mut self, path: impl Into<PathBuf>) {
        self.count += 1;
        if self.first.len() < SHOWN {
            self.first.push(path.into());
        }
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl fmt::Display for Paths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A name may hold newlines and worse.
        let names: Vec<_> =
            self.first.iter().map(|path| path.to_string_lossy().escape_debug().to_string()).collect();
        f.write_str(&names.join(", "))?;
        match self.count.saturating_sub(self.first.len() as u64) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Uncommitted work. A file may be both staged and modified.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    pub staged: u64,
    pub modified: u64,
    pub conflicted: u64,
    pub untracked: u64,
    /// All of them, each once.
    pub paths: Paths,
}

impl Changes {
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }
}

/// How far to look into folders that git does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Untracked {
    /// Such a folder counts once.
    Folders,
    Files,
}

/// Uncommitted work, and apart from it repositories that lie in the checkout as if they were files.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) changes: Changes,
    pub(super) repositories: Paths,
}

/// Looks for uncommitted work.
pub(super) async fn look(git: &Git, untracked: Untracked) -> Result<Found> {
    let mut found = Found::default();
    git.call("status")
        .args(["--porcelain=v2", "-z", "--no-renames"])
        // Looking into a submodule would run git there, under the submodule's own configuration.
        .arg("--ignore-submodules=dirty")
        .arg(match untracked {
            Untracked::Folders => "--untracked-files=normal",
            Untracked::Files => "--untracked-files=all",
        })
        .records(|record| found.add(record, untracked))
        .await?;
    Ok(found)
}

impl Found {
    /// Takes in one line of `git status --porcelain=v2`.
    fn add(&mut self, record: &[u8], untracked: Untracked) {
        let (kind, rest) = (record.first(), record.get(2..).unwrap_or_default());
        let fields = match kind {
            Some(b'?') => 1,
            Some(b'1') => 8,
            Some(b'u') => 10,
            _ => return,
        };
        let Some(path) = rest.splitn(fields, |byte| *byte == b' ').last().map(to_path) else { return };
        match kind {
            // With every file listed, only a repository is a folder.
            Some(b'?') if untracked == Untracked::Files && rest.ends_with(b"/") => {
                return self.repositories.add(path);
            }
            Some(b'?') => self.changes.untracked += 1,
            Some(b'u') => self.changes.conflicted += 1,
            _ => {
                self.changes.staged += u64::from(rest.first() != Some(&b'.'));
                self.changes.modified += u64::from(rest.get(1) != Some(&b'.'));
            }
        }
        self.changes.paths.add(path);
    }
}

/// Hands on the paths of submodules that the index knows, whether there is something in them or not.
pub(super) async fn submodules(git: &Git, mut take: impl FnMut(&Path) + Send) -> Result<()> {
    git.call("ls-files")
        .args(["--stage", "-z"])
        .records(|record| {
            if record.starts_with(b"160000 ")
                && let Some(tab) = record.iter().position(|byte| *byte == b'\t')
            {
                take(&to_path(&record[tab + 1..]));
            }
        })
        .await
}

pub(super) fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::{Found, Paths, Untracked};

    #[test]
    fn a_status_line_is_counted_with_its_whole_path() {
        let mut found = Found::default();
        for record in [
            &b"1 M. N... 100644 100644 100644 aaa bbb a file\nof two lines"[..],
            b"1 MM N... 100644 100644 100644 aaa bbb both",
            b"u UU N... 100644 100644 100644 100644 aaa bbb ccc fought over",
            b"? new one",
            b"? nested/",
            b"",
        ] {
            found.add(record, Untracked::Files);
        }
        let changes = found.changes;
        assert_eq!((changes.staged, changes.modified, changes.conflicted, changes.untracked), (2, 1, 1, 1));
        let names = ["a file\nof two lines", "both", "fought over", "new one"].map(Into::into);
        assert_eq!(changes.paths, Paths { count: 4, first: names.to_vec() });
        assert_eq!(found.repositories.to_string(), "nested/");
    }

    #[test]
    fn paths_are_shown_without_their_control_characters() {
        let mut paths = Paths::default();
        for name in ["a\u{1b}[2J", "b", "c", "d", "e", "f", "g"] {
            paths.add(name);
        }
        assert_eq!(paths.to_string(), r"a\u{1b}[2J, b, c, d, e and 2 more");
    }
}
