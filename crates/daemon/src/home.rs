//! The home directory: who may use it, and that only one daemon does.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use paseo_runtime::plain_file;
use rustix::fs::{FlockOperation, flock};
use uuid::Uuid;

use crate::options::{StartError, StartErrorKind};

/// Holds what a home is told from others by. No secret.
const ID_FILE: &str = "home.id";

/// The home of this daemon. Holds the lock for as long as it lives.
pub(crate) struct Home {
    pub(crate) path: PathBuf,
    /// Tells this home from others, wherever it is moved to.
    id: String,
    _lock: File,
}

impl Home {
    /// Prepares the home and takes the lock; a second daemon is told of the first.
    pub(crate) fn claim(path: &Path) -> Result<Self, StartError> {
        private_directory(path)?;
        private_directory(&path.join("log"))?;
        let path = path.canonicalize().map_err(|error| unusable(path, &error))?;
        let file = path.join("daemon.lock");
        let mut lock = plain_file::append(&file).map_err(|error| unusable(&file, &error))?;
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
        let id = id(&path).map_err(|error| unusable(&path.join(ID_FILE), &error))?;
        Ok(Self { path, id, _lock: lock })
    }

    /// Name of the cookie that browsers log in with. A browser sends the cookies of a host to all of its ports, so
    /// that daemons of several homes would overwrite each other's if it were the same.
    pub(crate) fn cookie(&self) -> String {
        format!("paseo_device_{}", self.id)
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

/// Reads what a home is told from others by, and makes it when it is not there.
fn id(home: &Path) -> io::Result<String> {
    let file = home.join(ID_FILE);
    match plain_file::read_to_string(&file) {
        Ok(text) if is_id(text.trim()) => return Ok(text.trim().to_owned()),
        // Cut short by a crash: browsers log in again, and nothing else is lost.
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let id = Uuid::new_v4().simple().to_string();
    fs::write(&file, format!("{id}\n"))?;
    Ok(id)
}

/// It becomes part of the name of a cookie, so that nothing else will do.
fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
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
                    "choose your own home with --home or PASEO_HOME",
                ));
            }
            if mode & 0o077 != 0 {
                // Only what is ours may be closed to others: a home may be given by mistake.
                let empty = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
                if !empty && !path.join("daemon.lock").exists() {
                    return Err(home_error(
                        format!("{} is accessible to other users and contains other files", path.display()),
                        "choose an empty directory as home, or restrict this one with `chmod 700`",
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

fn unusable(path: &Path, error: &io::Error) -> StartError {
    let hint = match error.kind() {
        // Not a regular file.
        io::ErrorKind::InvalidInput => "remove it, or choose another home with --home or PASEO_HOME",
        _ => "make it writable, or choose another home with --home or PASEO_HOME",
    };
    home_error(format!("cannot use {}: {error}", path.display()), hint)
}

fn home_error(message: String, hint: &str) -> StartError {
    StartError { kind: StartErrorKind::Home, message, hint: Some(hint.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_keeps_its_cookie_and_shares_it_with_no_other() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let cookie = |home: &Path| Home::claim(home).unwrap().cookie();
        let first = cookie(&folder.path().join("a"));
        assert_ne!(first, cookie(other.path()));
        fs::rename(folder.path().join("a"), folder.path().join("b")).unwrap();
        assert_eq!(cookie(&folder.path().join("b")), first, "also where it was moved to");
        for torn in ["", "x=1; Path=/", "{00000000-0000-0000-0000-000000000000}"] {
            fs::write(folder.path().join("b").join(ID_FILE), torn).unwrap();
            let name = cookie(&folder.path().join("b"));
            assert!(is_id(name.strip_prefix("paseo_device_").unwrap()), "{torn}: {name}");
        }
    }
}
