//! Opening files that others may have put there. A pipe in their place would make whoever opens it wait for ever.

use std::fs::{File, OpenOptions};
use std::io;
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

/// Reads a whole file as text.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    io::read_to_string(open(path)?)
}

fn with(path: &Path, flags: OFlags) -> io::Result<File> {
    // Opened without waiting, and looked at when nobody can exchange it any more.
    let file = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"))
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
    }
}
