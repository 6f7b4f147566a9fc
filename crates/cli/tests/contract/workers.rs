//! Harnesses as workers: in terminals of their own, over restarts of the daemon. Only the real ones have a screen.

use serde_json::Value;

use crate::bench::{Bench, CLAUDE, CODEX, PI};
use crate::failures::limit;
use crate::guarded::git;
use crate::lacks::Lack;

fn worker(bench: &Bench) -> Value {
    let listed = bench.home.paseo(&["worker", "ls", "--json"]);
    let listed: Value = serde_json::from_str(listed.ok()).unwrap();
    listed["workers"][0].clone()
}

fn it_works_in_a_terminal_and_outlives_the_daemon(bench: &Bench) {
    let home = &bench.home;
    let work = home.work().display().to_string();
    home.paseo(&["team", "create", "red", "-C", &work]).ok();
    let name = home.paseo(&["worker", "start", "--team", "red", "-q", "Please <<say hello>>"]);
    assert_eq!(name.ok(), "red-1");
    let found = worker(bench);
    let handle = found["handle"].as_str().unwrap();
    let waited = home.paseo(&["wait", handle, "--timeout", "60s"]);
    let shown = || home.paseo(&["worker", "capture", "red-1"]).stdout;
    assert_eq!(waited.code, 0, "{waited:?}\n{}", shown());
    let answer = home.paseo(&["read", handle]);
    assert!(answer.ok().contains("hello"), "{answer:?}");
    assert!(shown().contains("hello"));

    assert!(home.kill_daemon());
    home.paseo(&["up"]).ok();
    assert_eq!(worker(bench)["alive"], true, "{}", shown());
    let sent = home.paseo(&["send", handle, "--wait", "--timeout", "60s", "Then <<say again>>"]);
    assert_eq!(sent.code, 0, "{sent:?}\n{}", shown());
    assert!(sent.stdout.contains("again") && sent.stdout.contains("turns=2"), "{sent:?}");
    let heard = home.paseo(&["logs", handle, "--json"]);
    let said = |line: &&str| line.contains("\"user_text\"") && !line.contains("INBOX:");
    assert_eq!(heard.ok().lines().filter(said).count(), 2, "each was typed in once: {heard:?}");
    home.paseo(&["worker", "kill", "red-1"]).ok();
    assert_eq!(home.left_beside_the_daemon(), Vec::<String>::new());
}

#[test]
fn claude_works_in_a_terminal() {
    Bench::real(CLAUDE).as_ref().map(it_works_in_a_terminal_and_outlives_the_daemon);
}

#[test]
fn codex_works_in_a_terminal() {
    Bench::real(CODEX).as_ref().map(it_works_in_a_terminal_and_outlives_the_daemon);
}

#[test]
fn pi_works_in_a_terminal() {
    Bench::real(PI).as_ref().map(it_works_in_a_terminal_and_outlives_the_daemon);
}

#[allow(clippy::disallowed_methods)] // A person's own tmux.
fn tmux(bench: &Bench, words: &[&str]) {
    let mut command = std::process::Command::new("tmux");
    command.arg("-S").arg(bench.home.path().join("tmux.sock")).args(words);
    assert!(command.status().unwrap().success());
}

pub(crate) fn type_in(bench: &Bench, keys: &[&str]) {
    tmux(bench, &[&["send-keys", "-t", "=red-1:"], keys].concat());
}

pub(crate) fn until(bench: &Bench, what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..600 {
        if is_so() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("{what} never came:\n{}", bench.home.paseo(&["worker", "capture", "red-1"]).stdout);
}

/// A turn that goes on while there is no daemon is the same turn afterwards, and a person who types is one; also when the
/// next daemon knows neither the program nor where it keeps its conversations.
fn a_turn_goes_on_without_the_daemon(mut bench: Bench) {
    let home = &bench.home;
    let work = home.work().display().to_string();
    home.paseo(&["team", "create", "red", "-C", &work]).ok();
    let script = "Please <<bash touch begun; until [ -e go ]; do sleep 0.1; done>> <<say finished>>";
    home.paseo(&["worker", "start", "--team", "red", "-q", script]).ok();
    let handle = worker(&bench)["handle"].as_str().unwrap().to_owned();
    until(&bench, "the command", || home.work().join("begun").exists());
    until(&bench, "the call", || home.paseo(&["logs", &handle, "--json"]).stdout.contains("tool_call"));
    assert!(home.kill_daemon());
    std::fs::write(home.work().join("go"), "").unwrap();
    for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "PI_CODING_AGENT_DIR"] {
        bench.home.unset(name);
    }
    bench.home.set("PATH", "/usr/bin:/bin");
    let (home, bench) = (&bench.home, &bench);
    home.paseo(&["up"]).ok();
    let waited = home.paseo(&["wait", &handle, "--timeout", "60s"]);
    assert_eq!(waited.code, 0, "{waited:?}");
    assert!(home.paseo(&["read", &handle]).ok().contains("finished"));
    let logs = home.paseo(&["logs", &handle, "--json"]);
    let count = |word: &str| logs.ok().lines().filter(|line| line.contains(word)).count();
    assert_eq!(
        (count("\"user_text\""), count("\"tool_call\""), count("\"tool_result\"")),
        (1, 1, 1),
        "{logs:?}"
    );

    type_in(bench, &["-l", "Now <<say typed>>"]);
    until(bench, "its line", || {
        home.paseo(&["worker", "capture", "red-1"]).stdout.contains("Now <<say typed>>")
    });
    // Like a person: a key that comes too soon after others may count as one of them.
    until(bench, "what was typed", || {
        let seen = home.paseo(&["logs", &handle, "--json"]).stdout.contains("human:terminal");
        if !seen {
            type_in(bench, &["Enter"]);
        }
        seen
    });
    until(bench, "the answer", || home.paseo(&["read", &handle]).stdout.contains("typed"));

    // The next one needs the program.
    tmux(bench, &["kill-session", "-t", "=red-1"]);
    until(bench, "its end", || !worker(bench)["exit"].is_null());
    let refused = home.paseo(&["send", &handle, "--wait", "--timeout", "60s", "Go on"]);
    assert!(refused.code != 0 && format!("{refused:?}").contains("install it with"), "{refused:?}");
}

#[test]
fn a_turn_of_claude_goes_on_without_the_daemon() {
    Bench::real(CLAUDE).into_iter().for_each(a_turn_goes_on_without_the_daemon);
}

#[test]
fn a_turn_of_codex_goes_on_without_the_daemon() {
    Bench::real(CODEX).into_iter().for_each(a_turn_goes_on_without_the_daemon);
}

#[test]
fn a_turn_of_pi_goes_on_without_the_daemon() {
    Bench::real(PI).into_iter().for_each(a_turn_goes_on_without_the_daemon);
}

/// Every user of the machine can read command lines, and could claim a session id found there.
fn no_command_line_tells_its_id(bench: &Bench) {
    let home = &bench.home;
    let work = home.work().display().to_string();
    home.paseo(&["team", "create", "red", "-C", &work]).ok();
    let start = |more: &[&str], task: &str| {
        let words = [&["worker", "start", "--team", "red", "--json"], more, &[task]].concat();
        let started: Value = serde_json::from_str(home.paseo(&words).ok()).unwrap();
        started["worker"].clone()
    };
    let busy = start(&[], "Please <<bash touch begun; until [ -e go ]; do sleep 0.1; done>> <<say done>>");
    until(bench, "the command", || bench.file("begun").exists());
    // Only now: a harness asks first whether it may trust a repository.
    let commit =
        ["-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "--allow-empty", "-m", "a"];
    git(bench, &["init", "-q"]);
    git(bench, &commit);
    // This one is told its directory, which is named by the beginning of its id. That it asks first whether to trust it
    // is all the same: it runs.
    let guard: &[&str] = if bench.program == PI { &[] } else { &["--guard", "lease"] };
    let running = bench.harnesses().len();
    let guarded = start(&[&["--worktree"], guard].concat(), "Please <<say hello>>");
    until(bench, "the other", || bench.harnesses().len() > running);

    let lines = home.command_lines();
    assert!(lines.iter().any(|line| line.contains("tmux.sock")), "the server of terminals, too: {lines:?}");
    for worker in [&busy, &guarded] {
        let id = worker["session"].as_str().unwrap();
        let compact = id.replace('-', "");
        // More of it than the name of its worktree has.
        for told in [id, compact.as_str(), &id[..13], &compact[..12]] {
            assert!(!lines.iter().any(|line| line.contains(told)), "{told}: {lines:#?}");
        }
    }
    std::fs::write(bench.file("go"), "").unwrap();
    for name in ["red-1", "red-2"] {
        home.paseo(&["worker", "kill", name]).ok();
    }
}

#[test]
fn no_command_line_of_claude_in_a_terminal_tells_its_id() {
    Bench::real(CLAUDE).as_ref().map(no_command_line_tells_its_id);
}

#[test]
fn no_command_line_of_codex_in_a_terminal_tells_its_id() {
    Bench::real(CODEX).as_ref().map(no_command_line_tells_its_id);
}

#[test]
fn no_command_line_of_pi_in_a_terminal_tells_its_id() {
    Bench::real(PI).as_ref().map(no_command_line_tells_its_id);
}

/// A limit is in the file of the conversation: one in a terminal is parked by it, and goes on, as any other.
fn it_goes_on_after_a_limit(bench: &mut Bench) {
    let limit = limit(bench, 5);
    let home = &bench.home;
    let work = home.work().display().to_string();
    home.paseo(&["team", "create", "red", "-C", &work]).ok();
    let script = format!("Please <<bash true>><<status 429 {limit}>>");
    home.paseo(&["worker", "start", "--team", "red", "-q", &script]).ok();
    let handle = worker(bench)["handle"].as_str().unwrap().to_owned();
    let waited = home.paseo(&["wait", &handle, "--timeout", "60s"]);
    assert_eq!(waited.code, 1, "{waited:?}");
    let seen = bench.inspect(&handle);
    assert_eq!(seen["status_code"], "rate_limited", "{seen:#}");
    assert!(seen["parked_until"].is_string(), "{seen:#}");
    // It goes on there, too, as far as its screen lets it.
    let asks = bench.lacks(Lack::LimitInTerminal);
    let seen = bench.until_status(&handle, if asks { "waiting" } else { "idle" });
    assert_eq!(
        seen["turns"],
        if asks { 1 } else { 2 },
        "{seen:#}\n{}",
        home.paseo(&["worker", "capture", "red-1"]).stdout
    );
    home.paseo(&["worker", "kill", "red-1"]).ok();
}

#[test]
fn claude_in_a_terminal_goes_on_after_a_limit() {
    Bench::real(CLAUDE).as_mut().map(it_goes_on_after_a_limit);
}

#[test]
fn codex_in_a_terminal_goes_on_after_a_limit() {
    Bench::real(CODEX).as_mut().map(it_goes_on_after_a_limit);
}

#[test]
fn pi_in_a_terminal_goes_on_after_a_limit() {
    Bench::real(PI).as_mut().map(it_goes_on_after_a_limit);
}
