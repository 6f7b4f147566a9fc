//! The life of turns.

use serde_json::{Value, json};

use super::*;

#[test]
fn a_turn_is_handed_answered_and_over_once() {
    for speaker in BOTH {
        let mut bed = Bed::open(speaker);
        bed.turn(1, "hello");
        assert_eq!(bed.written[0]["message"], "hello");
        bed.run("hello");
        bed.says(&["hi ", "there"]);
        assert_eq!(bed.ended(), None);
        bed.end();
        let said: Vec<_> =
            bed.items().into_iter().filter(|draft| draft.kind == Kind::AssistantText).collect();
        assert_eq!(said, [Draft::text(Kind::AssistantText, "hi there")]);
        assert_eq!(bed.ended(), Some(TurnEnd::Completed));
        assert!(bed.outputs.contains(&Output::Handed { turn: turn_id(1) }));
        // The next one is another matter.
        bed.outputs.clear();
        bed.turn(2, "again");
        bed.run("again");
        bed.end();
        assert_eq!(bed.outputs, [Output::Handed { turn: turn_id(2) }, ended(2, TurnEnd::Completed)]);
    }
}

fn ended(turn: u8, end: TurnEnd) -> Output {
    Output::TurnEnded { turn: turn_id(turn), end }
}

#[test]
fn a_turn_waits_until_everything_is_loaded() {
    let mut bed = Bed::start(Speaker::Early, session());
    bed.turn(1, "early bird");
    assert_eq!(bed.written.len(), 1, "{:?}", bed.written);
    bed.ours(&json!({ "ready": true }));
    bed.answer("get_state", state(false, false));
    assert_eq!(bed.written[0]["type"], "prompt");
}

#[test]
fn a_pi_that_never_answers_is_ended_and_the_message_is_not_taken() {
    let mut bed = Bed::start(Speaker::Early, session());
    bed.turn(1, "are you there?");
    bed.wake();
    assert!(bed.failure().text.contains("did not answer within 60 seconds"), "{:?}", bed.failure());
    assert!(!bed.outputs.contains(&Output::Handed { turn: turn_id(1) }));
    assert_eq!(bed.commands, ["end pi"]);
    // One that has answered is left alone.
    let mut bed = Bed::open(Speaker::Early);
    bed.turn(1, "go");
    bed.wake();
    assert_eq!((bed.ended(), bed.commands), (None, vec!["note"]));
}

#[test]
fn without_our_extension_nothing_runs_that_needs_it() {
    for needed in [true, false] {
        let mut bed = Bed::start(Speaker::Early, Session { needs_extension: needed, ..session() });
        bed.turn(1, "go");
        bed.answer("get_state", state(false, false));
        assert_eq!(bed.written.is_empty(), needed);
        assert_eq!(bed.ended().is_some(), needed);
        assert_eq!(bed.commands, if needed { ["end pi"] } else { ["note"] });
    }
}

#[test]
fn the_conversation_can_be_continued_once_the_model_answered() {
    let mut bed = Bed::open(Speaker::Early);
    bed.turn(1, "go");
    bed.run("go");
    let reference = Output::Reference(FILE.to_owned());
    assert!(!bed.outputs.contains(&reference));
    bed.says(&["a"]);
    bed.says(&["b"]);
    assert_eq!(bed.outputs.iter().filter(|output| **output == reference).count(), 1);
    // It is known already.
    let conversation = Some(FILE.to_owned());
    let mut bed = Bed::start(Speaker::Early, Session { conversation, ..session() });
    bed.ours(&json!({ "ready": true }));
    bed.answer("get_state", state(false, false));
    bed.turn(1, "go");
    bed.run("go");
    bed.says(&["a"]);
    assert!(!bed.outputs.contains(&reference));
}

#[test]
fn a_conversation_that_is_gone_is_told_and_the_next_message_begins_a_new_one() {
    let mut bed = Bed::start(Speaker::Early, Session { lost: Some("/gone.jsonl".to_owned()), ..session() });
    bed.ours(&json!({ "ready": true }));
    bed.answer("get_state", state(false, false));
    bed.turn(1, "go");
    assert_eq!(bed.outputs[0], Output::Forgotten);
    assert_eq!(code(&bed.failure()), FailureCode::ResumeFailed);
    bed.turn(2, "go");
    assert_eq!(bed.written.last().unwrap()["type"], "prompt");
}

#[test]
fn a_refused_prompt_fails_the_turn_and_the_next_one_works() {
    let mut bed = Bed::open(Speaker::Early);
    bed.turn(1, "go");
    bed.refuse("prompt", "No API key found for nobody");
    assert_eq!(bed.failure().text, "No API key found for nobody");
    bed.outputs.clear();
    bed.turn(2, "go");
    bed.run("go");
    bed.end();
    assert_eq!(bed.ended(), Some(TurnEnd::Completed));
}

#[test]
fn a_command_of_an_extension_is_a_turn_without_an_answer() {
    let mut bed = Bed::open(Speaker::Recent);
    bed.turn(1, "/theirs");
    bed.answer("prompt", json!({ "disposition": "handled" }));
    assert_eq!(bed.outputs, [Output::Handed { turn: turn_id(1) }, ended(1, TurnEnd::Completed)]);
    let mut bed = Bed::open(Speaker::Early);
    bed.turn(1, "/theirs");
    bed.answer("prompt", Value::Null);
    assert_eq!(bed.ended(), None);
    bed.answer("get_state", state(false, false));
    assert_eq!(bed.ended(), Some(TurnEnd::Completed));
}

#[test]
fn a_steered_message_is_confirmed_when_the_model_gets_it() {
    for speaker in BOTH {
        let mut bed = Bed::running(speaker);
        for number in [2, 3] {
            bed.input(Input::Steer { message: message(number, "mind the gap") });
            bed.answer("steer", Value::Null);
        }
        assert_eq!(bed.outputs, []);
        bed.user("mind the gap");
        assert_eq!(bed.outputs, [Output::Steered { delivery: delivery(2), item: None }]);
        bed.end();
        // The other one is still the daemon's.
        assert!(!bed.outputs.contains(&Output::Steered { delivery: delivery(3), item: None }));
    }
}

#[test]
fn an_interrupted_turn_is_over_when_pi_says_so() {
    for speaker in BOTH {
        let mut bed = Bed::running(speaker);
        bed.event(
            json!({ "type": "tool_execution_start", "toolCallId": "c", "toolName": "bash", "args": {} }),
        );
        bed.input(Input::Interrupt);
        let written: Vec<_> = bed.written.iter().map(|line| line["type"].as_str().unwrap()).collect();
        assert_eq!(written, ["clear_queue", "abort"]);
        bed.event(json!({
            "type": "tool_execution_end", "toolCallId": "c", "toolName": "bash", "isError": true,
            "result": { "content": [{ "type": "text", "text": "Command aborted" }] },
        }));
        bed.assistant(json!([]), json!({ "stopReason": "error", "errorMessage": "aborted" }));
        assert_eq!(bed.ended(), None);
        bed.end();
        assert_eq!(bed.ended(), Some(TurnEnd::Interrupted));
        let outcome = bed.items().into_iter().find_map(|draft| match draft.kind {
            Kind::ToolResult { outcome, .. } => Some(outcome),
            _ => None,
        });
        assert_eq!(outcome, Some(paseo_core::item::ToolOutcome::Interrupted));
        assert_eq!(bed.commands, ["note", "end"]);
        // What comes late does not end the next one.
        bed.turn(2, "next");
        bed.answer("abort", Value::Null);
        bed.answer("get_state", state(false, false));
        bed.event(json!({ "type": "agent_settled", "aborted": true }));
        assert_eq!(bed.outputs.iter().filter(|output| matches!(output, Output::TurnEnded { .. })).count(), 1);
    }
}

#[test]
fn a_stop_before_pi_has_begun_is_repeated_when_it_has() {
    let mut bed = Bed::open(Speaker::Early);
    bed.turn(1, "go");
    bed.input(Input::Interrupt);
    bed.answer("abort", Value::Null);
    bed.answer("get_state", state(false, false));
    // The prompt is still on its way.
    assert_eq!(bed.ended(), None);
    bed.written.retain(|line| line["type"] == "prompt");
    bed.accept();
    bed.begin();
    bed.answer("abort", Value::Null);
    bed.answer("get_state", state(false, false));
    assert_eq!(bed.ended(), Some(TurnEnd::Interrupted));
}

#[test]
fn a_stop_while_it_waits_to_try_again_ends_the_turn() {
    let mut bed = Bed::running(Speaker::Early);
    bed.fails("", json!({ "status": 500 }));
    bed.event(json!({ "type": "agent_end", "messages": [] }));
    bed.event(json!({ "type": "auto_retry_start", "attempt": 1, "maxAttempts": 3, "errorMessage": "500" }));
    bed.answer("get_state", state(false, false));
    assert_eq!(bed.ended(), None);
    bed.input(Input::Interrupt);
    bed.event(json!({ "type": "auto_retry_end", "success": false, "attempt": 1 }));
    bed.answer("abort", Value::Null);
    bed.answer("get_state", state(false, false));
    assert_eq!(bed.ended(), Some(TurnEnd::Interrupted));
}

#[test]
fn a_turn_that_pi_begins_by_itself_is_one() {
    for speaker in BOTH {
        let mut bed = Bed::open(speaker);
        bed.begin();
        let Some(Output::TurnBegan { turn }) = bed.outputs.first().cloned() else {
            panic!("{:?}", bed.outputs)
        };
        bed.says(&["done in the background"]);
        bed.end();
        assert_eq!(bed.outputs.last(), Some(&Output::TurnEnded { turn, end: TurnEnd::Completed }));
    }
}

#[test]
fn a_turn_lasts_until_a_compaction_is_over() {
    let mut bed = Bed::running(Speaker::Early);
    bed.says(&["a"]);
    bed.event(json!({ "type": "agent_end", "messages": [] }));
    bed.event(json!({ "type": "compaction_start", "reason": "threshold" }));
    bed.answer("get_state", state(false, true));
    assert_eq!(bed.ended(), None);
    bed.event(json!({ "type": "compaction_end", "reason": "threshold", "result": { "summary": "s" } }));
    assert_eq!(bed.notices(), ["compacted"]);
    bed.answer("get_state", state(false, false));
    assert_eq!(bed.ended(), Some(TurnEnd::Completed));
}
