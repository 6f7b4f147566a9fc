//! `paseo read`, `logs` and `inspect`

use std::io::{BufRead, BufReader};

use serde_json::Value;

use crate::screens::{assert_said, assert_told};
use crate::{Transcript, assert_shown, home, inspect, start, start_hanging};

#[test]
fn read_prints_everything_that_was_said_in_the_last_turn() {
    let home = home();
    let handle = start(&home, "<<say one>><<sh echo x>><<say two>><<say three>>");
    home.paseo(&["wait", &handle]).ok();
    assert_eq!(home.paseo(&["read", &handle]).ok(), "one\ntwo\nthree");
    home.paseo(&["send", &handle, "--wait", "<<fail x>>"]);
    let read = home.paseo(&["read", &handle]);
    assert_eq!((read.code, read.stdout.as_str()), (1, "one\ntwo\nthree\n"));
    assert_shown!(home, read.stderr, @r"
    The text above was written before the failure.
    error: [id] failed (scripted_failure): x
     hint: run `paseo logs [id]`
    ");
    let view: Value = serde_json::from_str(&home.paseo(&["read", "--json", &handle]).stdout).unwrap();
    assert_eq!((&view["answer"], &view["status"]), (&"one\ntwo\nthree".into(), &"error".into()));
    assert_eq!((&view["code"], &view["error"]), (&"scripted_failure".into(), &"x".into()));
    home.paseo(&["send", &handle, "--wait", "<<say four>>"]).ok();
    assert_eq!(home.paseo(&["read", &handle]).ok(), "four");
}

#[test]
fn read_of_a_failed_agent_says_what_went_wrong() {
    let home = home();
    let handle = start(&home, "<<fail no luck>>");
    assert_eq!(home.paseo(&["wait", &handle]).code, 1);
    let read = home.paseo(&["read", &handle]);
    assert_eq!((read.code, read.stdout.as_str()), (1, ""));
    assert_told!(home, read);
}

#[test]
fn read_without_an_answer_says_why() {
    let home = home();
    let handle = start_hanging(&home);
    let early = home.paseo(&["read", &handle]);
    assert_eq!((early.code, early.stdout.as_str()), (1, ""));
    assert_told!(home, early);
    let silent = start(&home, "<<sh true>>");
    home.paseo(&["wait", &silent]).ok();
    assert_eq!(home.paseo(&["read", &silent]).code, 1);
}

#[test]
fn read_of_an_interrupted_agent_does_not_tell_to_wait() {
    let home = home();
    let handle = start(&home, "<<hang>>");
    Transcript::follow(&home, &handle).until(|item| item["kind"] == "user_text");
    assert!(home.kill_daemon());
    let read = home.paseo(&["read", &handle]);
    assert_eq!(read.code, 1);
    assert_shown!(home, read.stderr, @r#"
    error: [id] has no answer yet: it was interrupted before it answered
     hint: run `paseo send [id] "…"`; to see its transcript, run `paseo logs [id]`
    "#);
}

#[test]
fn logs_begin_with_as_many_of_the_newest_as_are_wanted() {
    let home = home();
    let handle = start(&home, "<<say one>><<usage 3 4>><<say two>><<usage 3 4>>");
    home.paseo(&["wait", &handle]).ok();
    assert_shown!(home, home.paseo(&["logs", "-n", "2", &handle]).ok(), @r"
    #2 [CLOCK] agent
    one

    #4 [CLOCK] agent
    two
    ");
    assert_eq!(home.paseo(&["logs", "--tail", "0", &handle]).ok(), "");
    let all = home.paseo(&["logs", &handle]).ok().to_owned();
    assert_eq!(home.paseo(&["logs", "-n", "99", &handle]).ok(), all);
    assert_eq!(home.paseo(&["logs", "-n", "3", "--json", &handle]).ok().lines().count(), 3);
}

#[test]
fn logs_are_readable() {
    let home = home();
    let handle = start(&home, "<<think hm>><<sh echo hi>><<say done>>");
    home.paseo(&["wait", &handle]).ok();
    assert_shown!(home, home.paseo(&["logs", &handle]).ok(), @r"
    #1 [CLOCK] you
    <<think hm>><<sh echo hi>><<say done>>

    #2 [CLOCK] agent, thinking
    hm

    #3 [CLOCK] Run echo hi
    hi

    #5 [CLOCK] agent
    done
    ");
}

#[test]
fn logs_fold_long_output_unless_all_is_wanted() {
    let home = home();
    let handle = start(&home, "<<sh seq 1 40>><<sh seq 1 20000>>");
    home.paseo(&["wait", &handle]).ok();
    let folded = home.paseo(&["logs", &handle]);
    assert!(folded.ok().contains("\n12\n…"), "{}", folded.stdout);
    let folds: Vec<&str> = folded.ok().lines().filter(|line| line.starts_with('…')).collect();
    assert_said!(home, &folds.join("\n"), @r"
    … 28 more lines (paseo logs --full)
    … 108894 bytes in all (paseo logs --full)
    ");
    let full = home.paseo(&["logs", "--full", &handle]);
    let numbers = full.ok().lines().filter(|line| line.parse::<u32>().is_ok()).count();
    assert_eq!(numbers, 20040);
    assert!(!full.stdout.contains('…'));
    let items = home.paseo(&["logs", "--full", "--json", &handle]);
    let items: Vec<Value> = items.ok().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let lines = |item: &Value| item["text"].as_str().map_or(0, |text| text.lines().count());
    let last = items.iter().rfind(|item| item["kind"] == "tool_result").unwrap();
    assert_eq!((lines(last), &last["full_length"]), (20000, &Value::Null));
}

#[test]
fn logs_begin_where_they_are_told() {
    let home = home();
    let handle = start(&home, "<<say one>><<say two>>");
    home.paseo(&["wait", &handle]).ok();
    let texts = |since: &[&str]| {
        let arguments: Vec<&str> = ["logs", "--json", &handle].iter().chain(since).copied().collect();
        let output = home.paseo(&arguments);
        let items: Vec<Value> = output.ok().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        items.iter().filter_map(|item| item["text"].as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    assert_eq!(texts(&[]), ["<<say one>><<say two>>", "one", "two"]);
    assert_eq!(texts(&["--since", "2"]), ["one", "two"]);
    assert_eq!(texts(&["--since", "1h"]).len(), 3);
    assert_eq!(texts(&["--since", "2020-01-01T00:00:00Z"]).len(), 3);
    assert_eq!(texts(&["--since", "2100-01-01T00:00:00Z"]).len(), 0);
    let bad = home.paseo(&["logs", &handle, "--since", "yesterday"]);
    assert_eq!(bad.code, 2);
    assert!(bad.stderr.contains("10m"), "{}", bad.stderr);
}

#[test]
fn following_survives_a_crash_of_the_daemon() {
    let home = home();
    let handle = start(&home, "<<say one>>");
    let mut transcript = Transcript::follow(&home, &handle);
    let one = transcript.until(|item| item["text"] == "one");
    assert!(home.kill_daemon());
    let mut told = String::new();
    BufReader::new(transcript.child.stderr.take().unwrap()).read_line(&mut told).unwrap();
    assert_eq!(told, "connection lost, retrying\n");
    home.paseo(&["send", &handle, "--wait", "<<say two>>"]).ok();
    let next = transcript.until(|_| true);
    assert_eq!(next["ordinal"], one["ordinal"].as_u64().unwrap() + 1, "nothing twice, nothing lost");
    transcript.until(|item| item["text"] == "two");
}

#[test]
fn inspect_shows_everything() {
    let home = home();
    let handle =
        home.paseo(&["run", "-d", "--title", "fix", "--label", "a=b", "<<usage 3 4>>"]).ok().to_owned();
    home.paseo(&["wait", &handle]).ok();
    let view = inspect(&home, &handle);
    assert_eq!(inspect(&home, view["id"].as_str().unwrap()), view, "an id is a handle too");
    assert_eq!(inspect(&home, &handle.to_uppercase()), view, "in any case");
    assert_shown!(home, home.paseo(&["inspect", &handle]).ok(), @r"
    handle        [id]
    id            [UUID]
    name          fix
    agent         default
    status        idle since [CLOCK] ([AGO])
    provider      scripted
    permissions   full
    labels        a=b
    project       [DIR]/work
    directory     [DIR]/work
    created       [CLOCK] ([AGO]) by you
    updated       [CLOCK] ([AGO])
    last cause    [UUID]
    last message  delivery [UUID]
    turns         1
    usage         3 tokens in (0 cached), 4 tokens out
    tools         native_read, native_write, native_shell, native_net
    ");
}
