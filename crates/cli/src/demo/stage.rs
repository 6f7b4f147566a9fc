//! Where the tour takes place: a temporary directory with a repository, a home and start files.

use std::ffi::OsStr;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use jiff::Timestamp;
use paseo_wire::error::Exit;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use super::scripts;
use crate::environment::{HOME, LISTEN, NO_START, PROVIDER, SESSION, TOKEN, URL};
use crate::failure::Failure;
use crate::printer::{Printer, Style};
use crate::process;

/// How long a person reads what was said, and what came of it.
const READING: Duration = Duration::from_millis(1600);
/// How long a killed process may take to be gone.
const PATIENCE: Duration = Duration::from_secs(10);

/// The place of the tour.
pub(super) struct Stage {
    printer: Printer,
    fast: bool,
    directory: PathBuf,
}

impl Stage {
    /// Makes the directory, the start files and the repository.
    pub(super) async fn build(printer: Printer, fast: bool) -> Result<Self, Failure> {
        let name = format!("paseo-demo-{}-{}", std::process::id(), Timestamp::now().as_millisecond());
        let stage = Self { printer, fast, directory: std::env::temp_dir().join(name) };
        match stage.furnish().await {
            Ok(()) => Ok(stage),
            Err(failure) => {
                stage.remove().ok();
                Err(failure)
            }
        }
    }

    async fn furnish(&self) -> Result<(), Failure> {
        self.files().map_err(|error| {
            Failure::new(Exit::AgentError, format!("cannot use {}: {error}", self.directory.display()))
                .hint("set TMPDIR to a directory that you can write to")
        })?;
        let all: [&[&str]; 3] =
            [&["init", "--quiet"], &["add", "--all"], &["commit", "--quiet", "--message", "Greet"]];
        for words in all {
            self.git(words).await?;
        }
        Ok(())
    }

    fn files(&self) -> io::Result<()> {
        let private = |path: &Path| DirBuilder::new().mode(0o700).create(path);
        // Fails if another process was first.
        private(&self.directory)?;
        for name in ["home", "scripts", "greet"] {
            private(&self.directory.join(name))?;
        }
        for (name, text) in scripts::SCRIPTS {
            std::fs::write(self.directory.join("scripts").join(name), text)?;
        }
        for (name, text) in scripts::FILES {
            std::fs::write(self.repository().join(name), text)?;
        }
        Ok(())
    }

    /// Stops the daemon and removes everything, unless it is to be kept.
    pub(super) async fn clear(&self, keep: bool) -> Result<(), Failure> {
        let stopped = self.quietly(&["down"]).await;
        if keep {
            let home = self.directory.join("home");
            self.printer.note(&format!("kept: {} (PASEO_HOME={})", self.directory.display(), home.display()));
        } else {
            self.remove().map_err(|error| {
                Failure::new(
                    Exit::AgentError,
                    format!("could not remove {}: {error}", self.directory.display()),
                )
            })?;
        }
        stopped.map(drop)
    }

    fn remove(&self) -> io::Result<()> {
        std::fs::remove_dir_all(&self.directory)
    }

    fn repository(&self) -> PathBuf {
        self.directory.join("greet")
    }

    /// Begins a chapter of the tour.
    pub(super) async fn chapter(&self, title: &str, words: &str) -> Result<(), Failure> {
        self.printer.line("")?;
        self.printer.styled(&[(Style::Blue, title)])?;
        self.tell(words).await
    }

    /// Says something.
    pub(super) async fn tell(&self, words: &str) -> Result<(), Failure> {
        self.printer.styled(&[(Style::Dim, words)])?;
        self.pause().await;
        Ok(())
    }

    async fn pause(&self) {
        if !self.fast {
            tokio::time::sleep(READING).await;
        }
    }

    /// Runs a command as a person would type it, shows what it prints, and returns that.
    pub(super) async fn paseo(&self, words: &[&str]) -> Result<String, Failure> {
        self.show(words)?;
        let output = self.quietly(words).await?;
        let said = self.said(&output)?;
        self.pause().await;
        Ok(said)
    }

    /// The same for a command that is expected to end with another code than 0.
    pub(super) async fn paseo_ending(&self, words: &[&str], exit: Exit) -> Result<(), Failure> {
        self.show(words)?;
        let output = self.output("paseo", self.command(own_binary()?, words)).await?;
        if output.status.code() != Some(exit as i32) {
            return Err(failed("paseo", words, &output));
        }
        self.said(&output)?;
        self.pause().await;
        Ok(())
    }

    /// Runs a command without showing it.
    pub(super) async fn quietly(&self, words: &[&str]) -> Result<Output, Failure> {
        let output = self.output("paseo", self.command(own_binary()?, words)).await?;
        if output.status.success() { Ok(output) } else { Err(failed("paseo", words, &output)) }
    }

    /// Runs git as a person would, and shows what it prints.
    pub(super) async fn git_shown(&self, words: &[&str]) -> Result<(), Failure> {
        self.printer.styled(&[(Style::Bold, &format!("$ git {}", words.join(" ")))])?;
        let output = self.git(words).await?;
        self.said(&output)?;
        self.pause().await;
        Ok(())
    }

    async fn git(&self, words: &[&str]) -> Result<Output, Failure> {
        let output = self.output("git", self.command("git", words)).await?;
        if output.status.success() { Ok(output) } else { Err(failed("git", words, &output)) }
    }

    /// Waits until an agent has said something, so that what follows meets it in the middle of its work.
    pub(super) async fn until_it_speaks(&self, handle: &str) -> Result<(), Failure> {
        let lost =
            |error: io::Error| Failure::new(Exit::AgentError, format!("cannot follow {handle}: {error}"));
        let mut command = self.command(own_binary()?, &["logs", "--follow", "--json", handle]);
        let mut child = command.stdout(Stdio::piped()).kill_on_drop(true).spawn().map_err(lost)?;
        let Some(stdout) = child.stdout.take() else { return Ok(()) };
        let mut lines = BufReader::new(stdout).lines();
        while let Some(line) = lines.next_line().await.map_err(lost)? {
            if line.contains("\"kind\":\"assistant_text\"") {
                break;
            }
        }
        child.kill().await.map_err(lost)
    }

    /// Kills the tour's own daemon, as a crash would.
    pub(super) async fn kill_daemon(&self) -> Result<(), Failure> {
        let output = self.quietly(&["status", "--json"]).await?;
        let status: paseo_wire::status::DaemonStatus = serde_json::from_slice(&output.stdout)
            .map_err(|error| Failure::new(Exit::AgentError, format!("invalid status: {error}")))?;
        let daemon = i32::try_from(status.pid).ok().and_then(Pid::from_raw);
        let daemon = daemon.ok_or_else(|| Failure::new(Exit::AgentError, "the daemon has no process"))?;
        self.printer.styled(&[(Style::Bold, &format!("$ kill -9 {}", status.pid))])?;
        let unkillable =
            |error: io::Error| Failure::new(Exit::AgentError, format!("cannot kill the daemon: {error}"));
        let killed = pidfd_open(daemon, PidfdFlags::empty()).map_err(|error| unkillable(error.into()))?;
        kill_process(daemon, Signal::KILL).map_err(|error| unkillable(error.into()))?;
        process::ended(&killed, PATIENCE).map_err(unkillable)?;
        self.pause().await;
        Ok(())
    }

    fn show(&self, words: &[&str]) -> Result<(), Failure> {
        let quoted = words.iter().map(|word| {
            if word.contains(char::is_whitespace) { format!(" \"{word}\"") } else { format!(" {word}") }
        });
        self.printer.styled(&[(Style::Bold, &format!("$ paseo{}", quoted.collect::<String>()))])
    }

    /// Shows what a command printed, and returns its stdout.
    fn said(&self, output: &Output) -> Result<String, Failure> {
        let stdout = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
        for line in String::from_utf8_lossy(&output.stderr).lines() {
            self.printer.styled(&[(Style::Dim, line)])?;
        }
        for line in stdout.lines() {
            self.printer.line(line)?;
        }
        Ok(stdout)
    }

    async fn output(&self, name: &str, mut command: Command) -> Result<Output, Failure> {
        command.output().await.map_err(|error| {
            Failure::new(Exit::AgentError, format!("cannot start {name}: {error}")).hint("run `paseo doctor`")
        })
    }

    #[allow(clippy::disallowed_methods)] // The tour types commands, as a person would.
    fn command(&self, program: impl AsRef<OsStr>, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(words)
            .current_dir(self.repository())
            .env(HOME.name, self.directory.join("home"))
            .env(LISTEN.name, "127.0.0.1:0")
            .env(PROVIDER.name, "scripted")
            // Neither the person's settings nor a repository around us shall matter.
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env("GIT_CEILING_DIRECTORIES", &self.directory)
            .stdin(Stdio::null());
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "Paseo demo");
            command.env(format!("GIT_{role}_EMAIL"), "demo@localhost");
        }
        for name in
            [SESSION.name, TOKEN.name, URL.name, NO_START.name, "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"]
        {
            command.env_remove(name);
        }
        command
    }
}

fn own_binary() -> Result<PathBuf, Failure> {
    std::env::current_exe()
        .map_err(|error| Failure::new(Exit::AgentError, format!("paseo cannot find itself: {error}")))
}

fn failed(program: &str, words: &[&str], output: &Output) -> Failure {
    let said = String::from_utf8_lossy(&output.stderr);
    Failure::new(
        Exit::AgentError,
        format!("`{program} {}` exited with {}: {}", words.join(" "), output.status, said.trim()),
    )
}
