//! What codex does, as items.

use paseo_core::item::{Kind, ToolCallExtra, ToolClass, ToolOutcome, ToolResultExtra};
use serde_json::{Value, json};

use super::{Bed, texts};
use crate::provider::{DeltaKind, Output};

fn extra(text: Option<&str>) -> ToolCallExtra {
    serde_json::from_str(text.unwrap()).unwrap()
}

/// Runs one item and returns its call (name, class, title, input) and its result (outcome, text).
fn run(item: Value) -> ((String, ToolClass, String, Value), (ToolOutcome, String)) {
    let mut bed = Bed::running();
    bed.item(1, "started", item.clone());
    bed.item(1, "completed", item);
    let drafts = bed.drafts();
    assert_eq!(drafts.len(), 2, "{drafts:?}");
    let Kind::ToolCall { name, class, call } = &drafts[0].kind else { panic!("{drafts:?}") };
    let Kind::ToolResult { outcome, call: answered, .. } = &drafts[1].kind else { panic!("{drafts:?}") };
    assert_eq!(call, answered);
    let input = serde_json::from_str(drafts[0].text.as_ref().unwrap()).unwrap();
    let title = extra(drafts[0].extra.as_deref()).title;
    ((name.clone(), *class, title, input), (*outcome, drafts[1].text.clone().unwrap()))
}

#[test]
fn text_and_thoughts_grow_into_the_items_that_are_stored() {
    let mut bed = Bed::running();
    let at = |item: &str, delta: &str| json!({ "turnId": "u1", "itemId": item, "delta": delta });
    bed.item(1, "started", json!({ "type": "reasoning", "id": "r", "summary": [], "content": [] }));
    bed.say("item/reasoning/summaryPartAdded", json!({ "turnId": "u1", "itemId": "r", "summaryIndex": 0 }));
    bed.say("item/reasoning/summaryTextDelta", at("r", "hm"));
    bed.say("item/reasoning/summaryPartAdded", json!({ "turnId": "u1", "itemId": "r", "summaryIndex": 1 }));
    bed.say("item/reasoning/summaryTextDelta", at("r", "ok"));
    bed.item(
        1,
        "completed",
        json!({ "type": "reasoning", "id": "r", "summary": ["hm", "ok"], "content": [] }),
    );
    bed.item(1, "started", json!({ "type": "agentMessage", "id": "a", "text": "" }));
    bed.say("item/agentMessage/delta", at("a", "looking "));
    bed.say("item/agentMessage/delta", at("a", "around"));
    bed.item(1, "completed", json!({ "type": "agentMessage", "id": "a", "text": "looking around" }));
    // Encrypted thoughts have no words.
    bed.item(1, "completed", json!({ "type": "reasoning", "id": "e", "summary": [], "content": [] }));

    let grown = |kind: DeltaKind| {
        let pieces = bed.outputs.iter().filter_map(|output| match output {
            Output::Delta { item, kind: of, text } if *of == kind => Some((*item, text.as_str())),
            _ => None,
        });
        pieces.collect::<Vec<_>>()
    };
    let stored: Vec<_> = bed
        .outputs
        .iter()
        .filter_map(|output| match output {
            Output::Item { id, draft, .. } => Some((*id, draft.text.clone().unwrap())),
            _ => None,
        })
        .collect();
    for (kind, (id, text)) in [DeltaKind::Thinking, DeltaKind::AssistantText].into_iter().zip(&stored) {
        let pieces = grown(kind);
        assert!(pieces.iter().all(|(item, _)| item == id));
        assert_eq!(pieces.iter().map(|(_, piece)| *piece).collect::<String>(), *text);
    }
    assert_eq!(stored.len(), 2);
    assert_eq!(stored[0].1, "hm\n\nok");
}

#[test]
fn a_command_is_a_call_its_growing_output_and_a_result() {
    let mut bed = Bed::running();
    let command = |status: &str| {
        json!({ "type": "commandExecution", "id": "c1", "command": "/bin/bash -lc 'echo hi; exit 3'",
            "cwd": "/project", "processId": "39252", "source": "unifiedExecStartup", "status": status,
            "commandActions": [{ "type": "unknown", "command": "echo hi; exit 3" }],
            "aggregatedOutput": "hi\n", "exitCode": 3, "durationMs": 133 })
    };
    bed.item(1, "started", command("inProgress"));
    bed.say("item/commandExecution/outputDelta", json!({ "turnId": "u1", "itemId": "c1", "delta": "hi\n" }));
    bed.item(1, "completed", command("failed"));
    let drafts = bed.drafts();
    assert_eq!(
        drafts[0].kind,
        Kind::ToolCall { call: "c1".into(), name: "shell".into(), class: ToolClass::Execute }
    );
    assert_eq!(extra(drafts[0].extra.as_deref()).title, "echo hi; exit 3");
    let outcome = ToolOutcome::Error;
    assert_eq!(
        drafts[1].kind,
        Kind::ToolResult { call: "c1".into(), outcome, exit_code: Some(3), duration_ms: 133 }
    );
    assert_eq!(drafts[1].text.as_deref(), Some("hi\n"));
    let (Output::Printed { call, item, text }, Output::Item { id, .. }) = (&bed.outputs[1], &bed.outputs[2])
    else {
        panic!("{:?}", bed.outputs)
    };
    assert_eq!((item, call.as_str(), text.as_str()), (id, "c1", "hi\n"), "the output becomes the result");
}

#[test]
fn a_command_that_reads_names_its_files() {
    let item = json!({ "type": "commandExecution", "id": "c", "command": "/bin/bash -lc 'cat a'", "status": "completed",
        "commandActions": [{ "type": "read", "command": "cat a", "name": "a", "path": "/project/a" }] });
    let mut bed = Bed::running();
    bed.item(1, "completed", item);
    let drafts = bed.drafts();
    assert!(
        matches!(&drafts[0].kind, Kind::ToolCall { class: ToolClass::Read, .. }),
        "began and ended at once"
    );
    assert_eq!(extra(drafts[0].extra.as_deref()).locations, ["/project/a"]);
}

#[test]
fn changes_to_files_become_unified_diffs() {
    let changes = json!([
        { "path": "/p/new.txt", "kind": { "type": "add" }, "diff": "hello\n" },
        { "path": "/p/gone.txt", "kind": { "type": "delete" }, "diff": "bye\n" },
        { "path": "/p/old.txt", "kind": { "type": "update", "move_path": "/p/moved.txt" },
          "diff": "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n" },
    ]);
    let mut bed = Bed::running();
    for (what, status) in [("started", "inProgress"), ("completed", "completed")] {
        bed.item(1, what, json!({ "type": "fileChange", "id": "f", "changes": changes, "status": status }));
    }
    let drafts = bed.drafts();
    assert!(matches!(&drafts[0].kind, Kind::ToolCall { class: ToolClass::Edit, .. }));
    assert_eq!(extra(drafts[0].extra.as_deref()).locations, ["/p/new.txt", "/p/gone.txt", "/p/old.txt"]);
    let result: ToolResultExtra = serde_json::from_str(drafts[1].extra.as_ref().unwrap()).unwrap();
    let patches: Vec<&str> = result.diffs.iter().map(|diff| diff.patch.as_str()).collect();
    assert_eq!(
        patches,
        [
            "--- /dev/null\n+++ /p/new.txt\n@@ -0,0 +1,1 @@\n+hello\n",
            "--- /p/gone.txt\n+++ /p/gone.txt\n@@ -1,1 +0,0 @@\n-bye\n",
            "--- /p/old.txt\n+++ /p/moved.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
        ]
    );
    assert_eq!(drafts[1].text.as_deref(), Some("A /p/new.txt\nD /p/gone.txt\nR /p/old.txt -> /p/moved.txt"));
}

#[test]
fn every_kind_of_call_has_a_name_a_class_and_an_end() {
    let (call, result) = run(json!({ "type": "mcpToolCall", "id": "m", "server": "proj", "tool": "whoami",
        "arguments": { "a": 1 }, "status": "completed", "durationMs": 1,
        "result": { "content": [{ "type": "text", "text": "you" }, { "type": "image", "data": "…" }] } }));
    assert_eq!(
        call,
        ("mcp__proj__whoami".into(), ToolClass::Other, "proj: whoami".into(), json!({ "a": 1 }))
    );
    assert_eq!(result, (ToolOutcome::Ok, "you\n{\"type\":\"image\",\"data\":\"…\"}".into()));
    let (_, result) = run(json!({ "type": "mcpToolCall", "id": "m", "server": "proj", "tool": "whoami",
        "status": "failed", "error": { "message": "requires approval" }, "result": null }));
    assert_eq!(result, (ToolOutcome::Error, "requires approval".into()));
    let (call, result) = run(json!({ "type": "dynamicToolCall", "id": "d", "tool": "ask", "arguments": {},
        "status": "completed", "contentItems": [{ "type": "inputText", "text": "yes" }] }));
    assert_eq!((call.0.as_str(), result), ("ask", (ToolOutcome::Ok, "yes".into())));
    let (call, _) =
        run(json!({ "type": "webSearch", "id": "w", "query": "rust", "action": { "type": "search" } }));
    assert_eq!((call.0.as_str(), call.1, call.2.as_str()), ("web_search", ToolClass::Search, "rust"));
    let (call, _) =
        run(json!({ "type": "webSearch", "id": "w", "query": "", "action": { "type": "open_page" } }));
    assert_eq!((call.1, call.2.as_str()), (ToolClass::Fetch, "web_search"));
    let (call, result) = run(json!({ "type": "collabAgentToolCall", "id": "s", "tool": "spawnAgent",
        "status": "interrupted", "receiverThreadIds": [], "prompt": "look\nclosely", "agentsStates": {} }));
    assert_eq!(
        (call.0.as_str(), call.2.as_str(), result.0),
        ("spawnAgent", "look", ToolOutcome::Interrupted)
    );
    let (call, _) = run(json!({ "type": "imageView", "id": "i", "path": "/p/a.png" }));
    assert_eq!((call.0.as_str(), call.1), ("view_image", ToolClass::Read));
    let (_, result) =
        run(json!({ "type": "imageGeneration", "id": "g", "status": "completed", "savedPath": "/p/b" }));
    assert_eq!(result.1, "/p/b");
    run(json!({ "type": "sleep", "id": "z", "durationMs": 5 }));
}

#[test]
fn plans_are_task_lists_and_what_fits_nowhere_is_kept() {
    let mut bed = Bed::running();
    bed.say(
        "turn/plan/updated",
        json!({ "turnId": "u1", "explanation": null, "plan": [
            { "step": "look", "status": "completed" }, { "step": "write", "status": "inProgress" } ] }),
    );
    let list: Value = serde_json::from_str(texts(&bed.drafts(), "todo")[0]).unwrap();
    assert_eq!(
        list,
        json!([{ "content": "look", "status": "completed" }, { "content": "write", "status": "in_progress" }])
    );
    bed.item(1, "completed", json!({ "type": "plan", "id": "p", "text": "the plan" }));
    bed.item(1, "completed", json!({ "type": "contextCompaction", "id": "x" }));
    bed.item(1, "started", json!({ "type": "invented", "id": "y" }));
    bed.item(1, "completed", json!({ "type": "invented", "id": "y", "what": 1 }));
    let drafts = bed.drafts();
    assert_eq!(texts(&drafts, "assistant_text"), ["the plan"]);
    assert_eq!(bed.notices()[0].0, "compacted");
    let raw = texts(&drafts, "raw");
    assert!(raw.len() == 1 && raw[0].contains("\"what\":1"), "{raw:?}");
}

#[test]
fn what_a_subagent_does_stands_under_the_call_that_started_it() {
    let mut bed = Bed::running();
    let spawn = |status: &str, threads: &[&str]| {
        json!({ "type": "collabAgentToolCall", "id": "s1", "tool": "spawnAgent", "status": status,
            "receiverThreadIds": threads, "prompt": "look", "agentsStates": {} })
    };
    bed.item(1, "started", spawn("inProgress", &[]));
    let child = |params: Value| {
        let mut params = params;
        params["threadId"] = "child".into();
        params["turnId"] = "cu".into();
        params
    };
    bed.say("turn/started", child(json!({ "turn": { "id": "cu" } })));
    let said = |text: &str| json!({ "item": { "type": "agentMessage", "id": text, "text": text } });
    bed.say("item/completed", child(said("early")));
    bed.item(1, "completed", spawn("completed", &["child"]));
    bed.say("item/completed", child(said("later")));
    bed.say("item/completed", child(json!({ "item": { "type": "userMessage", "id": "m" } })));
    let tokens = json!({ "inputTokens": 5, "outputTokens": 1 });
    bed.say("thread/tokenUsage/updated", child(json!({ "tokenUsage": { "total": tokens, "last": tokens } })));
    bed.say("turn/completed", child(json!({ "turn": { "id": "cu", "status": "completed" } })));
    assert_eq!(bed.end(), None, "a subagent's end is not ours");
    let parents: Vec<_> =
        bed.items().iter().map(|(step, parent, draft)| (*step, *parent, draft.kind.word())).collect();
    assert_eq!(
        parents,
        [
            (0, None, "tool_call"),
            (0, Some("s1"), "assistant_text"),
            (0, None, "tool_result"),
            (0, Some("s1"), "assistant_text"),
        ]
    );
    bed.complete(1, "completed");
    assert!(
        bed.drafts().iter().any(|draft| matches!(draft.kind, Kind::Usage(usage) if usage.input_tokens == 5))
    );
}

#[test]
fn subagents_are_stopped_with_their_turn() {
    let mut bed = Bed::running();
    bed.say("turn/started", json!({ "threadId": "child", "turn": { "id": "cu" } }));
    bed.input(crate::provider::Input::Interrupt);
    assert_eq!(bed.wrote("turn/interrupt"), 2);
    bed.complete(1, "interrupted");
    let listed: Vec<_> = bed
        .written
        .iter()
        .filter(|line| line["method"] == "thread/backgroundTerminals/list")
        .map(|line| (line["id"].clone(), line["params"]["threadId"].clone()))
        .collect();
    assert_eq!(listed.iter().map(|(_, thread)| thread).collect::<Vec<_>>(), ["thread-1", "child"]);
    bed.say(
        "item/completed",
        json!({ "threadId": "child", "turnId": "cu", "item": { "type": "agentMessage", "id": "a", "text": "late" } }),
    );
    for (id, _) in &listed {
        assert_eq!(bed.outputs, []);
        bed.line(&json!({ "id": id, "result": { "data": [] } }).to_string());
    }
    assert!(bed.end().is_some());
}

#[test]
fn a_command_that_outlives_its_turn_is_said_to_run_on() {
    let mut bed = Bed::running();
    bed.item(1, "started", json!({ "type": "commandExecution", "id": "c1", "command": "server &" }));
    bed.say("item/commandExecution/outputDelta", json!({ "turnId": "u1", "itemId": "c1", "delta": "ready" }));
    bed.complete(1, "completed");
    let drafts = bed.drafts();
    assert!(matches!(&drafts[1].kind, Kind::ToolResult { outcome: ToolOutcome::Ok, .. }));
    assert_eq!(
        drafts[1].text.as_deref(),
        Some("ready\n[still running in the background when the turn ended]")
    );
    bed.outputs.clear();
    bed.item(
        1,
        "completed",
        json!({ "type": "commandExecution", "id": "c1", "command": "server &", "exitCode": 0 }),
    );
    assert_eq!(bed.outputs, [], "that was said");
}

#[test]
fn a_call_that_never_became_an_item_is_told_by_what_the_model_wrote() {
    let mut bed = Bed::running();
    let raw = |bed: &mut Bed, item: Value| {
        bed.say("rawResponseItem/completed", json!({ "turnId": "u1", "item": item }));
    };
    let (call, arguments) = ("function_call", r#"{"cmd":"touch /tmp/x"}"#);
    raw(&mut bed, json!({ "type": call, "name": "exec_command", "call_id": "c1", "arguments": arguments }));
    raw(
        &mut bed,
        json!({ "type": call, "name": "ls", "namespace": "mcp__gone", "call_id": "c2", "arguments": "{}" }),
    );
    raw(&mut bed, json!({ "type": call, "name": "exec_command", "call_id": "c3", "arguments": arguments }));
    raw(&mut bed, json!({ "type": call, "name": "update_plan", "call_id": "c4", "arguments": "{}" }));
    let command =
        json!({ "type": "commandExecution", "id": "c3", "command": "touch x", "status": "completed" });
    bed.item(1, "started", command.clone());
    bed.item(1, "completed", command);
    for (id, output) in
        [("c1", json!("blocked")), ("c2", json!([{ "text": "unsupported" }])), ("c3", json!("ok"))]
    {
        raw(&mut bed, json!({ "type": "function_call_output", "call_id": id, "output": output }));
    }
    raw(&mut bed, json!({ "type": "function_call_output", "call_id": "c4", "output": "ok" }));
    let drafts = bed.drafts();
    assert_eq!(texts(&drafts, "tool_call").len(), 3, "{drafts:#?}");
    assert_eq!(texts(&drafts, "tool_result")[1..], ["blocked", "unsupported"]);
    let names: Vec<&str> = drafts
        .iter()
        .filter_map(|draft| match &draft.kind {
            Kind::ToolCall { name, .. } => Some(name.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(names, ["shell", "exec_command", "mcp__gone__ls"]);
}
