//! What codex asks leave for, and how it is answered.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use paseo_core::permission::{Power, Request, Shape, script};
use serde_json::{Map, Value, json};

use super::items::{as_input, mcp_name};
use super::open::OpenItems;
use super::parse::{Change, ChangeKind, Place, read, text};
use super::reading;
use crate::provider::{Answer, McpServer};

/// What a request of codex comes to.
#[derive(Debug, PartialEq)]
pub(super) enum Wish {
    /// Someone decides.
    Ask(Box<Ask>),
    /// One of our own servers asks: what it may do, the daemon decides.
    Accept(Value),
    /// Nobody could answer it.
    Decline(Value),
    /// Nothing that we know.
    Unknown,
}

/// A question that is open.
#[derive(Debug, PartialEq)]
pub(super) struct Ask {
    pub(super) request: Request,
    /// The id of the request, as codex wrote it.
    id: Value,
    reply: Reply,
    place: Place,
    /// The call that it is about.
    item: Option<String>,
}

/// How an answer is written.
#[derive(Debug, PartialEq)]
enum Reply {
    Decision,
    Elicitation,
    /// Holds what was asked for.
    Permissions(Value),
}

/// What a request is judged by.
pub(super) struct Context<'a> {
    pub(super) directory: &'a Path,
    /// Our own MCP servers.
    pub(super) servers: &'a [McpServer],
    pub(super) open: &'a OpenItems,
}

/// Reads a request of codex.
pub(super) fn wish(id: &Value, method: &str, params: &Value, context: &Context<'_>) -> Wish {
    let Some(place) = read::<Place>(params) else { return Wish::Unknown };
    let mut item = Some(text(params, "itemId")).filter(|item| !item.is_empty()).map(str::to_owned);
    let (tool, input, power, shape, reply) = match method {
        "item/commandExecution/requestApproval" => {
            let (tool, input, power, shape) = command(params, context.directory);
            (tool, input, power, shape, Reply::Decision)
        }
        "item/fileChange/requestApproval" => {
            let changes = context.open.changes(&place.thread_id, item.as_deref().unwrap_or_default());
            let mut input = pick(params, &["reason", "grantRoot"]);
            let paths: Vec<&str> = changes.iter().copied().flatten().flat_map(touched).collect();
            input.insert("changes".to_owned(), changes.unwrap_or_default().iter().map(as_input).collect());
            let shape = match paths[..] {
                _ if input.contains_key("grantRoot") => question("Codex wants to write files", &input),
                // What cannot be shown cannot be allowed for good.
                [] => question("Codex wants to change files without naming them", &input),
                [path] => Shape::File { path: path.to_owned() },
                // These files together. No path begins with a bracket: they are absolute.
                _ => Shape::File { path: json!(paths).to_string() },
            };
            ("apply_patch".to_owned(), Value::Object(input), Power::Write, shape, Reply::Decision)
        }
        "mcpServer/elicitation/request" => {
            let server = text(params, "serverName");
            if context.servers.iter().any(|ours| ours.name == server) {
                return Wish::Accept(accepted());
            }
            if wants_fields(params) {
                return Wish::Decline(json!({ "action": "decline", "content": null }));
            }
            let (called, tool, input, shape) = elicitation(params, &place, context.open);
            item = called;
            (tool, input, Power::Shell, shape, Reply::Elicitation)
        }
        "item/permissions/requestApproval" => {
            let wanted = params.get("permissions").cloned().unwrap_or_default();
            let input = pick(params, &["permissions", "cwd", "reason"]);
            let shape = question("Codex wants more permissions for this turn", &input);
            let reply = Reply::Permissions(wanted);
            ("request_permissions".to_owned(), Value::Object(input), Power::Shell, shape, reply)
        }
        _ => return Wish::Unknown,
    };
    let request = Request { call: call(id), tool, input, power, shape };
    Wish::Ask(Box::new(Ask { request, id: id.clone(), reply, place, item }))
}

/// Returns the id of a request as text.
pub(super) fn call(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

fn command(params: &Value, directory: &Path) -> (String, Value, Power, Shape) {
    let fields = ["kind", "command", "cwd", "reason", "networkApprovalContext", "additionalPermissions"];
    let mut input = pick(params, &fields);
    let host = params.pointer("/networkApprovalContext/host").and_then(Value::as_str);
    let (line, cwd) = (text(params, "command"), text(params, "cwd"));
    let ordinary = match input.remove("kind") {
        None => true,
        Some(kind) if kind == "command" => true,
        Some(kind) => {
            input.insert("kind".to_owned(), kind);
            false
        }
    };
    let plain = ordinary && !line.is_empty() && !input.contains_key("additionalPermissions");
    let (power, shape) = match host {
        Some(host) => (Power::Net, Shape::Host { host: host.to_owned() }),
        None if !plain => (Power::Shell, question("Codex wants to run a command", &input)),
        None => {
            let power = if reading::only_reads(line) { Power::Read } else { Power::Shell };
            // The same words do something else in another place.
            let elsewhere = !cwd.is_empty() && Path::new(cwd) != directory;
            // Codex wraps each command in a shell; it is the same command without.
            let plain = script(line).unwrap_or_else(|| line.to_owned());
            let command = if elsewhere { format!("cd {cwd} && {plain}") } else { plain };
            (power, Shape::Command { command })
        }
    };
    ("shell".to_owned(), Value::Object(input), power, shape)
}

/// Returns the files that a change writes: one that is moved is another afterwards.
fn touched(change: &Change) -> impl Iterator<Item = &str> {
    let moved = match &change.kind {
        ChangeKind::Update { move_path } => move_path.as_deref(),
        ChangeKind::Add | ChangeKind::Delete => None,
    };
    [Some(change.path.as_str()), moved].into_iter().flatten()
}

/// Returns which call it is about, the tool, what it would get, and the shape.
fn elicitation(params: &Value, place: &Place, open: &OpenItems) -> (Option<String>, String, Value, Shape) {
    let server = text(params, "serverName");
    let message = text(params, "message");
    let arguments = params.pointer("/_meta/tool_params").cloned().unwrap_or_default();
    // The tool is named in prose only, so the call is found by what it gets.
    let mut calls =
        open.mcp_calls(&place.thread_id, server).filter(|(_, call)| same(&call.arguments, &arguments));
    let is_call = params.pointer("/_meta/codex_approval_kind").is_some_and(|kind| kind == "mcp_tool_call");
    if is_call && let (Some((id, call)), None) = (calls.next(), calls.next()) {
        let tool = mcp_name(server, &call.tool);
        let input = json!({ "server": server, "tool": call.tool, "arguments": arguments });
        return (Some(id.to_owned()), tool.clone(), input, Shape::Tool { name: tool });
    }
    let mut input = pick(params, &["serverName", "message", "url", "title", "description"]);
    if is_call {
        input.insert("arguments".to_owned(), arguments);
    }
    let shape = question(&format!("The MCP server {server} asks: {message}"), &input);
    (None, format!("mcp__{server}"), Value::Object(input), shape)
}

/// Says whether two inputs of a tool are the same; none is as good as an empty one.
fn same(one: &Value, other: &Value) -> bool {
    let empty = |value: &Value| value.is_null() || value.as_object().is_some_and(Map::is_empty);
    one == other || (empty(one) && empty(other))
}

/// Says whether an elicitation can only be answered by filling in a form.
fn wants_fields(params: &Value) -> bool {
    let fields = params.pointer("/requestedSchema/properties").and_then(Value::as_object);
    let required = params.pointer("/requestedSchema/required").and_then(Value::as_array);
    fields.is_some_and(|fields| !fields.is_empty()) && required.is_some_and(|required| !required.is_empty())
        || text(params, "mode") == "openai/userVerification"
}

fn question(words: &str, input: &Map<String, Value>) -> Shape {
    let shown = serde_json::to_string_pretty(input).unwrap_or_default();
    Shape::Question { text: format!("{words}:\n{shown}") }
}

fn pick(params: &Value, fields: &[&str]) -> Map<String, Value> {
    let present = fields.iter().filter_map(|field| Some((*field, params.get(field)?)));
    present
        .filter(|(_, value)| !value.is_null())
        .map(|(field, value)| (field.to_owned(), value.clone()))
        .collect()
}

fn accepted() -> Value {
    json!({ "action": "accept", "content": {} })
}

/// What is asked and not answered yet.
#[derive(Debug, Default)]
pub(super) struct Asks {
    open: HashMap<String, Ask>,
    /// Calls that were denied and have not ended yet: codex says of some only that they failed.
    denied: HashSet<(String, String)>,
}

impl Asks {
    pub(super) fn begin(&mut self, ask: Ask) {
        self.open.insert(ask.request.call.clone(), ask);
    }

    /// Returns the line that answers, if the question is open.
    pub(super) fn answer(&mut self, call: &str, answer: &Answer) -> Option<String> {
        let ask = self.open.remove(call)?;
        let allowed = match answer {
            // Codex does what it asked for or nothing: it takes no other input.
            Answer::Allow { input, .. } => {
                matches!(ask.request.shape, Shape::Question { .. }) || *input == ask.request.input
            }
            Answer::Deny { .. } => false,
        };
        if !allowed && let Some(item) = ask.item {
            self.denied.insert((ask.place.thread_id, item));
        }
        let result = match (ask.reply, allowed) {
            (Reply::Decision, true) => json!({ "decision": "accept" }),
            (Reply::Decision, false) => json!({ "decision": "decline" }),
            (Reply::Elicitation, true) => accepted(),
            (Reply::Elicitation, false) => json!({ "action": "decline", "content": null }),
            (Reply::Permissions(wanted), true) => json!({ "permissions": granted(wanted), "scope": "turn" }),
            (Reply::Permissions(_), false) => json!({ "permissions": {}, "scope": "turn" }),
        };
        Some(json!({ "id": ask.id, "result": result }).to_string())
    }

    /// Forgets a question that codex does not want answered any more. Says whether it was open.
    pub(super) fn withdraw(&mut self, call: &str) -> bool {
        self.open.remove(call).is_some()
    }

    /// Forgets all questions of a thread and returns them.
    pub(super) fn withdraw_all(&mut self, thread: &str) -> Vec<String> {
        let gone = self.open.extract_if(|_, ask| ask.place.thread_id == thread);
        gone.map(|(call, _)| call).collect()
    }

    /// Says whether this call, which has ended, had been denied.
    pub(super) fn was_denied(&mut self, thread: &str, item: &str) -> bool {
        self.denied.remove(&(thread.to_owned(), item.to_owned()))
    }
}

/// Returns what was asked for without what was not: codex takes no null here.
fn granted(wanted: Value) -> Value {
    match wanted {
        Value::Object(wanted) => wanted.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        wanted => wanted,
    }
}
