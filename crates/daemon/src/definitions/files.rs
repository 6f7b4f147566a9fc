//! The files that hold definitions: where they are, whether they changed, and what they say. All of it bounded.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry, Metadata};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use paseo_core::definition::{Format, Origin};
use paseo_runtime::plain_file;

/// Largest file that is read.
pub(super) const FILE_BYTES: u64 = 256 * 1024;
/// Most files of one folder that are read.
const FILES: usize = 500;
/// Most entries of one folder that are looked at.
const ENTRIES: usize = 10_000;
/// Most entries of one folder that are said not to be read.
const UNREAD: usize = 20;
/// Most links of one folder that are followed to see whether they lead to a folder.
const LINKS: usize = 100;
/// Why a file is not read that is one of too many.
const TOO_MANY: &str = "ignored: too many definitions in this directory";
/// How files are called that other programs keep definitions in.
const FOREIGN: [&str; 6] = ["json", "yaml", "yml", "toml", "md", "markdown"];
/// A file that was changed so recently may be changed again without a trace.
const SETTLING: Duration = Duration::from_secs(1);

/// The folder of a project, and of Claude Code in it.
const OURS: &str = ".paseo";
const CLAUDES: &str = ".claude/agents";

/// A place that has definitions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// `$PASEO_HOME`
    Home(PathBuf),
    /// A directory with `.paseo` or `.claude/agents` in it.
    Project { root: PathBuf, ours: bool },
}

/// A file that holds definitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// From its place on.
    pub(super) relative: String,
    pub(super) format: Format,
    /// Why it is not read.
    skipped: Option<&'static str>,
    /// What it must not lead out of, if it is a link.
    within: Option<PathBuf>,
    stamp: Stamp,
}

/// What changes with a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Stamp {
    modified: (i64, i64),
    /// Cannot be set back, as the other can.
    changed: (i64, i64),
    size: u64,
    inode: (u64, u64),
}

/// A folder of definitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folder {
    pub(super) path: PathBuf,
    /// From its place on.
    pub(super) relative: String,
    pub(super) unsure: Option<String>,
}

/// Everything that a place holds now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Scan {
    pub(super) files: Vec<Found>,
    /// The folders that there are, with why one of them may hold more than was found.
    pub(super) folders: Vec<Folder>,
    /// Folders with more files than are read.
    pub(super) overfull: Vec<PathBuf>,
    /// A file that looks like a definition, and is not one.
    pub(super) unread: Vec<PathBuf>,
}

impl Place {
    /// Finds the places of a project, the nearest first: its directory and those above it in the same repository, as far
    /// as they have folders for definitions; and all those above that a person has trusted, since anyone can put a
    /// `.git` below them. The home of the daemon is no project, wherever it is.
    pub(super) fn of_project(project: &Path, home: &Path, known: impl Fn(&Path) -> bool) -> Vec<Self> {
        if !project.is_absolute() {
            return Vec::new();
        }
        let repository = project.ancestors().find(|directory| directory.join(".git").exists());
        let last = repository.unwrap_or(project);
        let place = |root: &Path| {
            let ours = root.join(OURS);
            let ours = is_there(&ours) && !same(&ours, home);
            let place = || Self::Project { root: root.to_owned(), ours };
            let has_some = || ours || is_there(&root.join(CLAUDES));
            (known(root) || root.starts_with(last) && has_some()).then(place)
        };
        project.ancestors().filter_map(place).collect()
    }

    /// Returns its directory.
    pub(super) fn root(&self) -> &Path {
        match self {
            Self::Home(root) | Self::Project { root, .. } => root,
        }
    }

    pub(super) fn origin(&self) -> Origin {
        match self {
            Self::Home(_) => Origin::Home,
            Self::Project { .. } => Origin::Project,
        }
    }

    /// Looks at all files, and reads none. In the order in which one beats the next.
    pub(super) fn scan(&self) -> Scan {
        let mut scan = Scan::default();
        match self {
            Self::Home(root) => {
                let real = fs::canonicalize(root).unwrap_or_else(|_| root.clone());
                // What the daemon is started with may be anywhere.
                scan.config(root, "", None);
                scan.folder(root, "agents", &real, &[("toml", Format::Toml), ("md", Format::Markdown)]);
            }
            Self::Project { root, ours } => {
                let real = fs::canonicalize(root).unwrap_or_else(|_| root.clone());
                if *ours {
                    let within = real.join(OURS);
                    scan.config(root, ".paseo/", Some(&within));
                    let formats = [("toml", Format::Toml), ("md", Format::Markdown)];
                    scan.folder(root, ".paseo/agents", &within, &formats);
                }
                scan.folder(root, CLAUDES, &real.join(CLAUDES), &[("md", Format::Claude)]);
            }
        }
        scan
    }
}

impl Scan {
    fn config(&mut self, root: &Path, folder: &str, within: Option<&Path>) {
        for (name, format) in [("config.toml", Format::ConfigToml), ("config.json", Format::ConfigJson)] {
            let relative = format!("{folder}{name}");
            let path = root.join(&relative);
            if let Some(stamp) = stamp(&path) {
                let within = within.map(Path::to_owned);
                self.files.push(Found { path, relative, format, skipped: None, within, stamp });
            }
        }
    }

    fn folder(&mut self, root: &Path, folder: &str, within: &Path, formats: &[(&str, Format)]) {
        let directory = root.join(folder);
        if !is_there(&directory) {
            return;
        }
        let (entries, unsure) = match entries(&directory) {
            Ok(entries) if entries.len() > ENTRIES => (entries, Some(overfull())),
            Ok(entries) => (entries, None),
            // A file has taken its place: there is no folder.
            Err(error) if error.kind() == ErrorKind::NotADirectory => return,
            Err(error) => (Vec::new(), Some(format!("cannot read it: {error}"))),
        };
        self.folders.push(Folder { path: directory.clone(), relative: folder.to_owned(), unsure });
        self.unread.extend(unread(&directory, &entries, formats));
        let mut found: Vec<Found> = entries
            .iter()
            .filter_map(|entry| {
                let path = entry.path();
                let name = entry.file_name().to_string_lossy().into_owned();
                let extension = path.extension()?.to_str()?;
                let (_, format) = formats.iter().find(|(known, _)| *known == extension)?;
                // Editors leave such files behind.
                let hidden = name.starts_with('.');
                let (relative, within) = (format!("{folder}/{name}"), Some(within.to_owned()));
                let stamp = Stamp::default();
                (!hidden).then_some(Found { path, relative, format: *format, skipped: None, within, stamp })
            })
            .collect();
        found.sort_by(|one, other| (one.format, &one.relative).cmp(&(other.format, &other.relative)));
        if found.len() > FILES {
            found[FILES..].iter_mut().for_each(|found| found.skipped = Some(TOO_MANY));
            self.overfull.push(directory);
        }
        // What is not read is not looked at, either.
        for found in found.iter_mut().take(FILES) {
            found.stamp = stamp(&found.path).unwrap_or_default();
        }
        self.files.extend(found);
    }

    /// Says whether another scan found the same files, whenever these were written.
    pub(super) fn finds_the_same(&self, other: &Self) -> bool {
        let files = self.files.len() == other.files.len()
            && self.files.iter().zip(&other.files).all(|(one, other)| one.is_same_file(other));
        files
            && self.folders == other.folders
            && self.overfull == other.overfull
            && self.unread == other.unread
    }
}

impl Found {
    /// Reads the file, if there is room for it; otherwise says why not.
    pub(super) fn read(&self, room: usize) -> Result<String, String> {
        if let Some(why) = self.skipped {
            return Err(why.to_owned());
        }
        let unreadable = |error: std::io::Error| format!("cannot read it: {error}");
        let path = fs::canonicalize(&self.path).map_err(unreadable)?;
        if let Some(within) = self.within.as_ref().filter(|within| !path.starts_with(within)) {
            return Err(format!("ignored: it is a link that leads outside {}", within.display()));
        }
        let metadata = fs::metadata(&path).map_err(unreadable)?;
        if !metadata.is_file() {
            return Err("it is not a regular file".to_owned());
        }
        let too_large = || format!("ignored: it is larger than {} KB", FILE_BYTES / 1024);
        let no_room = || "ignored: the files in this directory are too large in total".to_owned();
        // What cannot be kept is not even read: there may be hundreds of such files.
        match metadata.len() {
            size if size > FILE_BYTES => return Err(too_large()),
            size if size > room as u64 => return Err(no_room()),
            _ => {}
        }
        let mut bytes = Vec::new();
        // Exchanging it in between gains nothing.
        let file = plain_file::open_unlinked(&path).map_err(unreadable)?;
        file.take(FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > FILE_BYTES {
            return Err(too_large());
        }
        if bytes.len() > room {
            return Err(no_room());
        }
        String::from_utf8(bytes)
            .map_err(|error| format!("it is not UTF-8 text (byte {})", error.utf8_error().valid_up_to() + 1))
    }
}

impl Found {
    /// Says whether it is one of too many.
    pub(super) fn is_skipped(&self) -> bool {
        self.skipped.is_some()
    }

    /// Says whether this is the same file, whenever it was written.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        let Self { path, relative, format, skipped, within, stamp: _ } = other;
        (&self.path, &self.relative, &self.format) == (path, relative, format)
            && (&self.skipped, &self.within) == (skipped, within)
    }

    /// Says whether a change of this file after a time would show.
    pub(super) fn is_settled(&self, now: SystemTime) -> bool {
        // The change time, which programs cannot set. One in the future says nothing.
        let (seconds, nanoseconds) = self.stamp.changed;
        let changed = u64::try_from(seconds).ok().zip(u32::try_from(nanoseconds).ok());
        let changed = changed.map(|(seconds, nanoseconds)| UNIX_EPOCH + Duration::new(seconds, nanoseconds));
        changed.is_none_or(|changed| now.duration_since(changed).map_or(true, |age| age > SETTLING))
    }
}

/// Lists a folder, and one entry more than is looked at.
fn entries(directory: &Path) -> std::io::Result<Vec<DirEntry>> {
    fs::read_dir(directory)?.take(ENTRIES + 1).collect()
}

/// Says whether something is there, whatever it is. What cannot be looked at may be.
fn is_there(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}

/// Says how many files of a folder are read.
pub(super) fn overfull() -> String {
    format!("more than {FILES} definitions in this directory; the rest are ignored")
}

/// Returns what looks like a definition in a folder and is not read, the first by name. Looks behind few links only:
/// what else there is, the list of the folder says.
fn unread(directory: &Path, entries: &[DirEntry], formats: &[(&str, Format)]) -> Vec<PathBuf> {
    let mut found: Vec<(OsString, Unread)> =
        entries.iter().filter_map(|entry| Some((entry.file_name(), looks(entry, formats)?))).collect();
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut links = 0;
    let is_unread = |(name, looks): (OsString, Unread)| {
        let path = directory.join(name);
        let followed = matches!(looks, Unread::IfFolder);
        links += usize::from(followed);
        (!followed || links <= LINKS && path.is_dir()).then_some(path)
    };
    found.into_iter().filter_map(is_unread).take(UNREAD).collect()
}

/// A file that looks like a definition.
#[derive(Clone, Copy)]
enum Unread {
    Surely,
    /// A link, which may lead to a folder.
    IfFolder,
}

/// Says whether something in a folder looks like a definition and is not read.
fn looks(entry: &DirEntry, formats: &[(&str, Format)]) -> Option<Unread> {
    let name = entry.file_name();
    let extension = Path::new(&name).extension().and_then(OsStr::to_str).unwrap_or_default();
    if name.to_string_lossy().starts_with('.') || formats.iter().any(|(known, _)| *known == extension) {
        return None;
    }
    if FOREIGN.contains(&extension.to_ascii_lowercase().as_str()) {
        return Some(Unread::Surely);
    }
    match entry.file_type().ok()? {
        kind if kind.is_dir() => Some(Unread::Surely),
        kind if kind.is_symlink() => Some(Unread::IfFolder),
        _ => None,
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let of = |metadata: Metadata| Stamp {
        modified: (metadata.mtime(), metadata.mtime_nsec()),
        changed: (metadata.ctime(), metadata.ctime_nsec()),
        size: metadata.size(),
        inode: (metadata.dev(), metadata.ino()),
    };
    // A link that leads nowhere is there, too, and what cannot be looked at may be.
    let found = fs::metadata(path).or_else(|_| fs::symlink_metadata(path)).map(of);
    found.ok().or_else(|| is_there(path).then(Stamp::default))
}

fn same(one: &Path, other: &Path) -> bool {
    fs::canonicalize(one).is_ok_and(|one| fs::canonicalize(other).is_ok_and(|other| one == other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn these_numbers_are_promised() {
        assert_eq!((FILE_BYTES, FILES), (262_144, 500));
    }
}
