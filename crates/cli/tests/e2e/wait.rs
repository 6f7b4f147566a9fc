//! `paseo wait`

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr};

use paseo_testkit::home::{TestHome, finish};

use crate::screens::assert_told;
use crate::{assert_shown, home, json, start, start_hanging};

#[test]
fn all_waits_for_all_and_any_for_one() {
    let home = home();
    let quick = start(&home, "x");
    let slow = start(&home, "<<stream 10ms one two three four>>");
    let mut lines: Vec<String> =
        home.paseo(&["wait", &quick, &slow]).ok().lines().map(str::to_owned).collect();
    lines.sort();
    let mut expected = [format!("{quick} idle"), format!("{slow} idle")];
    expected.sort();
    assert_eq!(lines, expected);

    let hanging = start_hanging(&home);
    assert_eq!(home.paseo(&["wait", "--any", &hanging, &quick]).ok(), format!("{quick} idle"));
    let late = home.paseo(&["wait", "--timeout", "500ms", &hanging, &quick]);
    assert_told!(home, late, @r"
    exit 5
    error: timed out; still working: aaa1
     hint: wait again, or follow an agent with `paseo attach HANDLE`
    ");
    let done = json(&home.paseo(&["wait", "--json", &quick]));
    assert_eq!((&done["handle"], &done["status"]), (&quick.clone().into(), &"idle".into()));
}

#[test]
fn it_ends_by_outcome() {
    let home = home();
    let failed = start(&home, "<<fail x>>");
    assert_eq!(home.paseo(&["wait", &failed]).code, 1);
    let asking = start(&home, "<<ask may I>>");
    assert_eq!(home.paseo(&["wait", &asking]).code, 4);
    assert_eq!(home.paseo(&["wait", &failed, &asking]).code, 4);
    assert_eq!(home.paseo(&["wait", "zzzz"]).code, 3);
    assert_eq!(home.paseo(&["wait"]).code, 2);
}

#[test]
fn it_notices_what_happens_later() {
    let home = home();
    let handle = start_hanging(&home);
    let waiting = home.spawn(&["wait", &handle]);
    home.paseo(&["stop", &handle]).ok();
    let output = finish(waiting);
    assert_eq!(output.ok(), format!("{handle} idle"));
}

/// Starts to wait, and returns once the agents are found.
fn spawn_waiting(home: &TestHome, arguments: &[&str]) -> (Child, BufReader<ChildStderr>) {
    let mut child = home.spawn(arguments);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    // With `-v`, it names whom it waits for.
    let handles = || arguments[1..].iter().filter(|argument| !argument.starts_with('-'));
    while !handles().any(|handle| said.contains(handle)) {
        assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "{said}");
    }
    (child, stderr)
}

#[test]
fn it_comes_back_with_the_daemon() {
    let home = home();
    let handle = start_hanging(&home);
    let (waiting, mut stderr) = spawn_waiting(&home, &["wait", "-v", &handle]);
    assert!(home.kill_daemon());
    let mut said = String::new();
    stderr.read_line(&mut said).unwrap();
    assert_eq!(said, "connection lost, retrying\n");
    home.paseo(&["up"]).ok();
    stderr.read_to_string(&mut said).unwrap();
    assert_eq!(said.lines().count(), 1, "once for each outage: {said}");
    let output = finish(waiting);
    assert_eq!((output.code, output.stdout), (1, format!("{handle} interrupted\n")));
}

#[test]
fn a_dead_daemon_at_the_timeout_is_told() {
    let home = home();
    let handle = start_hanging(&home);
    let (waiting, mut stderr) = spawn_waiting(&home, &["wait", "-v", "--timeout", "1s", &handle]);
    assert!(home.kill_daemon());
    let mut said = String::new();
    stderr.read_to_string(&mut said).unwrap();
    assert_eq!(finish(waiting).code, 7, "{said}");
    assert!(said.contains(&handle), "it names those it waits for: {said}");
}

#[test]
fn all_unknown_agents_are_named_before_anything_is_waited_for() {
    let home = home();
    let hanging = start_hanging(&home);
    let output = home.paseo(&["wait", "zzzz", &hanging, "ffffffff"]);
    assert_eq!((output.code, output.stdout.as_str()), (3, ""));
    assert_shown!(home, output.stderr, @r"
    error: no agent matches `zzzz`; no agent matches `ffffffff`
     hint: choose one of the open agents
           [id]  running
    ");
}
