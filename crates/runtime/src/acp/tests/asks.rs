//! What an agent asks leave for.

use paseo_core::permission::{Form, Power, Request, Shape};

use super::*;
use crate::files::{Accessed, Refused, What};

fn options() -> Value {
    json!([
        { "optionId": "always", "kind": "allow_always", "name": "Always" },
        { "optionId": "once", "kind": "allow_once", "name": "Once" },
        { "optionId": "no", "kind": "reject_once", "name": "No" },
    ])
}

fn asked(bed: &Bed) -> Request {
    let asked = bed.outputs.iter().rev().find_map(|output| match output {
        Output::Ask(request) => Some(request.clone()),
        _ => None,
    });
    asked.unwrap_or_else(|| panic!("nothing is asked: {:#?}", bed.outputs))
}

fn allow(request: &Request) -> Answer {
    Answer::Allow { input: request.input.clone(), message: None }
}

fn deny() -> Answer {
    Answer::Deny { message: "not today".to_owned() }
}

fn asks(bed: &mut Bed, id: u64, call: Value) -> Request {
    bed.ask(id, "session/request_permission", json!({ "toolCall": call, "options": options() }));
    asked(bed)
}

#[test]
fn a_command_is_asked_about_to_the_letter_and_allowed_once() {
    let mut bed = Bed::running();
    let call =
        json!({ "toolCallId": "c", "title": "make", "kind": "execute", "rawInput": { "command": "make" } });
    let request = asks(&mut bed, 7, call);
    assert_eq!((request.power, &request.shape), (Power::Shell, &Shape::Command { command: "make".into() }));
    bed.decide(&request.call, allow(&request));
    assert_eq!(bed.reply(7)["result"]["outcome"], json!({ "outcome": "selected", "optionId": "once" }));
    // Only what was shown is allowed.
    let call =
        json!({ "toolCallId": "d", "title": "rm", "kind": "execute", "rawInput": { "command": "rm" } });
    let other = asks(&mut bed, 8, call);
    bed.decide(&other.call, Answer::Allow { input: json!({ "command": "ls" }), message: None });
    assert_eq!(bed.reply(8)["result"]["outcome"]["optionId"], "no");
}

#[test]
fn a_denied_call_is_denied_in_the_transcript() {
    let mut bed = Bed::running();
    let call =
        json!({ "toolCallId": "c", "title": "make", "kind": "execute", "rawInput": { "command": "make" } });
    let request = asks(&mut bed, 7, call);
    bed.decide(&request.call, deny());
    assert_eq!(bed.reply(7)["result"]["outcome"]["optionId"], "no");
    bed.update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "failed" }));
    let denied = bed.drafts().into_iter().any(|draft| {
        matches!(draft.kind, Kind::ToolResult { outcome: paseo_core::item::ToolOutcome::Denied, .. })
    });
    assert!(denied, "{:#?}", bed.drafts());
}

#[test]
fn what_would_hold_for_good_is_never_chosen() {
    let mut bed = Bed::running();
    let options = json!([{ "optionId": "always", "kind": "allow_always", "name": "Always" }]);
    let call =
        json!({ "toolCallId": "c", "title": "make", "kind": "execute", "rawInput": { "command": "make" } });
    bed.ask(7, "session/request_permission", json!({ "toolCall": call, "options": options }));
    let request = asked(&bed);
    bed.decide(&request.call, allow(&request));
    assert_eq!(bed.reply(7)["result"]["outcome"]["outcome"], "cancelled");
}

#[test]
fn shapes_are_as_narrow_as_what_is_known() {
    let mut bed = Bed::running();
    let mut number = 10;
    let mut shape = |call: Value| {
        number += 1;
        let mut call = call;
        call["toolCallId"] = format!("c{number}").into();
        let asked = asks(&mut bed, number, call);
        (asked.power, asked.shape)
    };
    let file = |path: &str| Shape::File { path: path.to_owned() };
    let diff = json!({ "type": "diff", "path": "/project/a", "newText": "x" });
    assert_eq!(
        shape(json!({ "title": "a", "kind": "edit", "content": [diff] })),
        (Power::Write, file("/project/a"))
    );
    let places = json!([{ "path": "/project/a" }, { "path": "/project/b" }]);
    assert_eq!(
        shape(json!({ "title": "a", "kind": "delete", "locations": places })),
        (Power::Write, file(r#"["/project/a","/project/b"]"#))
    );
    let elsewhere = json!({ "command": "ls", "cwd": "/etc" });
    assert_eq!(
        shape(json!({ "title": "ls", "kind": "execute", "rawInput": elsewhere })).1,
        Shape::Command { command: "cd /etc && ls".to_owned() }
    );
    assert_eq!(
        shape(json!({ "title": "x", "kind": "fetch", "rawInput": { "url": "https://a:b@Example.org/x" } })),
        (Power::Net, Shape::Host { host: "example.org".to_owned() })
    );
    assert_eq!(shape(json!({ "title": "grep", "kind": "search" })).0, Power::Read);
    // What nobody knows counts as a shell, and about what says nothing no answer is kept.
    assert_eq!(shape(json!({ "title": "task" })), (Power::Shell, Shape::Tool { name: "task".to_owned() }));
    assert_eq!(
        shape(json!({ "title": "Run it", "kind": "execute" })),
        (Power::Shell, Shape::Unnamed { words: "Run it".to_owned() })
    );
    assert_eq!(
        shape(json!({ "title": "Write it", "kind": "edit" })),
        (Power::Write, Shape::Unnamed { words: "Write it".to_owned() })
    );
}

#[test]
fn our_own_tools_are_allowed_and_nothing_that_looks_like_them() {
    let mut bed = Bed::running();
    let ask = |bed: &mut Bed, id: u64, title: &str, kind: &str| {
        let call = json!({ "toolCallId": format!("c{id}"), "title": title, "kind": kind });
        bed.ask(id, "session/request_permission", json!({ "toolCall": call, "options": options() }));
    };
    ask(&mut bed, 7, "Paseo_set_title", "other");
    assert_eq!(bed.reply(7)["result"]["outcome"]["optionId"], "once");
    for (id, title, kind) in [
        (8, "Paseo_set_title; rm -rf /", "other"),
        (9, "Paseo_set_title", "execute"),
        (10, "Paseox", "other"),
        // A server of the user's whose name begins like ours.
        (11, "Paseo_x", "other"),
        (12, "Paseo_x_set_title", "other"),
        (13, "mcp__Paseo__x__set_title", "other"),
    ] {
        bed.outputs.clear();
        ask(&mut bed, id, title, kind);
        asked(&bed);
    }
}

#[test]
fn files_are_read_and_written_by_leave() {
    let mut bed = Bed::running();
    bed.ask(7, "fs/read_text_file", json!({ "path": "/project/a", "line": 2, "limit": 1 }));
    let request = asked(&bed);
    assert_eq!(request.power, Power::Read);
    bed.decide(&request.call, allow(&request));
    let access = bed.accesses.pop().unwrap();
    assert_eq!((access.directory.to_str(), &access.what), (Some("/project"), &What::Read));
    let actions =
        bed.conversation.accessed(Accessed { id: access.id, result: Ok(Some("a\nb\nc\n".into())) }, NOW);
    bed.take(actions);
    assert_eq!(bed.reply(7)["result"]["content"], "b\n");
    bed.ask(8, "fs/write_text_file", json!({ "path": "/project/a", "content": "new" }));
    let request = asked(&bed);
    assert_eq!(
        (request.power, request.shape.clone()),
        (Power::Write, Shape::File { path: "/project/a".into() })
    );
    bed.decide(&request.call, deny());
    assert_eq!(bed.reply(8)["error"]["message"], "not today");
    assert!(bed.accesses.is_empty());
}

#[test]
fn hard_links_are_followed_only_where_nothing_is_kept_from_the_agent() {
    let ask = Launch { permissions: Mode::Ask, ..launch() };
    let withheld = Launch { withheld: vec![Power::Shell], ..launch() };
    let guarded = Launch { guarded: true, ..launch() };
    for (launch, confined) in [(launch(), false), (ask, true), (withheld, true), (guarded, true)] {
        let mut bed = Bed::launched(launch);
        bed.ask(7, "fs/read_text_file", json!({ "path": "/project/a" }));
        let request = asked(&bed);
        bed.decide(&request.call, allow(&request));
        assert_eq!(bed.accesses.pop().unwrap().confined, confined);
    }
}

#[test]
fn a_file_that_cannot_be_served_is_told_why() {
    let mut bed = Bed::running();
    bed.ask(7, "fs/read_text_file", json!({ "path": "/project/a" }));
    let request = asked(&bed);
    bed.decide(&request.call, allow(&request));
    let access = bed.accesses.pop().unwrap();
    let missing = Accessed { id: access.id, result: Err(Refused::Missing("/project/a".into())) };
    let actions = bed.conversation.accessed(missing, NOW);
    bed.take(actions);
    assert_eq!(bed.reply(7)["error"]["code"], -32002);
}

#[test]
fn a_change_that_was_allowed_is_not_asked_about_twice() {
    let mut bed = Bed::running();
    let diff = json!({ "type": "diff", "path": "/project/a", "oldText": "", "newText": "new" });
    let call = json!({ "toolCallId": "c", "title": "a", "kind": "edit", "content": [diff] });
    let request = asks(&mut bed, 7, call);
    bed.decide(&request.call, allow(&request));
    bed.outputs.clear();
    bed.ask(8, "fs/write_text_file", json!({ "path": "/project/a", "content": "new" }));
    assert_eq!(bed.accesses.len(), 1);
    // Once, and only exactly this.
    for (id, text) in [(9, "new"), (10, "other")] {
        bed.outputs.clear();
        bed.ask(id, "fs/write_text_file", json!({ "path": "/project/a", "content": text }));
        asked(&bed);
    }
    assert_eq!(bed.accesses.len(), 1);
}

#[test]
fn whoever_is_guarded_is_asked_about_each_write_when_it_comes() {
    let mut bed = Bed::launched(Launch { guarded: true, ..launch() });
    let diff = json!({ "type": "diff", "path": "/project/a", "oldText": "", "newText": "new" });
    let call = json!({ "toolCallId": "c", "title": "a", "kind": "edit", "content": [diff] });
    let request = asks(&mut bed, 7, call);
    bed.decide(&request.call, allow(&request));
    bed.outputs.clear();
    bed.ask(8, "fs/write_text_file", json!({ "path": "/project/a", "content": "new" }));
    let request = asked(&bed);
    assert!(bed.accesses.is_empty());
    bed.decide(&request.call, deny());
    assert_eq!(bed.reply(8)["error"]["message"], "not today");
    assert!(bed.accesses.is_empty());
}

#[test]
fn a_file_is_named_by_an_absolute_path() {
    let mut bed = Bed::running();
    for (id, path) in [(7, "a"), (8, r#"["src/a"]"#), (9, "./a")] {
        bed.ask(id, "fs/write_text_file", json!({ "path": path, "content": "new" }));
        let refused = bed.reply(id)["error"]["message"].as_str().unwrap().to_owned();
        assert!(refused.contains("not absolute"), "{refused}");
    }
    assert!(bed.outputs.iter().all(|output| !matches!(output, Output::Ask(_))) && bed.accesses.is_empty());
}

#[test]
fn a_write_is_asked_about_unless_exactly_this_write_was_allowed() {
    let diff = |path: &str| json!({ "type": "diff", "path": path, "oldText": "", "newText": "new" });
    for (title, kind, changes) in [
        // In any mode these are allowed without a person.
        ("a", "read", vec![diff("/project/a")]),
        ("a", "search", vec![diff("/project/a")]),
        ("Paseo_set_title", "other", vec![diff("/project/a")]),
        ("a", "execute", vec![diff("/project/a")]),
        // Each of them may be denied.
        ("a", "edit", vec![diff("/project/a"), diff("/project/b")]),
    ] {
        let mut bed = Bed::running();
        let call = json!({ "toolCallId": "c", "title": title, "kind": kind, "content": changes });
        bed.ask(7, "session/request_permission", json!({ "toolCall": call, "options": options() }));
        if title == "a" {
            let request = asked(&bed);
            bed.decide(&request.call, allow(&request));
        }
        assert_eq!(bed.reply(7)["result"]["outcome"]["optionId"], "once", "{title} {kind}");
        bed.outputs.clear();
        bed.ask(8, "fs/write_text_file", json!({ "path": "/project/a", "content": "new" }));
        assert_eq!(asked(&bed).power, Power::Write, "{title} {kind}");
        assert!(bed.accesses.is_empty(), "{title} {kind}");
    }
}

#[test]
fn an_id_that_is_used_again_is_asked_about_and_denied_by_itself() {
    let mut bed = Bed::running();
    let call =
        json!({ "toolCallId": "c", "title": "make", "kind": "execute", "rawInput": { "command": "make" } });
    for id in [7, 8] {
        bed.outputs.clear();
        let request = asks(&mut bed, id, call.clone());
        bed.decide(&request.call, deny());
        assert_eq!(bed.reply(id)["result"]["outcome"]["optionId"], "no");
        bed.update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "failed" }));
        let denied = bed.drafts().into_iter().any(|draft| {
            matches!(draft.kind, Kind::ToolResult { outcome: paseo_core::item::ToolOutcome::Denied, .. })
        });
        assert!(denied, "{:#?}", bed.drafts());
    }
}

#[test]
fn a_stop_takes_open_questions_back() {
    let mut bed = Bed::running();
    let call =
        json!({ "toolCallId": "c", "title": "make", "kind": "execute", "rawInput": { "command": "make" } });
    let request = asks(&mut bed, 7, call.clone());
    bed.input(Input::Interrupt);
    assert_eq!(bed.reply(7)["result"]["outcome"]["outcome"], "cancelled");
    assert!(bed.outputs.contains(&Output::AskWithdrawn { call: request.call.clone() }));
    bed.written.clear();
    bed.decide(&request.call, allow(&request));
    assert!(bed.written.is_empty(), "the answer came too late");
    bed.ask(8, "session/request_permission", json!({ "toolCall": call, "options": options() }));
    assert_eq!(bed.reply(8)["result"]["outcome"]["outcome"], "cancelled");
}

fn question(kind: &str) -> Value {
    let options = json!([{ "label": "Blue", "description": "" }, { "label": "Red", "description": "warm" }]);
    let asked = json!([
        { "header": "Color", "question": "Which?", "options": options, "multiSelect": false },
        { "header": "Places", "question": "Where?", "options": options, "multiSelect": true },
    ]);
    let meta = json!({ "qwenInteractionKind": "user_question", "qwenQuestions": asked });
    json!({ "toolCallId": "q", "title": "Ask", "kind": kind, "rawInput": { "questions": [] }, "_meta": meta })
}

#[test]
fn questions_of_qwen_are_answered_by_their_numbers() {
    let mut bed = Bed::running();
    let request = asks(&mut bed, 7, question("think"));
    let text = "Which?\n- Blue\n- Red: warm\nWhere?\n- Blue\n- Red: warm";
    assert_eq!(request.shape, Shape::Question { text: text.into() });
    assert!(request.form.is_some());
    let answers = vec![vec!["Blue".to_owned()], vec!["Blue".to_owned(), "Red".to_owned()]];
    bed.decide(&request.call, Answer::Choose { answers });
    let result = &bed.reply(7)["result"];
    assert_eq!(result["outcome"], json!({ "outcome": "selected", "optionId": "once" }));
    assert_eq!(result["answers"], json!({ "0": "Blue", "1": "Blue, Red" }));

    let request = asks(&mut bed, 8, question("think"));
    bed.decide(&request.call, deny());
    assert_eq!(bed.reply(8)["result"], json!({ "outcome": { "outcome": "selected", "optionId": "no" } }));
}

#[test]
fn a_command_is_no_question_whatever_stands_beside_it() {
    let mut bed = Bed::running();
    let mut call = question("execute");
    call["rawInput"] = json!({ "command": "make" });
    let request = asks(&mut bed, 7, call);
    assert_eq!((&request.shape, &request.form), (&Shape::Command { command: "make".into() }, &None));
    bed.decide(&request.call, Answer::Choose { answers: vec![vec!["Blue".to_owned()]] });
    assert_eq!(bed.reply(7)["result"]["outcome"]["optionId"], "no");
}

#[test]
fn a_form_is_filled_in_declined_or_canceled() {
    let content = json!({ "question_0": "Blue" }).as_object().unwrap().clone();
    for (answer, expected) in [
        (Answer::Fill { content }, json!({ "action": "accept", "content": { "question_0": "Blue" } })),
        (deny(), json!({ "action": "decline" })),
        (Answer::Cancel, json!({ "action": "cancel" })),
    ] {
        let mut bed = Bed::running();
        let colors = json!([{ "const": "Blue", "title": "Blue", "description": "as the sky" }]);
        let properties = json!({
            "question_0": { "type": "string", "oneOf": colors },
            "question_1": { "type": "array", "items": { "anyOf": colors } },
            "question_0_custom": { "type": "string" },
        });
        let schema = json!({ "type": "object", "properties": properties });
        let params = json!({ "mode": "form", "message": "Which?", "requestedSchema": schema });
        bed.ask(7, "elicitation/create", params);
        let request = asked(&bed);
        assert!(matches!(&request.form, Some(Form::Fields { fields }) if fields.len() == 3), "{request:?}");
        bed.decide(&request.call, answer);
        assert_eq!(bed.reply(7)["result"], expected);
    }
    let mut bed = Bed::running();
    let schema = json!({ "type": "object", "properties": { "x": { "type": "object" } } });
    bed.ask(7, "elicitation/create", json!({ "mode": "form", "message": "?", "requestedSchema": schema }));
    assert_eq!(bed.reply(7)["result"], json!({ "action": "decline" }));
}

#[test]
fn a_plan_is_a_document_and_its_approval_grants_nothing_more() {
    let option = |id: &str, kind: &str| json!({ "optionId": id, "kind": kind, "name": id });
    let options = json!([
        option("exit-plan-bypass", "allow_once"),
        option("exit-plan-default", "allow_once"),
        option("exit-plan-auto", "allow_always"),
        option("reject", "reject_once"),
    ]);
    let call = json!({ "toolCallId": "p", "title": "Ready to code?", "kind": "switch_mode",
        "rawInput": { "plan": "# Tidy up" } });
    let shown = json!({ "toolCallId": "s", "title": "Ready to code?", "kind": "switch_mode",
        "content": [{ "type": "content", "content": { "type": "text", "text": "# Tidy up" } }] });
    for call in [call, shown] {
        let mut bed = Bed::running();
        for (id, answers) in [(7, true), (8, false)] {
            bed.ask(id, "session/request_permission", json!({ "toolCall": call, "options": options }));
            let request = asked(&bed);
            assert_eq!(request.form, Some(Form::Plan { text: "# Tidy up".into(), advance: false }));
            assert!(matches!(request.shape, Shape::Question { .. }), "a person decides in every mode");
            bed.decide(&request.call, if answers { allow(&request) } else { deny() });
        }
        assert_eq!(bed.reply(7)["result"]["outcome"]["optionId"], "exit-plan-default");
        assert_eq!(bed.reply(8)["result"]["outcome"]["optionId"], "reject");
    }
    // Another mode is no plan.
    let mut bed = Bed::running();
    let call = json!({ "toolCallId": "p", "title": "Plan first", "kind": "switch_mode" });
    assert_eq!(asks(&mut bed, 7, call).form, None);
}
