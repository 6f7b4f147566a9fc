//! The daemon's own log file, which never grows without bound.

use std::fs::{self, File};
use std::io::{self, Write};
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use paseo_runtime::plain_file;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::identity::SECURITY_TARGET;

/// Size at which a new file is begun.
const MAX_BYTES: u64 = 10 * 1024 * 1024;
/// Old files that are kept.
const KEPT: u32 = 3;

/// Sends what is logged to the file, and to stderr as well when in the foreground.
pub(crate) fn install(path: &Path, filter: &str, to_stderr: bool) -> io::Result<()> {
    let filter = format!("{},{SECURITY_TARGET}=info", quieter(filter));
    let filter = EnvFilter::try_new(filter).map_err(io::Error::other)?;
    let file = LogFile { file: Arc::new(Mutex::new(Rotating::open(path, MAX_BYTES)?)), to_stderr };
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_target(false)
        .log_internal_errors(false)
        .with_writer(file)
        .try_init()
        .map_err(io::Error::other)?;
    log_panics();
    Ok(())
}

/// Has defects logged, too: whoever waits for what panicked is only told that nothing came.
fn log_panics() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        tracing::error!(thread = thread::current().name(), "{info}");
        before(info);
    }));
}

/// Keeps the MCP library from telling of every request that it served, unless it was asked to.
fn quieter(filter: &str) -> String {
    if filter.contains("rmcp") { filter.to_owned() } else { format!("{filter},rmcp=warn") }
}

/// Hands out writers to the file.
struct LogFile {
    file: Arc<Mutex<Rotating>>,
    to_stderr: bool,
}

/// Writes one line.
struct Line {
    file: Arc<Mutex<Rotating>>,
    to_stderr: bool,
}

impl<'a> MakeWriter<'a> for LogFile {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line { file: Arc::clone(&self.file), to_stderr: self.to_stderr }
    }
}

impl Write for Line {
    /// Never fails: whoever logs must not die because the disk is full.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.to_stderr {
            let _ = io::stderr().write_all(bytes);
        }
        let _ = self.file.lock().write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that is set aside when it is full.
struct Rotating {
    path: PathBuf,
    file: File,
    written: u64,
    max: u64,
}

impl Rotating {
    fn open(path: &Path, max: u64) -> io::Result<Self> {
        let file = plain_file::append(path)?;
        let written = file.metadata()?.len();
        Ok(Self { path: path.to_owned(), file, written, max })
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.written > 0 && self.written + bytes.len() as u64 > self.max {
            for n in (1..KEPT).rev() {
                // A file that is not there yet need not move.
                let _ = fs::rename(self.aside(n), self.aside(n + 1));
            }
            fs::rename(&self.path, self.aside(1))?;
            *self = Self::open(&self.path, self.max)?;
        }
        self.file.write_all(bytes)?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    fn aside(&self, n: u32) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{n}"));
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn these_numbers_are_promised() {
        // The one that is written, and the older ones.
        assert_eq!((MAX_BYTES, 1 + KEPT), (10_485_760, 4));
    }

    #[test]
    fn only_whoever_asks_hears_the_mcp_library() {
        assert_eq!(quieter("info"), "info,rmcp=warn");
        assert_eq!(quieter("info,rmcp=debug"), "info,rmcp=debug");
    }

    #[test]
    fn a_full_disk_does_not_stop_whoever_logs() {
        let path = PathBuf::from("/dev/full");
        let file = File::options().append(true).open(&path).unwrap();
        let full = Rotating { path, file, written: 0, max: 10 };
        let mut line = Line { file: Arc::new(Mutex::new(full)), to_stderr: false };
        assert!(line.write_all(b"a line that does not fit").is_ok());
    }

    #[test]
    fn full_files_are_set_aside_and_the_oldest_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("daemon.log");
        let mut log = Rotating::open(&path, 10).unwrap();
        for n in 0..6 {
            log.write_all(format!("line {n}\n").as_bytes()).unwrap();
        }
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).ok();
        assert_eq!(read("daemon.log").as_deref(), Some("line 5\n"));
        assert_eq!(read("daemon.log.1").as_deref(), Some("line 4\n"));
        assert_eq!(read("daemon.log.3").as_deref(), Some("line 2\n"));
        assert_eq!(read("daemon.log.4"), None);
    }
}
