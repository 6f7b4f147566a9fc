//! What our extension and those of the user want to know.

use paseo_core::item::ToolOutcome;
use paseo_core::permission::{Power, Shape};
use serde_json::{Value, json};

use super::*;
use crate::provider::Answer;

fn asks(bed: &mut Bed, id: &str) {
    bed.event(json!({
        "type": "tool_execution_start", "toolCallId": id, "toolName": "bash", "args": { "command": "make" },
    }));
    let question = json!({ "call": id, "tool": "bash", "input": { "command": "make" } });
    bed.event(json!({
        "type": "extension_ui_request", "id": format!("ask-{id}"), "method": "input", "title": "paseo",
        "placeholder": question.to_string(),
    }));
}

fn ends(bed: &mut Bed, id: &str, is_error: bool) {
    bed.event(json!({
        "type": "tool_execution_end", "toolCallId": id, "toolName": "bash", "isError": is_error, "result": {},
    }));
}

fn outcomes(bed: &Bed) -> Vec<ToolOutcome> {
    let items = bed.items().into_iter();
    items
        .filter_map(
            |draft| if let Kind::ToolResult { outcome, .. } = draft.kind { Some(outcome) } else { None },
        )
        .collect()
}

fn said(line: &Value) -> Value {
    serde_json::from_str(line["value"].as_str().unwrap()).unwrap()
}

#[test]
fn a_tool_waits_for_its_answer() {
    let mut bed = Bed::running(Speaker::Early);
    asks(&mut bed, "a");
    asks(&mut bed, "b");
    let asked: Vec<_> = bed
        .outputs
        .iter()
        .filter_map(|output| if let Output::Ask(request) = output { Some(request.clone()) } else { None })
        .collect();
    assert_eq!(asked.len(), 2);
    assert_eq!((asked[0].power, &asked[0].shape), (Power::Shell, &Shape::Command { command: "make".into() }));
    let allow = Answer::Allow { input: json!({ "command": "make" }), message: None };
    bed.input(Input::Permission { call: asked[0].call.clone(), decision: allow.clone() });
    bed.input(Input::Permission {
        call: asked[1].call.clone(),
        decision: Answer::Deny { message: "no".into() },
    });
    assert_eq!(bed.written[0]["id"], "ask-a");
    assert_eq!(said(&bed.written[0]), json!({ "allow": true, "input": { "command": "make" } }));
    assert_eq!(said(&bed.written[1]), json!({ "allow": false, "reason": "no" }));
    ends(&mut bed, "a", false);
    ends(&mut bed, "b", true);
    assert_eq!(outcomes(&bed), [ToolOutcome::Ok, ToolOutcome::Denied]);
    // An answer that comes too late goes nowhere.
    bed.written.clear();
    bed.input(Input::Permission { call: asked[0].call.clone(), decision: allow });
    assert!(bed.written.is_empty());
}

#[test]
fn what_is_open_when_the_turn_ends_is_withdrawn() {
    let mut bed = Bed::running(Speaker::Recent);
    asks(&mut bed, "a");
    bed.input(Input::Interrupt);
    bed.end();
    assert!(bed.outputs.contains(&Output::AskWithdrawn { call: "ask-a".into() }));
    let cancelled = bed.written.iter().find(|line| line["id"] == "ask-a").unwrap();
    assert_eq!(cancelled["cancelled"], true);
}

#[test]
fn a_question_that_makes_no_sense_is_answered_with_no() {
    let mut bed = Bed::running(Speaker::Recent);
    bed.event(json!({
        "type": "extension_ui_request", "id": "x", "method": "input", "title": "paseo", "placeholder": "what",
    }));
    assert_eq!(bed.written[0]["cancelled"], true);
    assert!(bed.outputs.iter().all(|output| !matches!(output, Output::Ask(_))));
}

#[test]
fn extensions_of_the_user_may_ask_people() {
    let allow = |words: Option<&str>| Answer::Allow { input: Value::Null, message: words.map(str::to_owned) };
    let deny = Answer::Deny { message: "no".into() };
    for (method, answer, expected) in [
        ("confirm", allow(None), json!({ "confirmed": true })),
        ("confirm", deny.clone(), json!({ "confirmed": false })),
        ("select", allow(Some("red")), json!({ "value": "red" })),
        ("select", allow(Some("blue")), json!({ "cancelled": true })),
        ("select", Answer::Choose { answers: vec![vec!["green".into()]] }, json!({ "value": "green" })),
        ("select", deny, json!({ "cancelled": true })),
    ] {
        let mut bed = Bed::running(Speaker::Early);
        bed.event(json!({
            "type": "extension_ui_request", "id": "q", "method": method, "title": "Which?", "options": ["red", "green"],
        }));
        let Some(Output::Ask(request)) = bed.outputs.first().cloned() else { panic!("{:?}", bed.outputs) };
        assert_eq!(request.shape, Shape::Question { text: "Which?\n- red\n- green".into() });
        bed.input(Input::Permission { call: request.call, decision: answer });
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(&bed.written[0][name], value, "{method}");
        }
    }
}

#[test]
fn decorations_are_passed_over_and_words_are_notices() {
    let mut bed = Bed::running(Speaker::Early);
    for method in ["setStatus", "setWidget", "setTitle"] {
        bed.event(
            json!({ "type": "extension_ui_request", "id": "d", "method": method, "statusKey": "theirs" }),
        );
    }
    assert_eq!(bed.outputs, []);
    bed.event(json!({ "type": "extension_ui_request", "id": "n", "method": "notify", "message": "mind" }));
    assert_eq!(bed.notices(), ["extension"]);
}
