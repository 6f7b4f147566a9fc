//! An agent that ran into a limit.

use paseo_testkit::home::TestHome;
use serde_json::Value;

use crate::{home, json, start};

#[test]
fn a_limit_says_until_when() {
    let home = home();
    let run = home.paseo(&["run", "<<limit 1380000>>"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("failed (rate_limited)"), "{}", run.stderr);
    assert!(
        run.stderr.contains("rate limit until ")
            && run.stderr.contains("(in 23 min); ")
            && run.stderr.contains(" continues on its own then"),
        "{}",
        run.stderr
    );

    let handle = start(&home, "<<limit 1380000>>");
    assert_eq!(home.paseo(&["wait", &handle]).code, 1);
    for command in ["inspect", "why"] {
        let told = home.paseo(&[command, &handle]);
        assert!(told.ok().contains("rate limit until "), "{command}: {}", told.stdout);
    }
    assert!(home.paseo(&["ls"]).ok().contains("rate limit until "));
    let why = json(&home.paseo(&["why", "--json", &handle]));
    assert!(why["parked_until"].is_string(), "{why}");
    // A person may try again at once.
    assert_eq!(home.paseo(&["send", "--wait", &handle, "<<say back>>"]).ok(), "back");
    assert!(json(&home.paseo(&["inspect", "--json", &handle]))["parked_until"].is_null());
}

/// Waits until an agent is neither at work nor parked.
fn until_idle(home: &TestHome, handle: &str) -> Value {
    for _ in 0..600 {
        let seen = json(&home.paseo(&["inspect", "--json", handle]));
        if seen["status"] == "idle" {
            return seen;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("it never went on: {}", home.paseo(&["logs", handle]).stdout);
}

#[test]
fn a_turn_that_a_limit_cut_off_goes_on_by_itself() {
    let home = home();
    let handle = start(&home, "<<say first>><<limit 3000>>");
    assert_eq!(home.paseo(&["wait", &handle]).code, 1);
    // What agents and programs send meanwhile waits as well.
    assert!(home.paseo(&["why", &handle]).ok().contains("rate limit until "));
    let seen = until_idle(&home, &handle);
    assert!(seen["parked_until"].is_null(), "{seen}");
    assert_eq!(seen["turns"], 2, "{seen}");
    let logs = home.paseo(&["logs", &handle]);
    assert!(logs.ok().contains("The rate limit that ended your last turn is over."), "{}", logs.stdout);
}

#[test]
fn a_limit_that_ends_while_there_is_no_daemon_is_over_afterwards() {
    let home = home();
    let handle = start(&home, "<<limit 3000>>");
    assert_eq!(home.paseo(&["wait", &handle]).code, 1);
    assert!(home.kill_daemon());
    home.paseo(&["up"]).ok();
    assert_eq!(until_idle(&home, &handle)["turns"], 2);
}

#[test]
fn a_limit_beyond_reason_is_a_failure_like_any_other() {
    let home = home();
    let handle = start(&home, "<<limit 9000000000>>");
    assert_eq!(home.paseo(&["wait", &handle]).code, 1);
    let seen = json(&home.paseo(&["inspect", "--json", &handle]));
    assert_eq!((&seen["status_code"], &seen["hold"]), (&"rate_limited".into(), &"error".into()), "{seen}");
    assert!(seen["parked_until"].is_null(), "{seen}");
}
