//! The life of turns: handed, steered, interrupted, failed, begun by codex itself.

use paseo_core::item::Kind;
use paseo_core::time::Timestamp;
use serde_json::json;

use super::{Bed, THREAD, launch, message, texts, turn_id};
use crate::lines::{Damage, Line};
use crate::provider::{Failed, FailureCode, Input, Output, TurnEnd};

#[test]
fn a_message_is_handed_when_it_is_in_the_conversation_and_not_before() {
    let mut bed = Bed::open(&launch());
    let turn = turn_id(1);
    bed.input(Input::Turn { turn, messages: vec![message(1, "go")] });
    bed.answer("turn/start", json!({ "turn": { "id": "u1" } }));
    bed.say("turn/started", json!({ "turn": { "id": "u1" } }));
    assert_eq!(bed.outputs, [Output::Reference(THREAD.to_owned())], "it could be resumed from here on");
    bed.item(1, "started", json!({ "type": "userMessage", "id": "m", "clientId": turn.to_string() }));
    bed.item(1, "completed", json!({ "type": "userMessage", "id": "m", "clientId": turn.to_string() }));
    assert_eq!(bed.outputs[1..], [Output::Handed { turn }]);
    bed.complete(1, "completed");
    assert_eq!(bed.outputs[2..], [Output::TurnEnded { turn, end: TurnEnd::Completed }]);
    bed.outputs.clear();
    bed.turn(2, "more");
    assert_eq!(bed.outputs, [Output::Handed { turn: turn_id(2) }]);
}

#[test]
fn an_old_codex_that_gives_messages_no_ids_still_confirms_them() {
    let mut bed = Bed::open(&launch());
    bed.input(Input::Turn { turn: turn_id(1), messages: vec![message(1, "go")] });
    bed.answer("turn/start", json!({ "turn": { "id": "u1" } }));
    let said =
        |text| json!({ "type": "userMessage", "id": "m", "content": [{ "type": "text", "text": text }] });
    bed.item(1, "started", said("go"));
    assert!(bed.outputs.contains(&Output::Handed { turn: turn_id(1) }));
    bed.input(Input::Steer { message: message(2, "also") });
    bed.item(1, "started", said("other"));
    let steered = Output::Steered { delivery: message(2, "").delivery, item: None };
    assert!(!bed.outputs.contains(&steered));
    bed.item(1, "started", said("also"));
    assert!(bed.outputs.contains(&steered));
}

#[test]
fn a_turn_that_is_refused_fails_without_being_handed() {
    let mut bed = Bed::open(&launch());
    bed.input(Input::Turn { turn: turn_id(1), messages: vec![message(1, "go")] });
    bed.refuse("turn/start", -32600, "no such model");
    let failed = Failed { code: FailureCode::HarnessError, text: "no such model".to_owned(), until: None };
    assert_eq!(bed.outputs, [Output::TurnEnded { turn: turn_id(1), end: TurnEnd::Failed(failed) }]);
}

#[test]
fn usage_is_one_item_for_all_requests_of_the_turn_and_each_is_a_step() {
    let mut bed = Bed::running();
    let used = |total: u64, last: u64| {
        let tokens = |n: u64| {
            json!({ "totalTokens": n + 10, "inputTokens": n, "cachedInputTokens": n / 2,
            "outputTokens": 10, "reasoningOutputTokens": 3 })
        };
        json!({ "turnId": "u1", "tokenUsage": { "total": tokens(total), "last": tokens(last) } })
    };
    bed.say("thread/tokenUsage/updated", used(1000, 1000));
    bed.say("thread/tokenUsage/updated", used(1000, 1000));
    bed.item(1, "completed", json!({ "type": "agentMessage", "id": "a", "text": "hello" }));
    bed.say("thread/tokenUsage/updated", used(2100, 1100));
    bed.complete(1, "completed");
    let items = bed.items();
    assert_eq!((items[0].0, items[0].2.text.as_deref()), (1, Some("hello")), "after the first request");
    let Kind::Usage(usage) = items[1].2.kind else { panic!("{items:?}") };
    assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (2100, 1050, 10));
    assert_eq!(items.len(), 2);
}

#[test]
fn a_limit_ends_a_turn_with_the_time_when_it_is_lifted() {
    let mut bed = Bed::running();
    bed.say(
        "account/rateLimits/updated",
        json!({ "rateLimits": { "limitId": "codex", "primary": { "usedPercent": 100, "windowDurationMins": 300,
            "resetsAt": 1_894_745_502 }, "secondary": { "usedPercent": 40, "resetsAt": 1_895_745_502 } } }),
    );
    let error = json!({ "message": "You've hit your usage limit.", "codexErrorInfo": "usageLimitExceeded",
        "additionalDetails": null });
    bed.say("error", json!({ "error": error, "willRetry": false, "turnId": "u1" }));
    bed.say("turn/completed", json!({ "turn": { "id": "u1", "status": "failed", "error": error } }));
    let failed = Failed {
        code: FailureCode::RateLimited,
        text: "You've hit your usage limit.".to_owned(),
        until: Some(Timestamp::from_millis(1_894_745_502_000)),
    };
    assert_eq!(bed.end(), Some(&TurnEnd::Failed(failed)));
    assert_eq!(bed.outputs.len(), 1, "said once: {:?}", bed.outputs);
}

#[test]
fn a_request_that_is_tried_again_is_noticed_each_time_and_a_warning_once() {
    let mut bed = Bed::running();
    for attempt in 1..=2 {
        let error = json!({ "message": format!("Reconnecting... {attempt}/5"),
            "codexErrorInfo": { "responseStreamDisconnected": { "httpStatusCode": 500 } },
            "additionalDetails": "unexpected status 500" });
        bed.say("error", json!({ "error": error, "willRetry": true, "turnId": "u1" }));
        bed.say("warning", json!({ "message": "Model metadata not found." }));
        bed.say("configWarning", json!({ "summary": "No bubblewrap", "details": null }));
    }
    bed.say(
        "mcpServer/startupStatus/updated",
        json!({ "name": "theirs", "status": "failed", "error": "gone" }),
    );
    bed.say("mcpServer/startupStatus/updated", json!({ "name": "theirs", "status": "ready" }));
    assert_eq!(
        bed.notices(),
        [
            ("retrying", "Reconnecting... 1/5: unexpected status 500"),
            ("warning", "Model metadata not found."),
            ("config_warning", "No bubblewrap"),
            ("retrying", "Reconnecting... 2/5: unexpected status 500"),
            ("mcp_server_failed", "The MCP server theirs did not start: gone"),
        ]
    );
}

#[test]
fn a_turn_that_codex_begins_by_itself_is_told_and_ours_waits_for_its_end() {
    let mut bed = Bed::running();
    bed.complete(1, "completed");
    bed.outputs.clear();
    bed.say("turn/started", json!({ "turn": { "id": "own" } }));
    let Output::TurnBegan { turn } = bed.outputs[0] else { panic!("{:?}", bed.outputs) };
    bed.input(Input::Turn { turn: turn_id(2), messages: vec![message(2, "go")] });
    assert_eq!(bed.wrote("turn/start"), 0);
    bed.say(
        "item/completed",
        json!({ "turnId": "own", "item": { "type": "agentMessage", "id": "a", "text": "done" } }),
    );
    bed.say("turn/completed", json!({ "turn": { "id": "own", "status": "completed" } }));
    assert_eq!(bed.outputs[2..], [Output::TurnEnded { turn, end: TurnEnd::Completed }]);
    assert_eq!(bed.wrote("turn/start"), 1);
}

#[test]
fn a_steered_message_is_confirmed_by_its_uptake_and_what_was_being_said_comes_first() {
    let mut bed = Bed::running();
    bed.say("item/agentMessage/delta", json!({ "turnId": "u1", "itemId": "a", "delta": "half a " }));
    let steer = message(2, "also this");
    bed.input(Input::Steer { message: steer.clone() });
    assert_eq!(
        bed.request("turn/steer")["params"],
        json!({
            "threadId": THREAD, "expectedTurnId": "u1", "clientUserMessageId": steer.delivery.to_string(),
            "input": [{ "type": "text", "text": "also this" }],
        })
    );
    bed.answer("turn/steer", json!({ "turnId": "u1" }));
    assert_eq!(bed.outputs.len(), 1, "an interruption now would lose it");
    bed.item(
        1,
        "started",
        json!({ "type": "userMessage", "id": "m", "clientId": steer.delivery.to_string() }),
    );
    assert_eq!(texts(&bed.drafts(), "assistant_text"), ["half a "]);
    assert_eq!(bed.outputs.last(), Some(&Output::Steered { delivery: steer.delivery, item: None }));
}

#[test]
fn a_steered_message_that_is_refused_or_never_taken_up_is_not_confirmed() {
    let mut bed = Bed::running();
    bed.input(Input::Steer { message: message(2, "too late") });
    bed.refuse("turn/steer", -32600, "no active turn to steer");
    bed.input(Input::Steer { message: message(3, "lost") });
    bed.answer("turn/steer", json!({ "turnId": "u1" }));
    bed.complete(1, "completed");
    bed.input(Input::Steer { message: message(4, "nobody runs") });
    assert_eq!(bed.outputs, [Output::TurnEnded { turn: turn_id(1), end: TurnEnd::Completed }]);
    assert_eq!(bed.wrote("turn/steer"), 2);
}

#[test]
fn an_interruption_ends_the_turn_then_its_commands_and_is_told_after_both() {
    let mut bed = Bed::running();
    let command = json!({ "type": "commandExecution", "id": "c1", "command": "/bin/bash -lc 'sleep 1000'",
        "cwd": "/project", "status": "inProgress" });
    bed.item(1, "started", command);
    bed.input(Input::Interrupt);
    bed.input(Input::Interrupt);
    assert_eq!(bed.request("turn/interrupt")["params"], json!({ "threadId": THREAD, "turnId": "u1" }));
    assert_eq!(bed.wrote("turn/interrupt"), 1);
    bed.answer("turn/interrupt", json!({}));
    bed.complete(1, "interrupted");
    assert_eq!(bed.end(), None, "its command still runs");
    let terminal =
        |item: &str, process: &str| json!({ "itemId": item, "processId": process, "command": "…" });
    let running = json!({ "data": [terminal("earlier", "1"), terminal("c1", "2")], "nextCursor": null });
    bed.answer("thread/backgroundTerminals/list", running);
    assert_eq!(
        bed.request("thread/backgroundTerminals/terminate")["params"],
        json!({ "threadId": THREAD, "processId": "2" })
    );
    assert_eq!(bed.wrote("thread/backgroundTerminals/terminate"), 1, "an earlier turn's is let be");
    assert_eq!(bed.end(), None, "its command still runs");
    bed.answer("thread/backgroundTerminals/terminate", json!({ "terminated": true }));
    assert_eq!(bed.end(), Some(&TurnEnd::Interrupted));
    assert_eq!(bed.commands, ["noted", "ended"]);
    bed.outputs.clear();
    // All of this is late.
    let killed =
        json!({ "type": "commandExecution", "id": "c1", "command": "x", "status": "failed", "exitCode": -1 });
    bed.item(1, "completed", killed.clone());
    bed.turn(2, "next");
    bed.outputs.clear();
    bed.item(1, "completed", killed);
    bed.item(1, "completed", json!({ "type": "agentMessage", "id": "a", "text": "late" }));
    bed.say("item/agentMessage/delta", json!({ "turnId": "u1", "itemId": "a", "delta": "late" }));
    bed.say("turn/plan/updated", json!({ "turnId": "u1", "plan": [] }));
    bed.complete(1, "interrupted");
    assert_eq!(bed.outputs, []);
    bed.complete(2, "completed");
    assert_eq!(bed.end(), Some(&TurnEnd::Completed));
}

#[test]
fn a_turn_can_be_interrupted_before_codex_has_named_it_or_has_it_at_all() {
    let mut bed = Bed::open(&launch());
    bed.input(Input::Turn { turn: turn_id(1), messages: vec![message(1, "go")] });
    bed.input(Input::Interrupt);
    assert_eq!(bed.wrote("turn/interrupt"), 0);
    bed.answer("turn/start", json!({ "turn": { "id": "u1" } }));
    bed.input(Input::Interrupt);
    assert_eq!(bed.wrote("turn/interrupt"), 0, "codex would say that no turn is active");
    bed.say("turn/started", json!({ "turn": { "id": "u1" } }));
    assert_eq!(bed.request("turn/interrupt")["params"]["turnId"], "u1");
    let mut bed = Bed::start(&launch());
    bed.input(Input::Turn { turn: turn_id(1), messages: vec![message(1, "go")] });
    bed.input(Input::Interrupt);
    assert_eq!(bed.end(), Some(&TurnEnd::Interrupted));
    bed.answer("initialize", json!({}));
    bed.answer("thread/start", json!({ "thread": { "id": THREAD } }));
    assert_eq!(bed.wrote("turn/start"), 0);
    bed.input(Input::Interrupt);
    assert_eq!(bed.outputs.len(), 1, "nothing to interrupt");
}

#[test]
fn a_turn_that_completes_in_spite_of_an_interruption_completed() {
    let mut bed = Bed::running();
    bed.input(Input::Interrupt);
    bed.complete(1, "completed");
    bed.refuse("thread/backgroundTerminals/list", -32600, "an old codex");
    assert_eq!(bed.end(), None);
    bed.answer("thread/backgroundTerminals/clean", json!({}));
    assert_eq!(bed.end(), Some(&TurnEnd::Completed));
}

#[test]
fn whatever_comes_is_kept_and_nothing_breaks() {
    let mut bed = Bed::running();
    let odd = [
        "not json",
        "{\"half\": ",
        "[1, 2]",
        r#"{"id":99,"result":{}}"#,
        r#"{"method":"thread/invented","params":{"a":1}}"#,
        r#"{"method":"item/started","params":{"item":"no item"}}"#,
        r#"{"method":"turn/completed"}"#,
        r#"{"method":"hook/completed","params":{"run":{"status":"blocked"}}}"#,
    ];
    odd.into_iter().for_each(|line| bed.line(line));
    assert_eq!(texts(&bed.drafts(), "raw"), odd);
    bed.outputs.clear();
    bed.line("");
    bed.line("  ");
    bed.say("thread/status/changed", json!({ "status": { "type": "idle" } }));
    bed.say("turn/diff/updated", json!({ "diff": "…" }));
    bed.say("hook/completed", json!({ "turnId": "u1", "run": { "id": "h", "status": "completed" } }));
    assert_eq!(bed.outputs, [], "noise");
    bed.damaged(Line { text: "{\"x".to_owned(), damage: Some(Damage::TooLong { bytes: 99_000_000 }) });
    assert_eq!(bed.notices()[0].0, "line_too_long");
    let text = "\u{fffd}".repeat(3);
    let line = json!({ "method": "item/completed", "params": { "threadId": THREAD, "turnId": "u1",
        "item": { "type": "agentMessage", "id": "a", "text": text } } });
    bed.damaged(Line { text: line.to_string(), damage: Some(Damage::InvalidUtf8) });
    assert_eq!(texts(&bed.drafts(), "assistant_text"), [text]);
    let huge = "x".repeat(50 * 1024 * 1024);
    bed.item(1, "completed", json!({ "type": "agentMessage", "id": "b", "text": huge }));
    assert_eq!(texts(&bed.drafts(), "assistant_text")[1].len(), huge.len());
}
