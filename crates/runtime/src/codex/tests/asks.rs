//! What codex asks leave for.

use paseo_core::item::{Kind, ToolOutcome};
use paseo_core::permission::{Form, Power, Request, Shape};
use serde_json::{Value, json};

use super::{Bed, THREAD, texts};
use crate::provider::{Answer, Input, Output};

impl Bed {
    /// Lets codex ask something.
    fn ask(&mut self, id: u64, method: &str, mut params: Value) {
        params["threadId"] = THREAD.into();
        params["turnId"] = "u1".into();
        self.line(&json!({ "method": method, "id": id, "params": params }).to_string());
    }

    /// Lets codex ask for leave to run a command, and returns the request.
    fn ask_command(&mut self, id: u64, command: &str, cwd: &str) -> Request {
        self.ask(
            id,
            "item/commandExecution/requestApproval",
            json!({ "kind": "command", "itemId": "c1", "startedAtMs": 1, "environmentId": "local",
                "command": command, "cwd": cwd, "commandActions": [{ "type": "unknown", "command": command }],
                "proposedExecpolicyAmendment": ["touch"], "availableDecisions": ["accept", "cancel"] }),
        );
        self.request_told()
    }

    fn request_told(&self) -> Request {
        let Some(Output::Ask(request)) = self.outputs.last() else { panic!("{:?}", self.outputs) };
        request.clone()
    }

    fn allow(&mut self, request: &Request) {
        let decision = Answer::Allow { input: request.input.clone(), message: None };
        self.input(Input::Permission { call: request.call.clone(), decision });
    }

    fn deny(&mut self, request: &Request) {
        let decision = Answer::Deny { message: "no".to_owned() };
        self.input(Input::Permission { call: request.call.clone(), decision });
    }
}

#[test]
fn a_command_is_asked_about_to_the_letter() {
    let mut bed = Bed::running();
    let command = "/bin/bash -lc 'touch g.txt'";
    let request = bed.ask_command(0, command, "/project");
    assert_eq!(
        request,
        Request {
            call: "0".to_owned(),
            tool: "shell".to_owned(),
            input: json!({ "command": command, "cwd": "/project" }),
            power: Power::Shell,
            shape: Shape::Command { command: "touch g.txt".to_owned() },
            form: None,
        }
    );
    bed.allow(&request);
    assert_eq!(bed.written, [json!({ "id": 0, "result": { "decision": "accept" } })]);
    bed.allow(&request);
    assert_eq!(bed.written.len(), 1, "answered once");
}

#[test]
fn a_command_elsewhere_is_another_command_and_one_that_reads_is_reading() {
    let mut bed = Bed::running();
    let request = bed.ask_command(1, "/bin/bash -lc 'make test'", "/elsewhere");
    let command = "cd /elsewhere && make test".to_owned();
    assert_eq!(request.shape, Shape::Command { command });
    assert_eq!(bed.ask_command(2, "/bin/bash -lc 'cat a'", "/project").power, Power::Read);
    assert_eq!(bed.ask_command(3, "/bin/bash -lc 'find . -delete'", "/project").power, Power::Shell);
}

#[test]
fn a_host_is_a_host_and_more_than_a_command_is_a_question() {
    let mut bed = Bed::running();
    let method = "item/commandExecution/requestApproval";
    let network = json!({ "host": "example.org", "protocol": "https" });
    bed.ask(1, method, json!({ "itemId": "c", "command": "curl", "networkApprovalContext": network }));
    let request = bed.request_told();
    assert_eq!((request.power, request.shape), (Power::Net, Shape::Host { host: "example.org".to_owned() }));
    for params in [
        json!({ "itemId": "c", "kind": "writeStdin", "command": "ls" }),
        json!({ "itemId": "c", "command": "ls", "additionalPermissions": { "network": true } }),
        json!({ "itemId": "c", "command": null }),
    ] {
        bed.ask(2, method, params);
        let request = bed.request_told();
        assert_eq!(request.power, Power::Shell);
        assert!(!request.shape.is_storable(), "{request:?}");
    }
    let request = bed.request_told();
    let decision = Answer::Allow { input: Value::Null, message: None };
    bed.input(Input::Permission { call: request.call, decision });
    assert_eq!(
        bed.written,
        [json!({ "id": 2, "result": { "decision": "accept" } })],
        "a question has no input"
    );
}

#[test]
fn what_is_denied_is_declined_and_so_is_what_differs_from_what_was_asked() {
    let mut bed = Bed::running();
    let request = bed.ask_command(0, "/bin/bash -lc 'touch g'", "/project");
    bed.deny(&request);
    let request = bed.ask_command(1, "/bin/bash -lc 'touch g'", "/project");
    let decision = Answer::Allow { input: json!({ "command": "rm -rf /" }), message: None };
    bed.input(Input::Permission { call: request.call, decision });
    let declined = |id: u64| json!({ "id": id, "result": { "decision": "decline" } });
    assert_eq!(bed.written, [declined(0), declined(1)]);
}

#[test]
fn a_change_is_asked_about_with_its_diff() {
    let mut bed = Bed::running();
    let change = |path: &str| json!({ "path": path, "kind": { "type": "add" }, "diff": "hello\n" });
    let changes = json!([change("/project/f.txt")]);
    bed.item(
        1,
        "started",
        json!({ "type": "fileChange", "id": "f", "changes": changes, "status": "inProgress" }),
    );
    let params = json!({ "itemId": "f", "startedAtMs": 1, "reason": null, "grantRoot": null });
    bed.ask(0, "item/fileChange/requestApproval", params.clone());
    let request = bed.request_told();
    let shown = json!({ "changes": [{ "path": "/project/f.txt", "kind": "add", "diff": "hello\n" }] });
    assert_eq!((request.tool.as_str(), &request.input, request.power), ("apply_patch", &shown, Power::Write));
    assert_eq!(request.shape, Shape::File { path: "/project/f.txt".to_owned() });
    bed.deny(&request);
    assert_eq!(bed.written, [json!({ "id": 0, "result": { "decision": "decline" } })]);

    let two = json!([change("/a"), change("/b")]);
    bed.item(1, "started", json!({ "type": "fileChange", "id": "g", "changes": two }));
    bed.ask(1, "item/fileChange/requestApproval", json!({ "itemId": "g" }));
    assert_eq!(bed.request_told().shape, Shape::File { path: r#"["/a","/b"]"#.to_owned() });
    let moved = json!([{ "path": "/a", "kind": { "type": "update", "move_path": "/b" }, "diff": "" }]);
    bed.item(1, "started", json!({ "type": "fileChange", "id": "h", "changes": moved }));
    bed.ask(3, "item/fileChange/requestApproval", json!({ "itemId": "h" }));
    assert_eq!(
        bed.request_told().shape,
        Shape::File { path: r#"["/a","/b"]"#.to_owned() },
        "both are written"
    );
    for params in [json!({ "itemId": "unknown" }), json!({ "itemId": "f", "grantRoot": "/" })] {
        bed.ask(2, "item/fileChange/requestApproval", params);
        assert!(!bed.request_told().shape.is_storable());
    }
}

fn approval(server: &str) -> Value {
    json!({ "serverName": server, "mode": "form", "message": "Allow the server to run tool \"whoami\"?",
        "_meta": { "codex_approval_kind": "mcp_tool_call", "persist": ["session"], "tool_params": { "a": 1 } },
        "requestedSchema": { "type": "object", "properties": {} } })
}

#[test]
fn a_tool_of_the_users_server_is_asked_about_and_ours_is_not() {
    let mut bed = Bed::running();
    let call = json!({ "type": "mcpToolCall", "id": "m", "server": "theirs", "tool": "whoami",
        "status": "inProgress", "arguments": { "a": 1 } });
    bed.item(1, "started", call.clone());
    bed.outputs.clear();
    bed.ask(0, "mcpServer/elicitation/request", approval("paseo-tools"));
    assert_eq!(bed.written, [json!({ "id": 0, "result": { "action": "accept", "content": {} } })]);
    assert_eq!(bed.outputs, []);
    bed.ask(1, "mcpServer/elicitation/request", approval("theirs"));
    let request = bed.request_told();
    assert_eq!(request.input, json!({ "server": "theirs", "tool": "whoami", "arguments": { "a": 1 } }));
    assert_eq!(request.shape, Shape::Tool { name: "mcp__theirs__whoami".to_owned() });
    assert_eq!(request.power, Power::Shell);
    bed.deny(&request);
    assert_eq!(bed.written[1], json!({ "id": 1, "result": { "action": "decline", "content": null } }));
    let mut failed = call;
    failed["status"] = "failed".into();
    bed.item(1, "completed", failed);
    let last = *bed.drafts().last().unwrap();
    assert!(matches!(last.kind, Kind::ToolResult { outcome: ToolOutcome::Denied, .. }), "{last:?}");
}

#[test]
fn which_of_two_equal_calls_is_meant_nobody_knows() {
    let mut bed = Bed::running();
    for id in ["m", "n"] {
        let call = json!({ "type": "mcpToolCall", "id": id, "server": "theirs", "tool": id, "arguments": { "a": 1 } });
        bed.item(1, "started", call);
    }
    bed.ask(1, "mcpServer/elicitation/request", approval("theirs"));
    let request = bed.request_told();
    let Shape::Question { text } = &request.shape else { panic!("{request:?}") };
    assert!(text.contains("run tool \"whoami\"") && text.contains("\"a\": 1"), "{text}");
}

#[test]
fn a_form_of_a_server_is_filled_in_declined_or_canceled() {
    let content = json!({ "name": "Ann" }).as_object().unwrap().clone();
    let accepted = json!({ "action": "accept", "content": { "name": "Ann" } });
    let without = |action: &str| json!({ "action": action, "content": null });
    for (answer, expected) in [
        (Answer::Fill { content }, accepted),
        (Answer::Deny { message: "no".to_owned() }, without("decline")),
        (Answer::Cancel, without("cancel")),
        // A yes alone fills in nothing.
        (Answer::Allow { input: Value::Null, message: None }, without("decline")),
    ] {
        let mut bed = Bed::running();
        let schema =
            json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
        let form =
            json!({ "serverName": "theirs", "mode": "form", "message": "Who?", "requestedSchema": schema });
        bed.ask(0, "mcpServer/elicitation/request", form);
        let request = bed.request_told();
        let text = "The MCP server theirs asks: Who?\n- name (text, required)";
        assert_eq!(request.shape, Shape::Question { text: text.into() });
        assert!(matches!(&request.form, Some(Form::Fields { fields }) if fields.len() == 1));
        bed.input(Input::Permission { call: request.call, decision: answer });
        assert_eq!(bed.written, [json!({ "id": 0, "result": expected })]);
    }
}

#[test]
fn a_form_that_nobody_can_fill_in_is_declined_and_kept() {
    let mut bed = Bed::running();
    let schema = json!({ "type": "object", "properties": { "x": { "type": "object" } } });
    let form = json!({ "serverName": "theirs", "mode": "form", "message": "?", "requestedSchema": schema });
    bed.ask(0, "mcpServer/elicitation/request", form);
    bed.ask(
        1,
        "mcpServer/elicitation/request",
        json!({ "serverName": "theirs", "mode": "openai/userVerification", "message": "?" }),
    );
    assert_eq!(bed.written[0]["result"], json!({ "action": "decline", "content": null }));
    assert_eq!(bed.written[1]["result"]["action"], "decline");
    assert_eq!(texts(&bed.drafts(), "raw").len(), 2);
}

#[test]
fn a_link_of_a_server_is_shown_and_accepted() {
    let mut bed = Bed::running();
    let link =
        json!({ "serverName": "theirs", "mode": "url", "message": "Log in", "url": "http://127.0.0.1/" });
    bed.ask(1, "mcpServer/elicitation/request", link);
    let request = bed.request_told();
    let Shape::Question { text } = &request.shape else { panic!("{request:?}") };
    assert!(text.contains("http://127.0.0.1/"), "{text}");
    assert_eq!(request.form, Some(Form::Link { url: "http://127.0.0.1/".into() }));
    bed.allow(&request);
    assert_eq!(bed.written[0]["result"], json!({ "action": "accept", "content": null }));
}

fn secret(bed: &mut Bed, question: &str) {
    bed.ask(
        7,
        "item/tool/requestUserInput",
        json!({ "itemId": "q1", "questions": [
            { "id": "pin", "question": question, "isSecret": true, "options": null }] }),
    );
}

#[test]
fn a_secret_reaches_codex_and_not_the_transcript() {
    // By the id of its call, and by the name of the tool where codex does not say which call asked.
    for item in ["q1", "q2"] {
        let mut bed = Bed::running();
        secret(&mut bed, "PIN?");
        let request = bed.request_told();
        assert!(matches!(&request.form, Some(Form::Questions { questions }) if questions[0].secret));
        let answers = vec![vec!["hunter2".to_owned()]];
        bed.input(Input::Permission { call: request.call, decision: Answer::Choose { answers } });
        assert_eq!(bed.written[0]["result"]["answers"]["pin"]["answers"], json!(["hunter2"]));
        let call = json!({ "type": "function_call", "name": "request_user_input", "call_id": item, "arguments": "{}" });
        let output = r#"{"answers":{"pin":{"answers":["hunter2"]}}}"#;
        let result = json!({ "type": "function_call_output", "call_id": item, "output": output });
        for item in [call, result] {
            bed.say("rawResponseItem/completed", json!({ "turnId": "u1", "item": item }));
        }
        let drafts = bed.drafts();
        assert_eq!(texts(&drafts, "tool_result"), ["A secret answer was given."]);
        assert!(!format!("{drafts:?}").contains("hunter2"));
    }
}

#[test]
fn a_secret_is_not_asked_for_where_it_would_be_seen() {
    let mut bed = Bed::running();
    // Too large for a form, so that it would be answered in a message.
    secret(&mut bed, &"x".repeat(100_000));
    assert_eq!(bed.written, [json!({ "id": 7, "result": { "answers": {} } })]);
    assert!(!bed.outputs.iter().any(|output| matches!(output, Output::Ask(_))));
}

#[test]
fn more_permissions_are_granted_for_the_turn_or_not_at_all() {
    let mut bed = Bed::running();
    let wanted = json!({ "network": { "enabled": true }, "fileSystem": null });
    let params = json!({ "itemId": "p", "cwd": "/project", "reason": "to fetch", "permissions": wanted });
    bed.ask(0, "item/permissions/requestApproval", params.clone());
    let request = bed.request_told();
    bed.allow(&request);
    bed.ask(1, "item/permissions/requestApproval", params);
    let request = bed.request_told();
    bed.deny(&request);
    let granted = json!({ "permissions": { "network": { "enabled": true } }, "scope": "turn" });
    assert_eq!(bed.written[0]["result"], granted);
    assert_eq!(bed.written[1]["result"], json!({ "permissions": {}, "scope": "turn" }));
}

#[test]
fn an_ask_that_codex_settles_or_whose_turn_ends_is_withdrawn() {
    let mut bed = Bed::running();
    let answered = bed.ask_command(0, "make", "/project");
    bed.allow(&answered);
    bed.ask_command(1, "make", "/project");
    bed.ask_command(2, "make", "/project");
    bed.outputs.clear();
    for id in [0, 1] {
        bed.say("serverRequest/resolved", json!({ "requestId": id }));
    }
    assert_eq!(bed.outputs, [Output::AskWithdrawn { call: "1".to_owned() }], "the first was answered");
    bed.complete(1, "interrupted");
    assert_eq!(bed.outputs[1], Output::AskWithdrawn { call: "2".to_owned() });
}

#[test]
fn a_request_that_nobody_knows_is_refused_and_kept() {
    let mut bed = Bed::running();
    for method in ["item/tool/call", "item/tool/requestUserInput", "something/new"] {
        bed.written.clear();
        bed.ask(7, method, json!({ "tool": "x" }));
        assert_eq!(bed.written.len(), 1);
        assert_eq!((&bed.written[0]["id"], &bed.written[0]["error"]["code"]), (&json!(7), &json!(-32601)));
    }
    assert_eq!(texts(&bed.drafts(), "raw").len(), 3);
}

#[test]
fn questions_with_options_are_put_to_a_person_and_answered_by_their_ids() {
    let ask = |bed: &mut Bed| {
        bed.ask(
            7,
            "item/tool/requestUserInput",
            json!({ "itemId": "q1", "isBlocking": true, "questions": [
                { "id": "color", "header": "Color", "question": "Which color?", "isOther": true, "isSecret": false,
                  "options": [{ "label": "Blue", "description": "as the sky" }, { "label": "Red", "description": "" }] },
                { "id": "name", "header": "", "question": "Which name?", "isOther": false, "options": null },
            ] }),
        );
        bed.request_told()
    };
    let mut bed = Bed::running();
    let request = ask(&mut bed);
    let text = "Which color?\n- Blue: as the sky\n- Red\nWhich name?";
    assert_eq!(request.shape, Shape::Question { text: text.into() });
    let Some(Form::Questions { questions }) = &request.form else { panic!("{request:?}") };
    assert_eq!(questions.iter().map(|asked| asked.open).collect::<Vec<_>>(), [true, true]);
    assert_eq!(questions[0].options.len(), 2);
    let answers = vec![vec!["Blue".to_owned()], vec!["paseo".to_owned()]];
    bed.input(Input::Permission { call: request.call, decision: Answer::Choose { answers } });
    let expected =
        json!({ "answers": { "color": { "answers": ["Blue"] }, "name": { "answers": ["paseo"] } } });
    assert_eq!(bed.written, [json!({ "id": 7, "result": expected })]);

    let mut bed = Bed::running();
    let request = ask(&mut bed);
    bed.deny(&request);
    assert_eq!(bed.written, [json!({ "id": 7, "result": { "answers": {} } })]);
}

#[test]
fn chosen_answers_allow_nothing_but_a_question() {
    let mut bed = Bed::running();
    let request = bed.ask_command(0, "rm -rf /", "/project");
    let decision = Answer::Choose { answers: vec![vec!["yes".to_owned()]] };
    bed.input(Input::Permission { call: request.call, decision });
    assert_eq!(bed.written, [json!({ "id": 0, "result": { "decision": "decline" } })]);
}
