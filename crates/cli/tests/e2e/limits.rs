//! An agent that ran into a limit.

use crate::{home, json, start};

#[test]
fn a_limit_says_until_when() {
    let home = home();
    let run = home.paseo(&["run", "<<limit 1380000>>"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("failed (rate_limited)"), "{}", run.stderr);
    assert!(
        run.stderr.contains("limit reached until ") && run.stderr.contains("(in 23 min)"),
        "{}",
        run.stderr
    );

    let handle = start(&home, "<<limit 1380000>>");
    assert_eq!(home.paseo(&["wait", &handle]).code, 1);
    for command in ["inspect", "why"] {
        let told = home.paseo(&[command, &handle]);
        assert!(told.ok().contains("limit reached until "), "{command}: {}", told.stdout);
    }
    assert!(home.paseo(&["ls"]).ok().contains("limit reached until "));
    let why = json(&home.paseo(&["why", "--json", &handle]));
    assert!(why["parked_until"].is_string(), "{why}");
    // A person may try again at once.
    assert_eq!(home.paseo(&["send", "--wait", &handle, "<<say back>>"]).ok(), "back");
    assert!(json(&home.paseo(&["inspect", "--json", &handle]))["parked_until"].is_null());
}
