//! Opening files that others may have put there. Opening a pipe in their place would block for ever.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a file to read it, wherever links lead. Whatever is no regular file is refused.
pub fn open(path: &Path) -> io::Result<File> {
    with(path, OFlags::NONBLOCK)
}

/// Opens a file to read it, if it is no link.
pub fn open_unlinked(path: &Path) -> io::Result<File> {
    with(path, OFlags::NONBLOCK | OFlags::NOFOLLOW)
}

/// Opens a file to read it and to add to its end. Makes it when it is not there, for its owner alone.
pub fn append(path: &Path) -> io::Result<File> {
    regular(OpenOptions::new().read(true).append(true).create(true).mode(0o600), path, OFlags::NONBLOCK)
}

/// Reads a whole file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a whole file as text.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    io::read_to_string(open(path)?)
}

fn with(path: &Path, flags: OFlags) -> io::Result<File> {
    regular(OpenOptions::new().read(true), path, flags)
}

fn regular(options: &mut OpenOptions, path: &Path, flags: OFlags) -> io::Result<File> {
    // Opened without waiting, and checked once it can no longer be exchanged.
    let file = options.custom_flags(flags.bits().cast_signed()).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn what_is_no_file_is_refused_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        mknodat(CWD, path("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        std::fs::write(path("file"), "text").unwrap();
        symlink(path("file"), path("link")).unwrap();
        for (name, follows) in [("pipe", false), (".", false), ("file", true), ("link", true)] {
            assert_eq!(open(&path(name)).is_ok(), follows, "{name}");
        }
        assert!(open_unlinked(&path("file")).is_ok() && open_unlinked(&path("link")).is_err());
        assert_eq!(read_to_string(&path("link")).unwrap(), "text");
        assert_eq!(read(&path("link")).unwrap(), b"text");
        for (name, follows) in [("pipe", false), (".", false), ("file", true), ("new", true)] {
            assert_eq!(append(&path(name)).is_ok(), follows, "{name}");
        }
    }
}
