//! Finding the programs of other people, and asking them for their version.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use std::{env, fs, io};

use tokio::process::Command;
use tokio::time::timeout;

use crate::orphans;
use crate::provider::{Broken, StartError};

/// How long a program may take to say its version: some are large, and machines are busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// As much as Linux reads of a script to see what it is run with, in bytes.
const FIRST_LINE: u64 = 256;

/// Returns the program that people chose, else the first of this name on the `PATH`, if it can be run.
pub fn find(name: &str, chosen: Option<&Path>) -> Option<PathBuf> {
    find_on(env::var_os("PATH").as_deref(), name, chosen)
}

/// Says that a program is not there: the one that people chose, or any of this name; and how to get it.
pub fn missing(name: &str, chosen: Option<&Path>, install: &str) -> StartError {
    if let Some(message) = lacks_interpreter(env::var_os("PATH").as_deref(), name, chosen) {
        let hint = Some("install the interpreter named in its first line, or correct that line".to_owned());
        return StartError { message, hint };
    }
    let message = match chosen {
        Some(chosen) if is_path(chosen) => format!("{} is not an executable file", chosen.display()),
        chosen => {
            let name = chosen.map_or(name.into(), Path::to_string_lossy);
            format!("`{name}` is not installed, or not on the daemon's PATH")
        }
    };
    StartError { message, hint: Some(install.to_owned()) }
}

/// Says whether a program is named by where it is. A bare name is meant as one on the `PATH`, as in a shell.
fn is_path(chosen: &Path) -> bool {
    chosen.components().count() > 1
}

/// Says whether this is a file that can be run, and what it is to be run with, too, if it is a script.
pub fn is_executable(path: &Path) -> bool {
    may_be_run(path) && interpreter(path).is_none_or(|interpreter| may_be_run(&interpreter))
}

fn may_be_run(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Returns what a script is run with: an absolute path in its first line, as the kernel reads it.
fn interpreter(path: &Path) -> Option<PathBuf> {
    let mut start = Vec::new();
    fs::File::open(path).ok()?.take(FIRST_LINE).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let named = line.trim_ascii_start().split(|byte| matches!(byte, b' ' | b'\t')).next()?;
    let named = Path::new(OsStr::from_bytes(named.trim_ascii_end()));
    // Where others begin depends on where the script is started.
    named.is_absolute().then(|| named.to_owned())
}

/// Says that a program is there, and what it is to be run with is not.
fn lacks_interpreter(path: Option<&OsStr>, name: &str, chosen: Option<&Path>) -> Option<String> {
    let program = candidates(path, name, chosen).into_iter().find(|candidate| may_be_run(candidate))?;
    let interpreter = interpreter(&program).filter(|interpreter| !may_be_run(interpreter))?;
    let (program, interpreter) = (program.display(), interpreter.display());
    Some(format!("cannot run {program}: its interpreter {interpreter} does not exist"))
}

/// Asks a program for its version: the first line that it prints on `--version`. One that takes too long may still
/// run.
pub async fn version(program: &Path) -> Result<Option<String>, Broken> {
    let broken = |how: String| Broken { program: program.to_owned(), how };
    let failed = |error: io::Error| broken(format!("fails: {error}"));
    let asked = orphans::spawn(&mut ask(program)).map_err(failed)?.wait_with_output();
    let Ok(output) = timeout(PATIENCE, asked).await else { return Ok(None) };
    let output = output.map_err(failed)?;
    if !output.status.success() {
        return Err(broken(format!("fails with {}", output.status)));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned))
}

#[allow(clippy::disallowed_methods)]
fn ask(program: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    command
}

fn find_on(path: Option<&OsStr>, name: &str, chosen: Option<&Path>) -> Option<PathBuf> {
    candidates(path, name, chosen).into_iter().find(|candidate| is_executable(candidate))
}

/// Returns where a program may be, the first first.
fn candidates(path: Option<&OsStr>, name: &str, chosen: Option<&Path>) -> Vec<PathBuf> {
    let name = match chosen {
        Some(chosen) if is_path(chosen) => return vec![chosen.to_owned()],
        Some(chosen) => chosen,
        None => Path::new(name),
    };
    let folders = path.into_iter().flat_map(env::split_paths).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &Path, name: &str, mode: u32) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, "#!/bin/sh\necho\necho '  1.2.3 (Some Agent)'\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn the_first_on_the_path_that_can_be_run_is_found() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        file(first.path(), "agent", 0o644);
        let runnable = file(second.path(), "agent", 0o755);
        let path = env::join_paths([Path::new("relative"), first.path(), second.path()]).unwrap();
        assert_eq!(find_on(Some(&path), "agent", None), Some(runnable.clone()));
        assert_eq!(find_on(Some(&path), "other", Some(Path::new("agent"))), Some(runnable));
        assert_eq!(find_on(Some(&path), "nobody", None), None);
        assert_eq!(find_on(None, "agent", None), None);
    }

    #[test]
    fn a_script_without_its_interpreter_cannot_be_run() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let broken = file(first.path(), "agent", 0o755);
        for (line, runs) in [
            ("#!/nonexistent/interp\n", false),
            ("#! /nonexistent/interp -x", false),
            ("#!/etc/passwd\n", false),
            ("#!/bin/sh", true),
            ("#!\t/bin/sh -e\n", true),
            ("#!relative\n", true),
            ("#!\n", true),
            ("#", true),
            ("", true),
        ] {
            fs::write(&broken, line).unwrap();
            assert_eq!(is_executable(&broken), runs, "{line:?}");
        }
        fs::write(&broken, "#!/nonexistent/interp\n").unwrap();
        let path = env::join_paths([first.path(), second.path()]).unwrap();
        assert_eq!(find_on(Some(&path), "agent", None), None);
        let told = lacks_interpreter(Some(&path), "agent", None).unwrap();
        let expected = "agent: its interpreter /nonexistent/interp does not exist";
        assert!(told.ends_with(expected), "{told}");
        assert_eq!(missing("agent", Some(&broken), "install it").message, told);
        // As in a shell, the next one is taken.
        let sound = file(second.path(), "agent", 0o755);
        assert_eq!(find_on(Some(&path), "agent", None), Some(sound));
        assert_eq!(lacks_interpreter(Some(&path), "nobody", None), None);
    }

    #[test]
    fn a_chosen_program_is_not_looked_for_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let runnable = file(folder.path(), "agent", 0o755);
        let path = Some(folder.path().as_os_str());
        assert_eq!(find_on(None, "other", Some(&runnable)), Some(runnable));
        assert_eq!(find_on(path, "agent", Some(&folder.path().join("gone"))), None);
        assert_eq!(find_on(path, "agent", Some(folder.path())), None);
    }

    #[test]
    fn what_is_missing_is_named_as_people_named_it() {
        let told = |chosen: Option<&str>| missing("agent", chosen.map(Path::new), "install it").message;
        assert_eq!(told(None), "`agent` is not installed, or not on the daemon's PATH");
        assert_eq!(told(Some("other")), "`other` is not installed, or not on the daemon's PATH");
        assert_eq!(told(Some("/opt/agent")), "/opt/agent is not an executable file");
    }

    #[tokio::test]
    async fn a_version_is_the_first_line_of_a_program_that_succeeds() {
        let folder = tempfile::tempdir().unwrap();
        let program = file(folder.path(), "agent", 0o755);
        assert_eq!(version(&program).await, Ok(Some("1.2.3 (Some Agent)".to_owned())));
    }

    #[tokio::test]
    async fn a_program_that_cannot_be_run_says_how() {
        let ends = version(Path::new("/bin/false")).await.unwrap_err();
        assert_eq!(ends.problem().0, "does not run: `/bin/false --version` fails with exit status: 1");
        let folder = tempfile::tempdir().unwrap();
        let program = file(folder.path(), "agent", 0o755);
        fs::write(&program, [0; 64]).unwrap();
        let fails = version(&program).await.unwrap_err();
        assert!(fails.how.starts_with("fails: Exec format error"), "{fails:?}");
    }
}
