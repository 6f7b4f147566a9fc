//! Claude Code in a terminal: its screens, and the lines that 2.1.325 writes down, shortened to what matters.

use std::fs;
use std::path::Path;

use paseo_core::permission::Mode;
use serde_json::{Value, json};

use super::history::History;
use super::resident::Resident;
use super::spawn;
use crate::provider::Launch;
use crate::terminal::resident::{Boarding, Resident as _, Screen, Seen};
use crate::terminal::{said_tests, told};

fn in_terminal() -> Launch {
    Launch { terminal: Some(told::terminal()), ..spawn::tests::launch() }
}

fn resident(launch: &Launch, home: &Path) -> Resident {
    Resident::new(launch, Some(home))
}

fn boarding(launch: &Launch, home: &Path) -> Boarding {
    resident(launch, home).boarding(launch, Path::new("/bin/claude"), Some(home)).unwrap()
}

fn readiness(screen: &str) -> Screen {
    let home = tempfile::tempdir().unwrap();
    resident(&in_terminal(), home.path()).readiness(screen)
}

fn words_of(launch: &Launch) -> Vec<String> {
    let home = tempfile::tempdir().unwrap();
    let boarding = boarding(launch, home.path());
    boarding.arguments.into_iter().map(|word| word.into_string().unwrap()).collect()
}

/// Makes the line number `number`.
fn line(number: u32, kind: &str, more: Value) -> String {
    let mut line = json!({
        "type": kind, "uuid": format!("u-{number}"), "sessionId": "c-1", "isSidechain": false,
        "timestamp": format!("2026-11-16T00:00:{number:02}.000Z"),
    });
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line.to_string()
}

fn user(number: u32, content: Value) -> String {
    line(number, "user", json!({ "message": { "role": "user", "content": content } }))
}

fn assistant(number: u32, message: &str, stop: &str, block: Value) -> String {
    let usage = json!({ "input_tokens": 100, "output_tokens": 7 });
    let message = json!({ "id": message, "content": [block], "stop_reason": stop, "usage": usage });
    line(number, "assistant", json!({ "message": message }))
}

fn over(number: u32) -> String {
    line(number, "system", json!({ "subtype": "turn_duration", "isMeta": false }))
}

fn seen_in(mode: Mode, lines: &[String]) -> Vec<Seen> {
    let mut history = History::new(mode);
    lines.iter().flat_map(|line| history.line(line)).collect()
}

fn seen(lines: &[String]) -> Vec<String> {
    told::words(&seen_in(Mode::Full, lines))
}

fn a_turn() -> Vec<String> {
    let call = json!({ "type": "tool_use", "id": "t-1", "name": "Write",
        "input": { "file_path": "/project/a", "content": "new\n" } });
    let result = json!([{ "type": "tool_result", "tool_use_id": "t-1", "content": "written" }]);
    let changed =
        json!({ "filePath": "/project/a", "content": "new\n", "originalFile": null, "structuredPatch": [] });
    vec![
        line(1, "mode", json!({ "mode": "normal" })),
        user(2, json!("make it\nso")),
        assistant(3, "m-1", "tool_use", json!({ "type": "thinking", "thinking": "hm" })),
        assistant(4, "m-1", "tool_use", call),
        line(5, "user", json!({ "message": { "content": result }, "toolUseResult": changed })),
        assistant(6, "m-2", "end_turn", json!({ "type": "text", "text": "done" })),
        over(7),
    ]
}

#[test]
fn a_turn_is_what_was_said_and_done_and_an_end() {
    assert_eq!(
        seen(&a_turn()),
        [
            "reference c-1",
            "said make it\nso",
            "1 thinking hm",
            "1 call Write Edit",
            "1 result Ok None 1000 \"written\" changed",
            "2 assistant_text done",
            "2 usage 200 14",
            "completed",
        ]
    );
}

#[test]
fn the_same_lines_give_the_same_ids() {
    let ids = |lines: &[String]| -> Vec<String> {
        let seen = seen_in(Mode::Full, lines).into_iter();
        seen.filter_map(|seen| match seen {
            Seen::Item { id, .. } => Some(id.to_string()),
            _ => None,
        })
        .collect()
    };
    let once = ids(&a_turn());
    assert_eq!(once, ids(&a_turn()));
    let apart: std::collections::HashSet<&String> = once.iter().collect();
    assert_eq!(apart.len(), once.len());
}

#[test]
fn a_turn_that_was_stopped_is_interrupted_and_so_is_what_ran() {
    let call = json!({ "type": "tool_use", "id": "t-1", "name": "Bash", "input": { "command": "make" } });
    let result = json!([{ "type": "tool_result", "tool_use_id": "t-1", "is_error": true, "content": "no" }]);
    let lines = [
        user(1, json!("go")),
        assistant(2, "m-1", "tool_use", call),
        line(3, "user", json!({ "message": { "content": result }, "toolDenialKind": "user-rejected" })),
        line(
            4,
            "user",
            json!({ "message": { "content": [{ "type": "text", "text": "[stopped]" }] }, "interruptedMessageId": "m-1" }),
        ),
    ];
    let stopped = seen(&lines);
    assert_eq!(stopped[3..], ["1 result Interrupted None 1000 \"no\"", "1 usage 100 7", "interrupted"]);
    let asked = told::words(&seen_in(Mode::Ask, &lines));
    assert_eq!(asked[3], "1 result Denied None 1000 \"no\"");
}

#[test]
fn a_turn_that_was_taken_back_ends_when_the_next_begins() {
    let lines = [user(1, json!("first")), user(2, json!("second"))];
    assert_eq!(seen(&lines)[1..], ["said first", "interrupted", "said second"]);
}

#[test]
fn what_is_typed_while_it_works_is_said_once_the_model_is_told() {
    let queued = json!({ "attachment": { "type": "queued_command", "prompt": "also", "commandMode": "prompt",
        "origin": { "kind": "human" } } });
    let mut lines = a_turn();
    lines.insert(5, line(5, "attachment", queued));
    lines.insert(5, line(5, "queue-operation", json!({ "operation": "enqueue", "content": "also" })));
    let seen = seen(&lines);
    assert_eq!(seen.iter().filter(|word| *word == "said also").count(), 1);
    assert_eq!(seen.last().unwrap(), "completed");
}

#[test]
fn a_failed_request_is_told_by_its_status() {
    for (status, code) in [(401, "not_logged_in"), (429, "rate_limited"), (500, "model_error")] {
        let error = json!({ "error": "unknown", "isApiErrorMessage": true, "apiErrorStatus": status,
            "message": { "id": "x", "content": [{ "type": "text", "text": "words" }], "stop_reason": "stop_sequence" } });
        let lines = [user(1, json!("go")), line(2, "assistant", error), over(3)];
        assert_eq!(seen(&lines)[1..], ["said go".to_owned(), format!("failed {code}")]);
    }
}

#[test]
fn a_used_up_limit_says_until_when() {
    let info = json!({ "status": "rejected", "resetsAt": 1_794_886_374, "rateLimitType": "five_hour" });
    let error = json!({ "error": "rate_limit", "isApiErrorMessage": true, "apiErrorStatus": 429,
        "apiErrorParams": { "rate_limit_info": info },
        "message": { "id": "x", "content": [{ "type": "text", "text": "words" }], "stop_reason": "stop_sequence" } });
    let lines = [user(1, json!("go")), line(2, "assistant", error), over(3)];
    assert_eq!(seen(&lines).last().unwrap(), "failed rate_limited until 1794886374000");
}

#[test]
fn commands_to_itself_and_noise_say_nothing() {
    for text in
        ["<command-name>/help</command-name>", "<local-command-stdout>x", "<bash-input>ls</bash-input>"]
    {
        assert_eq!(seen(&[user(1, json!(text))])[1..], [] as [&str; 0]);
    }
    let meta = json!({ "isMeta": true, "message": { "content": "x" } });
    for noise in ["", "{", "7", &line(1, "user", meta), &line(1, "from-the-future", json!({})), &over(1)] {
        assert_eq!(seen(&[noise.to_owned()]), [] as [&str; 0], "{noise}");
    }
}

const READY: &str = "
 ▐▛███▛█   Claude Code v2.1.325
──────────────────────────────────
❯
──────────────────────────────────
  ⏵⏵ bypass permissions on
";

#[test]
fn it_listens_where_its_frame_is_and_a_list_asks_a_person() {
    assert_eq!(readiness(READY), Screen::Ready);
    let busy = READY.replace("❯", "❯ half\n  typed 漢字");
    assert_eq!(readiness(&busy), Screen::Ready);
    assert_eq!(readiness(&READY.replace('─', "━")), Screen::Ready);
    let trust = "\n─────────────\n Do you trust it?\n\n ❯ No, exit\n   Yes\n\n Enter to confirm\n";
    let Screen::Asks(words) = readiness(trust) else { panic!("not asked") };
    assert!(words.starts_with("Do you trust it? ❯ No, exit Yes"), "{words}");
    for unsure in ["", "starting", "❯", "$ claude\n", "Pane is dead (status 1)"] {
        assert_eq!(readiness(unsure), Screen::NotYet, "{unsure}");
    }
}

#[test]
fn people_type_to_it_and_it_gets_all_else_as_behind_pipes() {
    let words = words_of(&in_terminal());
    for expected in [
        "--model=opus",
        "--effort=high",
        "--append-system-prompt=-- be kind",
        "--permission-mode=bypassPermissions",
    ] {
        assert!(words.contains(&expected.to_owned()), "{expected}");
    }
    assert!(words.iter().any(|word| word.starts_with("--mcp-config=")));
    for headless in ["-p", "--input-format=stream-json", "--permission-prompt-tool=stdio"] {
        assert!(!words.contains(&headless.to_owned()), "{headless}");
    }
    assert!(!words.join(" ").contains("secret"));
    let resumed = words_of(&Launch { resume: Some("c-1".into()), ..in_terminal() });
    assert!(resumed.contains(&"--resume=c-1".to_owned()));
}

#[test]
fn a_reader_asks_nobody_and_our_own_tools_need_no_leave() {
    let words = words_of(&Launch { permissions: Mode::ReadOnly, ..in_terminal() });
    assert!(words.contains(&"--permission-mode=dontAsk".to_owned()));
    assert!(words.iter().any(|word| word.starts_with("--disallowedTools=") && word.contains("Bash")));
    let settings = words.iter().find_map(|word| word.strip_prefix("--settings=")).unwrap();
    let settings: Value = serde_json::from_str(settings).unwrap();
    assert_eq!(settings["permissions"]["allow"], json!(["mcp__Paseo"]));
    assert_eq!(settings["disableAllHooks"], true);
    let asks = words_of(&Launch { permissions: Mode::Ask, ..in_terminal() });
    assert!(asks.contains(&"--permission-mode=default".to_owned()));
}

#[test]
fn the_same_terminal_has_the_same_conversation_until_it_is_given_up() {
    let home = tempfile::tempdir().unwrap();
    let id = |launch: &Launch| {
        let words = boarding(launch, home.path()).arguments;
        let word = words.iter().find_map(|word| word.to_str()?.strip_prefix("--session-id=")).unwrap();
        word.to_owned()
    };
    let first = id(&in_terminal());
    assert_eq!(id(&in_terminal()), first);
    assert_eq!(resident(&in_terminal(), home.path()).session_file(), None);
    let folder = home.path().join("projects/-project");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join(format!("{first}.jsonl"));
    fs::write(&file, "").unwrap();
    assert_ne!(id(&in_terminal()), first);
    let resumed = Launch { resume: Some(first), ..in_terminal() };
    assert_eq!(resident(&resumed, home.path()).session_file(), Some(file));
}

#[test]
fn what_is_asked_at_first_is_answered_in_a_home_of_ours_and_the_rest_is_kept() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join(".claude.json"), r#"{"mine":1,"projects":{"/b":{"x":2}}}"#).unwrap();
    let _ = boarding(&in_terminal(), home.path());
    let state: Value = serde_json::from_slice(&fs::read(home.path().join(".claude.json")).unwrap()).unwrap();
    assert_eq!((&state["mine"], &state["projects"]["/b"]["x"]), (&json!(1), &json!(2)));
    assert_eq!(state["projects"]["/project"]["hasTrustDialogAccepted"], true);
    assert_eq!(state["hasCompletedOnboarding"], true);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
}

#[test]
fn who_is_guarded_has_us_asked_whatever_else_it_may() {
    for permissions in [Mode::Full, Mode::Ask] {
        let words = words_of(&Launch { guarded: true, permissions, ..in_terminal() });
        assert!(words.contains(&"--permission-mode=default".to_owned()));
        let settings = words.iter().find_map(|word| word.strip_prefix("--settings=")).unwrap();
        let settings: Value = serde_json::from_str(settings).unwrap();
        assert_eq!(settings["disableAllHooks"], false);
        let hook = &settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"];
        assert_eq!(hook, "'/bin/paseo' leave || exit 2");
        // None but ours and the user's own; what the project says is read all the same.
        for expected in ["--setting-sources=user", "--add-dir=/project"] {
            assert!(words.contains(&expected.to_owned()), "{expected}");
        }
    }
    let free = words_of(&Launch { permissions: Mode::Ask, ..in_terminal() });
    assert!(!free.iter().any(|word| word.starts_with("--setting-sources") || word.starts_with("--add-dir")));
}

#[tokio::test]
async fn a_task_that_is_answered_before_anybody_looks_is_no_persons() {
    let home = tempfile::tempdir().unwrap();
    let lines = [
        user(1, json!(said_tests::TASK.replace('\n', " "))),
        assistant(2, "m-1", "end_turn", json!({ "type": "text", "text": "ready" })),
        over(3),
    ];
    let resident = Box::new(resident(&in_terminal(), home.path()));
    said_tests::answered_before_the_driver_looks(resident, &lines).await;
}
