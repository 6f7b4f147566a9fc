//! The tools of an agent that speaks ACP: the question whether it may, and then the real thing.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::files::{self, Change};
use super::super::mcp::Server;
use super::super::pen;
use super::super::shell::Running;
use super::turn::Session;
use super::{Quirk, block};
use crate::model::tools::Invocation;
use crate::script::Call;

/// The turn was interrupted.
pub(super) struct Interrupted;

/// What a call came to: the text, and what is beside it.
type Outcome = Result<(String, Value), String>;

/// The tools that a request offers.
pub(super) fn offered(servers: &[Server]) -> Value {
    let own = [("bash", "command"), ("read", "filePath"), ("write", "filePath"), ("edit", "filePath")]
        .map(|(name, argument)| json!({ "name": name, "parameters": { "properties": { argument: {} } } }));
    let theirs = servers.iter().flat_map(|server| {
        let name = |tool: &Value| format!("{}_{}", server.name, tool["name"].as_str().unwrap_or_default());
        server.tools.iter().map(move |tool| json!({ "name": name(tool), "parameters": {} }))
    });
    json!({ "tools": own.into_iter().chain(theirs).collect::<Vec<_>>() })
}

/// Calls a tool: says so, asks, does it.
pub(super) fn perform(session: &mut Session, invocation: &Invocation, id: &str) -> Result<(), Interrupted> {
    let (name, kind, title, input) = describe(&invocation.call, &invocation.name);
    let begin = json!({
        "sessionUpdate": "tool_call", "toolCallId": id, "title": name, "kind": kind, "status": "pending",
        "rawInput": {},
    });
    session.tell(begin);
    let change = match &invocation.call {
        Call::Write { path, text } => Some(Ok(files::write(&session.directory, path, text))),
        Call::Edit { path, old, new } => Some(files::edit(&session.directory, path, old, new)),
        _ => None,
    };
    let diff = change.iter().flatten().map(diff).collect::<Vec<_>>();
    let may = permitted(session, &name, id, kind, &title, &input, &diff)?;
    session.tell(json!({
        "sessionUpdate": "tool_call_update", "toolCallId": id, "status": "in_progress", "title": title,
        "rawInput": input,
    }));
    let outcome = match (may, &invocation.call) {
        (false, _) => Err("The user rejected permission to use this specific tool call.".to_owned()),
        (true, Call::Bash(command) | Call::Background(command)) => command_output(session, command)?,
        (true, Call::Read { path }) => files::read(&session.directory, path).map(|text| (text, Value::Null)),
        (true, Call::Write { .. } | Call::Edit { .. }) => changed(change),
        (true, Call::Tool { input, .. }) => server_tool(session, &invocation.name, input),
    };
    let (status, text, output) = match outcome {
        Ok((text, output)) => ("completed", text, output),
        Err(text) => ("failed", text.clone(), json!({ "error": text })),
    };
    let mut content = vec![json!({ "type": "content", "content": block(&text) })];
    content.extend(diff.into_iter().filter(|_| status == "completed"));
    let end = json!({
        "sessionUpdate": "tool_call_update", "toolCallId": id, "status": status, "content": content,
        "rawOutput": output,
    });
    session.tell(end.clone());
    if session.quirk == Quirk::Chatty {
        // It repeats itself.
        session.tell(end);
    }
    session.memory.tool_result(&text);
    Ok(())
}

fn describe(call: &Call, name: &str) -> (String, &'static str, String, Value) {
    let (name, kind, title, input) = match call {
        Call::Bash(command) | Call::Background(command) => {
            ("bash", "execute", command.clone(), json!({ "command": command }))
        }
        Call::Read { path } => ("read", "read", path.clone(), json!({ "filePath": path })),
        Call::Write { path, text } => {
            ("write", "edit", path.clone(), json!({ "filePath": path, "content": text }))
        }
        Call::Edit { path, old, new } => {
            let input = json!({ "filePath": path, "oldString": old, "newString": new });
            ("edit", "edit", path.clone(), input)
        }
        Call::Tool { input, .. } => (name, "other", name.to_owned(), input.clone()),
    };
    (name.to_owned(), kind, title, input)
}

/// Finds out whether a call may be made: by its configuration, its mode and, if need be, by asking.
fn permitted(
    session: &mut Session,
    tool: &str,
    id: &str,
    kind: &str,
    title: &str,
    input: &Value,
    diff: &[Value],
) -> Result<bool, Interrupted> {
    match rule(&session.mode, tool).as_str() {
        "allow" => return Ok(true),
        "deny" => return Ok(false),
        _ => {}
    }
    session.asked += 1;
    let question = 1_000 + session.asked;
    let mut call = json!({ "toolCallId": id, "title": title, "kind": kind, "status": "pending" });
    if session.quirk != Quirk::Vague {
        call["rawInput"] = input.clone();
        call["content"] = json!(diff);
    }
    let params = json!({
        "sessionId": session.id,
        "toolCall": call,
        "options": [
            { "optionId": "always", "kind": "allow_always", "name": "Always" },
            { "optionId": "once", "kind": "allow_once", "name": "Once" },
            { "optionId": "no", "kind": "reject_once", "name": "No" },
        ],
    });
    let ask = |id: u64| {
        pen::line(
            &json!({ "jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": params }),
        )
    };
    ask(question);
    if session.quirk == Quirk::Chatty {
        // The same once more: whatever comes of it, the first answer counts.
        ask(question + 100_000);
    }
    let answer = session.desk.answer(&question.to_string()).ok_or(Interrupted)?;
    match (answer["outcome"]["outcome"].as_str(), answer["outcome"]["optionId"].as_str()) {
        (Some("selected"), Some("once")) => Ok(true),
        (Some("selected"), Some("always")) => panic!("nobody allows for good"),
        (Some("selected"), _) => Ok(false),
        _ => Err(Interrupted),
    }
}

/// Returns what its configuration says about a tool; without one, its mode decides.
fn rule(mode: &str, tool: &str) -> String {
    let config = std::env::var("OPENCODE_CONFIG_CONTENT").unwrap_or_default();
    let config: Value = serde_json::from_str(&config).unwrap_or_default();
    let Some(rules) = config["permission"].as_object() else {
        let free = mode == "full" || tool == "read" || tool.contains('_');
        return if free { "allow" } else { "ask" }.to_owned();
    };
    let tool = if tool == "write" { "edit" } else { tool };
    let by_prefix = rules.iter().find(|(name, _)| {
        name.strip_suffix('*').is_some_and(|prefix| !prefix.is_empty() && tool.starts_with(prefix))
    });
    let found = by_prefix.map(|(_, rule)| rule).or_else(|| rules.get(tool)).or_else(|| rules.get("*"));
    found.and_then(Value::as_str).unwrap_or("ask").to_owned()
}

fn command_output(session: &mut Session, command: &str) -> Result<Outcome, Interrupted> {
    let mut running = Running::start(command, &session.directory);
    loop {
        if let Some(finished) = running.poll() {
            let output = json!({ "output": finished.output, "metadata": { "exit": finished.code } });
            return Ok(Ok((finished.output, output)));
        }
        session.desk.wait(Duration::ZERO);
        if session.desk.interrupted {
            running.kill();
            return Err(Interrupted);
        }
    }
}

fn changed(change: Option<Result<Change, String>>) -> Outcome {
    let change = change.ok_or("there is no change")??;
    files::apply(&change)?;
    Ok(("Done.".to_owned(), Value::Null))
}

fn diff(change: &Change) -> Value {
    json!({ "type": "diff", "path": change.path, "oldText": change.old, "newText": change.new })
}

fn server_tool(session: &Session, name: &str, input: &Value) -> Outcome {
    let found = session.servers.iter().find_map(|server| {
        let tool = name.strip_prefix(&server.name)?.strip_prefix('_')?;
        Some((server, tool))
    });
    let (server, tool) = found.ok_or_else(|| format!("there is no tool {name}"))?;
    let result = server.call(tool, input)?;
    let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    if result["isError"] == true { Err(text) } else { Ok((text, result)) }
}
