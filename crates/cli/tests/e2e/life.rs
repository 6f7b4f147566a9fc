//! `paseo stop`, `close`, `reopen`, `clear`, `rm` and `rename`

use crate::screens::assert_said;
use crate::{assert_shown, home, inspect, start, start_hanging};

#[test]
fn stop_ends_the_turn_and_keeps_the_queue() {
    let home = home();
    let handle = start_hanging(&home);
    home.paseo(&["send", &handle, "later"]).ok();
    assert_said!(home, home.paseo(&["stop", &handle]).ok(), @"Stopped aaa1");
    home.paseo(&["wait", &handle]).ok();
    let view = inspect(&home, &handle);
    assert_eq!((&view["hold"], &view["held"]), (&"stopped".into(), &1.into()));
    // A person who writes sets everything going again.
    let answer = home.paseo(&["send", &handle, "--wait", "<<say on>>"]);
    assert_eq!(answer.ok(), "on");
}

#[test]
fn a_closed_agent_can_be_read_and_reopened() {
    let home = home();
    let handle = start(&home, "<<say hi>>");
    home.paseo(&["wait", &handle]).ok();
    assert_said!(home, home.paseo(&["close", &handle]).ok(), @"Closed aaa1");
    assert_said!(home, home.paseo(&["close", &handle]).ok(), @"aaa1 was already closed");
    assert_eq!(home.paseo(&["read", &handle]).ok(), "hi");
    assert_eq!(home.paseo(&["ls", "-q"]).ok(), "");
    assert_said!(home, home.paseo(&["reopen", &handle]).ok(), @"Reopened aaa1");
    assert_eq!(home.paseo(&["ls", "-q"]).ok(), handle);
}

#[test]
fn clear_takes_the_transcript_away() {
    let home = home();
    let handle = start(&home, "<<say hi>>");
    home.paseo(&["wait", &handle]).ok();
    assert_eq!(home.paseo(&["clear", &handle]).ok(), format!("Cleared {handle}"));
    assert_eq!(home.paseo(&["read", &handle]).code, 1);
    assert!(!home.paseo(&["logs", &handle]).ok().contains("hi"));
    let busy = start_hanging(&home);
    let refused = home.paseo(&["clear", &busy]);
    assert_eq!(refused.code, 6, "{refused:?}");
}

#[test]
fn rm_deletes_and_a_busy_one_only_by_force() {
    let home = home();
    let handle = start_hanging(&home);
    let refused = home.paseo(&["rm", &handle]);
    assert_eq!(refused.code, 6, "{refused:?}");
    assert!(refused.stderr.contains(&format!("paseo rm -f {handle}")), "{}", refused.stderr);
    assert_eq!(home.paseo(&["rm", "-f", &handle]).ok(), format!("Deleted {handle}"));
    assert_eq!(home.paseo(&["inspect", &handle]).code, 3);
    assert_eq!(home.paseo(&["ls", "-q", "-a"]).ok(), "");
}

#[test]
fn rm_loses_no_message_without_being_told_to() {
    let home = home();
    let handle = start_hanging(&home);
    for text in ["one", "two"] {
        home.paseo(&["send", &handle, text]).ok();
    }
    home.paseo(&["stop", &handle]).ok();
    home.paseo(&["wait", &handle]).ok();
    let refused = home.paseo(&["rm", &handle]);
    assert_eq!((refused.code, refused.stdout.as_str()), (6, ""));
    assert_shown!(home, refused.stderr, @r"
    error: [id]: 2 messages waiting for this agent would be lost
     hint: run `paseo queue [id]` to see its waiting messages, or `paseo rm -f [id]` to delete them too
    ");
    assert_eq!(home.paseo(&["queue", "-q", &handle]).ok().lines().count(), 2, "nothing was deleted");
    let deleted = home.paseo(&["rm", "-f", &handle]);
    let told = deleted.ok().replace(&handle, "[id]");
    assert_said!(home, &told, @"Deleted [id] and 2 waiting messages");
}

#[test]
fn all_are_tried_and_the_worst_counts() {
    let home = home();
    let one = start(&home, "x");
    let two = start(&home, "x");
    home.paseo(&["wait", &one, &two]).ok();
    let output = home.paseo(&["close", &one, "ffffffff", &two]);
    assert_eq!(output.code, 3);
    assert_eq!(output.stdout, format!("Closed {one}\nClosed {two}\n"));
    assert!(output.stderr.contains("ffffffff"), "{}", output.stderr);
    let quiet = home.paseo(&["reopen", "-q", &one, &two]);
    assert_eq!(quiet.ok(), format!("{one}\n{two}"));
    assert_said!(home, home.paseo(&["stop", &one]).ok(), @"aaa1 was not working; nothing to stop");
}

#[test]
fn a_name_comes_and_goes() {
    let home = home();
    let handle = start(&home, "x");
    assert_said!(home, home.paseo(&["rename", &handle, "Docs"]).ok(), @"Renamed aaa1 to Docs");
    assert_eq!(inspect(&home, &handle)["name"], "Docs");
    assert_said!(home, home.paseo(&["rename", &handle, ""]).ok(), @"Removed the name of aaa1");
    assert_eq!(home.paseo(&["rename", &handle, &"x".repeat(200)]).code, 2);
    assert_eq!(home.paseo(&["rename", &handle, "two\nlines"]).code, 2);
}
