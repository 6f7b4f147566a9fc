//! Guarded agents: they change nothing but what a task that they own covers, whatever their own settings allow.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use crate::bench::{Bench, CLAUDE, CODEX};

/// What a model that may not change something is told to do.
pub(crate) const ADVICE: &str = "team_tasks_claim";

/// Makes the team `red` with a task for each of these resources, and a guarded agent `ann` in it.
fn guarded(bench: &mut Bench, resources: &[&str]) -> String {
    allow_everything(bench);
    let work = bench.home.work().display().to_string();
    bench.home.paseo(&["team", "create", "red", "-C", &work]).ok();
    for resource in resources {
        bench.home.paseo(&["task", "create", "A task", "--resource", resource]).ok();
    }
    bench.run(&["--team", "red", "--member", "ann", "--guard", "lease"], "<<say hello>>").0
}

/// Has the user's own settings allow what they can: that must not get around the guard.
pub(crate) fn allow_everything(bench: &Bench) {
    if bench.is_claude() {
        let path = bench.config().join("settings.json");
        let old = fs::read_to_string(&path).ok().and_then(|text| serde_json::from_str(&text).ok());
        let mut settings: serde_json::Value = old.unwrap_or_else(|| serde_json::json!({}));
        settings["permissions"] =
            serde_json::json!({ "allow": ["Bash", "Write", "Edit"], "defaultMode": "acceptEdits" });
        fs::create_dir_all(bench.config()).unwrap();
        fs::write(path, settings.to_string()).unwrap();
    }
    if bench.program == CODEX && bench.model.is_some() {
        let rules = bench.config().join("rules");
        fs::create_dir_all(&rules).unwrap();
        fs::write(rules.join("default.rules"), "prefix_rule(pattern=[\"touch\"], decision=\"allow\")\n")
            .unwrap();
    }
}

fn give(bench: &Bench, task: &str, more: &[&str]) {
    bench.home.paseo(&[&["task", "reassign", task, "--to", "ann"], more].concat()).ok();
}

/// Sends something to do, and waits until it is done, with whatever follows from it.
fn told(bench: &Bench, handle: &str, prompt: &str) {
    bench.send(handle, prompt);
    bench.home.paseo(&["wait", "--timeout", "60s", handle]);
}

pub(crate) fn text(bench: &Bench, name: &str) -> String {
    fs::read_to_string(bench.file(name)).unwrap_or_default().trim().to_owned()
}

pub(crate) fn a_guarded_agent_without_a_task_changes_nothing_and_is_told_why(bench: &mut Bench) {
    fs::write(bench.file("poem.txt"), "roses\n").unwrap();
    let handle = guarded(bench, &["poem.txt"]);
    told(bench, &handle, "<<read poem.txt>><<write poem.txt violets>><<say done>>");
    let log = || bench.transcript(&handle);
    assert_eq!(text(bench, "poem.txt"), "roses", "{}", log());
    assert!(log().contains("roses"), "reading is free: {}", log());
    assert!(bench.told().contains(ADVICE), "{}", log());
    let mark = bench.mark();
    told(bench, &handle, "<<bash touch made>><<say done>>");
    assert!(!bench.file("made").exists(), "{}", log());
    assert!(bench.told_since(&mark).contains(ADVICE), "{}", log());
    assert_eq!(bench.inspect(&handle)["asks"], 0, "nobody is asked: {}", log());
}

pub(crate) fn a_guarded_agent_changes_what_its_task_covers_until_it_ends(bench: &mut Bench) {
    fs::write(bench.file("poem.txt"), "roses\n").unwrap();
    fs::write(bench.file("other.txt"), "roses\n").unwrap();
    let handle = guarded(bench, &["poem.txt", "."]);
    let log = || bench.transcript(&handle);
    give(bench, "task-0001", &[]);
    told(bench, &handle, "<<write poem.txt violets>><<say done>>");
    assert_eq!(text(bench, "poem.txt"), "violets", "{}", log());
    told(bench, &handle, "<<write other.txt violets>><<say done>>");
    assert_eq!(text(bench, "other.txt"), "roses", "{}", log());
    told(bench, &handle, "<<bash touch made>><<say done>>");
    assert!(!bench.file("made").exists(), "a command needs all: {}", log());

    bench.home.paseo(&["task", "cancel", "task-0001"]).ok();
    give(bench, "task-0002", &[]);
    told(bench, &handle, "<<bash touch made>><<say done>>");
    assert!(bench.file("made").exists(), "{}", log());

    give(bench, "task-0002", &["--ttl", "1s"]);
    until_expired(bench);
    told(bench, &handle, "<<write poem.txt lilies>><<say done>>");
    assert_eq!(text(bench, "poem.txt"), "violets", "{}", log());
}

/// The model itself takes the task, does it, and gives it back.
pub(crate) fn a_guarded_agent_claims_works_and_completes_by_itself(bench: &mut Bench) {
    for name in ["poem.txt", "other.txt"] {
        fs::write(bench.file(name), "roses\n").unwrap();
    }
    let handle = guarded(bench, &["poem.txt"]);
    let log = || bench.transcript(&handle);
    let claim = r#"<<tool team_tasks_list {}>><<tool team_tasks_claim {"taskId":"task-0001"}>>"#;
    told(bench, &handle, &format!("{claim}<<write poem.txt violets>><<say done>>"));
    assert_eq!(text(bench, "poem.txt"), "violets", "{}", log());
    told(bench, &handle, "<<write other.txt violets>><<say done>>");
    assert_eq!(text(bench, "other.txt"), "roses", "{}", log());
    let complete = r#"<<tool team_tasks_complete {"taskId":"task-0001","epoch":1}>>"#;
    told(bench, &handle, &format!("{complete}<<write poem.txt lilies>><<say done>>"));
    assert_eq!(text(bench, "poem.txt"), "violets", "{}", log());
    let tasks = bench.home.paseo(&["task", "show", "task-0001", "--json"]);
    assert!(tasks.ok().contains("\"completed\""), "{tasks:?}: {}", log());
    assert_eq!(bench.inspect(&handle)["asks"], 0, "nobody is asked: {}", log());
}

pub(crate) fn a_guarded_agent_is_led_nowhere_by_links_and_dots(bench: &mut Bench) {
    fs::create_dir(bench.file("own")).unwrap();
    fs::write(bench.file("theirs.txt"), "roses\n").unwrap();
    symlink("../theirs.txt", bench.file("own/link.txt")).unwrap();
    symlink(bench.file("made.txt"), bench.file("own/dangling.txt")).unwrap();
    let handle = guarded(bench, &["own"]);
    give(bench, "task-0001", &[]);
    let theirs = bench.file("theirs.txt").canonicalize().unwrap();
    let own = bench.file("own").canonicalize().unwrap().join("mine.txt");
    for path in ["own/link.txt", "own/dangling.txt", "own/../theirs.txt", theirs.to_str().unwrap()] {
        told(bench, &handle, &format!("<<write {path} violets>><<say done>>"));
        assert_eq!(text(bench, "theirs.txt"), "roses", "{path}: {}", bench.transcript(&handle));
        assert!(!bench.file("made.txt").exists(), "{path}: {}", bench.transcript(&handle));
    }
    told(bench, &handle, &format!("<<write {} violets>><<say done>>", own.display()));
    assert_eq!(text(bench, "own/mine.txt"), "violets", "{}", bench.transcript(&handle));
}

/// A subagent asks for itself, but the worktree that it is given is made before it begins.
#[test]
fn a_guarded_claude_makes_no_worktree_for_a_subagent() {
    let Some(mut bench) = Bench::real(CLAUDE) else { return };
    let commit =
        ["-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "--allow-empty", "-m", "a"];
    git(&bench, &["init", "-q"]);
    git(&bench, &commit);
    let handle = guarded(&mut bench, &["own"]);
    give(&bench, "task-0001", &[]);
    let call = |more: &str| {
        let input = format!(r#"{{"description":"look","prompt":"hello","run_in_background":false{more}}}"#);
        format!("<<tool Agent {input}>><<say done>>")
    };
    told(&bench, &handle, &call(r#","isolation":"worktree""#));
    let log = || bench.transcript(&handle);
    assert!(!bench.file(".claude/worktrees").exists(), "{}", log());
    let results = || bench.items_of(&handle, "tool_result");
    let refused = results().pop().unwrap();
    assert!(refused["text"].as_str().unwrap().contains("could change any file"), "{refused}\n{}", log());
    told(&bench, &handle, &call(""));
    assert_eq!(results().pop().unwrap()["outcome"], "ok", "a plain one needs nothing: {}", log());
}

#[allow(clippy::disallowed_methods)] // Tests start git.
pub(crate) fn git(bench: &Bench, words: &[&str]) {
    let status = std::process::Command::new("git").args(words).current_dir(bench.home.work()).status();
    assert!(status.unwrap().success(), "git {words:?}");
}

/// Waits until the team has noted that a lease ran out.
pub(crate) fn until_expired(bench: &Bench) {
    let end = Instant::now() + Duration::from_secs(20);
    while !bench.home.paseo(&["team", "audit", "red"]).ok().contains("expired") {
        assert!(Instant::now() < end, "the lease never expired");
        std::thread::sleep(Duration::from_millis(20));
    }
}
