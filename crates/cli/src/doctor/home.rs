//! The directory where everything is kept.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::settings::Settings;
use paseo_wire::diagnosis::Check;

const NAME: &str = "home";
const SPACE: &str = "disk";
/// Below this the log may not be writable for long.
const LITTLE: u64 = 1024 * 1024 * 1024;
const TOO_LITTLE: u64 = 50 * 1024 * 1024;
/// The longest path that a socket can have.
const SOCKET_PATH: usize = 107;

/// Looks at the home.
pub(super) fn examine(settings: &Settings) -> Vec<Check> {
    let home = &settings.home;
    let mut checks = vec![too_long(&settings.socket()).unwrap_or_else(|| place(home))];
    checks.extend(space(home));
    checks
}

/// Says so when no daemon could listen there.
fn too_long(socket: &Path) -> Option<Check> {
    let length = socket.as_os_str().len();
    let shown = socket.display();
    let found =
        format!("the socket path is too long: {shown} has {length} bytes, the maximum is {SOCKET_PATH}");
    (length > SOCKET_PATH)
        .then(|| Check::fail(NAME, found, "choose a shorter home with PASEO_HOME or --home"))
}

fn place(home: &Path) -> Check {
    let shown = home.display();
    let elsewhere = "set PASEO_HOME or --home to a directory that you own";
    let metadata = match fs::metadata(home) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Check::ok(NAME, format!("{shown} will be created when the daemon starts"));
        }
        Err(error) => return Check::fail(NAME, format!("{shown}: {error}"), elsewhere),
    };
    let mode = metadata.mode() & 0o777;
    if !metadata.is_dir() {
        Check::fail(NAME, format!("{shown} is a file"), elsewhere)
    } else if metadata.uid() != rustix::process::geteuid().as_raw() {
        Check::fail(NAME, format!("{shown} belongs to user {}", metadata.uid()), elsewhere)
    } else if mode & 0o077 != 0 {
        Check::fail(
            NAME,
            format!("{shown} is accessible to other users (mode {mode:o})"),
            format!("chmod 700 {shown}"),
        )
    } else {
        Check::ok(NAME, format!("{shown} (mode {mode:o})"))
    }
}

/// Looks at the disk that the home is on, or will be.
fn space(home: &Path) -> Option<Check> {
    let there = home.ancestors().find(|path| path.exists())?;
    let disk = rustix::fs::statvfs(there).ok()?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let found = format!("{} MB free", free / 1024 / 1024);
    let fix = format!("free disk space for {}", there.display());
    Some(match free {
        ..TOO_LITTLE => Check::fail(SPACE, found, fix),
        TOO_LITTLE..LITTLE => Check::warn(SPACE, found, fix),
        _ => Check::ok(SPACE, found),
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use paseo_wire::words::Verdict;

    #[test]
    fn a_home_is_near_enough_for_a_socket() {
        let at = |length: usize| too_long(Path::new(&format!("/{}", "h".repeat(length - 1))));
        assert_eq!(at(SOCKET_PATH), None);
        let found = at(SOCKET_PATH + 1).unwrap();
        assert!(found.verdict == Verdict::Fail && found.found.contains("has 108 bytes"), "{found:?}");
    }

    #[test]
    fn a_home_is_private_or_not_there_yet() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().join("home");
        assert_eq!(place(&home).verdict, Verdict::Ok);
        fs::create_dir(&home).unwrap();
        fs::set_permissions(&home, fs::Permissions::from_mode(0o755)).unwrap();
        let open = place(&home);
        assert_eq!(open.verdict, Verdict::Fail);
        assert_eq!(open.fix.unwrap(), format!("chmod 700 {}", home.display()));
        fs::set_permissions(&home, fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(place(&home).verdict, Verdict::Ok);
        fs::write(directory.path().join("file"), "").unwrap();
        assert!(place(&directory.path().join("file")).found.ends_with("is a file"));
        assert_eq!(place(Path::new("/")).verdict, Verdict::Fail);
    }
}
