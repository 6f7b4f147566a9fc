//! Files that an agent has us read and write: below its directory, wherever links lead, and nowhere else.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::place::{Denied, Root, Target};

/// The largest file that is read or written.
const LIMIT: usize = 16 * 1024 * 1024;

/// What is to be done to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// Who asked for it, in words of the asker.
    pub id: String,
    /// Nothing outside of it is touched.
    pub directory: PathBuf,
    /// Refuses files with several hard links: another name may be outside of the directory.
    pub confined: bool,
    pub path: PathBuf,
    pub what: What,
}

/// Reading or writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    Read,
    /// Makes the file, and the folders above it, when they are not there.
    Write(String),
}

/// What came of it: the text that was read, or why not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accessed {
    pub id: String,
    pub result: Result<Option<String>, Refused>,
}

/// Why a file was not touched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("{} is outside {}; only files in that directory are served", .path.display(), .directory.display())]
    Outside { path: PathBuf, directory: PathBuf },
    #[error("{} has several hard links, and another link may be outside {}", .path.display(), .directory.display())]
    Linked { path: PathBuf, directory: PathBuf },
    #[error("file not found: {}", .0.display())]
    Missing(PathBuf),
    #[error("{} is not a file", .0.display())]
    NoFile(PathBuf),
    #[error("{} is larger than {LIMIT} bytes", .0.display())]
    Large(PathBuf),
    #[error("{} is not text", .0.display())]
    NoText(PathBuf),
    #[error("{}: {reason}", .path.display())]
    Failed { path: PathBuf, reason: String },
}

impl Access {
    /// Does it.
    pub fn perform(self) -> Accessed {
        let result = match &self.what {
            What::Read => self.read().map(Some),
            What::Write(text) => self.write(text).map(|()| None),
        };
        Accessed { id: self.id, result }
    }

    fn read(&self) -> Result<String, Refused> {
        let file = self.target()?.open(OFlags::RDONLY).map_err(|denied| self.refused(denied))?;
        let mut bytes = Vec::new();
        let limit = u64::try_from(LIMIT).unwrap_or(u64::MAX).saturating_add(1);
        file.take(limit).read_to_end(&mut bytes).map_err(|error| self.failed(&error))?;
        if bytes.len() > LIMIT {
            return Err(Refused::Large(self.path.clone()));
        }
        String::from_utf8(bytes).map_err(|_| Refused::NoText(self.path.clone()))
    }

    fn write(&self, text: &str) -> Result<(), Refused> {
        if text.len() > LIMIT {
            return Err(Refused::Large(self.path.clone()));
        }
        let mut file = self.target()?.create().map_err(|denied| self.refused(denied))?;
        file.write_all(text.as_bytes()).map_err(|error| self.failed(&error))
    }

    /// Finds where the path leads, which must be in the directory.
    fn target(&self) -> Result<Target, Refused> {
        let root = Root::new(self.directory.clone()).map_err(|error| self.failed(&error))?;
        let root = if self.confined { root.confined() } else { root };
        let target = root.resolve(&self.path.to_string_lossy()).map_err(|denied| self.refused(denied))?;
        if target.is_inside() { Ok(target) } else { Err(self.outside()) }
    }

    fn outside(&self) -> Refused {
        Refused::Outside { path: self.path.clone(), directory: self.directory.clone() }
    }

    fn refused(&self, denied: Denied) -> Refused {
        match denied {
            // A link that was put there meanwhile may lead anywhere.
            Denied::Behind(_) | Denied::Processes(_) | Denied::Failed { error: Errno::LOOP, .. } => {
                self.outside()
            }
            Denied::Linked(_) => {
                Refused::Linked { path: self.path.clone(), directory: self.directory.clone() }
            }
            Denied::Failed { error: Errno::NOENT, .. } => Refused::Missing(self.path.clone()),
            Denied::Failed { error: Errno::NXIO | Errno::ISDIR | Errno::INVAL, .. } => {
                Refused::NoFile(self.path.clone())
            }
            Denied::Failed { error, .. } => self.failed(&error.into()),
        }
    }

    fn failed(&self, error: &io::Error) -> Refused {
        Refused::Failed { path: self.path.clone(), reason: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use rustix::fs::{CWD, Mode};

    use super::*;

    fn access(directory: &Path, path: &str, what: What) -> Result<Option<String>, Refused> {
        perform(directory, path, what, true)
    }

    fn perform(directory: &Path, path: &str, what: What, confined: bool) -> Result<Option<String>, Refused> {
        let path = directory.join(path);
        Access { id: "1".into(), directory: directory.to_owned(), confined, path, what }.perform().result
    }

    fn write(directory: &Path, path: &str, text: &str) -> Result<Option<String>, Refused> {
        access(directory, path, What::Write(text.to_owned()))
    }

    #[test]
    fn files_below_the_directory_are_read_and_written() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert_eq!(write(root, "a/b/c.txt", "long text"), Ok(None));
        assert_eq!(write(root, "a/b/c.txt", "short"), Ok(None));
        assert_eq!(access(root, "a/b/c.txt", What::Read), Ok(Some("short".to_owned())));
        symlink("a/b", root.join("link")).unwrap();
        assert_eq!(access(root, "link/c.txt", What::Read), Ok(Some("short".to_owned())));
        assert!(matches!(access(root, "none.txt", What::Read), Err(Refused::Missing(_))));
        assert!(matches!(access(root, "a/b", What::Read), Err(Refused::NoFile(_))));
    }

    #[test]
    fn no_way_leads_out_of_the_directory() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = folder.path();
        fs::write(other.path().join("secret"), "secret").unwrap();
        symlink(other.path(), root.join("out")).unwrap();
        symlink(other.path().join("secret"), root.join("file")).unwrap();
        symlink("../", root.join("up")).unwrap();
        let name = other.path().file_name().unwrap().to_str().unwrap();
        let outside = other.path().join("secret");
        for path in [
            "out/secret",
            "file",
            "../x",
            "a/../../x",
            &format!("up/{name}/secret"),
            outside.to_str().unwrap(),
        ] {
            let read = access(root, path, What::Read);
            assert!(matches!(read, Err(Refused::Outside { .. })), "{path}: {read:?}");
            let written = write(root, path, "gone");
            assert!(matches!(written, Err(Refused::Outside { .. })), "{path}: {written:?}");
        }
        assert_eq!(fs::read_to_string(outside).unwrap(), "secret");
        assert!(matches!(write(root, "out/new/deep.txt", "x"), Err(Refused::Outside { .. })));
        assert!(!other.path().join("new").exists());
    }

    #[test]
    fn a_hard_link_leads_only_those_out_who_may_do_everything() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (root, secret) = (folder.path(), other.path().join("secret"));
        fs::write(&secret, "secret").unwrap();
        fs::hard_link(&secret, root.join("linked")).unwrap();
        for what in [What::Read, What::Write("gone".to_owned())] {
            let refused = perform(root, "linked", what, true);
            assert!(matches!(refused, Err(Refused::Linked { .. })), "{refused:?}");
        }
        assert_eq!(fs::read_to_string(&secret).unwrap(), "secret", "nothing was emptied");
        assert_eq!(perform(root, "linked", What::Read, false), Ok(Some("secret".to_owned())));
    }

    #[test]
    fn a_pipe_holds_nobody_up_and_what_is_no_text_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        rustix::fs::mkfifoat(CWD, root.join("pipe"), Mode::from_raw_mode(0o600)).unwrap();
        assert!(matches!(access(root, "pipe", What::Read), Err(Refused::NoFile(_))));
        assert!(matches!(write(root, "pipe", "x"), Err(Refused::NoFile(_))));
        fs::write(root.join("image"), [0xff, 0xfe]).unwrap();
        assert!(matches!(access(root, "image", What::Read), Err(Refused::NoText(_))));
    }
}
