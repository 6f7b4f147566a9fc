//! Starting a program under the shim and watching it to its end.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use paseo_core::id::SessionId;
use tokio::net::unix::pipe;
use tokio::process::{Child, ChildStdout, Command};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::control;
use crate::lines::{Line, Lines, keep_tail};
use crate::orphans;
use crate::process_table::{HOME_VARIABLE, SESSION_VARIABLE};
use crate::provider::{Control, Exit};
use crate::sweep::{Sweep, sweep};

/// How long a pipe may stay silent after the end: someone unknown may hold its other side open.
const DRAIN: Duration = Duration::from_secs(1);

/// A program to run.
#[derive(Debug, Clone)]
pub struct Program {
    /// Our binary: `paseo shim` is what is really started.
    pub shim: PathBuf,
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub directory: PathBuf,
    /// Marks every descendant.
    pub session: SessionId,
    /// Set on top of our own environment.
    pub environment: Vec<(String, String)>,
    /// What of our own environment it does not get.
    pub removed: Vec<String>,
}

/// A running program.
#[derive(Debug)]
pub struct Process {
    pub shim: u32,
    /// Closing it ends the program and its descendants.
    pub control: Control,
    pub stdin: pipe::Sender,
    pub output: ProcessOutput,
}

/// What comes out of a program: its lines, then its end.
#[derive(Debug)]
pub struct ProcessOutput {
    lines: Lines<ChildStdout>,
    ending: oneshot::Receiver<ExitStatus>,
    /// Set once the shim is gone.
    ended: Option<Ended>,
    stderr: Arc<Mutex<Vec<u8>>>,
    stderr_reader: JoinHandle<()>,
}

#[derive(Debug, Clone, Copy)]
struct Ended {
    status: Option<ExitStatus>,
    deadline: Instant,
}

/// Starts a program. Must be called within a Tokio runtime.
pub fn start(program: Program) -> io::Result<Process> {
    let (program_stdin, stdin) = io::pipe()?;
    let channel = control::open(&program_stdin)?;
    let mut child = spawn(&program, Stdio::from(channel.shim))?;
    let shim = child.id().ok_or_else(|| io::Error::other("the shim ended immediately"))?;
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(io::Error::other("the shim has no pipes"));
    };
    let tail = Arc::new(Mutex::new(Vec::new()));
    let stderr_reader = tokio::spawn({
        let tail = Arc::clone(&tail);
        async move { keep_tail(stderr, &tail).await }
    });
    let (report, ending) = oneshot::channel();
    tokio::spawn(async move {
        if let Ok(status) = wait(child, &program).await {
            report.send(status).ok();
        }
    });
    Ok(Process {
        shim,
        control: Control::of_shim(channel.daemon),
        stdin: pipe::Sender::from_owned_fd(stdin.into())?,
        output: ProcessOutput { lines: Lines::new(stdout), ending, ended: None, stderr: tail, stderr_reader },
    })
}

#[allow(clippy::disallowed_methods)]
fn spawn(program: &Program, control: Stdio) -> io::Result<Child> {
    let mut command = Command::new(&program.shim);
    for name in &program.removed {
        command.env_remove(name);
    }
    command
        .arg("shim")
        .arg("--")
        .arg(&program.program)
        .args(&program.arguments)
        .current_dir(&program.directory)
        .envs(program.environment.iter().map(|(name, value)| (name, value)))
        .env(SESSION_VARIABLE, program.session.to_string())
        .stdin(control)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    orphans::spawn(&mut command)
}

/// Kills a shim that does not do its duty. What it leaves is cleaned up when its end is seen.
pub fn kill(shim: u32) {
    if let Some(pid) = rustix::process::Pid::from_raw(shim.cast_signed()) {
        // It may be gone already.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}

/// Waits for the shim. One that was killed could not clean up, so that is done in its place.
async fn wait(mut child: Child, program: &Program) -> io::Result<ExitStatus> {
    let status = child.wait().await?;
    if status.signal().is_some()
        && let Some((_, home)) = program.environment.iter().rfind(|(name, _)| name == HOME_VARIABLE)
    {
        let (home, session) = (PathBuf::from(home), program.session);
        tokio::task::spawn_blocking(move || sweep(&home, Sweep::Session(session))).await.ok();
    }
    Ok(status)
}

impl ProcessOutput {
    /// Returns the next line, `None` when there will be no more. May be cancelled.
    pub async fn next(&mut self) -> Option<Line> {
        if self.ended.is_none() {
            tokio::select! {
                biased;
                line = self.lines.next() => return line.ok().flatten(),
                status = &mut self.ending => self.note_end(status.ok()),
            }
        }
        let deadline = self.ended.map_or_else(Instant::now, |ended| ended.deadline);
        timeout_at(deadline, self.lines.next()).await.ok()?.ok().flatten()
    }

    /// Waits for the end. What the program still writes is thrown away.
    pub async fn finish(mut self) -> Exit {
        while self.next().await.is_some() {}
        if self.ended.is_none() {
            let status = (&mut self.ending).await.ok();
            self.note_end(status);
        }
        let ended = self.ended.unwrap_or(Ended { status: None, deadline: Instant::now() });
        timeout_at(ended.deadline, &mut self.stderr_reader).await.ok();
        let (code, signal) = ended.status.map_or((None, None), how);
        // If its end is unknown, the worst has to be assumed.
        let shim_killed = ended.status.is_none_or(|status| status.signal().is_some());
        let stderr = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        Exit { code, signal, shim_killed, stderr: String::from_utf8_lossy(&stderr).into_owned() }
    }

    fn note_end(&mut self, status: Option<ExitStatus>) {
        self.ended = Some(Ended { status, deadline: Instant::now() + DRAIN });
    }
}

/// Returns the code or the signal. The shim says `128 + signal` for a program that a signal ended.
fn how(status: ExitStatus) -> (Option<i32>, Option<i32>) {
    match status.code() {
        Some(code @ 129..=192) => (None, Some(code - 128)),
        Some(code) => (Some(code), None),
        None => (None, status.signal()),
    }
}
