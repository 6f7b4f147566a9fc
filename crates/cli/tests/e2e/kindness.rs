//! What a person meets in the first hour.

use std::process::Stdio;

use paseo_testkit::home::finish;
use serde_json::{Value, json};

use crate::pty::{Terminal, on_terminal};
use crate::screens::assert_told;
use crate::web::log_in;
use crate::{Transcript, home, start, start_hanging, wait_for_text};

#[test]
fn what_is_added_to_the_prompt_is_shown_word_for_word() {
    let home = home();
    let plain = start(&home, "<<say hi>>");
    let nothing = home.paseo(&["inspect", "--prompt", &plain]);
    assert_eq!(nothing.ok(), "");
    assert_told!(home, nothing, @r"
    exit 0
    Paseo adds nothing to the agent's prompt
    ");
    let shown = home.paseo(&["run", "-d", "--ui", "<<say hi>>"]).ok().to_owned();
    assert_eq!(home.paseo(&["inspect", "--prompt", &shown]).ok(), paseo_core::prompt::UI_TEXT);
}

#[test]
fn a_name_is_no_handle_and_the_handle_is_told() {
    let home = home();
    let handle = home.paseo(&["run", "-d", "--title", "fix-tests", "<<say hi>>"]).ok().to_owned();
    let unknown = home.paseo(&["logs", "fix-tests"]);
    assert_eq!(unknown.code, 3);
    // The screens show the words.
    assert!(unknown.stderr.contains(&handle), "{unknown:?}");
}

#[test]
fn nothing_is_no_handle() {
    let home = home();
    start(&home, "<<say hi>>");
    for command in ["queue", "inspect", "read", "why", "logs", "rm", "cause", "trace"] {
        let told = home.paseo(&[command, "", "--json"]);
        let error: Value = serde_json::from_str(&told.stderr).unwrap();
        assert_eq!((told.code, &error["error"]["code"]), (3, &json!("not_found")), "{command}: {told:?}");
    }
    let told = home.paseo(&["agents", "show", ""]);
    assert_told!(home, told);
}

#[test]
fn help_is_a_command_too() {
    let home = home();
    assert_eq!(home.paseo(&["help", "run"]).ok(), home.paseo(&["run", "--help"]).ok());
    assert_eq!(home.paseo(&["help"]).ok(), home.paseo(&["--help"]).ok());
}

#[test]
fn with_json_errors_are_json() {
    let home = home();
    let told = |words: &[&str], code: i32| -> Value {
        let failed = home.paseo(words);
        assert_eq!(failed.code, code, "{failed:?}");
        serde_json::from_str(&failed.stderr).unwrap_or_else(|error| panic!("{error}: {failed:?}"))
    };
    assert_eq!(told(&["status", "--json"], 7)["error"]["code"], "unreachable");
    start(&home, "<<say hi>>");
    let unknown = told(&["inspect", "ffff", "--json"], 3);
    assert_eq!(unknown["error"]["code"], "not_found");
    assert!(unknown["error"]["message"].as_str().unwrap().contains("ffff"), "{unknown}");
    assert!(unknown["error"]["hint"].is_string(), "{unknown}");
    assert_eq!(told(&["stop", "ffff", "--json"], 3)["error"]["code"], "not_found");
    assert_eq!(told(&["ls", "--json", "--no-such-flag"], 2)["error"]["code"], "usage");
    // After `--` it is only a word.
    assert!(home.paseo(&["send", "ffff", "--", "--json"]).stderr.starts_with("error:"));
}

#[test]
fn a_cleared_transcript_is_one_line() {
    let home = home();
    let handle = home.paseo(&["run", "-d", "<<say one>><<sh echo two>><<say three>>"]).ok().to_owned();
    home.paseo(&["wait", &handle]).ok();
    home.paseo(&["clear", &handle]).ok();
    assert_eq!(home.paseo(&["logs", &handle]).ok(), "cleared");
    home.paseo(&["send", &handle, "--wait", "<<say four>>"]).ok();
    let shown = home.paseo(&["logs", &handle]);
    assert_eq!(shown.ok().matches("cleared").count(), 1, "{shown:?}");
    assert!(shown.stdout.contains("four") && !shown.stdout.contains("tool"), "{shown:?}");
}

#[test]
fn colours_of_tools_are_raw_only_in_json() {
    let home = home();
    let handle = start(&home, "<<sh printf '\\033[31mred\\033[0m'>>");
    home.paseo(&["wait", &handle]).ok();
    let shown = home.paseo(&["logs", &handle]);
    assert!(shown.ok().lines().any(|line| line == "red"), "{shown:?}");
    assert!(home.paseo(&["logs", "--json", &handle]).ok().contains("\\u001b[31mred"));
}

#[test]
fn a_list_keeps_to_its_lines() {
    let home = home();
    let name = "a name that is long enough to fill more than one line of a terminal, and then some";
    let labels = ["--label", "environment=continuous-integration", "--label", "team=infrastructure"];
    let words: Vec<&str> = ["run", "-d", "--title", name].into_iter().chain(labels).collect();
    home.paseo(&[&words[..], &["<<hang>>"]].concat()).ok();
    for columns in [80, 50, 30] {
        for words in
            [&["ls", "--label", "team=infrastructure"][..], &["ls", "-g", "--label", "team=infrastructure"]]
        {
            let shown = on_terminal(&home, columns, words);
            for line in shown.lines().filter(|line| line.contains('…') || line.starts_with("HANDLE")) {
                let plain = strip(line);
                assert!(plain.chars().count() <= usize::from(columns), "{columns}: {plain}");
            }
            assert!(shown.contains('…'), "{shown}");
        }
    }
    let global = home.paseo(&["ls", "-g", "--label", "team=infrastructure"]);
    assert!(global.ok().contains("DIRECTORY") && global.stdout.contains("~/work"), "{global:?}");
    assert!(!home.paseo(&["ls", "--label", "team=infrastructure"]).ok().contains("DIRECTORY"));
}

#[test]
fn lists_of_threads_tokens_and_browsers_fit_a_terminal() {
    let home = home();
    let name = "a name that is long enough to fill more than one line of a terminal, and then some";
    home.paseo(&["thread", "new", name]).ok();
    for number in 0..4 {
        let id = format!("participant-{number}");
        home.paseo(&["thread", "invite", name, "scripted", "--id", &id]).ok();
    }
    home.paseo(&["thread", "token", name, "--as", "participant-0"]).ok();
    home.paseo(&["thread", "new", "another"]).ok();
    home.paseo(&["token", "create", "--name", name]).ok();
    log_in(&home);
    log_in(&home);
    for (list, ids_at_end) in [("thread", true), ("token", false), ("devices", false)] {
        let ids = home.paseo(&[list, "ls", "-q"]).ok().to_owned();
        for columns in [40, 80] {
            let shown = strip(&on_terminal(&home, columns, &[list, "ls"]));
            assert!(columns == 80 || shown.contains('…'), "{shown}");
            for line in shown.lines() {
                assert!(line.trim_end().chars().count() <= usize::from(columns), "{line}");
            }
            // Each row begins or ends with what its thread, token or browser can be called by.
            let mut rows = shown.lines().skip(1).map(str::split_whitespace);
            for id in ids.lines() {
                let shown = rows.next().and_then(|mut row| if ids_at_end { row.last() } else { row.next() });
                assert!(shown.is_some_and(|shown| id.starts_with(shown)), "{id}: {shown:?}");
            }
        }
    }
}

fn strip(line: &str) -> String {
    let mut parts = line.split('\x1b');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').map_or(part, |(_, rest)| rest))
}

#[test]
fn whoever_waits_starts_a_daemon_that_died() {
    let home = home();
    let mut command = home.command(&["run", "<<say started>><<hang>>"]);
    let waiting = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let handle = loop {
        let listed = home.paseo(&["ls", "-q"]).ok().to_owned();
        if !listed.is_empty() {
            break listed;
        }
    };
    wait_for_text(&home, &handle, "started");
    assert!(home.kill_daemon());
    let ended = finish(waiting);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert_told!(home, ended, @r"
    exit 1
    Started aaa1 (scripted)
    connection lost, retrying
    the daemon crashed and was restarted
    error: aaa1 was interrupted
     hint: to continue, run `paseo send aaa1 …`
    ");
}

#[test]
fn whoever_waits_does_not_bring_back_what_was_stopped() {
    let home = home();
    let handle = start_hanging(&home);
    let waiting = home.spawn(&["send", "--wait", "--timeout", "2s", &handle, "<<hang>>"]);
    Transcript::follow(&home, &handle).until(|item| item["text"] == "started");
    home.paseo(&["down"]).ok();
    finish(waiting);
    assert_eq!(home.daemon_pid(), None);
}

#[test]
fn the_watched_list_fits_a_narrow_terminal() {
    let home = home();
    let handle =
        home.paseo(&["run", "-d", "--title", "a rather long name for it", "<<hang>>"]).ok().to_owned();
    let mut terminal = Terminal::start(&home, 50, &["ls", "--watch"]);
    let shown = terminal.until(&handle);
    let head = shown.lines().find(|line| line.contains("HANDLE")).unwrap();
    let columns = strip(head.rsplit("\x1b[?7l").next().unwrap());
    assert!(columns.trim_end().chars().count() <= 50, "{columns}");
    terminal.send(rustix::process::Signal::INT);
    terminal.finish();
}
