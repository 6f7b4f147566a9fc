//! Programs that Paseo uses.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use paseo_daemon::Seen;
use paseo_wire::diagnosis::Check;
use paseo_wire::words::Verdict;

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

/// Asks every program for its version, all at once, and notes what the daemon finds wrong with the one that it uses by itself.
pub(super) async fn examine(seen: Option<&Seen>) -> Vec<Check> {
    let asked: Vec<_> = PROGRAMS.iter().map(|program| tokio::spawn(check(program))).collect();
    let mut checks = Vec::new();
    for check in asked {
        checks.extend(check.await);
    }
    if let Some(found) = seen.and_then(trouble) {
        let own = checks.iter_mut().filter(|check| check.name == TMUX && check.verdict == Verdict::Ok);
        own.for_each(|check| (check.verdict, check.found) = (Verdict::Warn, found.clone()));
    }
    checks
}

/// Says what the daemon finds wrong with tmux: its PATH is another, and only it speaks to the server.
fn trouble(seen: &Seen) -> Option<String> {
    let of_worker = || seen.workers.iter().find_map(|worker| worker.trouble.clone());
    seen.status.tmux.clone().or_else(of_worker)
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
