//! Pi's tools: the question of Paseo's extension whether it may, and then the real thing.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::files::{self, Change};
use super::super::pen;
use super::super::shell::Running;
use super::protocol::Age;
use super::turn::Agent;
use crate::model::tools::{Input, Invocation};
use crate::script::Call;

/// What came of a call.
struct Done {
    text: String,
    failed: bool,
    details: Value,
    code: Option<i32>,
}

impl Done {
    fn said(result: Result<String, String>) -> Self {
        let failed = result.is_err();
        Self { text: result.unwrap_or_else(|error| error), failed, details: json!({}), code: None }
    }
}

/// Calls a tool and tells what came of it.
pub(super) fn perform(agent: &mut Agent, invocation: &Invocation, id: &str) {
    let Input::Json(input) = &invocation.input else { return };
    pen::line(&json!({
        "type": "tool_execution_start", "toolCallId": id, "toolName": invocation.name, "args": input,
    }));
    let started = Instant::now();
    let done = if !agent.offered.iter().any(|tool| tool["name"] == invocation.name.as_str()) {
        Done::said(Err(format!("Tool {} not found", invocation.name)))
    } else {
        match leave(agent, invocation, input, id) {
            Ok(()) => work(agent, invocation, input, id),
            Err(reason) => Done::said(Err(reason)),
        }
    };
    let mut result = json!({ "content": [{ "type": "text", "text": done.text }], "details": done.details });
    let mut line = json!({
        "type": "tool_execution_end", "toolCallId": id, "toolName": invocation.name, "isError": done.failed,
    });
    if agent.settings.age == Age::Recent {
        result["structuredContent"] = json!({ "exit_code": done.code });
        line["durationMs"] = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX).into();
    }
    line["result"] = result;
    pen::line(&line);
    let message = json!({ "role": "toolResult", "toolCallId": id, "content": [], "isError": done.failed });
    pen::line(&json!({ "type": "message_end", "message": message }));
    agent.memory.tool_result(&done.text);
}

/// Asks, when it must.
fn leave(agent: &mut Agent, invocation: &Invocation, input: &Value, id: &str) -> Result<(), String> {
    if !agent.settings.ask || invocation.name.starts_with("mcp__") {
        return Ok(());
    }
    let mut input = input.clone();
    if let Some(path) = input["path"].as_str() {
        input["path"] = agent.directory.join(path).to_string_lossy().into_owned().into();
    }
    let question = json!({ "call": id, "tool": invocation.name, "input": input }).to_string();
    let ask = pen::id();
    pen::line(&json!({
        "type": "extension_ui_request", "id": ask, "method": "input", "title": "paseo", "placeholder": question,
    }));
    let nobody = || "Permission denied.".to_owned();
    let answer = agent.desk.answer(&ask).ok_or_else(nobody)?;
    let answer: Value =
        serde_json::from_str(answer["value"].as_str().ok_or_else(nobody)?).unwrap_or_default();
    if answer["allow"] == true {
        Ok(())
    } else {
        Err(answer["reason"].as_str().unwrap_or_default().to_owned())
    }
}

fn work(agent: &mut Agent, invocation: &Invocation, input: &Value, id: &str) -> Done {
    let directory = agent.directory.clone();
    match &invocation.call {
        Call::Bash(command) | Call::Background(command) => bash(agent, command, id),
        Call::Read { path } => Done::said(files::read(&directory, path)),
        Call::Write { path, text } => change(agent, Ok(files::write(&directory, path, text)), path),
        Call::Edit { path, old, new } => change(agent, files::edit(&directory, path, old, new), path),
        Call::Tool { .. } => served(agent, &invocation.name, input),
    }
}

fn bash(agent: &mut Agent, command: &str, id: &str) -> Done {
    let mut running = Running::start(command, &agent.directory);
    let update = |text: &str| {
        let content = json!([{ "type": "text", "text": text }]);
        let partial = json!({ "content": content, "details": {} });
        pen::line(
            &json!({ "type": "tool_execution_update", "toolCallId": id, "toolName": "bash", "partialResult": partial }),
        );
    };
    let finished = loop {
        if let Some(finished) = running.poll() {
            break finished;
        }
        agent.desk.wait(Duration::ZERO);
        if agent.desk.interrupted {
            running.kill();
            return Done::said(Err("Command aborted".to_owned()));
        }
    };
    update(&finished.output);
    let result = match finished.code {
        0 if finished.output.is_empty() => Ok("(no output)".to_owned()),
        0 => Ok(finished.output),
        code => Err(format!("{}\n\nCommand exited with code {code}", finished.output)),
    };
    Done { code: Some(finished.code), ..Done::said(result) }
}

fn change(agent: &Agent, change: Result<Change, String>, path: &str) -> Done {
    let change = match change.and_then(|change| files::apply(&change).map(|()| change)) {
        Ok(change) => change,
        Err(problem) => return Done::said(Err(problem)),
    };
    let mut details = json!({});
    if let Some(old) = &change.old {
        let shown = shown(old, &change.new);
        if agent.settings.age == Age::Recent {
            let lines: String = shown
                .lines()
                .map(|line| format!("{}{}\n", &line[..1], line.split_once(' ').map_or("", |(_, text)| text)))
                .collect();
            details["patch"] = format!("--- {path}\n+++ {path}\n@@ -1,1 +1,1 @@\n{lines}").into();
        }
        details["diff"] = shown.into();
    }
    Done { details, ..Done::said(Ok(format!("Successfully wrote {}", name(&change.path)))) }
}

/// Returns the lines that changed as pi shows them: a sign, the number, the text.
fn shown(old: &str, new: &str) -> String {
    let pairs = old.lines().zip(new.lines()).enumerate().filter(|(_, (old, new))| old != new);
    let lines = pairs.map(|(at, (old, new))| format!("-{0} {old}\n+{0} {new}", at + 1));
    lines.collect::<Vec<_>>().join("\n")
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Calls a tool of one of Paseo's servers.
fn served(agent: &Agent, name: &str, input: &Value) -> Done {
    let found = agent.settings.servers.iter().find_map(|server| {
        let tool = name.strip_prefix("mcp__")?.strip_prefix(server.name.as_str())?.strip_prefix("__")?;
        Some((server, tool))
    });
    let Some((server, tool)) = found else { return Done::said(Err("no such server".to_owned())) };
    match server.call(tool, input) {
        Ok(result) => {
            let texts = result["content"].as_array().into_iter().flatten();
            let text: Vec<&str> = texts.filter_map(|part| part["text"].as_str()).collect();
            let text = text.join("\n");
            Done::said(if result["isError"] == true { Err(text) } else { Ok(text) })
        }
        Err(problem) => Done::said(Err(problem)),
    }
}
