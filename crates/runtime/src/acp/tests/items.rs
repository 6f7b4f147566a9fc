//! What an agent says, as items.

use paseo_core::item::{ToolClass, ToolOutcome, Usage};
use proptest::prelude::*;

use super::*;

#[test]
fn what_a_command_says_in_a_terminal_is_its_result() {
    let mut bed = Bed::running();
    let terminal = |field: &str, data: &str| json!({ field: { "data": data, "terminal_id": "c" } });
    bed.update(json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "name": "exec_command", "kind": "execute", "title": "make",
        "status": "in_progress", "content": [{ "type": "terminal", "terminalId": "c" }], "rawInput": { "command": "make" },
    }));
    let more = terminal("terminal_output_delta", "ro");
    bed.update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "_meta": more }));
    let mut last = terminal("terminal_output_delta", "ses\n");
    last["terminal_exit"] = json!({ "exit_code": 3, "signal": null });
    bed.update(
        json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "failed", "_meta": last }),
    );
    let drafts = bed.drafts();
    let result = drafts.last().unwrap();
    assert!(matches!(result.kind, Kind::ToolResult { exit_code: Some(3), .. }), "{result:?}");
    assert_eq!(result.text.as_deref(), Some("roses\n"));
}

fn call(draft: &Draft) -> (&str, ToolClass, Value) {
    let Kind::ToolCall { name, class, .. } = &draft.kind else { panic!("{draft:?}") };
    (name, *class, serde_json::from_str(draft.extra.as_deref().unwrap()).unwrap())
}

fn result(draft: &Draft) -> (ToolOutcome, Option<i32>, &str) {
    let Kind::ToolResult { outcome, exit_code, .. } = &draft.kind else { panic!("{draft:?}") };
    (*outcome, *exit_code, draft.text.as_deref().unwrap())
}

#[test]
fn a_run_of_chunks_is_one_item() {
    let mut bed = Bed::running();
    let thought = |text: &str| json!({ "sessionUpdate": "agent_thought_chunk", "content": { "type": "text", "text": text } });
    bed.update(thought("let me "));
    bed.update(thought("see"));
    bed.say("one ");
    bed.update(json!({ "sessionUpdate": "usage_update", "used": 10, "size": 100 }));
    bed.say("two");
    bed.answer("session/prompt", json!({ "stopReason": "end_turn" }));
    assert_eq!(bed.texts(&Kind::Thinking), ["let me see"]);
    assert_eq!(bed.texts(&Kind::AssistantText), ["one two"]);
    let deltas = bed.outputs.iter().filter(|output| matches!(output, Output::Delta { .. })).count();
    assert_eq!(deltas, 4);
}

#[test]
fn a_call_is_told_with_its_details_and_its_end() {
    let mut bed = Bed::running();
    bed.update(json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "bash", "kind": "execute", "status": "pending",
    }));
    assert!(bed.drafts().is_empty(), "half of it is missing");
    bed.update(json!({
        "sessionUpdate": "tool_call_update", "toolCallId": "c", "title": "make test", "status": "in_progress",
        "rawInput": { "command": "make test" },
    }));
    bed.update(json!({
        "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed",
        "content": [{ "type": "content", "content": { "type": "text", "text": "boom" } }],
        "rawOutput": { "metadata": { "exit": 3 } },
    }));
    // Whatever comes later about it was told, and is kept as it came.
    bed.update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed" }));
    let drafts = bed.drafts();
    assert_eq!((drafts.len(), bed.raws()), (3, 1), "{drafts:#?}");
    let (name, class, extra) = call(drafts[0]);
    assert_eq!((name, class, &extra["title"]), ("bash", ToolClass::Execute, &json!("make test")));
    assert_eq!(drafts[0].text.as_deref(), Some(r#"{"command":"make test"}"#));
    assert_eq!(result(drafts[1]), (ToolOutcome::Error, Some(3), "boom"));
}

#[test]
fn an_id_that_is_used_again_is_another_call() {
    let mut bed = Bed::running();
    let whole = json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "title": "ls", "kind": "execute", "status": "completed" });
    bed.update(whole.clone());
    bed.update(whole.clone());
    bed.answer("session/prompt", json!({ "stopReason": "end_turn" }));
    bed.turn(2, "again");
    // Some tell of a call only by updates; in another turn it is another one.
    bed.update(json!({
        "sessionUpdate": "tool_call_update", "toolCallId": "c", "title": "ls", "kind": "execute", "status": "completed",
    }));
    let calls = bed.drafts().into_iter().filter_map(|draft| match &draft.kind {
        Kind::ToolCall { call, .. } => Some(("call", call.as_str())),
        Kind::ToolResult { call, .. } => Some(("result", call.as_str())),
        _ => None,
    });
    let expected = ["c", "c#2", "c#3"].into_iter().flat_map(|call| [("call", call), ("result", call)]);
    assert_eq!(calls.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

#[test]
fn a_message_without_an_end_is_cut_with_a_mark() {
    let mut bed = Bed::running();
    let much = "é".repeat(8 * 1024 * 1024);
    for _ in 0..4 {
        bed.say(&much);
    }
    bed.answer("session/prompt", json!({ "stopReason": "end_turn" }));
    let texts = bed.texts(&Kind::AssistantText);
    assert_eq!(texts.len(), 1);
    assert!(texts[0].len() <= 32 * 1024 * 1024 && texts[0].len() > 31 * 1024 * 1024, "{}", texts[0].len());
    assert!(texts[0].ends_with("too long]"));
    let told = bed.outputs.iter().filter_map(|output| match output {
        Output::Delta { text, .. } => Some(text.len()),
        _ => None,
    });
    assert_eq!(told.sum::<usize>(), texts[0].len());
}

#[test]
fn a_call_without_details_is_told_after_a_while() {
    let mut bed = Bed::running();
    bed.update(json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "title": "Looking around", "kind": "search" }));
    bed.wake();
    let (name, class, extra) = call(bed.drafts()[0]);
    assert_eq!((name, class, &extra["title"]), ("search", ToolClass::Search, &json!("Looking around")));
}

#[test]
fn a_call_that_is_only_told_when_it_is_over_is_told_whole() {
    let mut bed = Bed::running();
    bed.update(json!({
        "sessionUpdate": "tool_call_update", "toolCallId": "c", "title": "a.txt", "kind": "edit", "status": "completed",
        "content": [{ "type": "diff", "path": "/project/a.txt", "oldText": "old\n", "newText": "new\n" }],
    }));
    let drafts = bed.drafts();
    assert_eq!(call(drafts[0]).2["locations"], json!(["/project/a.txt"]));
    assert_eq!(result(drafts[1]).0, ToolOutcome::Ok);
    assert!(drafts[1].extra.as_ref().unwrap().contains("+new"), "{drafts:?}");
}

#[test]
fn a_file_that_opencode_makes_comes_with_its_diff() {
    let mut bed = Bed::running();
    bed.update(json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "write", "kind": "edit", "status": "in_progress",
        "rawInput": { "filePath": "/project/new.txt", "content": "first" },
    }));
    bed.update(json!({
        "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed",
        "rawOutput": { "metadata": { "exists": false } },
    }));
    assert!(bed.drafts()[1].extra.as_ref().unwrap().contains("+first"));
}

#[test]
fn a_command_that_is_cut_off_and_a_tool_that_is_not_there_are_no_success() {
    let mut bed = Bed::running();
    let done = |id: &str, title: &str, input: Value| {
        json!({ "sessionUpdate": "tool_call_update", "toolCallId": id, "title": title, "kind": "execute",
            "status": "completed", "rawInput": input })
    };
    // As opencode tells it: the call changes into one that always succeeds.
    bed.update(
        json!({ "sessionUpdate": "tool_call", "toolCallId": "a", "title": "Bash", "kind": "execute" }),
    );
    let mut invalid = done("a", "invalid", json!({ "tool": "Bash", "error": "there is none" }));
    invalid["kind"] = "other".into();
    bed.update(invalid);
    assert_eq!(result(bed.drafts()[1]).0, ToolOutcome::Error);
    bed.input(Input::Interrupt);
    bed.update(done("b", "bash", json!({ "command": "sleep 9" })));
    assert_eq!(result(bed.drafts()[3]).0, ToolOutcome::Interrupted);
}

#[test]
fn a_plan_is_the_list_of_what_is_to_be_done() {
    let mut bed = Bed::running();
    bed.update(json!({ "sessionUpdate": "plan", "entries": [
        { "content": "Sweep", "priority": "high", "status": "in_progress" },
        { "content": "Mop", "priority": "low", "status": "pending" },
    ] }));
    let list: Value = serde_json::from_str(bed.texts(&Kind::Todo)[0]).unwrap();
    assert_eq!((&list[0]["status"], &list[1]["content"]), (&json!("in_progress"), &json!("Mop")));
}

#[test]
fn usage_is_of_the_turn_and_cost_is_what_was_added() {
    let mut bed = Bed::running();
    let usage = |bed: &Bed| {
        let found = bed.drafts().into_iter().find_map(|draft| match draft.kind {
            Kind::Usage(usage) => Some(usage),
            _ => None,
        });
        found.unwrap()
    };
    let cost = |amount: f64| json!({ "sessionUpdate": "usage_update", "used": 50, "size": 100, "cost": { "amount": amount, "currency": "USD" } });
    bed.update(cost(0.25));
    let said = json!({ "inputTokens": 100, "cachedReadTokens": 20, "outputTokens": 7 });
    bed.answer("session/prompt", json!({ "stopReason": "end_turn", "usage": said }));
    let first = Usage { input_tokens: 120, output_tokens: 7, cached_tokens: 20, cost_micros: Some(250_000) };
    assert_eq!(usage(&bed), first);
    bed.outputs.clear();
    bed.turn(2, "on");
    bed.update(cost(0.4));
    bed.answer("session/prompt", json!({ "stopReason": "end_turn" }));
    assert_eq!(usage(&bed), Usage { input_tokens: 50, cost_micros: Some(150_000), ..Usage::default() });
}

#[test]
fn what_nobody_knows_is_kept_as_it_came() {
    let mut bed = Bed::running();
    bed.update(json!({ "sessionUpdate": "mystery", "what": 1 }));
    bed.line(&json!({ "jsonrpc": "2.0", "method": "_odd/note", "params": {} }));
    bed.line(&json!({ "jsonrpc": "2.0", "id": 4711, "result": {} }));
    bed.line(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": { "sessionId": "other",
        "update": { "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "x" } } } }));
    bed.text("Warning: no JSON");
    bed.ask(5, "terminal/create", json!({ "command": "ls" }));
    assert_eq!(bed.reply(5)["error"]["code"], -32601);
    assert_eq!(bed.raws(), 6, "{:#?}", bed.drafts());
}

#[test]
fn what_is_said_before_and_after_turns_is_no_answer() {
    let mut bed = Bed::start(&launch());
    bed.answer("initialize", hello());
    bed.answer("session/new", json!({ "sessionId": SESSION }));
    bed.say("welcome");
    assert_eq!(bed.notices(), [("agent_said", "welcome")]);
    bed.turn(1, "go");
    bed.answer("session/prompt", json!({ "stopReason": "end_turn" }));
    bed.say("one more thing");
    bed.wake();
    assert_eq!(bed.notices(), [("agent_said", "welcome"), ("agent_said", "one more thing")]);
    assert!(bed.texts(&Kind::AssistantText).is_empty());
}

proptest! {
    /// No line of an agent breaks the conversation: the next turn works.
    #[test]
    fn nothing_that_an_agent_says_breaks_it(lines in proptest::collection::vec(
        prop_oneof![
            ".{0,40}",
            "(session/update|session/request_permission|fs/read_text_file|x)".prop_map(|method| json!({ "jsonrpc": "2.0", "id": 9, "method": method, "params": { "sessionId": SESSION } }).to_string()),
            (0_u64..8).prop_map(|id| json!({ "jsonrpc": "2.0", "id": id, "result": { "stopReason": "end_turn" } }).to_string()),
            "[a-c]".prop_map(|id| json!({ "jsonrpc": "2.0", "method": "session/update", "params": { "sessionId": SESSION,
                "update": { "sessionUpdate": "tool_call_update", "toolCallId": id, "status": "completed" } } }).to_string()),
        ], 0..20,
    )) {
        let mut bed = Bed::running();
        lines.iter().for_each(|line| bed.text(line));
        // It may have ended already.
        bed.input(Input::Interrupt);
        bed.line(&json!({ "jsonrpc": "2.0", "id": 3, "result": { "stopReason": "cancelled" } }));
        let ends = bed.outputs.iter().filter(|output| matches!(output, Output::TurnEnded { .. })).count();
        prop_assert_eq!(ends, 1);
        bed.turn(2, "on");
        let prompts = bed.written.iter().filter(|line| line["method"] == "session/prompt").count();
        prop_assert_eq!(prompts, 2);
    }
}
