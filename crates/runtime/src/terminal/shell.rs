//! A shell of a person, on a terminal that only this process types into.
//!
//! It is no session of tmux: agents run as the same user and could type into that, and a person would be held for it.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use paseo_core::terminal::Size;
use tokio::process::{Child, Command};

use super::pty::{self, Pty};
use super::tmux::MISLEADING;
use crate::control;
use crate::orphans;
use crate::process_table::SESSION_VARIABLE;
use crate::provider::Control;

/// What to start.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Our binary: `paseo shim` is what is really started.
    pub shim: PathBuf,
    pub shell: OsString,
    pub directory: PathBuf,
    /// Set on top of our own environment.
    pub environment: Vec<(String, String)>,
    /// What of our own environment it does not get.
    pub removed: Vec<String>,
    pub size: Size,
}

/// A shell that runs.
pub struct Shell {
    terminal: Pty,
    /// The process above it. It ends everything in it when it is told to, and when we die.
    pub shim: u32,
}

/// The life of a shell, beside what is shown on its terminal.
pub struct Life {
    child: Child,
    control: Option<Control>,
    /// Our binary, whose processes are no orphans.
    executable: PathBuf,
}

/// Returns the program that the user has chosen as a shell, or else a common one.
pub fn program() -> OsString {
    let chosen = std::env::var_os("SHELL").filter(|shell| Path::new(shell).is_absolute());
    let common = || ["/bin/bash", "/bin/sh"].into_iter().find(|shell| Path::new(shell).exists());
    chosen.unwrap_or_else(|| common().unwrap_or("sh").into())
}

/// Starts a shell. Must be called within a Tokio runtime.
#[allow(clippy::disallowed_methods)]
pub fn start(launch: &Launch) -> io::Result<(Shell, Life)> {
    let terminal = pty::open(launch.size)?;
    let channel = control::open(&terminal.side)?;
    let mut command = Command::new(&launch.shim);
    for name in MISLEADING.iter().copied().chain([SESSION_VARIABLE]) {
        command.env_remove(name);
    }
    for name in &launch.removed {
        command.env_remove(name);
    }
    let side = || terminal.side.try_clone().map(Stdio::from);
    command
        .args(["shim", "--shell", "--"])
        .arg(&launch.shell)
        .current_dir(&launch.directory)
        .env("TERM", "xterm-256color")
        .env("COLORTERM", "truecolor")
        .envs(launch.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::from(channel.shim))
        .stdout(side()?)
        .stderr(side()?);
    let child = orphans::spawn(&mut command)?;
    // What it holds of the terminal would keep that open.
    drop(command);
    let shim = child.id().ok_or_else(|| io::Error::other("the shim ended immediately"))?;
    let shell = Shell { terminal: terminal.registered()?, shim };
    let control = Some(Control::of_shim(channel.daemon));
    Ok((shell, Life { child, control, executable: launch.shim.clone() }))
}

impl Shell {
    /// Returns what is shown next; 0 when it has ended. May be cancelled.
    pub async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.terminal.read(buffer).await
    }

    /// Types bytes. When it is cancelled, some of them may have been typed.
    pub async fn write(&self, bytes: &[u8]) -> io::Result<()> {
        self.terminal.write(bytes).await
    }

    pub fn resize(&self, size: Size) -> io::Result<()> {
        self.terminal.resize(size)
    }
}

impl Life {
    /// Has everything in it ended.
    pub fn end(&mut self) {
        self.control = None;
    }

    /// Waits until nothing of it is left. Ends what a shim that was killed has left behind. May be cancelled.
    pub async fn ended(&mut self) {
        // It fails only together with the runtime.
        let Ok(status) = self.child.wait().await else { return };
        if status.signal().is_some() {
            let executable = self.executable.clone();
            tokio::task::spawn_blocking(move || orphans::end_all(&executable)).await.ok();
        }
    }
}
