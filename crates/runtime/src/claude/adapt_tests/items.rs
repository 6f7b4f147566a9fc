//! The items that come of what the agent says, does and asks for.

use paseo_core::id::ItemId;
use paseo_core::item::{Kind, ToolCallExtra, ToolClass, ToolOutcome, ToolResultExtra, Usage};
use paseo_core::permission::{Form, Power, Request, Shape};
use paseo_core::time::Timestamp;
use serde_json::{Value, json};

use super::{Play, fixture, lines_of, position, turn, word};
use crate::driver::{Action, Adapter as _};
use crate::lines::{Damage, Line};
use crate::provider::{Answer, DeltaKind, Input, Output, TurnEnd};

#[test]
fn what_grows_and_what_is_finished_have_the_same_id() {
    let mut play = Play::new();
    let turn = play.turn(1);
    play.lines(&lines_of!("tool_fails", turn));
    let mut growing: Vec<(ItemId, DeltaKind, String)> = Vec::new();
    let mut finished = Vec::new();
    for output in &play.told {
        match output {
            Output::Delta { item, kind, text } => match growing.iter_mut().find(|(id, ..)| id == item) {
                Some((_, _, grown)) => grown.push_str(text),
                None => growing.push((*item, *kind, text.clone())),
            },
            Output::Item { id, draft, .. } if matches!(draft.kind, Kind::AssistantText | Kind::Thinking) => {
                let kind =
                    if draft.kind == Kind::Thinking { DeltaKind::Thinking } else { DeltaKind::AssistantText };
                finished.push((*id, kind, draft.text.clone().unwrap()));
            }
            _ => {}
        }
    }
    assert_eq!(growing, finished);
    let texts: Vec<_> = finished.iter().map(|(_, _, text)| text.as_str()).collect();
    assert_eq!(texts, ["hmm", "hello", "done [turns=1 tools=1 model=claude-sonnet-4-5]"]);
}

#[test]
fn a_call_and_its_result_say_what_was_done() {
    let mut play = Play::new();
    let turn = play.turn(1);
    let lines = lines_of!("tool_fails", turn);
    let asked = position(&lines, "can_use_tool");
    play.lines(&lines[..=asked]);
    let Some(Output::Ask(request)) = play.told.last().cloned() else { panic!("no ask") };
    assert_eq!((request.tool.as_str(), request.power), ("Bash", Power::Shell));
    assert_eq!(request.shape, Shape::Command { command: "echo hi > f; exit 3".into() });
    // A person takes their time, which is not the command's.
    play.now += 60_000;
    let allow = Answer::Allow { input: request.input.clone(), message: None };
    play.input(Input::Permission { call: request.call.clone(), decision: allow });
    let answer = &play.written.last().unwrap()["response"];
    assert_eq!(answer["request_id"], request.call);
    assert_eq!(answer["response"], json!({ "behavior": "allow", "updatedInput": request.input }));
    play.lines(&lines[asked + 1..]);
    let (mut steps, mut extras) = (Vec::new(), Vec::new());
    for output in &play.told {
        let Output::Item { step, draft, .. } = output else { continue };
        steps.push((*step, draft.kind.word()));
        match &draft.kind {
            Kind::ToolCall { name, class, call } => {
                assert_eq!(
                    (name.as_str(), *class, call.as_str()),
                    ("Bash", ToolClass::Execute, "toolu_1_1_0_2")
                );
                let input: Value = serde_json::from_str(draft.text.as_deref().unwrap()).unwrap();
                assert_eq!(input["command"], "echo hi > f; exit 3");
                let extra: ToolCallExtra = serde_json::from_str(draft.extra.as_deref().unwrap()).unwrap();
                extras.push(extra.title);
            }
            Kind::ToolResult { outcome, exit_code, duration_ms, .. } => {
                assert_eq!((*outcome, *exit_code), (ToolOutcome::Error, Some(3)));
                assert_eq!(draft.text.as_deref(), Some("Exit code 3"));
                assert!(*duration_ms < 1_000, "{duration_ms}");
            }
            _ => {}
        }
    }
    assert_eq!(extras, ["echo hi > f; exit 3"]);
    let said: Vec<_> =
        steps.iter().filter(|(_, word)| *word == "assistant_text").map(|(step, _)| *step).collect();
    assert_eq!(said, [1, 2]);
}

#[test]
fn changed_files_are_shown_as_diffs_and_turns_cost_what_they_add() {
    let mut play = Play::new();
    let first = play.turn(1);
    let lines = lines_of!("files", first, turn(2));
    let end = position(&lines, r#""state":"idle""#);
    play.lines(&lines[..=end]);
    let diffs: Vec<String> = play
        .told
        .iter()
        .filter_map(|output| match output {
            Output::Item { draft, .. } if matches!(draft.kind, Kind::ToolResult { .. }) => {
                draft.extra.as_deref()
            }
            _ => None,
        })
        .flat_map(|extra| serde_json::from_str::<ToolResultExtra>(extra).unwrap().diffs)
        .map(|diff| diff.patch)
        .collect();
    let created = "--- /dev/null\n+++ /project/a.txt\n@@ -0,0 +1,1 @@\n+one\\ntwo\n";
    let edited = "--- /project/a.txt\n+++ /project/a.txt\n@@ -1,1 +1,1 @@\n-one\\ntwo\n\
        \\ No newline at end of file\n+uno\\ntwo\n\\ No newline at end of file\n";
    assert_eq!(diffs, [created, edited]);
    let codes: Vec<_> = play
        .kinds()
        .into_iter()
        .filter_map(|kind| match kind {
            Kind::ToolResult { outcome, exit_code, .. } => Some((*outcome, *exit_code)),
            _ => None,
        })
        .collect();
    let ok = ToolOutcome::Ok;
    assert_eq!(codes, [(ok, None), (ok, None), (ok, None), (ok, Some(0))]);
    play.turn(2);
    play.lines(&lines[end + 1..]);
    let costs: Vec<_> = play
        .kinds()
        .into_iter()
        .filter_map(|kind| match kind {
            Kind::Usage(usage) => Some(*usage),
            _ => None,
        })
        .collect();
    let first = Usage { input_tokens: 6000, output_tokens: 50, cached_tokens: 0, cost_micros: Some(18_750) };
    let second =
        Usage { input_tokens: 2900, output_tokens: 10, cached_tokens: 500, cost_micros: Some(7_500) };
    assert_eq!(costs, [first, second]);
}

#[test]
fn an_ask_is_withdrawn_when_the_harness_says_so() {
    let mut play = Play::new();
    let turn = play.turn(1);
    let lines = lines_of!("withdrawn", turn);
    let cancelled = position(&lines, "control_cancel_request");
    play.lines(&lines[..cancelled]);
    play.input(Input::Interrupt);
    let Some(Output::Ask(request)) = play.told.last().cloned() else { panic!("no ask") };
    play.lines(&lines[cancelled..]);
    assert!(play.told.contains(&Output::AskWithdrawn { call: request.call.clone() }));
    assert_eq!(play.told.last(), Some(&Output::TurnEnded { turn, end: TurnEnd::Interrupted }));
    // A late answer goes nowhere.
    let written = play.written.len();
    play.input(Input::Permission { call: request.call, decision: Answer::Deny { message: "no".into() } });
    assert_eq!(play.written.len(), written);
}

#[test]
fn a_denied_call_is_denied_in_the_transcript() {
    let mut play = Play::new();
    let turn = play.turn(1);
    let lines = lines_of!("denied", turn);
    let asked = position(&lines, "can_use_tool");
    play.lines(&lines[..=asked]);
    let Some(Output::Ask(request)) = play.told.last().cloned() else { panic!("no ask") };
    play.input(Input::Permission {
        call: request.call,
        decision: Answer::Deny { message: "no thanks".into() },
    });
    let answer = &play.written.last().unwrap()["response"]["response"];
    assert_eq!(answer, &json!({ "behavior": "deny", "message": "no thanks" }));
    play.lines(&lines[asked + 1..]);
    let denied = Kind::ToolResult {
        call: "toolu_39_1_0_0".into(),
        outcome: ToolOutcome::Denied,
        exit_code: None,
        duration_ms: 0,
    };
    let found = play.kinds().into_iter().any(|kind| {
        matches!((kind, &denied), (Kind::ToolResult { call, outcome, exit_code: None, .. },
            Kind::ToolResult { call: expected, outcome: same, .. }) if call == expected && outcome == same)
    });
    assert!(found, "{:?}", play.kinds());
}

#[test]
fn a_question_is_answered_by_a_person_in_words() {
    let mut play = Play::new();
    let turn = play.turn(1);
    let lines = lines_of!("question", turn);
    let asked = position(&lines, "can_use_tool");
    play.lines(&lines[..=asked]);
    let Some(Output::Ask(request)) = play.told.last().cloned() else { panic!("no ask") };
    assert_eq!(request.shape, Shape::Question { text: "Which?\n- A: a\n- B: b".into() });
    // What is allowed of a question is what was asked.
    play.input(Input::Permission {
        call: request.call,
        decision: Answer::Allow { input: Value::Null, message: None },
    });
    let answer = &play.written.last().unwrap()["response"]["response"];
    assert_eq!(answer["updatedInput"], request.input);
}

#[test]
fn our_own_tools_need_no_leave() {
    let mut play = Play::with(&["paseo-tools"], false);
    let turn = play.turn(1);
    play.lines(&lines_of!("tool_fails", turn)[..8]);
    play.take();
    let ask = |tool: &str| {
        json!({ "type": "control_request", "request_id": "r", "request": {
            "subtype": "can_use_tool", "tool_name": tool, "input": { "to": "3f2a" } } })
        .to_string()
    };
    play.line(&ask("mcp__paseo-tools__agents_message"));
    assert_eq!(play.told, []);
    let answer = &play.written.last().unwrap()["response"]["response"];
    assert_eq!(answer, &json!({ "behavior": "allow", "updatedInput": { "to": "3f2a" } }));
    play.line(&ask("mcp__theirs__agents_message"));
    assert_eq!(play.words(), ["ask"]);
}

#[test]
fn what_a_subagent_says_stands_under_its_call() {
    let mut play = Play::new();
    let turn = play.turn(1);
    play.lines(&lines_of!("subagent", turn));
    let under: Vec<_> = play
        .told
        .iter()
        .filter_map(|output| match output {
            Output::Item { parent: Some(parent), draft, .. } => Some((parent.as_str(), draft.kind.word())),
            _ => None,
        })
        .collect();
    assert_eq!(under, [("toolu_56_1_0_0", "assistant_text")]);
    assert!(!play.words().contains(&"raw"), "{:?}", play.told);
    assert_eq!(play.end(), &TurnEnd::Completed);
}

#[test]
fn a_subagent_in_the_background_begins_no_turn() {
    let mut play = Play::new();
    let line = json!({ "type": "assistant", "parent_tool_use_id": "t1",
        "message": { "id": "m", "content": [{ "type": "text", "text": "still here" }] } });
    play.line(&line.to_string());
    assert_eq!(play.words(), ["assistant_text"]);
}

#[test]
fn compaction_is_told() {
    let mut play = Play::new();
    let first = play.turn(1);
    let lines = lines_of!("compact", first, turn(2));
    let idle = position(&lines, r#""state":"idle""#);
    play.lines(&lines[..=idle]);
    play.take();
    let second = play.turn(2);
    play.lines(&lines[idle + 1..]);
    let codes: Vec<_> = play
        .kinds()
        .into_iter()
        .filter_map(|kind| match kind {
            Kind::Notice { code } => Some(code.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(codes, ["compacted", "summary", "command_output"]);
    assert!(play.told.contains(&Output::Handed { turn: second }));
    assert_eq!(play.told.last(), Some(&Output::TurnEnded { turn: second, end: TurnEnd::Completed }));
}

#[test]
fn a_server_of_ours_that_failed_is_told_once() {
    let mut play = Play::with(&["Paseo"], false);
    let first = play.turn(1);
    play.lines(&lines_of!("files", first, turn(2)));
    let failed =
        play.kinds().into_iter().filter(|kind| matches!(kind, Kind::Notice { code } if code == "mcp_failed"));
    assert_eq!(failed.count(), 1);
}

#[test]
fn bad_lines_are_kept_and_harm_nobody() {
    let mut play = Play::new();
    let turn = play.turn(1);
    for bad in
        ["not json", r#"{"type":"assistant","message":7}"#, r#"{"type":"brand_new","x":1}"#, "[]", "\u{fffd}"]
    {
        play.line(bad);
    }
    play.line("");
    play.line(r#"{"type":"keep_alive"}"#);
    let kept: Vec<_> = play.take().iter().map(word).collect();
    assert_eq!(kept, ["raw"; 5]);
    let cut = Line { text: "{\"type\":\"user\"".into(), damage: Some(Damage::TooLong { bytes: 70_000_000 }) };
    let actions = play.adapter.line(&cut, Timestamp::from_millis(1));
    play.act(actions);
    assert_eq!(play.words(), ["notice", "raw"]);
    play.lines(&lines_of!("tool_fails", turn));
    assert_eq!(play.end(), &TurnEnd::Completed);
}

#[test]
fn a_request_that_we_cannot_answer_is_answered_so() {
    let mut play = Play::new();
    play.line(
        r#"{"type":"control_request","request_id":"r9","request":{"subtype":"brand_new","message":"?"}}"#,
    );
    assert_eq!(play.written[0]["response"]["subtype"], "error");
    assert_eq!(play.written[0]["response"]["request_id"], "r9");
    assert_eq!(play.words(), ["raw"]);
}

/// Lets an MCP server ask a person, and returns what the daemon is told.
fn elicited(play: &mut Play, mut request: Value) -> Option<Request> {
    request["subtype"] = "elicitation".into();
    request["mcp_server_name"] = "theirs".into();
    request["message"] = "Who?".into();
    play.line(&json!({ "type": "control_request", "request_id": "r9", "request": request }).to_string());
    match play.take().pop() {
        Some(Output::Ask(request)) => Some(request),
        _ => None,
    }
}

#[test]
fn a_form_of_a_server_is_filled_in_declined_or_canceled() {
    let content = json!({ "name": "Ann", "size": 3 }).as_object().unwrap().clone();
    for (answer, expected) in [
        (
            Answer::Fill { content: content.clone() },
            json!({ "action": "accept", "content": { "name": "Ann", "size": 3 } }),
        ),
        (Answer::Deny { message: "no".to_owned() }, json!({ "action": "decline" })),
        (Answer::Cancel, json!({ "action": "cancel" })),
        (Answer::Allow { input: Value::Null, message: None }, json!({ "action": "decline" })),
    ] {
        let mut play = Play::new();
        let properties = json!({ "name": { "type": "string" }, "size": { "type": "integer" } });
        let schema = json!({ "type": "object", "properties": properties, "required": ["name"] });
        let order = json!(["size", "name"]);
        let asked = json!({ "mode": "form", "requested_schema": schema, "property_order": order });
        let request = elicited(&mut play, asked).unwrap();
        let text = "The MCP server theirs asks: Who?\n- size (whole number)\n- name (text, required)";
        assert_eq!(request.shape, Shape::Question { text: text.to_owned() });
        play.input(Input::Permission { call: request.call, decision: answer });
        assert_eq!(play.written[0]["response"]["subtype"], "success");
        assert_eq!(play.written[0]["response"]["request_id"], "r9");
        assert_eq!(play.written[0]["response"]["response"], expected);
    }
}

#[test]
fn a_link_of_a_server_is_accepted_and_what_nobody_can_fill_in_is_declined() {
    let mut play = Play::new();
    let request = elicited(&mut play, json!({ "mode": "url", "url": "https://x.example/" })).unwrap();
    assert_eq!(request.form, Some(Form::Link { url: "https://x.example/".to_owned() }));
    let decision = Answer::Allow { input: Value::Null, message: None };
    play.input(Input::Permission { call: request.call, decision });
    assert_eq!(play.written[0]["response"]["response"], json!({ "action": "accept" }));
    let nested = json!({ "type": "object", "properties": { "x": { "type": "object" } } });
    assert!(elicited(&mut play, json!({ "mode": "form", "requested_schema": nested })).is_none());
    assert_eq!(play.written[1]["response"]["response"], json!({ "action": "decline" }));
}

#[test]
fn a_line_of_fifty_megabytes_is_an_item() {
    let mut play = Play::new();
    let text = "x".repeat(50 * 1024 * 1024);
    let line = json!({ "type": "assistant", "message": { "id": "m", "content": [{ "type": "text", "text": text }] } });
    play.line(&line.to_string());
    assert_eq!(play.words(), ["began", "assistant_text"]);
}

#[test]
fn whoever_must_ask_is_asked_before_the_settings_are() {
    let mut play = Play::asking();
    play.begin();
    assert_eq!(play.written[0]["request"]["subtype"], "initialize");
    let hook = |call: &str, tool: &str, input: Value| {
        let about =
            json!({ "cwd": "/project/sub", "tool_name": tool, "tool_input": input, "tool_use_id": call });
        json!({ "type": "control_request", "request_id": format!("h-{call}"),
            "request": { "subtype": "hook_callback", "callback_id": "before_tool", "input": about } })
        .to_string()
    };
    play.turn(1);
    play.line(&hook("c1", "Bash", json!({ "command": "touch x" })));
    let answer = &play.written.last().unwrap()["response"];
    assert_eq!(answer["request_id"], "h-c1");
    assert_eq!(answer["response"]["hookSpecificOutput"]["permissionDecision"], "ask");
    play.line(&hook("c2", "Read", json!({ "file_path": "x" })));
    assert_eq!(play.written.last().unwrap()["response"]["response"], json!({}));
    // Where it is asked for is where the shell is.
    let ask = r#"{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"touch x"},"tool_use_id":"c1"}}"#;
    play.line(ask);
    let Some(Output::Ask(request)) = play.told.last() else { panic!("no ask") };
    assert_eq!(request.shape, Shape::Command { command: "cd /project/sub && touch x".into() });
    // One that nothing was told about cannot be kept.
    play.line(&ask.replace("c1", "c3"));
    let Some(Output::Ask(request)) = play.told.last() else { panic!("no ask") };
    assert!(!request.shape.is_storable());
}

#[test]
fn a_program_that_cannot_tell_before_a_tool_is_told_of() {
    let mut play = Play::asking();
    play.line(
        r#"{"type":"control_response","response":{"subtype":"error","request_id":"hooks","error":"no"}}"#,
    );
    assert!(matches!(play.kinds()[..], [Kind::Notice { code }] if code == "not_asked"), "{:?}", play.told);
}

#[test]
fn a_guarded_program_gets_nothing_before_it_tells_of_its_tools() {
    let answer = |subtype: &str| {
        let answer = json!({ "subtype": subtype, "request_id": "hooks" });
        json!({ "type": "control_response", "response": answer }).to_string()
    };
    let guarded = || {
        let mut play = Play::asking();
        play.adapter.session.guarded = true;
        play.begin();
        play.turn(1);
        assert!(!play.written.iter().any(|line| line["type"] == "user"), "{:?}", play.written);
        play
    };
    let mut play = guarded();
    play.line(&answer("success"));
    assert_eq!(play.written.last().unwrap()["type"], "user");

    let mut play = guarded();
    play.line(&answer("error"));
    assert!(!play.written.iter().any(|line| line["type"] == "user"));
    assert!(matches!(play.end(), TurnEnd::Failed(failed) if failed.code.word() == "cannot_guard"));
    assert_eq!(play.done.last(), Some(&Action::End));
    play.turn(2);
    assert!(matches!(play.end(), TurnEnd::Failed(_)), "nor later");

    let mut play = guarded();
    play.input(Input::Interrupt);
    assert_eq!(play.end(), &TurnEnd::Interrupted);
    play.line(&answer("success"));
    assert!(!play.written.iter().any(|line| line["type"] == "user"));
}

#[test]
fn a_continued_conversation_costs_only_what_is_new() {
    let mut play = Play::with(&[], true);
    play.begin();
    assert_eq!(play.written[0]["request"]["subtype"], "get_usage");
    play.line(r#"{"type":"control_response","response":{"subtype":"success","request_id":"cost-before","response":{"session":{"total_cost_usd":0.005}}}}"#);
    let turn = play.turn(1);
    play.lines(&lines_of!("tool_fails", turn));
    let cost = play.kinds().into_iter().find_map(|kind| match kind {
        Kind::Usage(usage) => usage.cost_micros,
        _ => None,
    });
    assert_eq!(cost, Some(1_900));
}
