//! What is said within turns.

use paseo_core::item::{ToolClass, ToolOutcome};
use serde_json::json;

use super::*;
use crate::provider::DeltaKind;

#[test]
fn pieces_grow_into_the_item_that_replaces_them() {
    for speaker in BOTH {
        let mut bed = Bed::running(speaker);
        bed.says(&["one ", "two"]);
        let deltas: Vec<_> = bed
            .outputs
            .iter()
            .filter_map(|output| match output {
                Output::Delta { item, kind: DeltaKind::AssistantText, text } => Some((*item, text.as_str())),
                _ => None,
            })
            .collect();
        assert_eq!(deltas.iter().map(|(_, text)| *text).collect::<String>(), "one two");
        let Some(Output::Item { id, .. }) =
            bed.outputs.iter().find(|output| matches!(output, Output::Item { .. }))
        else {
            panic!("{:?}", bed.outputs)
        };
        assert!(deltas.iter().all(|(item, _)| item == id));
    }
}

/// 0.73 repeats what was said in every piece; what we pass on must not grow with the square of it.
#[test]
fn what_is_passed_on_is_as_long_as_what_was_said() {
    let mut bed = Bed::running(Speaker::Early);
    let pieces = vec!["x"; 500];
    bed.says(&pieces);
    let told: usize = bed
        .outputs
        .iter()
        .map(|output| if let Output::Delta { text, .. } = output { text.len() } else { 0 })
        .sum();
    assert_eq!(told, 500);
}

#[test]
fn thoughts_are_items_and_empty_texts_are_none() {
    let mut bed = Bed::running(Speaker::Recent);
    let content = json!([
        { "type": "thinking", "thinking": "hm" }, { "type": "text", "text": "" }, { "type": "toolCall", "id": "c" },
    ]);
    bed.assistant(content, json!({ "stopReason": "toolUse" }));
    assert_eq!(bed.items(), [Draft::text(Kind::Thinking, "hm")]);
}

#[test]
fn a_command_is_a_call_and_a_result() {
    for (result, exit_code) in [
        (json!({ "content": [{ "type": "text", "text": "hi\n\n\nCommand exited with code 3" }] }), Some(3)),
        (
            json!({ "content": [{ "type": "text", "text": "hi" }], "structuredContent": { "exit_code": 3 } }),
            Some(3),
        ),
        (json!({ "content": [] }), None),
    ] {
        let mut bed = Bed::running(Speaker::Early);
        let args = json!({ "command": "echo hi; exit 3" });
        bed.event(
            json!({ "type": "tool_execution_start", "toolCallId": "c", "toolName": "bash", "args": args }),
        );
        for output in ["", "hi", "hi\nho", "something else"] {
            let partial = json!({ "content": [{ "type": "text", "text": output }] });
            bed.event(
                json!({ "type": "tool_execution_update", "toolCallId": "c", "partialResult": partial }),
            );
        }
        bed.event(json!({
            "type": "tool_execution_end", "toolCallId": "c", "toolName": "bash", "isError": true, "result": result,
        }));
        let items = bed.items();
        let call = Kind::ToolCall { call: "c".into(), name: "bash".into(), class: ToolClass::Execute };
        assert_eq!(items[0].kind, call);
        assert!(items[0].extra.as_ref().unwrap().contains("echo hi; exit 3"));
        let expected =
            Kind::ToolResult { call: "c".into(), outcome: ToolOutcome::Error, exit_code, duration_ms: 0 };
        assert_eq!(items[1].kind, expected);
        let grown: String = bed
            .outputs
            .iter()
            .filter_map(
                |output| if let Output::Printed { text, .. } = output { Some(text.as_str()) } else { None },
            )
            .collect();
        assert_eq!(grown, "hi\nho");
    }
}

#[test]
fn an_edit_comes_with_its_diff_unless_it_failed() {
    for (is_error, diffs) in [(false, 1), (true, 0)] {
        let mut bed = Bed::running(Speaker::Early);
        let args = json!({ "path": "a", "edits": [] });
        bed.event(
            json!({ "type": "tool_execution_start", "toolCallId": "c", "toolName": "edit", "args": args }),
        );
        bed.event(json!({
            "type": "tool_execution_end", "toolCallId": "c", "toolName": "edit", "isError": is_error, "durationMs": 7,
            "result": { "content": [], "details": { "diff": "-1 old\n+1 new" } },
        }));
        let extra = bed.items()[1].extra.clone().unwrap_or_default();
        assert_eq!(extra.matches("-old").count(), diffs);
        assert!(matches!(bed.items()[1].kind, Kind::ToolResult { duration_ms: 7, .. }));
    }
}

#[test]
fn usage_and_cost_of_a_turn_add_up() {
    let mut bed = Bed::running(Speaker::Recent);
    for _ in 0..2 {
        let usage = json!({
            "input": 100, "output": 10, "cacheRead": 50, "cacheWrite": 5, "cost": { "total": 0.000_75 },
        });
        bed.assistant(json!([]), json!({ "stopReason": "stop", "usage": usage }));
    }
    bed.end();
    let Some(Kind::Usage(usage)) = bed.items().into_iter().map(|draft| draft.kind).next_back() else {
        panic!("no usage")
    };
    assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (310, 100, 20));
    assert_eq!(usage.cost_micros, Some(1500));
}

#[test]
fn a_failure_is_what_the_server_said() {
    for (failure, expected) in [
        (json!({ "status": 401 }), FailureCode::NotLoggedIn),
        (json!({ "status": 429, "retryAfter": "30" }), FailureCode::RateLimited),
        (json!({ "status": 529 }), FailureCode::ModelError),
        (json!({}), FailureCode::ModelError),
    ] {
        for speaker in BOTH {
            let mut bed = Bed::running(speaker);
            bed.fails("half a", failure.clone());
            bed.end();
            let failed = bed.failure();
            assert_eq!((code(&failed), failed.text.as_str()), (expected.clone(), "it broke"));
            assert_eq!(failed.until.is_some(), expected == FailureCode::RateLimited);
            assert_eq!(bed.items(), []);
            assert_eq!(bed.broken(), [(vec!["half a".to_owned()], None)], "no answer");
        }
    }
}

#[test]
fn a_retry_is_shown_and_what_failed_is_not_said_twice() {
    for speaker in BOTH {
        let mut bed = Bed::running(speaker);
        bed.fails("half a", json!({ "status": 500 }));
        let end = match speaker {
            Speaker::Early => json!({ "type": "agent_end", "messages": [] }),
            Speaker::Recent => json!({ "type": "agent_end", "messages": [], "willRetry": true }),
        };
        bed.event(end);
        bed.event(
            json!({ "type": "auto_retry_start", "attempt": 1, "maxAttempts": 3, "errorMessage": "500" }),
        );
        if speaker == Speaker::Early {
            bed.answer("get_state", state(false, false));
        }
        assert_eq!(bed.ended(), None);
        bed.begin();
        bed.says(&["half a loaf"]);
        bed.event(json!({ "type": "auto_retry_end", "success": true, "attempt": 1 }));
        bed.written.clear();
        bed.end();
        assert_eq!(bed.ended(), Some(TurnEnd::Completed));
        let said: Vec<_> =
            bed.items().into_iter().filter(|draft| draft.kind == Kind::AssistantText).collect();
        assert_eq!(said, [Draft::text(Kind::AssistantText, "half a loaf")]);
        assert_eq!(bed.notices(), ["retrying"]);
        let retry = Retry { attempt: Some(1), of: Some(3) };
        assert_eq!(bed.broken(), [(vec!["half a".to_owned()], Some(retry))]);
    }
}

#[test]
fn what_is_not_understood_is_kept_and_what_is_not_the_protocol_does_not_hurt() {
    let mut bed = Bed::running(Speaker::Early);
    let mystery = r#"{"type":"mystery","x":1}"#;
    for line in [mystery, "Warning: no JSON", r#"{"type":"tool_execution_start"}"#, "", r#"{"type":7}"#] {
        bed.line(line);
    }
    bed.event(json!({ "type": "response", "id": "999", "success": true }));
    let raw = bed.items().into_iter().filter(|draft| matches!(draft.kind, Kind::Raw { .. })).count();
    assert_eq!(raw, 5);
    assert_eq!(bed.items()[0].text.as_deref(), Some(mystery));
    // An older one does not know the command, and says so without an id.
    bed.event(
        json!({ "type": "response", "command": "clear_queue", "success": false, "error": "Unknown command" }),
    );
    bed.event(json!({ "type": "queue_update", "steering": [], "followUp": [] }));
    assert_eq!(bed.items().len(), 5);
    bed.says(&["on"]);
    bed.end();
    assert_eq!(bed.ended(), Some(TurnEnd::Completed));
}
