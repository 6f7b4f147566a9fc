//! From the things in a thread of codex to our items.

use std::fmt::Write;

use paseo_core::item::{Diff, Draft, Kind, ToolCallExtra, ToolClass, ToolOutcome, ToolResultExtra};
use paseo_core::permission::script;
use serde_json::{Value, json};

use super::parse::{Change, ChangeKind, Command, Entry, Item, McpCall, text};
use crate::diff;

/// The longest title of a call.
const TITLE: usize = 200;

/// What a call of a tool is, as far as it is known when it begins.
struct Call {
    name: String,
    class: ToolClass,
    title: String,
    locations: Vec<String>,
    input: Value,
}

/// How a call ended.
struct End {
    outcome: ToolOutcome,
    exit_code: Option<i32>,
    duration_ms: Option<u64>,
    text: String,
    diffs: Vec<Diff>,
}

/// Returns the name of a tool of an MCP server, as models know it.
pub(super) fn mcp_name(server: &str, tool: &str) -> String {
    format!("mcp__{server}__{tool}")
}

/// Returns the item for a call that begins; `None` when this is no call.
pub(super) fn call(entry: &Entry) -> Option<Draft> {
    let Call { name, class, title, locations, input } = call_of(&entry.item)?;
    let mut title: String = title.lines().next().unwrap_or_default().chars().take(TITLE).collect();
    if title.is_empty() {
        title.clone_from(&name);
    }
    Some(Draft {
        kind: Kind::ToolCall { call: entry.id.clone(), name, class },
        text: Some(input.to_string()),
        extra: serde_json::to_string(&ToolCallExtra { title, locations }).ok(),
    })
}

/// Returns the item for a call that ended.
pub(super) fn result(entry: &Entry, denied: bool) -> Option<Draft> {
    let End { outcome, exit_code, duration_ms, text, diffs } = end_of(&entry.item)?;
    let kind = Kind::ToolResult {
        call: entry.id.clone(),
        outcome: if denied { ToolOutcome::Denied } else { outcome },
        exit_code,
        duration_ms: duration_ms.unwrap_or_else(|| entry.lasted_ms()),
    };
    let extra = ToolResultExtra::of(diffs);
    let extra = if extra.diffs.is_empty() { None } else { serde_json::to_string(&extra).ok() };
    Some(Draft { kind, text: Some(text), extra })
}

/// Returns the item for a command that goes on when its turn is over.
pub(super) fn left_running(call: &str, output: &str) -> Draft {
    let (call, outcome) = (call.to_owned(), ToolOutcome::Ok);
    let kind = Kind::ToolResult { call, outcome, exit_code: None, duration_ms: 0 };
    let gap = if output.is_empty() || output.ends_with('\n') { "" } else { "\n" };
    Draft::text(kind, format!("{output}{gap}[still running in the background when the turn ended]"))
}

fn call_of(item: &Item) -> Option<Call> {
    let other = |name: &str, title: String, input: Value| Call {
        name: name.to_owned(),
        class: ToolClass::Other,
        title,
        locations: Vec::new(),
        input,
    };
    Some(match item {
        Item::CommandExecution(command) => command_call(command),
        Item::FileChange { changes, .. } => {
            let locations: Vec<String> = changes.iter().map(|change| change.path.clone()).collect();
            Call {
                name: "apply_patch".to_owned(),
                class: ToolClass::Edit,
                title: locations.join(", "),
                locations,
                input: json!({ "changes": changes.iter().map(as_input).collect::<Vec<_>>() }),
            }
        }
        Item::McpToolCall(McpCall { server, tool, arguments, .. }) => {
            other(&mcp_name(server, tool), format!("{server}: {tool}"), arguments.clone())
        }
        Item::DynamicToolCall { tool, arguments, .. } => other(tool, tool.clone(), arguments.clone()),
        Item::CollabAgentToolCall { tool, prompt, receiver_thread_ids, .. } => other(
            tool,
            prompt.clone().unwrap_or_default(),
            json!({ "prompt": prompt, "agents": receiver_thread_ids }),
        ),
        Item::WebSearch { query, action, .. } => Call {
            class: if text(action, "type") == "open_page" { ToolClass::Fetch } else { ToolClass::Search },
            ..other("web_search", query.clone(), json!({ "query": query, "action": action }))
        },
        Item::ImageView { path } => Call {
            class: ToolClass::Read,
            locations: vec![path.clone()],
            ..other("view_image", path.clone(), json!({ "path": path }))
        },
        Item::ImageGeneration { revised_prompt, .. } => other(
            "image_generation",
            revised_prompt.clone().unwrap_or_default(),
            json!({ "prompt": revised_prompt }),
        ),
        Item::Sleep { duration_ms } => {
            other("sleep", format!("{duration_ms} ms"), json!({ "duration_ms": duration_ms }))
        }
        Item::UserMessage { .. }
        | Item::AgentMessage { .. }
        | Item::Plan { .. }
        | Item::Reasoning { .. }
        | Item::SubAgentActivity { .. }
        | Item::ContextCompaction {}
        | Item::Unknown => return None,
    })
}

fn command_call(command: &Command) -> Call {
    let all = |kinds: &[&str]| {
        let mut actions = command.command_actions.iter();
        !command.command_actions.is_empty() && actions.all(|action| kinds.contains(&action.kind.as_str()))
    };
    let class = if all(&["read"]) {
        ToolClass::Read
    } else if all(&["read", "listFiles", "search"]) {
        ToolClass::Search
    } else {
        ToolClass::Execute
    };
    Call {
        name: "shell".to_owned(),
        class,
        title: script(&command.command).unwrap_or_else(|| command.command.clone()),
        locations: command.command_actions.iter().filter_map(|action| action.path.clone()).collect(),
        input: json!({ "command": command.command, "cwd": command.cwd }),
    }
}

fn end_of(item: &Item) -> Option<End> {
    let end = |status: &str, text: String| End {
        outcome: outcome(status),
        exit_code: None,
        duration_ms: None,
        text,
        diffs: Vec::new(),
    };
    Some(match item {
        Item::CommandExecution(command) => End {
            // Codex says -1 for one that it killed.
            exit_code: command.exit_code.filter(|code| *code >= 0),
            duration_ms: command.duration_ms,
            ..end(&command.status, command.aggregated_output.clone().unwrap_or_default())
        },
        Item::FileChange { changes, status } => {
            let diffs =
                if status == "completed" { changes.iter().filter_map(diff_of).collect() } else { vec![] };
            End { diffs, ..end(status, changes.iter().map(summary).collect::<Vec<_>>().join("\n")) }
        }
        Item::McpToolCall(McpCall { status, result, error, duration_ms, .. }) => {
            let failure = text(error, "message");
            let content = result.get("content").and_then(Value::as_array).map(Vec::as_slice);
            let answer =
                if failure.is_empty() { contents(content.unwrap_or_default()) } else { failure.to_owned() };
            End { duration_ms: *duration_ms, ..end(status, answer) }
        }
        Item::DynamicToolCall { status, content_items, duration_ms, .. } => {
            End { duration_ms: *duration_ms, ..end(status, contents(content_items)) }
        }
        Item::CollabAgentToolCall { status, agents_states, .. } => {
            let states = if agents_states.is_null() { String::new() } else { agents_states.to_string() };
            end(status, states)
        }
        Item::WebSearch { results, .. } => {
            let results = results.as_array().map(Vec::as_slice).unwrap_or_default();
            end("completed", contents(results))
        }
        Item::ImageView { .. } | Item::Sleep { .. } => end("completed", String::new()),
        Item::ImageGeneration { status, saved_path, .. } => {
            end(status, saved_path.clone().unwrap_or_default())
        }
        Item::UserMessage { .. }
        | Item::AgentMessage { .. }
        | Item::Plan { .. }
        | Item::Reasoning { .. }
        | Item::SubAgentActivity { .. }
        | Item::ContextCompaction {}
        | Item::Unknown => return None,
    })
}

fn outcome(status: &str) -> ToolOutcome {
    match status {
        "failed" => ToolOutcome::Error,
        "declined" => ToolOutcome::Denied,
        "interrupted" => ToolOutcome::Interrupted,
        _ => ToolOutcome::Ok,
    }
}

/// Returns the texts of a list of contents; what is no text is shown as JSON.
fn contents(list: &[Value]) -> String {
    let mut all = String::new();
    for (index, content) in list.iter().enumerate() {
        if index > 0 {
            all.push('\n');
        }
        match content.get("text").and_then(Value::as_str) {
            Some(text) => all.push_str(text),
            // Writing to a string cannot fail.
            None => drop(write!(all, "{content}")),
        }
    }
    all
}

/// Returns a change as people are asked about it.
pub(super) fn as_input(change: &Change) -> Value {
    let kind = match &change.kind {
        ChangeKind::Add => "add",
        ChangeKind::Delete => "delete",
        ChangeKind::Update { .. } => "update",
    };
    let mut input = json!({ "path": change.path, "kind": kind, "diff": change.diff });
    if let ChangeKind::Update { move_path: Some(to) } = &change.kind {
        input["move_to"] = to.as_str().into();
    }
    input
}

fn summary(change: &Change) -> String {
    match &change.kind {
        ChangeKind::Add => format!("A {}", change.path),
        ChangeKind::Delete => format!("D {}", change.path),
        ChangeKind::Update { move_path: None } => format!("M {}", change.path),
        ChangeKind::Update { move_path: Some(to) } => format!("R {} -> {to}", change.path),
    }
}

/// Returns a unified diff. Codex gives the whole text of a file that is new or gone, and bare hunks otherwise.
fn diff_of(change: &Change) -> Option<Diff> {
    let path = &change.path;
    match &change.kind {
        ChangeKind::Add => diff::between(path, None, &change.diff),
        ChangeKind::Delete => diff::between(path, Some(&change.diff), ""),
        ChangeKind::Update { move_path } => {
            let to = move_path.as_ref().unwrap_or(path);
            Some(Diff { path: to.clone(), patch: format!("--- {path}\n+++ {to}\n{}", change.diff) })
        }
    }
}
