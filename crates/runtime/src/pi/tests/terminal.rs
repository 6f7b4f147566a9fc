//! Pi in a terminal: its screens, and the lines that our extension writes down.

use std::path::Path;

use paseo_core::permission::Mode;
use serde_json::{Value, json};

use super::super::record::Record;
use super::super::resident::Resident;
use super::super::spawn::Ground;
use super::super::version::Generation;
use super::launch;
use crate::process_table::HOME_VARIABLE;
use crate::provider::Launch;
use crate::terminal::resident::{Boarding, Resident as _, Screen};
use crate::terminal::{said_tests, told};

fn in_terminal() -> Launch {
    let mut launch = Launch { terminal: Some(told::terminal()), ..launch(Path::new("/project")) };
    launch.environment.push((HOME_VARIABLE.into(), "/home/paseo".into()));
    launch
}

fn resident(launch: &Launch) -> Resident {
    Resident::new(launch).unwrap()
}

fn boarding(launch: &Launch, generation: Generation) -> Boarding {
    let ground = Ground {
        program: "/bin/pi".into(),
        generation,
        isolated_home: None,
        extension: "/home/paseo/pi/paseo.js".into(),
        conversation: launch.resume.as_deref(),
        record: None,
    };
    resident(launch).boarding(launch, ground).unwrap()
}

/// Writes lines as the extension does, each with its number.
fn written(lines: &[Value]) -> Vec<String> {
    let numbered = lines.iter().enumerate().map(|(number, line)| {
        let mut line = line.clone();
        line["id"] = format!("run-{number}").into();
        line["at"] = (1_000_000 + number * 1_000).into();
        line.to_string()
    });
    numbered.collect()
}

fn seen(lines: &[Value]) -> Vec<String> {
    let mut record = Record::new();
    told::words(&written(lines).iter().flat_map(|line| record.line(line)).collect::<Vec<_>>())
}

fn said(text: &str) -> Value {
    json!({ "type": "message_start", "message": { "role": "user", "content": [{ "type": "text", "text": text }] } })
}

fn answer(stop: &str, content: Value) -> Value {
    json!({ "type": "message_end", "message": {
        "role": "assistant", "content": content, "stopReason": stop, "usage": { "input": 5, "output": 2 },
        "errorMessage": "words",
    } })
}

fn begin(text: &str) -> Vec<Value> {
    vec![json!({ "type": "agent_start" }), json!({ "type": "turn_start" }), said(text)]
}

fn call() -> Value {
    json!({ "type": "tool_execution_start", "toolCallId": "c", "toolName": "write",
        "args": { "path": "a", "content": "new\n" } })
}

fn result(fails: bool, aborted: bool) -> Value {
    json!({ "type": "tool_execution_end", "toolCallId": "c", "toolName": "write", "isError": fails,
        "aborted": aborted, "result": { "content": [{ "type": "text", "text": "ok" }] } })
}

#[test]
fn a_turn_is_what_was_said_and_done_and_an_end() {
    let mut lines = vec![json!({ "type": "told", "ready": true, "file": "/s/a.jsonl" })];
    lines.extend(begin("go\non"));
    lines.push(answer("toolUse", json!([{ "type": "thinking", "thinking": "hm" }])));
    lines.extend([call(), result(false, false), json!({ "type": "turn_start" })]);
    lines.extend([answer("stop", json!([{ "type": "text", "text": "done" }])), json!({ "type": "settled" })]);
    assert_eq!(
        seen(&lines),
        [
            "said go\non",
            "reference /s/a.jsonl",
            "0 thinking hm",
            "0 call write Edit",
            "0 result Ok None 1000 \"ok\" changed",
            "1 assistant_text done",
            "1 usage 10 4",
            "completed",
        ]
    );
}

#[test]
fn a_turn_that_was_stopped_is_interrupted_and_so_is_what_ran() {
    let mut lines = begin("go");
    lines.extend([call(), result(true, true), answer("aborted", json!([])), json!({ "type": "settled" })]);
    let seen = seen(&lines);
    assert!(seen.contains(&"0 result Interrupted None 1000 \"ok\"".to_owned()), "{seen:?}");
    assert_eq!(seen.last().unwrap(), "interrupted");
}

#[test]
fn a_failure_is_told_by_its_status_once_it_is_tried_no_more() {
    let failed = json!({ "type": "told", "failed": { "status": 429, "retryAfter": null } });
    let again = [failed.clone(), answer("error", json!([])), json!({ "type": "agent_start" })];
    let mut lines = begin("go");
    lines.extend(again);
    lines.extend([
        failed,
        answer("error", json!([{ "type": "text", "text": "half" }])),
        json!({ "type": "settled" }),
    ]);
    let seen = seen(&lines);
    assert_eq!(seen.iter().filter(|word| word.starts_with("failed")).count(), 1);
    assert_eq!(seen.last().unwrap(), "failed rate_limited");
    assert!(seen.contains(&"0 assistant_text half".to_owned()), "{seen:?}");
}

#[test]
fn what_a_person_denied_is_denied_and_noise_says_nothing() {
    let mut lines = begin("go");
    lines.extend([call(), json!({ "type": "denied", "call": "c" }), result(true, false)]);
    assert_eq!(seen(&lines).last().unwrap(), "0 result Denied None 2000 \"ok\"");
    let mut record = Record::new();
    for noise in ["", "{", "7", r#"{"type":"new"}"#, r#"{"type":"settled"}"#, r#"{"type":"message_end"}"#] {
        assert_eq!(record.line(noise), [], "{noise}");
    }
}

#[test]
fn it_listens_between_its_borders_and_a_list_asks_a_person() {
    let readiness = |screen: &str| resident(&in_terminal()).readiness(screen);
    let ready = " pi v0.73.1\n\n──────────\n\n──────────\n/project\n0.0%/128k\n";
    assert_eq!(readiness(ready), Screen::Ready);
    assert_eq!(readiness(&ready.replace("─\n\n─", "─\nhalf 漢字\ntyped\n─")), Screen::Ready);
    let asks = ready.replace("─\n\n─", "─\n\n May it?\n\n → Allow\n   Deny\n\n─");
    assert_eq!(readiness(&asks), Screen::Asks("May it? → Allow Deny".into()));
    for unsure in ["", "pi", "──────────\n\n──────────\n", "──────────\n/project\n"]
    {
        assert_eq!(readiness(unsure), Screen::NotYet, "{unsure}");
    }
}

#[test]
fn people_type_to_it_and_it_gets_all_else_as_behind_pipes() {
    let launch = Launch { resume: Some("/s/a.jsonl".into()), permissions: Mode::Ask, ..in_terminal() };
    let of = |generation| boarding(&launch, generation);
    let boarding = of(Generation::Recent);
    let words: Vec<&str> = boarding.arguments.iter().map(|word| word.to_str().unwrap()).collect();
    let line = words.join("\n");
    for expected in [
        "--no-approve\n-e\n/home/paseo/pi/paseo.js",
        "--session\n/s/a.jsonl",
        "--model\nanthropic/opus",
        "--append-system-prompt\n-- be kind",
    ] {
        assert!(line.contains(expected), "{expected} in {line}");
    }
    assert!(!line.contains("rpc") && !line.contains("secret"));
    let told = boarding.environment.iter().find(|(name, _)| name == "PASEO_PI").unwrap();
    let told: Value = serde_json::from_str(&told.1).unwrap();
    let file = format!("/home/paseo/pi/{}.jsonl", launch.session);
    assert_eq!((&told["record"], &told["ask"]), (&json!(file), &json!(true)));
    assert!(!of(Generation::Early).arguments.contains(&"--no-approve".into()));
}

#[tokio::test]
async fn a_task_that_is_answered_before_anybody_looks_is_no_persons() {
    let mut lines = begin(&said_tests::TASK.replace("  ", " "));
    lines
        .extend([answer("stop", json!([{ "type": "text", "text": "ready" }])), json!({ "type": "settled" })]);
    let resident = Box::new(resident(&in_terminal()));
    said_tests::answered_before_the_driver_looks(resident, &written(&lines)).await;
}
