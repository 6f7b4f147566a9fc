//! Claude's tools: the question whether it may, and then the real thing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::super::desk::Nudge;
use super::super::files::{self, Change};
use super::super::shell::Running;
use super::super::{mcp, pen};
use super::turn::Claude;
use crate::model::tools::{Input, Invocation};
use crate::script::Call;

/// The tools that a request of claude's offers, as far as scripts use them.
pub(super) fn offered(servers: &[mcp::Server]) -> Value {
    let tool =
        |name: &str, properties: Value| json!({ "name": name, "input_schema": { "properties": properties } });
    let remote = servers.iter().flat_map(|server| {
        server
            .tools
            .iter()
            .filter_map(|tool| Some(format!("mcp__{}__{}", server.name, tool["name"].as_str()?)))
    });
    let own = [
        tool("Bash", json!({ "command": {}, "description": {} })),
        tool("Edit", json!({ "file_path": {}, "old_string": {}, "new_string": {} })),
        tool("Read", json!({ "file_path": {} })),
        tool("Write", json!({ "file_path": {}, "content": {} })),
    ];
    let tools: Vec<Value> = own.into_iter().chain(remote.map(|name| tool(&name, json!({})))).collect();
    json!({ "tools": tools })
}

/// The turn was interrupted.
pub(super) struct Interrupted;

/// What a tool came to: the text for the model, and what claude tells beside it.
pub(super) struct Outcome {
    pub(super) text: String,
    /// Instead of the text, where a server gave more.
    pub(super) content: Option<Value>,
    pub(super) is_error: bool,
    pub(super) detail: Value,
}

impl Outcome {
    fn ok(text: impl Into<String>, detail: Value) -> Self {
        Self { text: text.into(), content: None, is_error: false, detail }
    }

    fn error(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { detail: format!("Error: {text}").into(), text, content: None, is_error: true }
    }
}

/// Calls a tool: asks, waits for the answer, does it.
pub(super) fn perform(
    claude: &mut Claude,
    invocation: &Invocation,
    id: &str,
) -> Result<Outcome, Interrupted> {
    let Input::Json(input) = &invocation.input else { return Ok(Outcome::error("no input")) };
    let mut command = input["command"].as_str().unwrap_or_default().to_owned();
    let forced = hook_asks(claude, &invocation.name, input, id)?;
    if forced || needs_permission(&claude.events.mode(), &invocation.call) {
        let answer = ask(claude, invocation, input, id);
        if !matches!(answer, Ok(Answer::Allowed(_))) {
            let denial = json!({ "tool_name": invocation.name, "tool_use_id": id, "tool_input": input });
            claude.denials.push(denial);
        }
        match answer? {
            Answer::Denied(message) => return Ok(Outcome::error(message)),
            Answer::Allowed(updated) => {
                if let Some(updated) = updated["command"].as_str() {
                    updated.clone_into(&mut command);
                }
            }
        }
    }
    let directory = std::env::current_dir().unwrap_or_default();
    match &invocation.call {
        Call::Bash(_) => bash(claude, &command, &directory),
        Call::Background(_) => Ok(background(claude, &command, directory, id)),
        Call::Read { path } => Ok(match files::read(&directory, path) {
            Ok(text) => Outcome::ok(
                numbered(&text),
                json!({ "type": "text", "file": {
                "filePath": directory.join(path), "content": text, "numLines": text.lines().count(),
                "startLine": 1, "totalLines": text.lines().count(),
            } }),
            ),
            Err(error) => Outcome::error(error),
        }),
        Call::Write { path, text } => Ok(change(&files::write(&directory, path, text), None)),
        Call::Edit { path, old, new } => Ok(match files::edit(&directory, path, old, new) {
            Ok(edit) => change(&edit, Some((old, new))),
            Err(error) => Outcome::error(format!("<tool_use_error>{error}</tool_use_error>")),
        }),
        Call::Tool { input, .. } => Ok(remote(claude, &invocation.name, input)),
    }
}

/// Calls a tool of an MCP server.
fn remote(claude: &Claude, name: &str, input: &Value) -> Outcome {
    let mut parts = name.splitn(3, "__").skip(1);
    let found = parts.next().and_then(|name| claude.servers.iter().find(|server| server.name == name));
    let (Some(server), Some(tool)) = (found, parts.next()) else {
        return Outcome::error(format!(
            "<tool_use_error>Error: No such tool available: {name}</tool_use_error>"
        ));
    };
    match server.call(tool, input) {
        Ok(result) => Outcome {
            text: result["content"].to_string(),
            content: Some(result["content"].clone()),
            is_error: result["isError"] == true,
            detail: result["content"].clone(),
        },
        Err(problem) => Outcome::error(problem),
    }
}

enum Answer {
    Allowed(Value),
    Denied(String),
}

fn needs_permission(mode: &str, call: &Call) -> bool {
    let harmless = ["echo ", "ls", "cat ", "pwd", "sleep "];
    match call {
        _ if mode == "bypassPermissions" => false,
        Call::Read { .. } => false,
        Call::Write { .. } | Call::Edit { .. } => mode != "acceptEdits",
        Call::Bash(command) | Call::Background(command) => {
            let plain = !command.contains(['>', '|', '&', ';', '$', '`']);
            !(plain && harmless.iter().any(|start| command.starts_with(start)))
        }
        Call::Tool { .. } => true,
    }
}

/// Tells whoever wants to know before a tool is used. They may want to be asked.
fn hook_asks(claude: &mut Claude, name: &str, input: &Value, id: &str) -> Result<bool, Interrupted> {
    let Some(hook) = claude.events.hook() else { return Ok(false) };
    let request = pen::id();
    claude.events.raw(&json!({ "type": "control_request", "request_id": request, "request": {
        "subtype": "hook_callback", "callback_id": hook, "tool_use_id": id, "input": {
            "hook_event_name": "PreToolUse", "cwd": std::env::current_dir().unwrap_or_default(),
            "permission_mode": claude.events.mode(), "tool_name": name, "tool_input": input, "tool_use_id": id,
        },
    } }));
    let answer = claude.desk.answer(&request).ok_or(Interrupted)?;
    Ok(answer.pointer("/hookSpecificOutput/permissionDecision") == Some(&"ask".into()))
}

fn ask(claude: &mut Claude, invocation: &Invocation, input: &Value, id: &str) -> Result<Answer, Interrupted> {
    let name = &invocation.name;
    if !claude.options.asks {
        let message = format!("Claude requested permissions to use {name}, but you haven't granted it yet.");
        let event = json!({
            "tool_name": name, "tool_use_id": id, "decision_reason_type": "mode", "message": message,
        });
        claude.events.system("permission_denied", event);
        return Ok(Answer::Denied(message));
    }
    let request = pen::id();
    claude.events.open_question(&request);
    claude.events.state("requires_action");
    let description = match &invocation.call {
        Call::Write { path, .. } | Call::Edit { path, .. } => path.clone(),
        _ => "runs a command".to_owned(),
    };
    claude.events.raw(&json!({ "type": "control_request", "request_id": request, "request": {
        "subtype": "can_use_tool", "tool_name": name, "display_name": name, "input": input,
        "description": description, "permission_suggestions": [], "tool_use_id": id,
    } }));
    let answer = claude.desk.answer(&request);
    claude.events.withdraw_question();
    claude.events.state("running");
    let answer = answer.ok_or(Interrupted)?;
    Ok(match answer["behavior"].as_str() {
        Some("allow") => Answer::Allowed(answer["updatedInput"].clone()),
        _ => Answer::Denied(answer["message"].as_str().unwrap_or("denied").to_owned()),
    })
}

fn bash(claude: &mut Claude, command: &str, directory: &Path) -> Result<Outcome, Interrupted> {
    let mut running = Running::start(command, directory);
    let finished = loop {
        if let Some(finished) = running.poll() {
            break finished;
        }
        claude.desk.wait(Duration::ZERO);
        if claude.desk.interrupted {
            running.kill();
            return Err(Interrupted);
        }
    };
    let output = finished.output.trim_end();
    if finished.code != 0 {
        let text = format!("Exit code {}\n{output}", finished.code);
        return Ok(Outcome::error(text.trim_end()));
    }
    let text = if output.is_empty() { "(Bash completed with no output)" } else { output };
    Ok(Outcome::ok(
        text,
        json!({
            "stdout": output, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false,
        }),
    ))
}

/// Starts a command whose end starts a turn.
fn background(claude: &mut Claude, command: &str, directory: PathBuf, id: &str) -> Outcome {
    let task = format!("b{}", &pen::id()[..8]);
    claude.tasks.push((task.clone(), id.to_owned()));
    claude.tell_tasks();
    claude.events.system(
        "task_started",
        json!({
            "task_id": task, "tool_use_id": id, "description": "runs a command", "is_backgrounded": true,
            "task_type": "local_bash",
        }),
    );
    let (desk, command, name) = (claude.desk_in.clone(), command.to_owned(), task.clone());
    std::thread::spawn(move || {
        let mut running = Running::start(&command, &directory);
        let finished = loop {
            if let Some(finished) = running.poll() {
                break finished;
            }
        };
        desk.send(Nudge::Finished { task: name, code: finished.code }).ok();
    });
    let text =
        format!("Command running in background with ID: {task}. You will be notified when it completes.");
    Outcome::ok(
        text,
        json!({
            "stdout": "", "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false,
            "backgroundTaskId": task,
        }),
    )
}

fn change(change: &Change, edit: Option<(&str, &str)>) -> Outcome {
    if let Err(error) = files::apply(change) {
        return Outcome::error(error);
    }
    let path = change.path.display();
    match edit {
        Some((old, new)) => Outcome::ok(
            format!("The file {path} has been updated successfully."),
            json!({
                "filePath": change.path, "oldString": old, "newString": new, "originalFile": change.old,
                "structuredPatch": [], "userModified": false, "replaceAll": false,
            }),
        ),
        None => Outcome::ok(
            format!("File created successfully at: {path}"),
            json!({
                "type": if change.old.is_some() { "update" } else { "create" }, "filePath": change.path,
                "content": change.new, "structuredPatch": [], "originalFile": change.old, "userModified": false,
            }),
        ),
    }
}

fn numbered(text: &str) -> String {
    let lines: Vec<String> =
        text.lines().enumerate().map(|(index, line)| format!("{}\t{line}", index + 1)).collect();
    lines.join("\n")
}
