//! Codex's tools: the question whether it may, and then the real thing.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::files::{self, Change};
use super::super::shell::Running;
use super::protocol::{self, Settings};
use super::turn::Thread;
use crate::model::tools::Invocation;
use crate::script::Call;

/// The tool that puts questions to a person.
const QUESTION: &str = "request_user_input";

/// The turn was interrupted.
pub(super) struct Interrupted;

/// A command that an interrupt left running: codex ends it only when it is told to.
#[derive(Debug)]
pub(super) struct Terminal {
    running: Running,
    turn: String,
    item: Value,
}

impl Terminal {
    pub(super) fn kill(&mut self) {
        self.running.kill();
    }
}

/// The tools that a request of codex's offers, as far as scripts use them, and those of the client.
pub(super) fn offered(settings: &Settings) -> Value {
    let shell = json!({ "name": "exec_command", "parameters": { "properties": { "cmd": {} } } });
    let question = json!({ "name": QUESTION, "parameters": { "properties": { "questions": {} } } });
    let client = settings.tools.iter().map(|name| json!({ "name": name, "parameters": {} }));
    let servers = settings.servers.iter().map(|server| {
        json!({ "type": "namespace", "name": format!("mcp__{}", server.name), "tools": server.tools })
    });
    let tools: Vec<Value> = [shell, question].into_iter().chain(client).chain(servers).collect();
    json!({ "tools": tools })
}

/// Ends what interrupts left running, and says so, in the name of the turns that started it.
pub(super) fn clean(thread: &mut Thread) {
    for mut terminal in std::mem::take(&mut thread.terminals) {
        let finished = terminal.running.kill();
        terminal.item["status"] = "failed".into();
        terminal.item["aggregatedOutput"] = some(&finished.output);
        terminal.item["exitCode"] = finished.code.into();
        let turn = std::mem::replace(&mut thread.turn, terminal.turn);
        thread.item("item/completed", &terminal.item);
        thread.turn = turn;
    }
}

/// Calls a tool: asks, waits for the answer, does it.
pub(super) fn perform(thread: &mut Thread, invocation: &Invocation, id: &str) -> Result<(), Interrupted> {
    let text = match &invocation.call {
        Call::Bash(command) | Call::Background(command) => command_execution(thread, command, id)?,
        Call::Read { path } => command_execution(thread, &format!("cat -- '{path}'"), id)?,
        Call::Write { path, text } => {
            let text = format!("{}\n", text.trim_end_matches('\n'));
            let change = files::write(&thread.settings.directory, path, &text);
            file_change(thread, &change, text.clone(), id)?
        }
        Call::Edit { path, old, new } => match files::edit(&thread.settings.directory, path, old, new) {
            Ok(change) => file_change(thread, &change, format!("@@\n-{old}\n+{new}\n"), id)?,
            // Codex tells the model only.
            Err(error) => error,
        },
        Call::Tool { input, .. } if thread.settings.tools.contains(&invocation.name) => {
            client_tool(thread, &invocation.name, input, id)?
        }
        Call::Tool { input, .. } if invocation.namespace.is_some() => {
            server_tool(thread, invocation, input, id)
        }
        Call::Tool { name, input } if name == QUESTION => question(thread, input, id)?,
        Call::Tool { name, .. } => format!("unsupported call: {name}"),
    };
    thread.memory.tool_result(&text);
    Ok(())
}

fn command_execution(thread: &mut Thread, command: &str, id: &str) -> Result<String, Interrupted> {
    let asks = thread.settings.approval == "untrusted";
    let shown = format!("/bin/bash -lc '{command}'");
    let mut item = json!({
        "type": "commandExecution", "id": id, "command": shown, "cwd": thread.settings.directory,
        "processId": null, "source": if asks { "agent" } else { "unifiedExecStartup" }, "status": "inProgress",
        "commandActions": [{ "type": "unknown", "command": command }], "aggregatedOutput": null, "exitCode": null,
        "durationMs": null,
    });
    if asks {
        thread.status(&waiting());
    }
    thread.item("item/started", &item);
    if asks {
        let question = json!({
            "kind": "command", "itemId": id, "command": shown, "cwd": thread.settings.directory,
            "commandActions": [{ "type": "unknown", "command": command }],
            "availableDecisions": ["accept", "cancel"],
        });
        if !allowed(thread, "item/commandExecution/requestApproval", question)? {
            item["status"] = "declined".into();
            thread.item("item/completed", &item);
            return Ok("rejected by user".into());
        }
    }
    let started = Instant::now();
    let mut running = Running::start(command, &thread.settings.directory);
    let finished = loop {
        if let Some(finished) = running.poll() {
            break finished;
        }
        thread.desk.wait(Duration::ZERO);
        if thread.desk.interrupted {
            thread.terminals.push(Terminal { running, turn: thread.turn.clone(), item });
            return Err(Interrupted);
        }
    };
    item["status"] = if finished.code == 0 { "completed" } else { "failed" }.into();
    item["aggregatedOutput"] = some(&finished.output);
    item["exitCode"] = finished.code.into();
    item["durationMs"] = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX).into();
    thread.item("item/completed", &item);
    Ok(finished.output)
}

fn file_change(thread: &mut Thread, change: &Change, diff: String, id: &str) -> Result<String, Interrupted> {
    let kind = if change.old.is_some() {
        json!({ "type": "update", "move_path": null })
    } else {
        json!({ "type": "add" })
    };
    let mut item = json!({
        "type": "fileChange", "id": id, "status": "inProgress",
        "changes": [{ "path": change.path, "kind": kind, "diff": diff }],
    });
    thread.item("item/started", &item);
    if thread.settings.approval == "untrusted" {
        thread.status(&waiting());
        let question = json!({ "itemId": id, "reason": null, "grantRoot": null });
        if !allowed(thread, "item/fileChange/requestApproval", question)? {
            item["status"] = "declined".into();
            thread.item("item/completed", &item);
            return Ok("patch rejected by user".into());
        }
    }
    let applied = files::apply(change);
    item["status"] = if applied.is_ok() { "completed" } else { "failed" }.into();
    thread.item("item/completed", &item);
    thread.tell("turn/diff/updated", json!({ "diff": diff }));
    Ok(applied.err().unwrap_or_else(|| "Success. Updated the following files".into()))
}

/// Puts questions to a person. What the model wrote and got comes as raw items.
fn question(thread: &mut Thread, input: &Value, id: &str) -> Result<String, Interrupted> {
    let raw =
        |thread: &Thread, item: Value| thread.tell("rawResponseItem/completed", json!({ "item": item }));
    let arguments = input.to_string();
    raw(thread, json!({ "type": "function_call", "name": QUESTION, "call_id": id, "arguments": arguments }));
    let question = protocol::ask(
        "item/tool/requestUserInput",
        json!({
            "threadId": thread.settings.thread, "turnId": thread.turn, "itemId": id,
            "questions": input["questions"], "isBlocking": true,
        }),
    );
    let answer = thread.desk.answer(&question).ok_or(Interrupted)?.to_string();
    raw(thread, json!({ "type": "function_call_output", "call_id": id, "output": answer }));
    Ok(answer)
}

/// Calls a tool of the client.
fn client_tool(thread: &mut Thread, name: &str, input: &Value, id: &str) -> Result<String, Interrupted> {
    let mut item = json!({
        "type": "dynamicToolCall", "id": id, "namespace": null, "tool": name, "arguments": input,
        "status": "inProgress", "contentItems": null, "success": null, "durationMs": null,
    });
    thread.item("item/started", &item);
    let question = protocol::ask(
        "item/tool/call",
        json!({
            "threadId": thread.settings.thread, "turnId": thread.turn, "callId": id, "namespace": null, "tool": name,
            "arguments": input,
        }),
    );
    let answer = thread.desk.answer(&question).ok_or(Interrupted)?;
    item["status"] = if answer["success"] == true { "completed" } else { "failed" }.into();
    item["contentItems"] = answer["contentItems"].clone();
    item["success"] = answer["success"].clone();
    thread.item("item/completed", &item);
    Ok(answer["contentItems"].to_string())
}

/// Calls a tool of an MCP server.
fn server_tool(thread: &Thread, invocation: &Invocation, input: &Value, id: &str) -> String {
    let namespace = invocation.namespace.as_deref().unwrap_or_default();
    let name = namespace.strip_prefix("mcp__").unwrap_or(namespace);
    let mut item = json!({
        "type": "mcpToolCall", "id": id, "server": name, "tool": invocation.name, "arguments": input,
        "status": "inProgress", "result": null, "error": null, "durationMs": null,
    });
    thread.item("item/started", &item);
    let server = thread.settings.servers.iter().find(|server| server.name == name);
    let called = server.map_or(Err("no such server".into()), |server| server.call(&invocation.name, input));
    let failed = called.as_ref().map_or(true, |result| result["isError"] == true);
    item["status"] = if failed { "failed" } else { "completed" }.into();
    let text = match called {
        Ok(result) => {
            item["result"] = json!({
                "content": result["content"], "structuredContent": result["structuredContent"], "_meta": null,
            });
            result["content"].to_string()
        }
        Err(problem) => {
            item["error"] = json!({ "message": problem });
            problem
        }
    };
    thread.item("item/completed", &item);
    text
}

fn allowed(thread: &mut Thread, method: &str, mut question: Value) -> Result<bool, Interrupted> {
    question["threadId"] = thread.settings.thread.as_str().into();
    question["turnId"] = thread.turn.as_str().into();
    let id = protocol::ask(method, question);
    let answer = thread.desk.answer(&id);
    let number: u64 = id.parse().unwrap_or_default();
    let resolved = json!({ "threadId": thread.settings.thread, "requestId": number });
    protocol::notify("serverRequest/resolved", resolved);
    thread.status(&json!({ "type": "active", "activeFlags": [] }));
    match answer.ok_or(Interrupted)?["decision"].as_str() {
        Some("accept" | "acceptForSession") => Ok(true),
        Some("cancel") => Err(Interrupted),
        _ => Ok(false),
    }
}

fn waiting() -> Value {
    json!({ "type": "active", "activeFlags": ["waitingOnApproval"] })
}

/// Codex has no output where there was none.
fn some(output: &str) -> Value {
    if output.is_empty() { Value::Null } else { output.into() }
}
