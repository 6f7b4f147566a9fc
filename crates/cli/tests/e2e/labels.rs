//! Labels: what is a UI agent, what runs in the background, and how they are found.

use crate::screens::{assert_said, assert_told};
use crate::{home, inspect, json, start};

#[test]
fn run_has_no_labels_unless_asked() {
    let home = home();
    let background = start(&home, "Fix tests");
    assert_eq!(inspect(&home, &background)["labels"], serde_json::json!({}));
    let ui = home.paseo(&["run", "-d", "--ui", "Fix tests"]).ok().to_owned();
    assert_eq!(inspect(&home, &ui)["labels"], serde_json::json!({"ui": "true"}));
    let two = home.paseo(&["run", "-d", "--label", "env=ci", "--label", "team=infra", "Fix tests"]);
    let labels = &inspect(&home, two.ok())["labels"];
    assert_eq!(labels, &serde_json::json!({"env": "ci", "team": "infra"}));
}

#[test]
fn an_explicit_label_wins_over_the_ui_flag() {
    let home = home();
    for arguments in
        [["run", "-d", "--ui", "--label", "ui=false", "x"], ["run", "-d", "--label", "ui=false", "--ui", "x"]]
    {
        let handle = home.paseo(&arguments).ok().to_owned();
        assert_eq!(inspect(&home, &handle)["labels"]["ui"], "false");
    }
    // It is a background agent then.
    assert_eq!(home.paseo(&["ls", "-q"]).ok().lines().count(), 2);
    assert_eq!(home.paseo(&["ls", "-q", "--ui"]).ok(), "");
}

#[test]
fn filters_are_exact_and_all_must_match() {
    let home = home();
    let run = |labels: &[&str]| {
        let mut arguments = vec!["run", "-d"];
        labels.iter().for_each(|label| arguments.extend(["--label", label]));
        arguments.push("x");
        home.paseo(&arguments).ok().to_owned()
    };
    let plain = run(&[]);
    let env = run(&["env=ci"]);
    let ui = run(&["ui=true"]);
    let both = run(&["env=ci", "ui=true"]);
    let listed = |arguments: &[&str]| {
        let arguments: Vec<&str> = ["ls", "-q"].iter().chain(arguments).copied().collect();
        let mut handles: Vec<String> = home.paseo(&arguments).ok().lines().map(str::to_owned).collect();
        handles.sort();
        handles
    };
    let sorted = |handles: &[&String]| {
        let mut handles: Vec<String> = handles.iter().map(|handle| (*handle).clone()).collect();
        handles.sort();
        handles
    };
    assert_eq!(listed(&[]), sorted(&[&plain, &env]));
    assert_eq!(listed(&["--ui"]), sorted(&[&ui, &both]));
    assert_eq!(listed(&["--label", "ui=true"]), sorted(&[&ui, &both]));
    assert_eq!(listed(&["--label", "env=ci"]), sorted(&[&env, &both]));
    assert_eq!(listed(&["--label", "env=ci", "--ui"]), sorted(&[&both]));
    assert_eq!(listed(&["--label", "env=c"]), sorted(&[]));
    assert_eq!(listed(&["--label", "ENV=ci"]), sorted(&[]));
}

#[test]
fn labels_outlive_the_daemon() {
    let home = home();
    let handle = home.paseo(&["run", "-d", "--ui", "--label", "env=ci", "x"]).ok().to_owned();
    home.paseo(&["wait", &handle]).ok();
    assert!(home.kill_daemon());
    assert_eq!(home.paseo(&["ls", "-q", "--ui"]).ok(), handle);
    assert_eq!(inspect(&home, &handle)["labels"], serde_json::json!({"env": "ci", "ui": "true"}));
}

#[test]
fn labels_can_be_changed() {
    let home = home();
    let handle = start(&home, "x");
    let changed = home.paseo(&["label", &handle, "env=ci", "ui=true"]);
    assert_said!(home, changed.ok(), @"aaa1 has env=ci ui=true");
    let changed = json(&home.paseo(&["label", "--json", &handle, "env-", "ui=false"]));
    assert_eq!(changed["labels"], serde_json::json!({"ui": "false"}));
    let gone = home.paseo(&["label", &handle, "ui-"]);
    assert_said!(home, gone.ok(), @"aaa1 has no labels");
    let never = home.paseo(&["label", &handle, "nope-", "--attr", "none-"]);
    assert_said!(home, never.ok(), @"aaa1 has no labels, no attributes");
    assert_told!(home, never, @r"
    exit 0
    aaa1 has no label `nope`
    aaa1 has no attribute `none`
    ");
}

#[test]
fn a_bad_label_is_a_usage_error_that_shows_the_shape() {
    let home = home();
    for bad in ["foo", "=x", "", " =x"] {
        for command in [vec!["run", "--label", bad, "x"], vec!["ls", "--label", bad]] {
            let output = home.paseo(&command);
            assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{command:?}");
            assert!(output.stderr.contains("key=value"), "{}", output.stderr);
        }
    }
    assert_eq!(home.daemon_pid(), None, "nothing was started for it");
}

#[test]
fn values_may_hold_anything_but_control_characters() {
    let home = home();
    let handle = home.paseo(&["run", "-d", "--label", "note=a=b c&d%2C?#é", "x"]).ok().to_owned();
    assert_eq!(inspect(&home, &handle)["labels"]["note"], "a=b c&d%2C?#é");
    assert_eq!(home.paseo(&["ls", "-q", "--label", "note=a=b c&d?#é"]).ok(), "");
}

#[test]
fn odd_characters_in_labels_are_no_obstacle() {
    let home = home();
    home.paseo(&["run", "-q", "--label", "a=x,y=%2C z", "hello"]).ok();
    assert_eq!(home.paseo(&["ls", "-q", "--label", "a=x,y=%2C z"]).ok().lines().count(), 1);
    for other in ["a=x", "a=x,y", "a=x,y=, z", "a=%"] {
        assert_eq!(home.paseo(&["ls", "-q", "--label", other]).ok(), "", "{other}");
    }
}
