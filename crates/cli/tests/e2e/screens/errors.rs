//! What can go wrong, and what people are told then.

use std::os::unix::fs::DirBuilderExt;

use super::Screens;
use crate::start_hanging;

#[test]
fn of_the_command_line() {
    let mut screens = Screens::new();
    for words in [
        &["rnu", "x"][..],
        &["frobnicate"],
        &["thread", "frobnicate"],
        &["run", "--tilte", "x"],
        &["ls", "--al"],
        &["run", "--permissions", "none", "x"],
        &["run", "--timeout", "soon", "x"],
        &["run", "--label", "env", "x"],
        &["run", "--json", "--quiet", "x"],
        &["send", "3f2a"],
        &["why"],
        &["why", "3f2a", "91cc"],
        &["logs", "3f2a", "--since", "yesterday"],
        &["logs", "3f2a", "-n", "many"],
        &["ls", "--status", "sleepy"],
        &["ls", "--label", "="],
        &["completions", "csh"],
        &["permit", "allow"],
        &["task", "complete", "task-0001", "--epoch", "first"],
        &["run", "--base", "main", "--no-worktree", "x"],
        &["run", ""],
        &["run"],
    ] {
        screens.show(words);
    }
    screens.compare("errors_command_line");
}

#[test]
fn without_a_daemon() {
    let mut screens = Screens::new();
    screens.show(&["ls", "--no-start"]);
    screens.show(&["status"]);
    screens.show(&["send", "3f2a", "x", "--no-start"]);
    screens.show(&["daemon", "logs"]);
    screens.home.set("PASEO_LISTEN", "nowhere");
    screens.show(&["ls"]);
    screens.home.set("PASEO_LISTEN", "127.0.0.1:0");
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(screens.home.path()).unwrap();
    std::fs::write(screens.home.path().join("config.toml"), "provider = 7\n").unwrap();
    screens.show(&["status"]);
    screens.show(&["restart"]);
    std::fs::write(screens.home.path().join("config.toml"), "frobnicate = true\n").unwrap();
    screens.show(&["restart"]);
    screens.compare("errors_daemon");
}

#[test]
fn of_names() {
    let mut screens = Screens::new();
    screens.settled(&["--title", "fix-tests", "<<say hi>>"]);
    for words in [
        &["why", "fff"][..],
        &["why", "ffff"],
        &["why", "fix-tests"],
        &["read", ""],
        &["send", "ffff", "x"],
        &["stop", "ffff", "eeee"],
        &["trace", "ffff"],
        &["cause", "ffff"],
        &["queue", "ffff"],
        &["attach", "ffff"],
        &["permit", "allow", "ffff"],
        &["permit", "forget", "ffff"],
        &["agents", "show", "nobody"],
        &["run", "--agent", "nobody", "x"],
        &["run", "--provider", "nothing", "x"],
        &["run", "--team", "blue", "x"],
        &["ask", "nobody", "x"],
        &["thread", "show", "nowhere"],
        &["thread", "post", "nowhere", "x"],
        &["team", "show", "blue"],
        &["task", "show", "task-0001"],
        &["worker", "attach", "red-1"],
        &["worker", "kill", "red-1"],
        &["worktree", "rm", "nowhere"],
        &["settings", "get", "colour"],
        &["settings", "set", "perm_summon", "maybe"],
        &["token", "revoke", "ffff"],
        &["devices", "revoke", "ffff"],
        &["providers", "rm", "nothing"],
    ] {
        screens.show(words);
    }
    screens.compare("errors_names");
}

#[test]
fn of_files() {
    let mut screens = Screens::new();
    let work = screens.home.work();
    std::fs::write(work.join("bad.json"), "{\"type\": 7}").unwrap();
    std::fs::write(work.join("no.json"), "{").unwrap();
    std::fs::write(work.join("data"), [0, 159, 146, 150]).unwrap();
    for words in [
        &["run", "--prompt-file", "missing.md"][..],
        &["run", "--prompt-file", "."],
        &["run", "--prompt-file", "data"],
        &["run", "--attach", "missing.png", "x"],
        &["run", "--attach", "data", "x"],
        &["run", "--output-schema", "missing.json", "x"],
        &["run", "--output-schema", "no.json", "x"],
        &["run", "--output-schema", "bad.json", "x"],
        &["run", "--cwd", "missing", "x"],
        &["run", "--worktree", "x"],
        &["worktree", "ls"],
        &["man", "--dir", "data"],
    ] {
        screens.show(words);
    }
    screens.compare("errors_files");
}

#[test]
fn of_the_state_that_something_is_in() {
    let mut screens = Screens::new();
    let busy = start_hanging(&screens.home);
    let idle = screens.settled(&["<<say hi>>"]);
    let silent = screens.settled(&["<<sh true>>"]);
    let closed = screens.settled(&["<<say hi>>"]);
    let asking = screens.settled(&["<<ask one>>"]);
    screens.home.paseo(&["close", &closed]).ok();
    screens.home.paseo(&["team", "create", "red"]).ok();
    screens.home.paseo(&["task", "create", "Parse"]).ok();
    screens.home.paseo(&["thread", "new", "planning"]).ok();
    for words in [
        &["rm", &busy][..],
        &["clear", &busy],
        &["read", &busy],
        &["read", &silent],
        &["reopen", &idle],
        &["send", "--steer", &idle, "x"],
        &["permit", "allow", &idle],
        &["permit", "allow", &asking],
        &["permit", "allow", "--always", "--yes", &asking],
        &["wait", "--timeout", "1s", &busy],
        &["send", "--wait", "--timeout", "1s", &busy, "x"],
        &["team", "create", "red"],
        &["team", "create", "Red Team"],
        &["task", "complete", "task-0001", "--epoch", "1", "--summary", "x"],
        &["task", "renew", "task-0001", "--epoch", "1"],
        &["task", "retry", "task-0001"],
        &["task", "create", "Again", "--dep", "task-0009"],
        &["task", "create", "Again", "--resource", "/etc"],
        &["thread", "new", "planning"],
        &["thread", "mute", "planning", "ada"],
        &["thread", "invite", "planning", "nothing"],
        &["thread", "rm", "nowhere"],
        &["worker", "start", "--team", "blue", "x"],
        &["switch", "--back", "x"],
        &["tool", "whoami"],
    ] {
        screens.show(words);
    }
    screens.compare("errors_state");
}
