//! From a typed path to a file, without a way around what permission was given for.
//!
//! A path is first resolved to one without symbolic links; that is what leave is asked for. It is then walked name by
//! name, and no name may be a symbolic link: putting one there in between gains nothing.
//!
//! An agent that is confined to a directory gets no file there that has several names (hard links): another may lie
//! outside.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, mkdirat, openat, statat};
use rustix::io::Errno;

/// Folders that hold what is made, and not what is written.
pub(crate) const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];

/// The directory that an agent works in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Root {
    /// As the session knows it.
    named: PathBuf,
    real: PathBuf,
    /// Nothing outside is free.
    confined: bool,
}

/// A file or folder, or the place for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    root: Root,
    /// What is there, without symbolic links.
    there: PathBuf,
    /// What is not there yet.
    missing: Vec<OsString>,
}

/// Why something cannot be got at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Denied {
    #[error("{0}: a parent directory does not exist")]
    Behind(String),
    /// What is there is about processes, this one among them, and changes while it is read.
    #[error("{0}: file tools cannot access /proc; use a command instead")]
    Processes(String),
    #[error("{0}: the file has several hard links, and another link may be outside your directory")]
    Linked(String),
    #[error("{name}: {}", words(*.error))]
    Failed { name: String, error: Errno },
}

/// For those who only tell a model.
impl From<Denied> for String {
    fn from(denied: Denied) -> Self {
        denied.to_string()
    }
}

impl Root {
    pub(crate) fn new(named: PathBuf) -> io::Result<Self> {
        let real = named.canonicalize()?;
        Ok(Self { named, real, confined: false })
    }

    /// Returns it for an agent that may read only what lies there.
    pub(crate) fn confined(self) -> Self {
        Self { confined: true, ..self }
    }

    /// Finds what a path means.
    pub(crate) fn resolve(&self, typed: &str) -> Result<Target, Denied> {
        let mut rest = self.real.join(typed);
        let mut missing = Vec::new();
        let there = loop {
            match rest.canonicalize() {
                Ok(there) => break there,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let Some(Component::Normal(name)) = rest.components().next_back() else {
                        return Err(Denied::Behind(typed.to_owned()));
                    };
                    missing.push(name.to_owned());
                    rest.pop();
                }
                Err(error) => {
                    let error = Errno::from_io_error(&error).unwrap_or(Errno::IO);
                    return Err(Denied::Failed { name: typed.to_owned(), error });
                }
            }
        };
        missing.reverse();
        let target = Target { root: self.clone(), there, missing };
        if target.there.starts_with("/proc") {
            return Err(Denied::Processes(typed.to_owned()));
        }
        Ok(target)
    }
}

/// Returns where a path leads, without links, whether something is there or not. A link that leads nowhere is refused:
/// writing through it makes a file in an unknown place.
pub fn real(directory: &Path, typed: &str) -> Result<PathBuf, String> {
    let root =
        Root::new(directory.to_owned()).map_err(|error| format!("{}: {error}", directory.display()))?;
    let target = root.resolve(typed)?;
    let mut path = target.there;
    for name in target.missing {
        path.push(name);
        if path.is_symlink() {
            return Err(format!("{typed}: {}", words(Errno::LOOP)));
        }
    }
    Ok(path)
}

impl Target {
    /// Says whether it lies in the agent's directory.
    pub(crate) fn is_inside(&self) -> bool {
        self.there.starts_with(&self.root.real)
    }

    /// Returns where it lies in the agent's directory, without symbolic links; `None` when it lies outside.
    pub(crate) fn inner(&self) -> Option<&Path> {
        self.there.strip_prefix(&self.root.real).ok()
    }

    /// Says whether a file that was opened here, or below, may lie outside of the directory as well.
    pub(crate) fn leads_out(&self, file: &File) -> bool {
        let has_several_names = |found: Metadata| found.is_file() && found.nlink() > 1;
        self.root.confined && self.is_inside() && file.metadata().map_or(true, has_several_names)
    }

    /// Returns its path, with the directory as the session knows it.
    pub(crate) fn shown(&self) -> String {
        let there = match self.there.strip_prefix(&self.root.real) {
            Ok(inner) => self.root.named.join(inner),
            Err(_) => self.there.clone(),
        };
        // Joining an empty path would leave a slash at the end.
        let path: PathBuf =
            there.components().chain(self.missing.iter().map(|name| Component::Normal(name))).collect();
        path.to_string_lossy().into_owned()
    }

    /// Returns its path, short when it lies in the directory.
    pub(crate) fn name(&self) -> String {
        let shown = self.shown();
        match Path::new(&shown).strip_prefix(&self.root.named) {
            Ok(inner) if !inner.as_os_str().is_empty() => inner.to_string_lossy().into_owned(),
            _ => shown,
        }
    }

    /// Says whether nothing is there.
    pub(crate) fn is_missing(&self) -> bool {
        !self.missing.is_empty()
    }

    /// Opens a file that is there; `flags` say for what.
    pub(crate) fn open(&self, flags: OFlags) -> Result<File, Denied> {
        if self.is_missing() {
            return Err(self.denied(Errno::NOENT));
        }
        let (folder, name) = self.parent()?;
        self.file(&folder, &name, flags)
    }

    /// Makes a file, with the folders that it needs, or empties the one that is there.
    pub(crate) fn create(&self) -> Result<File, Denied> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC;
        let Some((name, folders)) = self.missing.split_last() else {
            let (folder, name) = self.parent()?;
            return self.file(&folder, &name, flags);
        };
        let mut folder = walk(&self.there).map_err(|error| self.denied(error))?;
        for name in folders {
            match mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(self.denied(error)),
            }
            folder = step(&folder, name).map_err(|error| self.denied(error))?;
        }
        self.file(&folder, name, flags)
    }

    /// Opens a folder that is there.
    pub(crate) fn folder(&self) -> Result<OwnedFd, Denied> {
        if self.is_missing() {
            return Err(self.denied(Errno::NOENT));
        }
        walk(&self.there).map_err(|error| self.denied(error))
    }

    /// Returns the folders around it, as far as they belong to the agent's directory, outermost first.
    pub(crate) fn around(&self) -> Vec<(OwnedFd, PathBuf)> {
        let inside = self.there.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.root.real));
        let mut folders: Vec<(OwnedFd, PathBuf)> =
            inside.filter_map(|folder| Some((walk(folder).ok()?, folder.to_owned()))).collect();
        folders.reverse();
        folders
    }

    /// Returns what is there, without symbolic links.
    pub(crate) fn there(&self) -> &Path {
        &self.there
    }

    /// Says whether it is a folder, as far as can be seen without opening it.
    pub(crate) fn is_folder(&self) -> bool {
        self.there == Path::new("/")
            || self.seen().is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
    }

    /// Returns what can be seen of it without opening it.
    pub(crate) fn seen(&self) -> Result<Stat, Denied> {
        let (folder, name) = self.parent()?;
        statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW).map_err(|error| self.denied(error))
    }

    fn parent(&self) -> Result<(OwnedFd, OsString), Denied> {
        let (Some(folder), Some(name)) = (self.there.parent(), self.there.file_name()) else {
            return Err(self.denied(Errno::ISDIR));
        };
        let folder = walk(folder).map_err(|error| self.denied(error))?;
        Ok((folder, name.to_owned()))
    }

    fn file(&self, folder: &OwnedFd, name: &OsString, flags: OFlags) -> Result<File, Denied> {
        // Nothing may be emptied before it is known to be what leave was given for.
        let file = regular(folder, name, flags - OFlags::TRUNC).map_err(|error| self.denied(error))?;
        if self.leads_out(&file) {
            return Err(Denied::Linked(self.name()));
        }
        if flags.contains(OFlags::TRUNC) {
            rustix::fs::ftruncate(&file, 0).map_err(|error| self.denied(error))?;
        }
        Ok(file)
    }

    fn denied(&self, error: Errno) -> Denied {
        Denied::Failed { name: self.name(), error }
    }
}

fn words(error: Errno) -> String {
    let words = match error {
        Errno::NOENT => "no such file or directory",
        Errno::LOOP => "a symbolic link in the path changed or is broken",
        Errno::ISDIR => "it is a directory",
        Errno::INVAL | Errno::NXIO => "it is not a regular file",
        error => return io::Error::from(error).to_string(),
    };
    words.to_owned()
}

/// Opens an ordinary file in a folder: no folder, no pipe, no device, and never over a symbolic link.
pub(crate) fn regular(folder: &OwnedFd, name: &OsString, flags: OFlags) -> Result<File, Errno> {
    // A pipe must not make us wait for its writer.
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = openat(folder, name, flags, Mode::from_raw_mode(0o666))?;
    match FileType::from_raw_mode(fstat(&opened)?.st_mode) {
        FileType::RegularFile => {}
        FileType::Directory => return Err(Errno::ISDIR),
        _ => return Err(Errno::INVAL),
    }
    Ok(File::from(opened))
}

/// Opens a folder below another.
pub(crate) fn step(folder: &OwnedFd, name: &OsString) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(folder, name, flags, Mode::empty())
}

/// Returns what is in a folder that was opened, by name, with its kind.
pub(crate) fn entries(folder: &OwnedFd) -> Result<Vec<(OsString, FileType)>, Errno> {
    some_entries(folder, usize::MAX).map(|(found, _)| found)
}

/// Returns at most so many, and whether there are more.
pub(crate) fn some_entries(
    folder: &OwnedFd,
    most: usize,
) -> Result<(Vec<(OsString, FileType)>, bool), Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let readable = openat(folder, ".", flags, Mode::empty())?;
    let (mut found, mut more) = (Vec::new(), false);
    for entry in Dir::read_from(&readable)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            if found.len() == most {
                more = true;
                break;
            }
            let name: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(name);
            let kind = match entry.file_type() {
                // Some file systems do not say.
                FileType::Unknown => statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
                    .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode)),
                kind => kind,
            };
            found.push((name.to_owned(), kind));
        }
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok((found, more))
}

/// Walks to a folder, name by name.
fn walk(path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folder = openat(CWD, "/", flags, Mode::empty())?;
    for component in path.components() {
        match component {
            Component::RootDir => {}
            Component::Normal(name) => folder = step(&folder, &name.to_owned())?,
            Component::ParentDir | Component::CurDir | Component::Prefix(_) => return Err(Errno::LOOP),
        }
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Read, Write};
    use std::os::unix::fs::symlink;

    use super::*;

    fn root() -> (tempfile::TempDir, Root) {
        let directory = tempfile::tempdir().unwrap();
        let inside = directory.path().join("inside");
        fs::create_dir(&inside).unwrap();
        fs::write(directory.path().join("secret"), "outside").unwrap();
        fs::write(inside.join("poem"), "roses").unwrap();
        let root = Root::new(inside).unwrap();
        (directory, root)
    }

    fn text(target: &Target) -> Result<String, Denied> {
        let mut text = String::new();
        target.open(OFlags::RDONLY)?.read_to_string(&mut text).unwrap();
        Ok(text)
    }

    #[test]
    fn a_path_is_inside_or_outside_by_where_it_leads() {
        let (directory, root) = root();
        symlink("../secret", root.real.join("link")).unwrap();
        symlink(".", root.real.join("self")).unwrap();
        let outside = directory.path().join("secret").display().to_string();
        for typed in ["poem", "./poem", "../inside/poem", "self/self/poem"] {
            let target = root.resolve(typed).unwrap();
            assert!(target.is_inside(), "{typed}");
            assert_eq!(
                (target.name(), text(&target)),
                ("poem".to_owned(), Ok("roses".to_owned())),
                "{typed}"
            );
        }
        for typed in ["link", "../secret", "self/../../secret", outside.as_str()] {
            assert!(!root.resolve(typed).unwrap().is_inside(), "{typed}");
        }
        for typed in ["new", "a/b/c"] {
            assert!(root.resolve(typed).unwrap().is_inside(), "{typed}");
        }
        assert!(!root.resolve("../new").unwrap().is_inside());
        assert!(matches!(root.resolve("a/../../secret"), Err(Denied::Behind(_))));
        // A folder whose name begins like the directory's.
        fs::create_dir(directory.path().join("inside-not")).unwrap();
        assert!(!root.resolve("../inside-not/x").unwrap().is_inside());
    }

    #[test]
    fn a_link_that_is_put_there_later_leads_nowhere() {
        let (directory, root) = root();
        fs::create_dir(root.real.join("folder")).unwrap();
        fs::write(root.real.join("folder/poem"), "violets").unwrap();
        let (file, nested, new) = (
            root.resolve("poem").unwrap(),
            root.resolve("folder/poem").unwrap(),
            root.resolve("folder/new").unwrap(),
        );
        fs::remove_file(root.real.join("poem")).unwrap();
        symlink(directory.path().join("secret"), root.real.join("poem")).unwrap();
        fs::rename(root.real.join("folder"), root.real.join("moved")).unwrap();
        symlink(directory.path(), root.real.join("folder")).unwrap();
        for target in [&file, &nested] {
            assert!(text(target).is_err(), "{target:?}");
        }
        assert!(new.create().is_err() && !directory.path().join("new").exists());
        assert!(file.create().is_err());
        assert_eq!(fs::read_to_string(directory.path().join("secret")).unwrap(), "outside");
    }

    #[test]
    fn whoever_is_confined_gets_no_file_with_another_name() {
        let (directory, free) = root();
        let confined = free.clone().confined();
        let early = confined.resolve("poem").unwrap();
        fs::hard_link(directory.path().join("secret"), free.real.join("linked")).unwrap();
        fs::hard_link(free.real.join("poem"), directory.path().join("copy")).unwrap();
        for typed in ["linked", "poem"] {
            assert!(matches!(text(&confined.resolve(typed).unwrap()), Err(Denied::Linked(_))), "{typed}");
            assert!(text(&free.resolve(typed).unwrap()).is_ok(), "{typed}");
        }
        // It had one name when it was looked for. Nothing is emptied.
        assert!(matches!(early.create(), Err(Denied::Linked(_))));
        assert_eq!(fs::read_to_string(directory.path().join("copy")).unwrap(), "roses");
        // What lies outside is asked for by its own name.
        assert_eq!(text(&confined.resolve("../secret").unwrap()), Ok("outside".to_owned()));
        fs::remove_file(directory.path().join("copy")).unwrap();
        assert_eq!(text(&early), Ok("roses".to_owned()));
        confined.resolve("new").unwrap().create().unwrap();
    }

    #[test]
    fn a_link_to_nothing_is_not_written_over() {
        let (directory, root) = root();
        symlink(directory.path().join("made"), root.real.join("dangling")).unwrap();
        assert!(
            root.resolve("dangling").unwrap().create().unwrap_err().to_string().contains("symbolic link")
        );
        assert!(!directory.path().join("made").exists());
    }

    #[test]
    fn the_real_place_of_a_path_is_told_wherever_links_lead() {
        let (directory, root) = root();
        symlink(directory.path(), root.real.join("out")).unwrap();
        symlink(directory.path().join("made"), root.real.join("dangling")).unwrap();
        let real = |typed: &str| real(&root.real, typed);
        let outside = directory.path().canonicalize().unwrap();
        assert_eq!(real("poem"), Ok(root.real.join("poem")));
        assert_eq!(real("new/deep"), Ok(root.real.join("new/deep")));
        assert_eq!(real("out/x"), Ok(outside.join("x")));
        for typed in ["dangling", "dangling/x", "gone/../x", "/proc/self/environ"] {
            assert!(real(typed).is_err(), "{typed}");
        }
    }

    #[test]
    fn what_is_no_ordinary_file_is_not_opened() {
        let (_directory, root) = root();
        rustix::fs::mknodat(CWD, root.real.join("pipe"), FileType::Fifo, Mode::from_raw_mode(0o600), 0)
            .unwrap();
        assert!(text(&root.resolve("pipe").unwrap()).unwrap_err().to_string().contains("not a regular file"));
        assert!(
            text(&root.resolve("/dev/zero").unwrap()).unwrap_err().to_string().contains("not a regular file")
        );
        assert!(text(&root.resolve(".").unwrap()).unwrap_err().to_string().contains("a directory"));
        for typed in ["/proc/self/environ", "/proc/self/mem", "/proc/1/cmdline"] {
            assert!(root.resolve(typed).is_err(), "{typed}");
        }
        // It leads back into the world of files.
        let own = format!("/proc/self/root{}/poem", root.real.display());
        assert_eq!(text(&root.resolve(&own).unwrap()), Ok("roses".to_owned()));
    }

    #[test]
    fn folders_are_made_on_the_way() {
        let (_directory, root) = root();
        root.resolve("a/b/c").unwrap().create().unwrap().write_all(b"x").unwrap();
        assert_eq!(fs::read_to_string(root.real.join("a/b/c")).unwrap(), "x");
    }
}
