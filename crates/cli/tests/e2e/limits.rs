//! An agent that ran into a limit.

use paseo_testkit::home::TestHome;
use serde_json::Value;

use crate::screens::{assert_said, assert_told, noon, squeezed};
use crate::{home, json, start};

#[test]
fn a_limit_says_until_when() {
    let mut home = home();
    // No date stands beside a time.
    home.set("TZ", noon());
    let run = home.paseo(&["run", "<<limit 1380000>>"]);
    assert_eq!(run.code, 1);
    assert_told!(home, run, @r"
    exit 1
    Started aaa1 (scripted)
    error: aaa1 failed (rate_limited): The limit in this script is reached.
      rate limit until 12:00 (in 23 min); aaa1 continues on its own then
     hint: run `paseo send aaa1 …` to retry now
    ");

    let handle = start(&home, "<<limit 1380000>>");
    assert_eq!(home.paseo(&["wait", &handle]).code, 1);
    let until = |command: &[&str]| {
        let told = home.paseo(command);
        squeezed(told.ok().lines().find(|line| line.contains("until")).unwrap())
    };
    assert_said!(home, &until(&["inspect", &handle]), @"parked rate limit until 12:00 (in 23 min)");
    assert_said!(home, &until(&["why", &handle]), @"limit rate limit until 12:00 (in 23 min)");
    assert_said!(home, &until(&["ls"]), @"aaa1 error: rate limit until 12:00 (in 23 min) scripted now");
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
    assert!(json(&home.paseo(&["why", "--json", &handle]))["parked_until"].is_string());
    let seen = until_idle(&home, &handle);
    assert!(seen["parked_until"].is_null(), "{seen}");
    assert_eq!(seen["turns"], 2, "{seen}");
    let logs = home.paseo(&["logs", &handle]);
    assert_said!(home, logs.ok(), @r"
    #1 12:00:00 you
    <<say first>><<limit 3000>>

    #2 12:00:00 agent
    first

    #3 12:00:00 error (rate_limited): The limit in this script is reached.

    #4 12:00:00 Paseo (automatic message)
    The rate limit that ended your last turn is over. Continue where you stopped; do not repeat completed work.

    #5 12:00:00 agent
    Received: [message from daemon]

    The rate limit that ended your last turn is over. Continue where you stopped; do not repeat completed work.
    ");
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
