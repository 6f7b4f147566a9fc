//! The home directory: who may use it, and that only one daemon does.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use crate::options::{StartError, StartErrorKind};

/// The home of this daemon. Holds the lock for as long as it lives.
pub(crate) struct Home {
    pub(crate) path: PathBuf,
    _lock: File,
}

impl Home {
    /// Prepares the home and takes the lock; a second daemon is told of the first.
    pub(crate) fn claim(path: &Path) -> Result<Self, StartError> {
        private_directory(path)?;
        private_directory(&path.join("log"))?;
        let path = path.canonicalize().map_err(|error| unusable(path, &error))?;
        let file = path.join("daemon.lock");
        let mut lock = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&file)
            .map_err(|error| unusable(&file, &error))?;
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            let mut holder = String::new();
            let _ = lock.read_to_string(&mut holder);
            let holder = holder.trim();
            let holder =
                if holder.is_empty() { "another process".to_owned() } else { format!("pid {holder}") };
            return Err(StartError {
                kind: StartErrorKind::AlreadyRunning,
                message: format!("a daemon is already running for {} ({holder})", path.display()),
                hint: Some(
                    "use it, stop it with `paseo down`, or choose another home with --home".to_owned(),
                ),
            });
        }
        let written = lock
            .set_len(0)
            .and_then(|()| lock.rewind())
            .and_then(|()| write!(lock, "{}", std::process::id()));
        written.map_err(|error| unusable(&file, &error))?;
        Ok(Self { path, _lock: lock })
    }

    /// Where the CLI connects.
    pub(crate) fn socket(&self) -> PathBuf {
        self.path.join("daemon.sock")
    }

    /// Where the log is stored.
    pub(crate) fn database(&self) -> PathBuf {
        self.path.join("paseo.sqlite3")
    }
}

fn private_directory(path: &Path) -> Result<(), StartError> {
    match fs::metadata(path) {
        Ok(found) if !found.is_dir() => {
            return Err(home_error(
                format!("{} is not a directory", path.display()),
                "choose another home with --home or PASEO_HOME",
            ));
        }
        Ok(found) => {
            let mode = found.mode() & 0o777;
            if found.uid() != rustix::process::geteuid().as_raw() {
                return Err(home_error(
                    format!("{} belongs to another user", path.display()),
                    "choose a home of your own with --home or PASEO_HOME",
                ));
            }
            if mode & 0o077 != 0 {
                // Only what is ours may be closed to others: a home may be given by mistake.
                let empty = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
                if !empty && !path.join("daemon.lock").exists() {
                    return Err(home_error(
                        format!("{} is open to other users and holds other things", path.display()),
                        "choose a directory of its own as home, or close this one with `chmod 700`",
                    ));
                }
                let private = fs::Permissions::from_mode(0o700);
                fs::set_permissions(path, private).map_err(|error| unusable(path, &error))?;
            }
        }
        Err(_) => {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(path)
                .map_err(|error| unusable(path, &error))?;
        }
    }
    Ok(())
}

fn unusable(path: &Path, error: &std::io::Error) -> StartError {
    home_error(
        format!("cannot use {}: {error}", path.display()),
        "make it writable for you, or choose another home with --home or PASEO_HOME",
    )
}

fn home_error(message: String, hint: &str) -> StartError {
    StartError { kind: StartErrorKind::Home, message, hint: Some(hint.to_owned()) }
}
