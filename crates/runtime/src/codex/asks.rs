//! What codex asks leave for, and how it is answered.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use paseo_core::permission::form::Question;
use paseo_core::permission::{Form, Power, Request, Shape, script};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::items::{as_input, mcp_name};
use super::open::OpenItems;
use super::parse::{Change, ChangeKind, Place, read, text};
use super::reading;
use crate::elicitation::{self, Asked as Elicited};
use crate::provider::{Answer, McpServer};
use crate::questions::{self, Listed};

/// What a request of codex comes to.
#[derive(Debug, PartialEq)]
pub(super) enum Wish {
    /// Someone decides.
    Ask(Box<Ask>),
    /// One of our own servers asks: what it may do, the daemon decides.
    Accept(Value),
    /// It could not be answered.
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
    /// Whether a tool of a server may be used.
    Call,
    /// What a server asks a person for.
    Elicitation(Form),
    /// Holds what was asked for.
    Permissions(Value),
    /// Holds the ids of the questions.
    Answers(Vec<String>),
}

impl Ask {
    /// Returns the call by which codex put questions to a person, and whether one asks for a secret.
    pub(super) fn question(&self) -> Option<(&str, bool)> {
        let secret = self.request.form.as_ref().is_some_and(Form::is_secret);
        matches!(self.reply, Reply::Answers(_)).then(|| (self.item.as_deref().unwrap_or_default(), secret))
    }
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
    let mut form = None;
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
                // What cannot be shown cannot be allowed by a rule.
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
            if is_call(params) {
                // Codex asks in the same way whether a tool may be used.
                let (called, tool, input, shape) = mcp_call(params, &place, context.open);
                item = called;
                (tool, input, Power::Shell, shape, Reply::Call)
            } else {
                let message = text(params, "message");
                let asked = elicitation::read(
                    text(params, "mode"),
                    &params["requestedSchema"],
                    text(params, "url"),
                    &[],
                );
                let Elicited::Form(asked) = asked else { return Wish::Decline(declined()) };
                let asker = format!("The MCP server {server}");
                let shape = Shape::Question { text: elicitation::words(&asker, message, &asked) };
                form = Some(asked.clone());
                let reply = Reply::Elicitation(asked);
                (format!("mcp__{server}"), Value::Null, Power::Read, shape, reply)
            }
        }
        "item/permissions/requestApproval" => {
            let wanted = params.get("permissions").cloned().unwrap_or_default();
            let input = pick(params, &["permissions", "cwd", "reason"]);
            let shape = question("Codex wants more permissions for this turn", &input);
            let reply = Reply::Permissions(wanted);
            ("request_permissions".to_owned(), Value::Object(input), Power::Shell, shape, reply)
        }
        "item/tool/requestUserInput" => {
            let Some(questions) = Questions::read(params) else { return Wish::Unknown };
            form = Form::Questions { questions: questions.asked.clone() }.checked();
            // Without its form, a secret would be asked for in plain sight.
            if form.is_none() && questions.asked.iter().any(|asked| asked.secret) {
                return Wish::Decline(json!({ "answers": {} }));
            }
            let shape = Shape::Question { text: questions::words(&questions.asked) };
            let reply = Reply::Answers(questions.ids);
            ("request_user_input".to_owned(), Value::Null, Power::Read, shape, reply)
        }
        _ => return Wish::Unknown,
    };
    let request = Request { call: call(id), tool, input, power, shape, form };
    Wish::Ask(Box::new(Ask { request, id: id.clone(), reply, place, item }))
}

/// Questions to a person, and how codex names them.
struct Questions {
    ids: Vec<String>,
    asked: Vec<Question>,
}

impl Questions {
    fn read(params: &Value) -> Option<Self> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Asked {
            id: String,
            question: String,
            #[serde(default)]
            header: String,
            #[serde(default)]
            is_other: bool,
            #[serde(default)]
            is_secret: bool,
            options: Option<Vec<Listed>>,
        }
        let read = Vec::<Asked>::deserialize(params.get("questions")?).ok()?;
        let (ids, asked) = read
            .into_iter()
            .map(|Asked { id, question: text, header, is_other, is_secret: secret, options }| {
                let options: Vec<_> =
                    options.unwrap_or_default().into_iter().map(|Listed(option)| option).collect();
                let open = is_other || options.is_empty();
                (id, Question { text, header, options, multiple: false, open, secret })
            })
            .unzip();
        Some(Self { ids, asked })
    }
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

/// Says whether an elicitation asks for leave to use a tool.
fn is_call(params: &Value) -> bool {
    params.pointer("/_meta/codex_approval_kind").is_some_and(|kind| kind == "mcp_tool_call")
}

/// Returns which call it is about, the tool, what it would get, and the shape.
fn mcp_call(params: &Value, place: &Place, open: &OpenItems) -> (Option<String>, String, Value, Shape) {
    let server = text(params, "serverName");
    let message = text(params, "message");
    let arguments = params.pointer("/_meta/tool_params").cloned().unwrap_or_default();
    // The tool is named in prose only, so the call is found by what it gets.
    let mut calls =
        open.mcp_calls(&place.thread_id, server).filter(|(_, call)| same(&call.arguments, &arguments));
    if let (Some((id, call)), None) = (calls.next(), calls.next()) {
        let tool = mcp_name(server, &call.tool);
        let input = json!({ "server": server, "tool": call.tool, "arguments": arguments });
        return (Some(id.to_owned()), tool.clone(), input, Shape::Tool { name: tool });
    }
    let mut input = pick(params, &["serverName", "message", "url", "title", "description"]);
    input.insert("arguments".to_owned(), arguments);
    let shape = question(&format!("The MCP server {server} asks: {message}"), &input);
    (None, format!("mcp__{server}"), Value::Object(input), shape)
}

/// Says whether two inputs of a tool are the same; none is as good as an empty one.
fn same(one: &Value, other: &Value) -> bool {
    let empty = |value: &Value| value.is_null() || value.as_object().is_some_and(Map::is_empty);
    one == other || (empty(one) && empty(other))
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

fn declined() -> Value {
    with_content(elicitation::decline())
}

/// Codex knows no answer without content.
fn with_content(mut answer: Value) -> Value {
    if answer.get("content").is_none() {
        answer["content"] = Value::Null;
    }
    answer
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
            Answer::Choose { .. } => matches!(ask.reply, Reply::Answers(_)),
            Answer::Fill { .. } => matches!(ask.reply, Reply::Elicitation(_)),
            Answer::Deny { .. } | Answer::Cancel => false,
        };
        if !allowed && let Some(item) = ask.item {
            self.denied.insert((ask.place.thread_id, item));
        }
        let result = match (ask.reply, allowed) {
            (Reply::Decision, true) => json!({ "decision": "accept" }),
            (Reply::Decision, false) => json!({ "decision": "decline" }),
            (Reply::Call, true) => accepted(),
            (Reply::Call, false) => declined(),
            (Reply::Elicitation(form), _) => with_content(elicitation::answer(answer, &form)),
            (Reply::Permissions(wanted), true) => json!({ "permissions": granted(wanted), "scope": "turn" }),
            (Reply::Answers(ids), _) => json!({ "answers": chosen(ids, answer) }),
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

/// Returns the answers to questions by their ids. Codex goes on without those that are missing.
fn chosen(ids: Vec<String>, answer: &Answer) -> Map<String, Value> {
    match answer {
        Answer::Choose { answers } => {
            ids.into_iter().zip(answers).map(|(id, chosen)| (id, json!({ "answers": chosen }))).collect()
        }
        Answer::Allow { .. } | Answer::Deny { .. } | Answer::Fill { .. } | Answer::Cancel => Map::new(),
    }
}

/// Returns what was asked for without what was not: codex takes no null here.
fn granted(wanted: Value) -> Value {
    match wanted {
        Value::Object(wanted) => wanted.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        wanted => wanted,
    }
}
