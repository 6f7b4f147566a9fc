//! The directory where everything is kept, made ready for a daemon.

use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

use paseo_wire::error::Exit;

use crate::failure::Failure;
use crate::settings::Settings;

/// What the kernel leaves for the path of a socket.
const SOCKET_PATH_BYTES: usize = 107;

/// Makes the home and its log directory, readable for their owner only.
pub(crate) fn prepare(settings: &Settings) -> Result<(), Failure> {
    let home = &settings.home;
    let socket = settings.socket();
    if socket.as_os_str().as_bytes().len() > SOCKET_PATH_BYTES {
        return Err(unusable(home, format!("{} is too long for the path of a socket", socket.display()))
            .hint(format!(
                "set PASEO_HOME to a path of at most {} bytes",
                SOCKET_PATH_BYTES - "/daemon.sock".len()
            )));
    }
    create(home)?;
    check(home)?;
    create(&settings.log_directory())
}

fn create(directory: &Path) -> Result<(), Failure> {
    match DirBuilder::new().recursive(true).mode(0o700).create(directory) {
        Ok(()) => Ok(()),
        Err(_) if directory.is_dir() => Ok(()),
        Err(_) if directory.exists() => Err(unusable(directory, "not a directory")),
        Err(error) => Err(unusable(directory, format!("cannot create it: {error}"))),
    }
}

fn check(home: &Path) -> Result<(), Failure> {
    let metadata = fs::metadata(home).map_err(|error| unusable(home, error.to_string()))?;
    let owner = metadata.uid();
    if owner != rustix::process::geteuid().as_raw() {
        return Err(unusable(home, format!("owned by user {owner}"))
            .hint("set PASEO_HOME to a directory that you own"));
    }
    if is_open(&metadata) {
        close(home, &metadata).map_err(|()| {
            unusable(home, format!("accessible to other users (mode {:o})", metadata.mode() & 0o777))
                .hint(format!("chmod 700 {}", home.display()))
        })?;
    }
    rustix::fs::access(home, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK)
        .map_err(|error| unusable(home, format!("not writable: {}", io::Error::from(error))))
}

fn is_open(metadata: &Metadata) -> bool {
    metadata.mode() & 0o077 != 0
}

/// An empty directory is ours to close; one with foreign things in it is not.
fn close(home: &Path, _open: &Metadata) -> Result<(), ()> {
    let mut entries = fs::read_dir(home).map_err(drop)?;
    let foreign = entries.any(|entry| entry.map_or(true, |entry| entry.file_name() != "config.toml"));
    if foreign {
        return Err(());
    }
    fs::set_permissions(home, Permissions::from_mode(0o700)).map_err(drop)
}

fn unusable(home: &Path, why: impl AsRef<str>) -> Failure {
    Failure::new(Exit::Unreachable, format!("cannot use the home {}: {}", home.display(), why.as_ref()))
        .hint("set PASEO_HOME or --home to a directory that you own")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::args::Global;

    fn settings(home: PathBuf) -> Settings {
        let global = Global { home: Some(home), no_start: false, verbose: false };
        Settings::resolve(&global, |_| None).unwrap()
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn a_home_is_made_for_its_owner_only() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().join("deep/home");
        prepare(&settings(home.clone())).unwrap();
        assert_eq!((mode(&home), mode(&home.join("log"))), (0o700, 0o700));
        prepare(&settings(home)).unwrap();
    }

    #[test]
    fn an_open_home_is_closed_when_empty_and_refused_when_not() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().join("home");
        fs::create_dir(&home).unwrap();
        fs::set_permissions(&home, Permissions::from_mode(0o755)).unwrap();
        prepare(&settings(home.clone())).unwrap();
        assert_eq!(mode(&home), 0o700);
        fs::set_permissions(&home, Permissions::from_mode(0o755)).unwrap();
        let failure = prepare(&settings(home)).unwrap_err();
        assert!(failure.message.contains("accessible to other users (mode 755)"), "{}", failure.message);
        assert!(failure.hint.unwrap().starts_with("chmod 700"));
    }

    #[test]
    fn a_file_and_an_impossible_place_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        fs::write(&file, "").unwrap();
        let failure = prepare(&settings(file.clone())).unwrap_err();
        assert!(failure.message.contains("not a directory"), "{}", failure.message);
        let failure = prepare(&settings(file.join("home"))).unwrap_err();
        assert!(failure.message.contains("cannot create it"), "{}", failure.message);
        let failure = prepare(&settings(directory.path().join("x".repeat(120)))).unwrap_err();
        assert!(failure.message.contains("too long for the path of a socket"), "{}", failure.message);
    }
}
