//! The process in which schemas and answers are checked: `paseo check-answer`.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::thread;
use std::time::Duration;

use paseo_core::limits::{CHECK_MEMORY_BYTES, CHECK_SECONDS, CHECKS_AT_ONCE};
use rustix::process::{Resource, Rlimit, setrlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::verdict::judge;
use super::{Question, Verdict};
use crate::orphans;

/// The hidden command.
pub const COMMAND: &str = "check-answer";

/// Stack of the thread that checks. Documents are nested at most 128 deep, and schemas 64.
const STACK_BYTES: usize = 256 << 20;
/// More than the words of all violations take.
const VERDICT_BYTES: u64 = 1 << 20;

static CHECKS: Semaphore = Semaphore::const_new(CHECKS_AT_ONCE);

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
pub enum Unchecked {
    #[error("the check exceeded its limit of {CHECK_SECONDS} seconds or its memory limit")]
    Exhausted,
    #[error("the check cannot be started: {0}")]
    Unavailable(#[from] io::Error),
}

/// Has a question answered by a process of its own. Must be called within a Tokio runtime.
pub async fn ask(executable: &Path, question: &Question) -> Result<Verdict, Unchecked> {
    // It is never closed.
    let _place = CHECKS.acquire().await;
    let question = serde_json::to_vec(question).map_err(io::Error::other)?;
    let mut command = prepare(executable);
    let mut child = orphans::spawn(&mut command)?;
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("it has no pipes").into());
    };
    let answered = async {
        // It reads everything before it says anything. One that died is known by its silence.
        let _ = stdin.write_all(&question).await;
        drop(stdin);
        let mut said = Vec::new();
        stdout.take(VERDICT_BYTES).read_to_end(&mut said).await?;
        child.wait().await?;
        Ok::<_, io::Error>(said)
    };
    // Dropping the child kills it.
    let said =
        timeout(Duration::from_secs(CHECK_SECONDS), answered).await.map_err(|_| Unchecked::Exhausted)??;
    serde_json::from_slice(&said).map_err(|_| Unchecked::Exhausted)
}

#[allow(clippy::disallowed_methods)]
fn prepare(executable: &Path) -> Command {
    let mut command = Command::new(executable);
    command
        .arg(COMMAND)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .kill_on_drop(true);
    command
}

/// Answers the question on stdin, on stdout.
pub fn run() -> ExitCode {
    match bounded().and_then(|()| answer()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Limits its own memory and time, also for the case that its parent dies first.
fn bounded() -> io::Result<()> {
    let at_most = |limit: u64| Rlimit { current: Some(limit), maximum: Some(limit) };
    setrlimit(Resource::Core, at_most(0))?;
    setrlimit(Resource::Cpu, at_most(CHECK_SECONDS))?;
    setrlimit(Resource::As, at_most(CHECK_MEMORY_BYTES))?;
    Ok(())
}

fn answer() -> io::Result<()> {
    let mut question = Vec::new();
    io::stdin().read_to_end(&mut question)?;
    let question: Question = serde_json::from_slice(&question)?;
    let checking = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || judge(&question))?;
    let verdict = checking.join().map_err(|_| io::Error::other("the check crashed"))?;
    io::stdout().write_all(&serde_json::to_vec(&verdict)?)
}
