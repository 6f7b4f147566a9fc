//! An agent's directory, as people look at it: what is in it, and what is in its files.
//!
//! A symbolic link is followed where it leads to something inside. Nothing outside is shown, nothing of git's own, and
//! nothing but directories and ordinary files is opened.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use paseo_core::file::{InnerPath, Typed, is_git};
use rustix::fs::{AtFlags, FileType, OFlags, Stat, statat};
use rustix::io::Errno;

use crate::place::{Denied, Root, SKIPPED, Target, some_entries, step};

/// How deep folders are followed.
const DEPTH: usize = 64;

/// A directory that people look at.
#[derive(Debug, Clone)]
pub struct Browse {
    root: Root,
}

/// Why something is not shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("`{0}` is outside the agent's directory")]
    Outside(String),
    #[error("`{0}` is inside git's internal files")]
    Git(String),
    #[error("file or directory `{0}` not found")]
    Missing(String),
    #[error("`{0}` is not a regular file")]
    NotAFile(String),
    #[error("`{0}` is a directory")]
    Directory(String),
    #[error("permission denied: `{0}`")]
    Denied(String),
    /// Another process puts links there while we look.
    #[error("`{0}` changed while it was read")]
    Changed(String),
    #[error("cannot read `{path}`: {reason}")]
    Failed { path: String, reason: String },
}

/// What a path is.
#[derive(Debug)]
pub enum Looked {
    Directory(Folder),
    /// A file, or something that is neither.
    Entry(Entry),
}

/// A directory whose names were read.
#[derive(Debug)]
pub struct Folder {
    /// Without symbolic links.
    real: PathBuf,
    opened: OwnedFd,
    /// Directories first, then by name.
    entries: Vec<Position>,
    /// It has more entries than were read.
    pub truncated: bool,
}

/// Where an entry stands in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    pub is_directory: bool,
    pub name: OsString,
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: OsString,
    pub kind: Kind,
    /// Of files, in bytes.
    pub size: Option<u64>,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    File,
    Directory,
    Link(LeadsTo),
    /// A pipe, a socket or a device.
    Other,
}

/// Where a symbolic link leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeadsTo {
    File,
    Directory,
    /// Outside, nowhere, or to what is not shown.
    Nothing,
}

/// A file that was opened.
#[derive(Debug)]
pub struct Opened {
    file: File,
    pub length: u64,
}

impl Ord for Position {
    fn cmp(&self, other: &Self) -> Ordering {
        other.is_directory.cmp(&self.is_directory).then_with(|| self.name.cmp(&other.name))
    }
}

impl PartialOrd for Position {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Browse {
    /// Begins to look at a directory.
    pub fn new(directory: &Path) -> Result<Self, Refused> {
        let root = Root::new(directory.to_owned());
        let root = root.map_err(|_| Refused::Missing(directory.display().to_string()))?;
        Ok(Self { root })
    }

    /// Looks at a path: reads at most so many names if it is a directory.
    pub fn look(&self, path: &InnerPath, most: usize) -> Result<Looked, Refused> {
        let target = self.target(path)?;
        if !target.is_folder() {
            let stat = target.seen().map_err(|denied| refused(path, denied))?;
            let name = target.there().file_name().unwrap_or_default().to_owned();
            return Ok(Looked::Entry(entry(name, &stat)));
        }
        let opened = target.folder().map_err(|denied| refused(path, denied))?;
        let (names, truncated) =
            some_entries(&opened, most).map_err(|error| failed(path.to_string(), error))?;
        let names = names.into_iter().filter(|(name, _)| !is_git(name));
        let position = |(name, kind)| Position { is_directory: kind == FileType::Directory, name };
        let mut entries: Vec<Position> = names.map(position).collect();
        entries.sort();
        Ok(Looked::Directory(Folder { real: target.there().to_owned(), opened, entries, truncated }))
    }

    /// Opens a file.
    pub fn open(&self, path: &InnerPath) -> Result<Opened, Refused> {
        let file = self.target(path)?.open(OFlags::RDONLY).map_err(|denied| refused(path, denied))?;
        let length = file.metadata().map_err(|error| broken(path, &error))?.len();
        Ok(Opened { file, length })
    }

    /// Returns a page of a directory's entries, and where the next one begins.
    pub fn page(
        &self,
        path: &InnerPath,
        folder: &Folder,
        after: Option<&Position>,
        limit: usize,
    ) -> (Vec<Entry>, Option<Position>) {
        let begin = after.map_or(0, |after| folder.entries.partition_point(|position| position <= after));
        let rest = &folder.entries[begin..];
        let page = &rest[..rest.len().min(limit)];
        let next = page.last().filter(|_| rest.len() > limit).cloned();
        // What is gone meanwhile is left out.
        let entries = page.iter().filter_map(|position| {
            let stat = statat(&folder.opened, &position.name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            let entry = entry(position.name.clone(), &stat);
            Some(match entry.kind {
                Kind::Link(_) => Entry { kind: Kind::Link(self.leads_to(path, &entry.name)), ..entry },
                _ => entry,
            })
        });
        (entries.collect(), next)
    }

    /// Follows a link, as long as it stays inside.
    fn leads_to(&self, path: &InnerPath, name: &OsStr) -> LeadsTo {
        let Some(name) = name.to_str() else { return LeadsTo::Nothing };
        let Ok(target) = self.target(&path.join(name)) else { return LeadsTo::Nothing };
        if target.is_folder() {
            return LeadsTo::Directory;
        }
        let is_file = |stat: Stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        if target.seen().is_ok_and(is_file) { LeadsTo::File } else { LeadsTo::Nothing }
    }

    /// Finds what a path means, wherever links lead, and checks that it may be shown.
    fn target(&self, path: &InnerPath) -> Result<Target, Refused> {
        let target = self.root.resolve(path.as_str()).map_err(|denied| refused(path, denied))?;
        let inner = target.inner().ok_or_else(|| Refused::Outside(path.to_string()))?;
        let is_gits = |component: Component<'_>| is_git(component.as_os_str());
        if inner.components().any(is_gits) {
            return Err(Refused::Git(path.to_string()));
        }
        if target.is_missing() {
            return Err(Refused::Missing(path.to_string()));
        }
        Ok(target)
    }
}

impl Folder {
    /// Returns where it really is.
    pub fn real(&self) -> &Path {
        &self.real
    }

    /// Returns the names of its entries.
    pub fn names(&self) -> Vec<&OsStr> {
        self.entries.iter().map(|position| position.name.as_os_str()).collect()
    }

    /// Leaves entries out.
    pub fn without(&mut self, left_out: impl Fn(&OsStr) -> bool) {
        self.entries.retain(|position| !left_out(&position.name));
    }
}

impl Opened {
    /// Reads its beginning.
    pub fn head(&mut self, most: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        (&mut self.file).take(most as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Returns the directories whose name could be meant, and whether there are more. Only those with names in UTF-8.
pub fn directories(typed: &Typed<'_>, scanned: usize, most: usize) -> io::Result<(Vec<String>, bool)> {
    let (mut found, mut more) = (Vec::new(), false);
    for (number, entry) in std::fs::read_dir(typed.parent)?.enumerate() {
        if number == scanned {
            more = true;
            break;
        }
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        // Links lead to directories as well: only what could be meant is looked at.
        if typed.fits(&name) && entry.path().is_dir() {
            found.push(name);
        }
    }
    found.sort();
    more |= found.len() > most;
    found.truncate(most);
    Ok((found, more))
}

/// Hands on the files below a directory, those of outer folders first; looks at so many entries at most, and returns
/// whether there are more. Follows no links, and passes over folders that hold what is made. For directories of which git
/// knows nothing.
pub fn files(directory: &Path, most: usize, mut take: impl FnMut(&Path)) -> Result<bool, Refused> {
    let here = InnerPath::default();
    let top = Browse::new(directory)?.target(&here)?.folder().map_err(|denied| refused(&here, denied))?;
    let (mut rest, mut left, mut more) = (VecDeque::from([(top, PathBuf::new(), 0)]), most, false);
    while let Some((folder, path, depth)) = rest.pop_front() {
        // What cannot be read is passed over, as is what is gone meanwhile.
        let (entries, cut) = some_entries(&folder, left).unwrap_or_default();
        left -= entries.len();
        more |= cut;
        for (name, kind) in entries {
            match kind {
                FileType::RegularFile => take(&path.join(&name)),
                FileType::Directory if depth < DEPTH && !SKIPPED.iter().any(|skipped| name == *skipped) => {
                    // Each holds a descriptor until it is its turn.
                    if rest.len() == WAITING {
                        more = true;
                    } else if let Ok(below) = step(&folder, &name) {
                        rest.push_back((below, path.join(&name), depth + 1));
                    }
                }
                _ => {}
            }
        }
    }
    Ok(more)
}

/// How many folders may wait to be looked into.
const WAITING: usize = 256;

fn entry(name: OsString, stat: &Stat) -> Entry {
    let (kind, size) = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => (Kind::File, u64::try_from(stat.st_size).ok()),
        FileType::Directory => (Kind::Directory, None),
        FileType::Symlink => (Kind::Link(LeadsTo::Nothing), None),
        _ => (Kind::Other, None),
    };
    Entry { name, kind, size }
}

fn refused(path: &InnerPath, denied: Denied) -> Refused {
    match denied {
        Denied::Behind(_) => Refused::Missing(path.to_string()),
        Denied::Processes(_) | Denied::Linked(_) => Refused::Outside(path.to_string()),
        Denied::Failed { error, .. } => failed(path.to_string(), error),
    }
}

fn failed(path: String, error: Errno) -> Refused {
    match error {
        Errno::NOENT | Errno::NOTDIR => Refused::Missing(path),
        Errno::ISDIR => Refused::Directory(path),
        Errno::INVAL | Errno::NXIO => Refused::NotAFile(path),
        Errno::LOOP => Refused::Changed(path),
        Errno::ACCESS | Errno::PERM => Refused::Denied(path),
        error => Refused::Failed { path, reason: io::Error::from(error).to_string() },
    }
}

fn broken(path: &InnerPath, error: &io::Error) -> Refused {
    Refused::Failed { path: path.to_string(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, Mode, mkfifoat};

    use super::*;

    struct Bed {
        outer: tempfile::TempDir,
        browse: Browse,
    }

    impl Bed {
        fn new() -> Self {
            let outer = tempfile::tempdir().unwrap();
            let inside = outer.path().join("inside");
            fs::create_dir_all(inside.join("src/deep")).unwrap();
            fs::write(inside.join("a.txt"), "roses").unwrap();
            fs::write(inside.join("src/main.rs"), "fn main() {}").unwrap();
            fs::create_dir(inside.join(".git")).unwrap();
            fs::write(inside.join(".git/config"), "secret").unwrap();
            fs::write(outer.path().join("secret"), "outside").unwrap();
            let browse = Browse::new(&inside).unwrap();
            Self { outer, browse }
        }

        fn inside(&self) -> PathBuf {
            self.outer.path().join("inside")
        }

        fn list(&self, path: &str) -> Result<Vec<Entry>, Refused> {
            let path = InnerPath::parse(path).unwrap();
            match self.browse.look(&path, 1000)? {
                Looked::Directory(folder) => Ok(self.browse.page(&path, &folder, None, 1000).0),
                Looked::Entry(entry) => Ok(vec![entry]),
            }
        }

        fn names(&self, path: &str) -> Vec<String> {
            let entries = self.list(path).unwrap();
            entries.into_iter().map(|entry| entry.name.to_string_lossy().into_owned()).collect()
        }

        fn read(&self, path: &str) -> Result<String, Refused> {
            let mut opened = self.browse.open(&InnerPath::parse(path).unwrap())?;
            Ok(String::from_utf8(opened.head(1000).unwrap()).unwrap())
        }
    }

    #[test]
    fn directories_come_first_and_git_is_not_there() {
        let bed = Bed::new();
        fs::create_dir(bed.inside().join("zoo")).unwrap();
        assert_eq!(bed.names(""), ["src", "zoo", "a.txt"]);
        assert_eq!(bed.names("src"), ["deep", "main.rs"]);
        let main = Entry { name: "main.rs".into(), kind: Kind::File, size: Some(12) };
        assert_eq!(bed.list("src/main.rs"), Ok(vec![main]));
        assert_eq!(bed.read("a.txt"), Ok("roses".to_owned()));
        assert_eq!(bed.list("none"), Err(Refused::Missing("none".into())));
        assert_eq!(bed.list("a.txt/x"), Err(Refused::Missing("a.txt/x".into())));
        assert_eq!(bed.read("src"), Err(Refused::Directory("src".into())));
    }

    #[test]
    fn links_lead_only_to_what_is_inside() {
        let bed = Bed::new();
        for (link, target) in [
            ("to_file", "a.txt"),
            ("to_folder", "src"),
            ("out", "../secret"),
            ("up", ".."),
            ("git", ".git"),
            ("nowhere", "none"),
            ("round", "round"),
            ("proc", "/proc/self"),
        ] {
            symlink(target, bed.inside().join(link)).unwrap();
        }
        let kinds: Vec<(String, Kind)> = bed
            .list("")
            .unwrap()
            .into_iter()
            .filter(|entry| matches!(entry.kind, Kind::Link(_)))
            .map(|entry| (entry.name.into_string().unwrap(), entry.kind))
            .collect();
        for (name, kind) in kinds {
            let leads = match name.as_str() {
                "to_file" => LeadsTo::File,
                "to_folder" => LeadsTo::Directory,
                _ => LeadsTo::Nothing,
            };
            assert_eq!(kind, Kind::Link(leads), "{name}");
        }
        assert_eq!(bed.names("to_folder"), ["deep", "main.rs"]);
        assert_eq!(bed.read("to_folder/main.rs"), Ok("fn main() {}".to_owned()));
        for path in ["out", "up", "up/secret", "proc", "proc/environ"] {
            assert_eq!(bed.read(path), Err(Refused::Outside(path.into())), "{path}");
            assert_eq!(bed.list(path), Err(Refused::Outside(path.into())), "{path}");
        }
        for path in ["git", "git/config"] {
            assert_eq!(bed.read(path), Err(Refused::Git(path.into())), "{path}");
            assert_eq!(bed.list(path), Err(Refused::Git(path.into())), "{path}");
        }
        assert_eq!(bed.read("nowhere"), Err(Refused::Missing("nowhere".into())));
        assert_eq!(bed.read("round"), Err(Refused::Changed("round".into())));
    }

    #[test]
    fn what_is_no_file_is_named_and_not_opened() {
        let bed = Bed::new();
        mkfifoat(CWD, bed.inside().join("pipe"), Mode::from_raw_mode(0o600)).unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(bed.inside().join("socket")).unwrap();
        for name in ["pipe", "socket"] {
            let other = Entry { name: name.into(), kind: Kind::Other, size: None };
            assert_eq!(bed.list(name), Ok(vec![other]));
            assert_eq!(bed.read(name), Err(Refused::NotAFile(name.into())), "{name}");
        }
    }

    #[test]
    fn whoever_exchanges_a_folder_for_a_link_gains_nothing() {
        let bed = Bed::new();
        let (src, away) = (bed.inside().join("src"), bed.inside().join("away"));
        fs::write(bed.outer.path().join("main.rs"), "outside").unwrap();
        let stop = std::sync::atomic::AtomicBool::new(false);
        let ordering = std::sync::atomic::Ordering::Relaxed;
        let (mut inside, mut outside, mut refused) = (0, 0, 0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(ordering) {
                    fs::rename(&src, &away).unwrap();
                    symlink("..", &src).unwrap();
                    fs::remove_file(&src).unwrap();
                    fs::rename(&away, &src).unwrap();
                }
            });
            // On a busy machine the other thread may not have had a turn yet.
            while inside + outside + refused < 20_000 || inside == 0 || refused == 0 {
                match bed.read("src/main.rs") {
                    Ok(text) if text == "fn main() {}" => inside += 1,
                    // Told below: the other thread has to end first.
                    Ok(_) => outside += 1,
                    Err(_) => refused += 1,
                }
            }
            stop.store(true, ordering);
        });
        assert_eq!(outside, 0);
    }

    #[test]
    fn a_large_directory_comes_in_pages_and_is_cut_at_the_limit() {
        let bed = Bed::new();
        let folder = bed.inside().join("many");
        fs::create_dir(&folder).unwrap();
        for number in 0..250 {
            fs::write(folder.join(format!("{number:03}")), "").unwrap();
        }
        let odd = OsStr::from_bytes(b"\xff\xfe");
        fs::write(folder.join(odd), "").unwrap();
        fs::create_dir(folder.join("zz")).unwrap();
        let path = InnerPath::parse("many").unwrap();
        let Looked::Directory(listed) = bed.browse.look(&path, 1000).unwrap() else { panic!() };
        assert!(!listed.truncated);
        let (mut seen, mut after): (Vec<OsString>, Option<Position>) = Default::default();
        loop {
            let (page, next) = bed.browse.page(&path, &listed, after.as_ref(), 100);
            seen.extend(page.into_iter().map(|entry| entry.name));
            after = next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!((seen.len(), seen[0].as_os_str(), seen[251].as_os_str()), (252, OsStr::new("zz"), odd));
        let Looked::Directory(cut) = bed.browse.look(&path, 100).unwrap() else { panic!() };
        assert_eq!((cut.truncated, cut.names().len()), (true, 100));
    }

    #[test]
    fn files_are_found_without_links_and_within_limits() {
        let bed = Bed::new();
        symlink("..", bed.inside().join("up")).unwrap();
        fs::create_dir(bed.inside().join("node_modules")).unwrap();
        fs::write(bed.inside().join("node_modules/x.js"), "").unwrap();
        fs::write(bed.inside().join("src/deep/leaf"), "").unwrap();
        let found = |most: usize| {
            let mut found = Vec::new();
            let more = files(&bed.inside(), most, |path| found.push(path.display().to_string())).unwrap();
            (found.join(" "), more)
        };
        assert_eq!(found(1000), ("a.txt src/main.rs src/deep/leaf".to_owned(), false));
        assert!(found(2).1);
        assert_eq!(found(0), (String::new(), true));
    }

    #[test]
    fn only_directories_complete_a_path() {
        let bed = Bed::new();
        symlink("src", bed.inside().join("srcs")).unwrap();
        fs::write(bed.inside().join("src.txt"), "").unwrap();
        fs::create_dir(bed.inside().join(OsStr::from_bytes(b"src\xff"))).unwrap();
        let complete = |start: &str| {
            let path = format!("{}/{start}", bed.inside().display());
            directories(&Typed::split(&path).unwrap(), 1000, 2).unwrap()
        };
        assert_eq!(complete("S"), (vec!["src".to_owned(), "srcs".to_owned()], false));
        assert_eq!(complete(".g"), (vec![".git".to_owned()], false));
        fs::create_dir(bed.inside().join("sra")).unwrap();
        assert_eq!(complete("sr"), (vec!["sra".to_owned(), "src".to_owned()], true));
        let typed = format!("{}/none/x", bed.inside().display());
        assert!(directories(&Typed::split(&typed).unwrap(), 10, 10).is_err());
    }
}
