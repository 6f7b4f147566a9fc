//! `paseo permit`

use crate::{home, json, start, wait_for_text};

#[test]
fn an_ask_is_listed_and_allowed() {
    let home = home();
    let handle = start(&home, "<<ask may I>><<say went on>>");
    assert_eq!(home.paseo(&["wait", &handle]).code, 4);
    let asks = json(&home.paseo(&["permit", "ls", "--json"]));
    assert_eq!((&asks["handle"], &asks["text"]), (&handle.clone().into(), &"may I".into()));
    assert!(home.paseo(&["inspect", &handle]).ok().contains("may I"));
    assert_eq!(home.paseo(&["permit", "allow", &handle]).ok(), format!("allowed {handle}: may I"));
    wait_for_text(&home, &handle, "went on");
    assert_eq!(home.paseo(&["permit", "ls"]).stderr, "No agent asks for permission.\n");
}

#[test]
fn an_ask_can_be_denied_with_words() {
    let home = home();
    let handle = start(&home, "<<ask may I>>");
    assert_eq!(home.paseo(&["wait", &handle]).code, 4);
    let denied = home.paseo(&["permit", "deny", &handle, "--message", "not today"]);
    assert_eq!(denied.ok(), format!("denied {handle}: may I"));
}

#[test]
fn who_does_not_ask_cannot_be_answered() {
    let home = home();
    let handle = start(&home, "x");
    home.paseo(&["wait", &handle]).ok();
    let refused = home.paseo(&["permit", "allow", &handle]);
    assert_eq!(refused.code, 6);
    assert!(refused.stderr.contains("does not ask for permission"), "{}", refused.stderr);
}
