//! Programs that Paseo uses.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use paseo_wire::worker::WorkerQuery;

use super::{Check, Verdict};
use crate::autostart;
use crate::context::Context;

/// A program that cannot tell its version in this time is broken.
const PATIENCE: Duration = Duration::from_secs(10);

/// A program, how it tells its version, and how to get it.
struct Program {
    name: &'static str,
    flag: &'static str,
    get: &'static str,
}

const fn program(name: &'static str, flag: &'static str, get: &'static str) -> Program {
    Program { name, flag, get }
}

const TMUX: &str = "tmux";

const PROGRAMS: [Program; 2] = [
    program("git", "--version", "install git with your system's package manager; worktrees need it"),
    program(TMUX, "-V", "install tmux 3.2 or newer with your system's package manager; workers need it"),
];

/// Asks every program for its version, all at once, and the daemon about the one that it uses by itself.
pub(super) async fn examine(context: &Context) -> Vec<Check> {
    let asked: Vec<_> = PROGRAMS.iter().map(|program| tokio::spawn(check(program))).collect();
    let mut checks = Vec::new();
    for check in asked {
        checks.extend(check.await);
    }
    if let Some(found) = trouble(context).await {
        let own = checks.iter_mut().filter(|check| check.name == TMUX && check.verdict == Verdict::Ok);
        own.for_each(|check| (check.verdict, check.found) = (Verdict::Warn, found.clone()));
    }
    checks
}

/// Asks the daemon what is wrong with tmux: its PATH is another, and only it speaks to the server.
async fn trouble(context: &Context) -> Option<String> {
    if !autostart::is_running(&context.settings) {
        return None;
    }
    let client = context.client_as_is();
    // What is wrong with the daemon itself is told elsewhere.
    if let Some(missing) = client.status().await.ok()?.tmux {
        return Some(missing);
    }
    let workers = client.workers(&WorkerQuery::default()).await.ok()?.workers;
    workers.into_iter().find_map(|worker| worker.trouble)
}

async fn check(program: &'static Program) -> Check {
    let Program { name, flag, get } = *program;
    match tokio::time::timeout(PATIENCE, version(name, flag)).await {
        Ok(Ok(version)) => Check::ok(name, version),
        Ok(Err(error)) if error.kind() == io::ErrorKind::NotFound => Check::warn(name, "not installed", get),
        Ok(Err(error)) => broken(name, flag, error.to_string()),
        Err(_) => broken(name, flag, format!("no answer within {} seconds", PATIENCE.as_secs())),
    }
}

fn broken(name: &'static str, flag: &str, how: String) -> Check {
    let fix = Some(format!("run `{name} {flag}`"));
    Check { name: name.to_owned(), verdict: Verdict::Warn, found: how, fix }
}

#[allow(clippy::disallowed_methods)] // Asks for a version; runs nothing that could be an agent.
async fn version(name: &str, flag: &str) -> io::Result<String> {
    let mut command = Command::new(name);
    command.arg(flag).stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let output = command.output().await?;
    if !output.status.success() {
        return Err(io::Error::other(format!("exits with {}", output.status)));
    }
    let said = String::from_utf8_lossy(&output.stdout);
    Ok(said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_missing_or_broken_says_what_to_do() {
        static MISSING: Program = program("no-such-program-here", "--version", "get it");
        static BROKEN: Program = program("false", "--version", "get it");
        let missing = check(&MISSING).await;
        assert_eq!((missing.found.as_str(), missing.fix.as_deref()), ("not installed", Some("get it")));
        let broken = check(&BROKEN).await;
        assert!(broken.verdict == Verdict::Warn && broken.found.starts_with("exits with"), "{broken:?}");
    }
}
