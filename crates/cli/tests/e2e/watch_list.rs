//! `paseo ls --watch`

use std::io::{BufRead, BufReader};

use paseo_testkit::home::finish;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::pty::Terminal;
use crate::{home, start, start_hanging};

#[test]
fn each_change_is_a_line_of_json() {
    let home = home();
    let handle = start_hanging(&home);
    let mut child = home.spawn(&["ls", "--watch", "--json"]);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut next = || {
        let mut line = String::new();
        assert_ne!(stdout.read_line(&mut line).unwrap(), 0, "it ended early");
        serde_json::from_str::<Value>(&line).unwrap()
    };
    let first = next();
    assert_eq!(
        (&first["sessions"][0]["handle"], &first["sessions"][0]["status"]),
        (&handle.clone().into(), &"running".into())
    );
    home.paseo(&["stop", &handle]).ok();
    let mut view = next();
    while view["sessions"][0]["status"] != "idle" {
        view = next();
    }
    assert_eq!(view["sessions"][0]["hold"], "stopped");
    // A restart of the daemon is no reason to end.
    assert!(home.kill_daemon());
    home.paseo(&["rename", &handle, "new name"]).ok();
    while view["sessions"][0]["name"] != "new name" {
        view = next();
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = finish(child);
    assert_eq!((output.code, output.stderr.as_str()), (130, ""));
}

#[test]
fn a_terminal_shows_it_in_place() {
    let home = home();
    start(&home, "x");
    let mut terminal = Terminal::start(&home, 80, &["ls", "--watch"]);
    terminal.until("UPDATED");
    home.paseo(&["run", "-d", "--title", "the second", "x"]).ok();
    let shown = terminal.until("the second");
    assert!(shown.contains("\x1b[2A\r\x1b[J"), "a title and a row are replaced: {shown:?}");
    terminal.send(Signal::INT);
    let (code, shown, _) = terminal.finish();
    assert_eq!(code, Some(130));
    assert!(
        shown.ends_with("\x1b[?7h\n"),
        "lines wrap again, and what comes next has one of its own: {shown:?}"
    );
}

#[test]
fn a_list_that_is_longer_than_the_terminal_is_cut() {
    let home = home();
    for _ in 0..26 {
        start(&home, "x");
    }
    let mut terminal = Terminal::start(&home, 80, &["ls", "--watch"]);
    let shown = terminal.until(" more\r\n");
    assert!(shown.lines().count() <= 23, "{shown}");
    terminal.send(Signal::INT);
    assert_eq!(terminal.finish().0, Some(130));
}

#[test]
fn a_terminal_that_changes_its_width_is_filled_anew() {
    let home = home();
    let title = "a title that needs more than forty columns in any list";
    home.paseo(&["run", "-d", "--title", title, "x"]).ok();
    let mut terminal = Terminal::start(&home, 100, &["ls", "--watch"]);
    terminal.until(title);
    terminal.until("\x1b[?7h");
    terminal.resize(40);
    let narrow = terminal.until("\x1b[?7h");
    assert!(narrow.contains("\x1b[H\r\x1b[J") && narrow.contains('…'), "from the top, and cut: {narrow:?}");
    terminal.resize(100);
    terminal.until(title);
    terminal.send(Signal::INT);
    assert_eq!(terminal.finish().0, Some(130));
}
