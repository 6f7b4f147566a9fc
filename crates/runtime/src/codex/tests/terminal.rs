//! Codex in a terminal: its screens, and the lines that 0.166 writes down, shortened to what matters.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use paseo_core::id::SessionId;
use paseo_core::permission::Mode;
use serde_json::{Value, json};

use super::super::resident::Resident;
use super::super::rollout::Rollout;
use super::launch;
use crate::process_table::{HOME_VARIABLE, SESSION_VARIABLE};
use crate::provider::Launch;
use crate::terminal::resident::{Resident as _, Screen};
use crate::terminal::{said_tests, told};

fn in_terminal() -> Launch {
    Launch { terminal: Some(told::terminal()), ..launch() }
}

fn resident(launch: &Launch, home: Option<&Path>) -> Resident {
    Resident::new(launch, home)
}

fn words_of(launch: &Launch, home: Option<&Path>) -> Vec<String> {
    let boarding = Resident::boarding(launch, "/bin/codex".into(), home).unwrap();
    boarding.arguments.into_iter().map(|word| word.into_string().unwrap()).collect()
}

fn line(kind: &str, payload: Value) -> String {
    json!({ "timestamp": "2026-11-16T00:00:00.000Z", "type": kind, "payload": payload }).to_string()
}

fn event(kind: &str, more: Value) -> String {
    let mut payload = more;
    payload["type"] = kind.into();
    line("event_msg", payload)
}

fn completed(item: Value) -> String {
    event("item_completed", json!({ "item": item, "started_at_ms": 1_000, "completed_at_ms": 1_500 }))
}

fn said(text: &str) -> String {
    let content = json!([{ "type": "text", "text": text }]);
    completed(json!({ "type": "UserMessage", "id": "u", "content": content }))
}

fn calls(id: &str, name: &str, arguments: &str) -> String {
    let call = json!({ "type": "function_call", "call_id": id, "name": name, "arguments": arguments });
    line("response_item", call)
}

fn command(id: &str, status: &str, exit: i32) -> String {
    completed(json!({
        "type": "CommandExecution", "id": id, "command": ["/bin/bash", "-lc", "make it"], "status": status,
        "cwd": "file:///project", "parsed_cmd": [{ "type": "unknown", "cmd": "make it" }],
        "aggregated_output": "made", "exit_code": exit, "duration": { "secs": 2, "nanos": 5_000_000 },
    }))
}

fn seen(lines: &[String]) -> Vec<String> {
    let mut rollout = Rollout::default();
    told::words(&lines.iter().flat_map(|line| rollout.line(line)).collect::<Vec<_>>())
}

fn a_turn(inner: &[String], end: String) -> Vec<String> {
    let begin = [event("task_started", json!({ "turn_id": "t" })), said("go\non")];
    begin.into_iter().chain(inner.iter().cloned()).chain([end]).collect()
}

fn done() -> String {
    event("task_complete", json!({ "turn_id": "t" }))
}

#[test]
fn a_turn_is_what_was_said_and_done_and_an_end() {
    let usage =
        json!({ "turn_token_usage": { "input_tokens": 9, "cached_input_tokens": 1, "output_tokens": 3 } });
    let inner = [
        completed(json!({ "type": "Reasoning", "id": "r", "summary_text": ["hm"], "raw_content": [] })),
        calls("c", "exec_command", r#"{"cmd":"make it"}"#),
        line("token_usage_record", usage),
        command("c", "completed", 0),
        line("response_item", json!({ "type": "function_call_output", "call_id": "c", "output": "x" })),
        completed(json!({ "type": "FileChange", "id": "f", "status": "completed",
            "changes": { "/project/a": { "type": "add", "content": "new\n" } } })),
        completed(
            json!({ "type": "AgentMessage", "id": "m", "content": [{ "type": "Text", "text": "done" }] }),
        ),
    ];
    let mut lines = vec![line("session_meta", json!({ "id": "thread-1", "source": "cli" }))];
    lines.extend(a_turn(&inner, done()));
    assert_eq!(
        seen(&lines),
        [
            "reference thread-1",
            "said go\non",
            "1 thinking hm",
            "1 call shell Execute",
            "1 result Ok Some(0) 2005 \"made\"",
            "1 call apply_patch Edit",
            "1 result Ok None 500 \"A /project/a\" changed",
            "2 assistant_text done",
            "2 usage 9 3",
            "completed",
        ]
    );
}

#[test]
fn what_runs_when_a_turn_is_stopped_is_interrupted_and_not_told_again() {
    let aborted = event("turn_aborted", json!({ "turn_id": "t", "reason": "interrupted" }));
    let inner = [
        calls("c", "exec_command", r#"{"cmd":"make it"}"#),
        calls("x", "unknown_tool", "{}"),
        line("response_item", json!({ "type": "function_call_output", "call_id": "x", "output": "no" })),
    ];
    let mut lines = a_turn(&inner, aborted);
    lines.push(command("c", "completed", 0));
    assert_eq!(
        seen(&lines)[1..],
        [
            "1 call unknown_tool Other",
            "1 result Interrupted None 0 \"no\"",
            "1 call shell Execute",
            "1 result Interrupted None 0 \"\"",
            "interrupted",
        ]
    );
}

#[test]
fn what_runs_on_after_a_turn_is_said_to() {
    let lines = a_turn(&[calls("c", "exec_command", r#"{"cmd":"serve"}"#)], done());
    let seen = seen(&lines);
    assert!(seen[2].starts_with("1 result Ok None 0 \"[still running"), "{seen:?}");
}

#[test]
fn a_failure_is_told_by_its_code() {
    let status = |code: u16| json!({ "http_connection_failed": { "http_status_code": code } });
    for (info, code) in [
        (status(401), "not_logged_in"),
        (json!({ "response_too_many_failed_attempts": { "http_status_code": 429 } }), "rate_limited"),
        (json!("internal_server_error"), "model_error"),
        (json!("something_new"), "harness_error"),
    ] {
        let error = json!({ "error": { "message": "words", "codex_error_info": info } });
        let lines = a_turn(&[], event("task_complete", error));
        assert_eq!(seen(&lines).last().unwrap(), &format!("failed {code}"));
    }
}

#[test]
fn a_used_up_limit_says_until_when() {
    let window =
        |used: f64| json!({ "used_percent": used, "window_minutes": 300, "resets_at": 1_794_887_059 });
    let error = json!({ "error": { "message": "words", "codex_error_info": "usage_limit_exceeded" } });
    for (used, end) in [(100.0, "failed rate_limited until 1794887059000"), (99.0, "failed rate_limited")] {
        let limits = json!({ "rate_limits": { "primary": window(used), "secondary": null } });
        let lines = a_turn(&[event("token_count", limits)], event("task_complete", error.clone()));
        assert_eq!(seen(&lines).last().unwrap(), end);
    }
}

#[test]
fn noise_says_nothing_and_the_same_lines_give_the_same_ids() {
    for noise in ["", "{", "[]", r#"{"type":"new","payload":7}"#, &line("event_msg", json!({})), &done()] {
        assert_eq!(seen(&[noise.to_owned()]), [] as [&str; 0], "{noise}");
    }
    let lines = a_turn(&[command("c", "failed", 2)], done());
    let all = || {
        let mut rollout = Rollout::default();
        lines.iter().flat_map(|line| rollout.line(line)).collect::<Vec<_>>()
    };
    assert_eq!(all(), all());
}

#[test]
fn it_listens_below_its_pointer_and_numbers_ask_a_person() {
    let home = tempfile::tempdir().unwrap();
    let readiness = |screen: &str| resident(&in_terminal(), Some(home.path())).readiness(screen);
    let ready = "  >_ OpenAI Codex\n\n› Ask Codex to do anything\n\n  some-model high · /project\n";
    assert_eq!(readiness(ready), Screen::Ready);
    assert_eq!(readiness(&ready.replace("Ask Codex", "half typed 漢字\n  Ask")), Screen::Ready);
    let trust = "  Trust this folder?\n\n› 1. Trust and continue\n  2. Quit\n\n  enter continue · esc quit\n";
    assert!(matches!(readiness(trust), Screen::Asks(words) if words.starts_with("Trust this folder?")));
    let login = "  Choose how\n\n> 1. Sign in\n  2. Use a key\n\n  Press enter to continue\n";
    assert!(matches!(readiness(login), Screen::Asks(_)));
    for unsure in ["", "›", "› x\n", "$ codex\n", "  >_ OpenAI Codex\n"] {
        assert_eq!(readiness(unsure), Screen::NotYet, "{unsure}");
    }
}

#[test]
fn people_type_to_it_and_it_gets_all_else_as_behind_pipes() {
    let launch =
        Launch { prompt: "Be \"kind\".\n\u{7f}".into(), effort: Some("high".into()), ..in_terminal() };
    let words = words_of(&launch, None);
    let line = words.join("\n");
    for expected in [
        "-a\nnever\n-s\ndanger-full-access",
        "--model=some-model",
        r#"developer_instructions="Be \"kind\".\n\u007f""#,
        r#"model_reasoning_effort="high""#,
        "features.daemon_auto_start=false",
        "mcp_servers.paseo-tools={",
        r#""bearer_token_env_var"="PASEO_TOKEN""#,
        r#""required"=true"#,
    ] {
        assert!(line.contains(expected), "{expected} in {line}");
    }
    assert!(!line.contains("app-server") && !line.contains("secret") && !line.contains("trust_level"));
    let resumed = words_of(&Launch { resume: Some("thread-1".into()), ..in_terminal() }, None);
    assert_eq!(resumed[..2], ["resume", "thread-1"]);
    let reads = words_of(&Launch { permissions: Mode::ReadOnly, ..in_terminal() }, Some(Path::new("/own")));
    assert!(reads.join("\n").contains("-a\nnever\n-s\nread-only"));
    assert!(reads.contains(&r#"projects={"/project"={"trust_level"="trusted"}}"#.to_owned()), "{reads:?}");
}

#[test]
fn one_that_is_guarded_cannot_do_more_than_read_without_our_leave() {
    let words = words_of(&Launch { guarded: true, ..in_terminal() }, None).join("\n");
    for expected in [
        "-a\non-request\n-s\nread-only",
        "hooks.PreToolUse=",
        "leave --denials || sh -c ",
        "hooks.PermissionRequest=",
        "leave --instead || sh -c ",
        "config.toml:permission_request:0:0",
    ] {
        assert!(words.contains(expected), "{expected} in {words}");
    }
}

#[test]
fn the_file_of_a_thread_is_found_by_its_id() {
    let home = tempfile::tempdir().unwrap();
    let day = home.path().join("sessions/2026/11/16");
    fs::create_dir_all(&day).unwrap();
    let file = day.join("rollout-2026-11-16T00-00-00-thread-1.jsonl");
    fs::write(&file, "").unwrap();
    let resumed = Launch { resume: Some("thread-1".into()), ..in_terminal() };
    assert_eq!(resident(&resumed, Some(home.path())).session_file(), Some(file));
    assert_eq!(resident(&in_terminal(), Some(home.path())).session_file(), None);
}

/// A process of the session `launch` that has one file open for reading and, once told to, another for writing.
#[allow(clippy::disallowed_methods)] // Not ours to reap: the test waits for it.
fn process_of(launch: &Launch, script: &str) -> std::process::Child {
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", script]).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    shell.env(SESSION_VARIABLE, launch.session.to_string()).env(HOME_VARIABLE, "/nowhere");
    shell.spawn().unwrap()
}

#[test]
fn the_file_of_a_new_thread_is_the_one_that_its_process_writes() {
    let home = tempfile::tempdir().unwrap();
    let day = home.path().join("sessions/2026/11/16");
    fs::create_dir_all(&day).unwrap();
    // Older, so that it is first in every order.
    let (other, own) = (day.join("rollout-1.jsonl"), day.join("rollout-2.jsonl"));
    let meta = line("session_meta", json!({ "id": "t", "source": "cli" }));
    fs::write(&other, format!("{meta}\n{}\n", said("what another agent was told"))).unwrap();
    fs::write(&own, format!("{meta}\n")).unwrap();
    let launch = Launch { session: SessionId::from_random([77; 16]), ..in_terminal() };
    let script =
        format!("exec 3<{}; echo; read go; exec 4>>{}; echo; read go", other.display(), own.display());
    let mut process = process_of(&launch, &script);
    let (mut told, mut stdin) =
        (BufReader::new(process.stdout.take().unwrap()), process.stdin.take().unwrap());
    let resident = resident(&launch, Some(home.path()));
    told.read_line(&mut String::new()).unwrap();
    assert_eq!(resident.session_file(), None, "it only reads the other one");
    stdin.write_all(b"go\n").unwrap();
    told.read_line(&mut String::new()).unwrap();
    assert_eq!(resident.session_file(), Some(own.canonicalize().unwrap()));
    stdin.write_all(b"go\n").unwrap();
    process.wait().unwrap();
}

#[tokio::test]
async fn a_task_that_is_answered_before_anybody_looks_is_no_persons() {
    let home = tempfile::tempdir().unwrap();
    let lines = [
        line("session_meta", json!({ "id": "t-1", "source": "cli" })),
        event("task_started", json!({})),
        said(&said_tests::TASK.replace("  ", " ")),
        completed(
            json!({ "type": "AgentMessage", "id": "a", "content": [{ "type": "Text", "text": "ready" }] }),
        ),
        event("task_complete", json!({})),
    ];
    let resident = Box::new(resident(&in_terminal(), Some(home.path())));
    said_tests::answered_before_the_driver_looks(resident, &lines).await;
}
