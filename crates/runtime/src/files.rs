//! Files that an agent has us read and write: below its directory, wherever links lead, and nowhere else.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, fstat, ftruncate, mkdirat, openat, openat2};
use rustix::io::Errno;

/// The largest file that is read or written.
const LIMIT: usize = 16 * 1024 * 1024;

/// What is to be done to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// Whoever asked for it, in words of the asker.
    pub id: String,
    /// Nothing outside of it is touched.
    pub directory: PathBuf,
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
    #[error("{} is outside of {}: files are served within that directory only", .path.display(), .directory.display())]
    Outside { path: PathBuf, directory: PathBuf },
    #[error("there is no file {}", .0.display())]
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
        // Whoever opens a pipe waits for its other end.
        let file = self.open(OFlags::RDONLY | OFlags::NONBLOCK)?;
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
        self.make_folders()?;
        let mut file = self.open(OFlags::WRONLY | OFlags::CREATE | OFlags::NONBLOCK)?;
        // Only now is it known to be a file.
        ftruncate(&file, 0).map_err(|error| self.refused(error))?;
        file.write_all(text.as_bytes()).map_err(|error| self.failed(&error))
    }

    /// Opens the file in one step, so that no link can be put in its way between a look and the opening.
    fn open(&self, flags: OFlags) -> Result<File, Refused> {
        let root = self.root()?;
        let mode = if flags.contains(OFlags::CREATE) { Mode::from_raw_mode(0o666) } else { Mode::empty() };
        let flags = flags | OFlags::CLOEXEC | OFlags::NOCTTY;
        let opened =
            openat2(&root, self.below()?, flags, mode, BENEATH).map_err(|error| self.refused(error))?;
        let kind = fstat(&opened).map_err(|error| self.refused(error))?;
        if rustix::fs::FileType::from_raw_mode(kind.st_mode) != rustix::fs::FileType::RegularFile {
            return Err(Refused::NoFile(self.path.clone()));
        }
        Ok(File::from(opened))
    }

    fn make_folders(&self) -> Result<(), Refused> {
        let root = self.root()?;
        let path = self.below()?;
        let mut made = PathBuf::new();
        for component in path.parent().into_iter().flat_map(Path::components) {
            let above = match made.as_os_str().is_empty() {
                true => None,
                false => Some(self.folder(&root, &made)?),
            };
            let new =
                mkdirat(above.as_ref().unwrap_or(&root), component.as_os_str(), Mode::from_raw_mode(0o777));
            match new {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(self.refused(error)),
            }
            made.push(component);
        }
        Ok(())
    }

    fn folder(&self, root: &rustix::fd::OwnedFd, path: &Path) -> Result<rustix::fd::OwnedFd, Refused> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat2(root, path, flags, Mode::empty(), BENEATH).map_err(|error| self.refused(error))
    }

    fn root(&self) -> Result<rustix::fd::OwnedFd, Refused> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat(CWD, &self.directory, flags, Mode::empty()).map_err(|error| self.refused(error))
    }

    /// Returns the path as seen from the directory.
    fn below(&self) -> Result<PathBuf, Refused> {
        let outside = || Refused::Outside { path: self.path.clone(), directory: self.directory.clone() };
        let path = match self.path.strip_prefix(&self.directory) {
            Ok(path) => path.to_owned(),
            // The same place by another name, as agents see it that look where links lead.
            Err(_) if self.path.is_absolute() => {
                let real = self.directory.canonicalize().map_err(|error| self.failed(&error))?;
                self.path.strip_prefix(real).map_err(|_| outside())?.to_owned()
            }
            Err(_) => self.path.clone(),
        };
        let plain = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if plain && path.file_name().is_some() { Ok(path) } else { Err(outside()) }
    }

    fn refused(&self, error: Errno) -> Refused {
        match error {
            // A link leads out of the directory.
            Errno::XDEV => Refused::Outside { path: self.path.clone(), directory: self.directory.clone() },
            Errno::NOENT => Refused::Missing(self.path.clone()),
            // A pipe that nobody reads, or a folder.
            Errno::NXIO | Errno::ISDIR => Refused::NoFile(self.path.clone()),
            error => self.failed(&error.into()),
        }
    }

    fn failed(&self, error: &io::Error) -> Refused {
        Refused::Failed { path: self.path.clone(), reason: error.to_string() }
    }
}

const BENEATH: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn access(directory: &Path, path: &str, what: What) -> Result<Option<String>, Refused> {
        let path = directory.join(path);
        Access { id: "1".into(), directory: directory.to_owned(), path, what }.perform().result
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
