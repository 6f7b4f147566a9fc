//! The one place where git is started.
//!
//! Arguments are never joined into a line; variables of the caller that steer git are taken away; the
//! configuration is neutral (see [`neutral`]); nothing is fetched. Output, time and memory are bounded.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::time::{sleep, timeout};

use super::error::{Error, Result};
use super::neutral;
use crate::lines::keep_tail;
use crate::orphans;

/// For what only looks.
const SHORT: Duration = Duration::from_secs(60);
/// For what writes many files: a checkout, perhaps with a filter that downloads, or an archive.
const LONG: Duration = Duration::from_secs(15 * 60);
const TEXT_LIMIT: usize = 4 << 20;
/// Longer than any path.
const RECORD_LIMIT: usize = 64 << 10;
/// Together about ten seconds: longer than anyone but a crashed process holds a lock.
const ATTEMPTS: u32 = 20;

/// The variables that say where the user's own configuration is. All others that start with `GIT_` go.
const KEPT: &[&str] = &["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"];

/// Git, pointed at a repository.
#[derive(Debug, Clone)]
pub(super) struct Git {
    directory: PathBuf,
    /// Which repository, and the settings for it.
    options: Vec<OsString>,
}

impl Git {
    /// Git in a directory; it finds the repository itself.
    pub(super) async fn in_directory(directory: &Path) -> Result<Self> {
        Self::neutral(directory, Vec::new()).await
    }

    /// Git in a repository without a look at any checkout.
    pub(super) async fn in_repository(git_dir: &Path) -> Result<Self> {
        Self::neutral(git_dir, vec![option("--git-dir=", git_dir)]).await
    }

    /// Git in a worktree. The worktree's own `.git` file, which an agent can write, is not asked.
    pub(super) async fn in_worktree(git_dir: &Path, path: &Path) -> Result<Self> {
        Self::neutral(path, vec![option("--git-dir=", git_dir), option("--work-tree=", path)]).await
    }

    async fn neutral(directory: &Path, place: Vec<OsString>) -> Result<Self> {
        if !directory.is_dir() {
            return Err(Error::NoDirectory(directory.to_owned()));
        }
        let mut git = Self { directory: directory.to_owned(), options: place };
        for setting in neutral::FIXED {
            git.options.extend(["-c".into(), (*setting).into()]);
        }
        let listing = git.call("config").args(["--list", "--show-scope", "--includes", "-z"]).bytes().await?;
        let overrides = neutral::overrides(&listing).map_err(|key| Error::Failed {
            command: "config".to_owned(),
            said: format!("the repository configuration has a key that cannot be overridden: {key:?}"),
        })?;
        for setting in overrides {
            git.options.extend(["-c".into(), setting.into()]);
        }
        Ok(git)
    }

    pub(super) fn call(&self, command: &'static str) -> Call<'_> {
        Call {
            git: self,
            command,
            arguments: Vec::new(),
            variables: Vec::new(),
            input: Vec::new(),
            patience: SHORT,
        }
    }
}

fn option(name: &str, path: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(path);
    option
}

/// One run of git.
#[derive(Debug, Clone)]
pub(super) struct Call<'a> {
    git: &'a Git,
    command: &'static str,
    arguments: Vec<OsString>,
    variables: Vec<(&'static str, OsString)>,
    /// What it reads.
    input: Vec<u8>,
    patience: Duration,
}

impl Call<'_> {
    pub(super) fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    pub(super) fn arg(self, argument: impl AsRef<OsStr>) -> Self {
        self.args([argument])
    }

    pub(super) fn variable(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// Gives it something to read.
    pub(super) fn input(mut self, input: Vec<u8>) -> Self {
        self.input = input;
        self
    }

    /// Gives it the time that writing many files may take.
    pub(super) fn long(mut self) -> Self {
        self.patience = LONG;
        self
    }

    /// Runs it. `Ok(None)` when it ends with 1, silently, which is how git says no.
    pub(super) async fn maybe(self) -> Result<Option<String>> {
        match self.text().await {
            Ok(text) => Ok(Some(text)),
            Err(Error::Failed { said, .. }) if said == "exit status: 1" => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Runs it and returns what it said, without the last line's end.
    pub(super) async fn text(self) -> Result<String> {
        let mut bytes = self.bytes().await?;
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Runs it and returns the path it printed.
    pub(super) async fn path(self) -> Result<PathBuf> {
        let bytes = self.bytes().await?;
        Ok(PathBuf::from(OsStr::from_bytes(bytes.strip_suffix(b"\n").unwrap_or(&bytes))))
    }

    async fn bytes(self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.run(|chunk| {
            bytes.extend_from_slice(chunk);
            bytes.len() <= TEXT_LIMIT
        })
        .await?;
        Ok(bytes)
    }

    /// Runs it and hands on every record that ends with NUL, so that no list is too long.
    pub(super) async fn records(self, mut take: impl FnMut(&[u8]) + Send) -> Result<()> {
        let mut rest = Vec::new();
        self.run(|chunk| {
            rest.extend_from_slice(chunk);
            let mut start = 0;
            while let Some(length) = rest[start..].iter().position(|byte| *byte == 0) {
                take(&rest[start..start + length]);
                start += length + 1;
            }
            rest.drain(..start);
            rest.len() <= RECORD_LIMIT
        })
        .await
    }

    /// Runs it, again and again while another git holds a lock.
    pub(super) async fn despite_locks(self) -> Result<()> {
        let mut attempt = 1;
        loop {
            match self.clone().text().await {
                Err(error) if attempt < ATTEMPTS && error.said().is_some_and(is_locked) => {
                    sleep(Duration::from_millis(50) * attempt).await;
                    attempt += 1;
                }
                outcome => return outcome.map(drop),
            }
        }
    }

    /// Runs it to its end. `take` returns false when it has had enough.
    async fn run(self, take: impl FnMut(&[u8]) -> bool + Send) -> Result<()> {
        let command = self.command.to_owned();
        let patience = self.patience;
        match timeout(patience, self.run_untimed(take)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(Error::Timeout { command, seconds: patience.as_secs() }),
        }
    }

    async fn run_untimed(self, take: impl FnMut(&[u8]) -> bool + Send) -> Result<()> {
        let mut child = orphans::spawn(&mut self.prepare()).map_err(Error::Unavailable)?;
        let mut group = Group(child.id().and_then(|id| Pid::from_raw(id.cast_signed())));
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(Error::Unavailable(std::io::Error::other("git has no pipes")));
        };
        let (stdin, tail) = (child.stdin.take(), Mutex::new(Vec::new()));
        let feed = async {
            if let Some(mut stdin) = stdin {
                // One that ends early says why.
                let _ = stdin.write_all(&self.input).await;
            }
        };
        let (fitted, (), ()) = tokio::join!(pour(stdout, take), keep_tail(stderr, &tail), feed);
        if !fitted {
            // Dropping the group ends what still writes.
            return Err(Error::TooMuch { command: self.command.to_owned() });
        }
        let status = child.wait().await.map_err(Error::Unavailable)?;
        group.0 = None;
        if status.success() {
            return Ok(());
        }
        let said = said(&tail.into_inner().unwrap_or_else(PoisonError::into_inner), status);
        Err(Error::Failed { command: self.command.to_owned(), said })
    }

    #[allow(clippy::disallowed_methods)]
    fn prepare(&self) -> Command {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("GIT_") && !KEPT.contains(&&*text) {
                command.env_remove(&name);
            }
        }
        command
            .arg("--no-pager")
            .args(&self.git.options)
            .arg(self.command)
            .args(&self.arguments)
            .current_dir(&self.git.directory)
            .env_remove("LANGUAGE")
            .env_remove("SSH_ASKPASS")
            // Errors are told apart by their words.
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_LITERAL_PATHSPECS", "1")
            // A partial clone would fetch what it lacks, from where and by what means its configuration says.
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(if self.input.is_empty() { Stdio::null() } else { Stdio::piped() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own: its filters end with it.
            .process_group(0)
            .kill_on_drop(true);
        command
    }
}

/// Ends all of a run that did not come to its end: after a timeout, or when its caller is gone.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // It may be gone already.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Hands on what comes, until the end or until `take` has had enough.
async fn pour(mut stream: impl AsyncRead + Unpin, mut take: impl FnMut(&[u8]) -> bool) -> bool {
    let mut chunk = vec![0; 16 << 10];
    loop {
        match stream.read(&mut chunk).await {
            Ok(0) | Err(_) => return true,
            Ok(length) => {
                if !take(&chunk[..length]) {
                    return false;
                }
            }
        }
    }
}

/// What git said about its failure, fit to be shown.
fn said(stderr: &[u8], status: ExitStatus) -> String {
    let text = String::from_utf8_lossy(stderr);
    let text: String = text.trim().chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    if text.is_empty() { status.to_string() } else { text }
}

fn is_locked(said: &str) -> bool {
    (said.contains(".lock'") && said.contains("File exists")) || said.contains("could not lock config file")
}

#[cfg(test)]
mod tests {
    use super::{Git, is_locked};

    #[tokio::test]
    async fn a_lock_is_told_from_other_failures() {
        let place = tempfile::TempDir::new().unwrap();
        let git = Git::in_directory(place.path()).await.unwrap();
        git.call("init").arg("--quiet").text().await.unwrap();
        let git = Git::in_repository(&place.path().join(".git")).await.unwrap();
        let tree = git.call("write-tree").text().await.unwrap();
        let make = || git.call("update-ref").args(["refs/tags/x", &tree, ""]);
        std::fs::write(place.path().join(".git/refs/tags/x.lock"), "").unwrap();
        let error = make().text().await.unwrap_err();
        assert!(error.said().is_some_and(is_locked), "{error}");
        std::fs::remove_file(place.path().join(".git/refs/tags/x.lock")).unwrap();
        make().text().await.unwrap();
        let error = make().text().await.unwrap_err();
        assert!(!error.said().is_some_and(is_locked), "{error}");
    }
}
