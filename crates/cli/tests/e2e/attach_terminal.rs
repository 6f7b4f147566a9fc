//! `paseo attach` as a person at a terminal has it.

use rustix::process::Signal;

use crate::pty::Terminal;
use crate::screens::assert_said;
use crate::{home, inspect, start, start_hanging, wait_for_text};

#[test]
fn what_is_typed_is_sent_and_answered() {
    let home = home();
    let handle = start(&home, "<<say the past>>");
    home.paseo(&["wait", &handle]).ok();
    let mut terminal = Terminal::start(&home, 80, &["attach", &handle]);
    terminal.until("the past");
    terminal.until("Ctrl-D detaches");
    assert!(!terminal.is_as_a_shell_leaves_it());
    terminal.type_in("<<say Grüße>>x\x7f\r");
    terminal.until("agent");
    terminal.until("Grüße\r\n");
    terminal.type_in("/help\r");
    terminal.until("/deny [words]");
    home.paseo(&["wait", &handle]).ok();
    terminal.type_in("\x04");
    let (code, shown, restored) = terminal.finish();
    assert_eq!(code, Some(0), "{shown:?}");
    assert!(shown.ends_with(&format!("paseo attach {handle}\n")), "{shown:?}");
    assert!(restored && shown.contains("\x1b[?2004h") && shown.contains("\x1b[?2004l"), "{shown:?}");
}

#[test]
fn whoever_leaves_is_told_what_becomes_of_the_agent() {
    let home = home();
    let handle = start_hanging(&home);
    let left = |typed: &[(&str, &str)]| {
        let mut terminal = Terminal::start(&home, 120, &["attach", &handle]);
        terminal.until("Ctrl-D detaches");
        for (keys, shown) in typed {
            terminal.type_in(keys);
            terminal.until(shown);
            home.paseo(&["wait", &handle]);
        }
        terminal.type_in("\x04");
        terminal.finish().1
    };
    let words = format!(
        "{handle} keeps working. To attach again: paseo attach {handle}. To stop it: paseo stop {handle}\n"
    );
    let shown = left(&[]);
    assert!(shown.ends_with(&words), "{shown:?}");
    let shown = left(&[("/stop\r", "stopped; send a message to continue")]);
    assert!(shown.ends_with(&format!("paseo attach {handle}\n")), "{shown:?}");
}

#[test]
fn lines_end_between_words_and_keep_their_indentation() {
    let home = home();
    let handle = start(&home, "<<say - an entry of a list that is longer than forty columns are>>");
    home.paseo(&["wait", &handle]).ok();
    let mut terminal = Terminal::start(&home, 40, &["attach", &handle]);
    terminal.until("• an entry of a list that is longer\r\n  than forty columns are\r\n");
    terminal.until("Ctrl-D detaches.");
    terminal.type_in("/help\r");
    terminal.until("/stop           stop the current turn;\r\n                queued messages are\r\n");
    terminal.type_in("<<stream 1ms - an entry that streams and is longer than forty>>\r");
    terminal.until("• an entry that streams and is longer");
    terminal.until("  than forty");
    terminal.type_in("\x04");
    assert_eq!(terminal.finish().0, Some(0));
}

#[test]
fn a_half_typed_line_outlives_what_comes() {
    let home = home();
    let handle = start(&home, "x");
    home.paseo(&["wait", &handle]).ok();
    let mut terminal = Terminal::start(&home, 80, &["attach", &handle]);
    terminal.until("Ctrl-D detaches");
    terminal.type_in("<<say half");
    terminal.until("> <<say half");
    home.paseo(&["send", &handle, "<<stream 1ms words that come meanwhile>>"]).ok();
    // The prompt stands again under what came.
    terminal.until("words that come meanwhile");
    terminal.until("> <<say half");
    terminal.type_in(" typed>>\r");
    terminal.until("half typed\r\n");
    terminal.type_in("\x04");
    assert_eq!(terminal.finish().0, Some(0));
    wait_for_text(&home, &handle, "half typed");
}

#[test]
fn a_paste_is_one_message() {
    let home = home();
    let handle = start(&home, "x");
    home.paseo(&["wait", &handle]).ok();
    let mut terminal = Terminal::start(&home, 80, &["attach", &handle]);
    terminal.until("Ctrl-D detaches");
    terminal.type_in("\x1b[200~first line\r\x04second line\r\x1b[201~");
    terminal.until("first line⏎second line⏎");
    terminal.type_in("\r");
    terminal.until("You said: first line");
    terminal.until("second line");
    terminal.type_in("\x04");
    assert_eq!(terminal.finish().0, Some(0));
    // What it said is shown before its turn is over.
    home.paseo(&["wait", &handle]).ok();
    assert_eq!(inspect(&home, &handle)["turns"], 2);
}

#[test]
fn a_signal_brings_the_terminal_back() {
    let home = home();
    let handle = start_hanging(&home);
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut terminal = Terminal::start(&home, 80, &["attach", &handle]);
        terminal.until("Ctrl-D detaches");
        assert!(!terminal.is_as_a_shell_leaves_it());
        terminal.send(signal);
        let (code, shown, restored) = terminal.finish();
        assert_eq!(code, Some(130), "{signal:?}: {shown:?}");
        assert!(restored, "{signal:?}: {shown:?}");
        let (_, told) = shown.rsplit_once("\x1b[?2004l").unwrap();
        assert_said!(home, told, @r"
        aaa1 keeps working. To attach again: paseo attach aaa1. To stop it:
        paseo stop aaa1
        ");
    }
    assert_eq!(inspect(&home, &handle)["status"], "running");
}

#[test]
fn the_daemons_end_brings_the_terminal_back() {
    let home = home();
    let handle = start(&home, "x");
    home.paseo(&["wait", &handle]).ok();
    let mut terminal = Terminal::start(&home, 80, &["attach", &handle]);
    terminal.until("Ctrl-D detaches");
    home.paseo(&["rm", &handle]).ok();
    let (code, shown, restored) = terminal.finish();
    assert_eq!(code, Some(0), "{shown:?}");
    assert!(restored && shown.lines().last().is_some_and(|last| last.contains(&handle)), "{shown:?}");
}

#[test]
fn an_agent_cannot_command_the_terminal() {
    let home = home();
    let handle = start(&home, "x");
    home.paseo(&["wait", &handle]).ok();
    let mut terminal = Terminal::start(&home, 80, &["attach", &handle]);
    terminal.until("Ctrl-D detaches");
    for prompt in ["<<say \x1b[2Jowned\x07>>", "<<stream 1ms \x1b]0;owned\x07 twice>>"] {
        home.paseo(&["send", &handle, prompt]).ok();
        let shown = terminal.until("owned\\u{7}") + &terminal.until("agent") + &terminal.until("owned\\u{7}");
        assert!(
            !shown.contains("\x1b[2J") && !shown.contains("\x1b]0") && !shown.contains('\x07'),
            "{shown:?}"
        );
    }
    terminal.type_in("\x04");
    assert_eq!(terminal.finish().0, Some(0));
}
