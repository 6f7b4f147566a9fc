//! What agents say, on a terminal: rendered, as it grows, and harmless.

use crate::pty::{Terminal, on_terminal};
use crate::screens::assert_said;
use crate::{home, start};

/// Markdown with what a terminal would obey, written out and as entities.
const HOSTILE: &str =
    "# Head\u{1b}]0;owned\u{7}\n\nThis is **bold** &#27;[2J and `co\u{9b}31mde`.\n\n- one\n- two";

#[test]
fn answers_are_rendered_on_a_terminal_and_as_they_are_elsewhere() {
    let home = home();
    let handle = start(&home, "<<say ## Plan\n\n- **one**\n- `two`\n\n| a | b |\n|---|---|\n| 1 | 2 |>>");
    home.paseo(&["wait", &handle]).ok();
    let rendered = "Plan\n\n• one\n• two\n";
    for command in [["read", &handle], ["logs", &handle]] {
        let shown = on_terminal(&home, 80, &command);
        assert!(shown.contains(rendered), "{command:?}: {shown:?}");
        assert!(shown.contains("──┼──"), "{shown:?}");
        let plain = on_terminal(&home, 80, &[command[0], command[1], "--plain"]);
        assert!(plain.contains("## Plan\n\n- **one**\n"), "{command:?}: {plain:?}");
        let piped = home.paseo(&command);
        assert!(piped.ok().contains("## Plan\n\n- **one**\n"), "{piped:?}");
    }
}

#[test]
fn nothing_that_an_agent_says_is_obeyed() {
    let home = home();
    let run = on_terminal(&home, 80, &["run", &format!("<<stream 1ms {HOSTILE}>>")]);
    let handle = home.paseo(&["ls", "-a", "-q"]).ok().lines().next().unwrap_or_default().trim().to_owned();
    let handle = handle.split_whitespace().next().unwrap_or_default();
    let read = on_terminal(&home, 80, &["read", handle]);
    let logs = on_terminal(&home, 80, &["logs", handle]);
    for shown in [&run, &read, &logs] {
        assert!(shown.contains("bold"), "{shown:?}");
        assert!(
            !shown.contains("\u{1b}]0;") && !shown.contains("\u{7}") && !shown.contains('\u{9b}'),
            "{shown:?}"
        );
        assert!(!shown.contains("\u{1b}[2J"), "{shown:?}");
    }
}

#[test]
fn a_transcript_that_is_followed_grows_with_the_words() {
    let home = home();
    let handle = start(&home, "<<say hello>>");
    home.paseo(&["wait", &handle]).ok();
    let mut terminal = Terminal::start(&home, 80, &["logs", "-f", &handle]);
    terminal.until("hello");
    // It never ends its answer: what is shown can only be what grows.
    home.paseo(&["send", &handle, "<<sh echo out>><<stream 20ms the **first** words of many>><<hang>>"]).ok();
    terminal.until(" you\r\n");
    terminal.until("Run echo out");
    terminal.until("the first words");
    home.paseo(&["stop", &handle]).ok();
    terminal.send(rustix::process::Signal::INT);
    assert_eq!(terminal.finish().0, Some(130));
}

#[test]
fn who_wrote_is_said_as_people_say_it() {
    let home = home();
    home.paseo(&["settings", "set", "perm_send_to_tab", "on"]).ok();
    let sender = start(&home, "<<say ready>>");
    home.paseo(&["wait", &sender]).ok();
    home.paseo(&["rename", &sender, "reviewer"]).ok();
    let handle = start(&home, "<<say ready>>");
    home.paseo(&["wait", &handle]).ok();
    let told =
        format!(r#"<<tool send_to_tab {{"tab_id":"{handle}","message":"look at this"}}>><<say sent>>"#);
    home.paseo(&["send", "--wait", &sender, &told]).ok();
    home.paseo(&["wait", &handle]).ok();
    let logs = home.paseo(&["logs", &handle]);
    assert_said!(home, logs.ok(), @r"
    #1 12:00:00 you
    <<say ready>>

    #2 12:00:00 agent
    ready

    #3 12:00:00 aaa1 (reviewer)
    look at this

    #4 12:00:00 agent
    Received: [message from tab aaa1]
    [This is another agent, not a person. Reply with send_to_tab to aaa1 only if an answer is needed.]

    look at this
    ");
}
