//! What only a person at a terminal sees.

use std::fs::File;
use std::io::Read;

use paseo_testkit::home::TestHome;
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::{home, start};

/// Runs a command on a terminal of its own and returns what it shows.
fn on_terminal(home: &TestHome, columns: u16, arguments: &[&str]) -> String {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap();
    let terminal =
        rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
    tcsetwinsize(&terminal, Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let mut command = home.command(arguments);
    command.stdin(terminal.try_clone().unwrap()).stdout(terminal.try_clone().unwrap()).stderr(terminal);
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut shown = Vec::new();
    // Reading fails once nobody has the other side any more.
    let mut controller = File::from(controller);
    let mut chunk = [0; 4096];
    while let Ok(length) = controller.read(&mut chunk) {
        if length == 0 {
            break;
        }
        shown.extend_from_slice(&chunk[..length]);
    }
    child.wait().unwrap();
    String::from_utf8(shown).unwrap().replace("\r\n", "\n")
}

#[test]
fn a_list_tells_what_it_hides() {
    let home = home();
    let handle = start(&home, "x");
    home.paseo(&["run", "-d", "--ui", "x"]).ok();
    let shown = on_terminal(&home, 80, &["ls"]);
    assert!(shown.contains(&handle), "{shown}");
    assert!(shown.ends_with("hidden: 1 in the web app (--ui)\n"), "{shown}");
    assert!(!on_terminal(&home, 80, &["ls", "--json"]).contains("hidden: "));
}

#[test]
fn a_list_fits_the_terminal() {
    let home = home();
    let long = "a name that is much longer than the terminal is wide, whatever is done";
    home.paseo(&["run", "-d", "--title", long, "--label", "team=infrastructure-and-more", "x"]).ok();
    let shown = on_terminal(&home, 60, &["ls"]);
    assert!(shown.contains('…'), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 60), "{shown}");
    assert!(home.paseo(&["ls"]).ok().contains(long), "a pipe has no width");
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let mut home = home();
    start(&home, "x");
    assert!(!on_terminal(&home, 80, &["ls"]).contains('\x1b'));
    home.unset("NO_COLOR");
    assert!(on_terminal(&home, 80, &["ls"]).contains("\x1b[1m"));
    assert!(!home.paseo(&["ls"]).ok().contains('\x1b'));
}

#[test]
fn an_agent_cannot_command_the_terminal() {
    let home = home();
    let prompt = "<<say \x1b[2Jowned\x07 \u{202e}txt>>";
    assert_eq!(home.paseo(&["run", prompt]).ok(), "\x1b[2Jowned\x07 \u{202e}txt", "a pipe gets it as it is");
    let handle = home.paseo(&["ls", "-q"]).ok().to_owned();
    for command in ["read", "logs"] {
        let shown = on_terminal(&home, 80, &[command, &handle]);
        assert!(
            !shown.contains('\x1b') && !shown.contains('\x07') && !shown.contains('\u{202e}'),
            "{shown:?}"
        );
        assert!(shown.contains("\\u{1b}[2Jowned"), "{shown:?}");
    }
}

#[test]
fn an_answer_is_shown_once() {
    let home = home();
    let shown = on_terminal(&home, 80, &["run", "<<stream 1ms one two three>>"]);
    // On one screen, what was read while it came is not said again.
    assert_eq!(shown.matches("one two three").count(), 1, "{shown}");
}
