//! `paseo wait`

use paseo_testkit::home::finish;

use crate::{home, json, start, start_hanging};

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
    assert_eq!(late.code, 5);
    assert!(late.stderr.contains(&format!("still at work: {hanging}")), "{}", late.stderr);
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
