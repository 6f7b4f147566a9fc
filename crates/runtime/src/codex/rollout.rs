//! What codex writes down of a thread in a terminal, a line for each thing that was said and done.
//!
//! Things of a thread stand there in codex's own shape, which is that of the app server under other names.

use std::collections::{BTreeMap, HashSet};

use paseo_core::item::{Draft, Kind, ToolOutcome, Usage};
use paseo_core::time::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::calls::Calls;
use super::failure::{self, Limits};
use super::items;
use super::parse::{self, Entry, Item, TurnError, text};
use crate::fresh::Ids;
use crate::provider::TurnEnd;
use crate::terminal::resident::{self, Seen};

/// The tool that runs commands. Its calls become things of the thread when the command has ended.
const RUNS: &str = "exec_command";

/// What is known of a thread from the lines so far.
#[derive(Debug, Default)]
pub(super) struct Rollout {
    thread: Option<String>,
    running: bool,
    step: u32,
    /// The next thing that the model says belongs to another step.
    answered: bool,
    used: Usage,
    calls: Calls,
    /// Commands that run: what the model wrote, by its call.
    commands: BTreeMap<String, String>,
    /// Commands that were told of before they had ended.
    told: HashSet<String>,
    /// A call that became nothing else, until it is known whether the turn goes on.
    unfinished: Vec<(Draft, Draft)>,
    limits: Limits,
}

/// A line.
#[derive(Debug, Deserialize)]
struct Line {
    r#type: String,
    #[serde(default)]
    timestamp: String,
    #[serde(default)]
    payload: Value,
}

/// Makes the items of one line.
struct Maker {
    ids: Ids,
    now: Timestamp,
}

impl Maker {
    fn item(&mut self, step: u32, draft: Draft) -> Seen {
        Seen::Item { id: self.ids.item(self.now), step, parent: None, draft }
    }
}

impl Rollout {
    /// Takes in a line. What is none of theirs, or new, says nothing.
    pub(super) fn line(&mut self, text: &str) -> Vec<Seen> {
        let Ok(Line { r#type, timestamp, payload }) = serde_json::from_str(text) else { return Vec::new() };
        let now = resident::timestamp(&timestamp);
        // A line has no name of its own, but nothing else was ever written like it.
        let mut maker = Maker { ids: Ids::derived(&["codex", text]), now };
        match r#type.as_str() {
            "session_meta" => self.opened(&payload),
            "event_msg" => self.event(&payload, &mut maker),
            "response_item" => self.written(&payload, &mut maker),
            "token_usage_record" => {
                self.used = payload.get("turn_token_usage").map(usage).unwrap_or_default();
                self.answered = true;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn opened(&mut self, meta: &Value) -> Vec<Seen> {
        // What is said of others further down is what this one was made from.
        if self.thread.is_some() {
            return Vec::new();
        }
        let id = text(meta, "id").to_owned();
        self.thread = Some(id.clone());
        vec![Seen::Reference(id)]
    }

    fn event(&mut self, event: &Value, maker: &mut Maker) -> Vec<Seen> {
        match text(event, "type") {
            "task_started" => {
                (self.running, self.step, self.answered, self.used) = (true, 1, false, Usage::default());
                Vec::new()
            }
            "item_completed" => {
                let mut seen = self.settle(None, maker);
                seen.extend(self.completed(event, maker));
                seen
            }
            "token_count" => {
                event.get("rate_limits").into_iter().for_each(|limits| self.limits.update(limits));
                Vec::new()
            }
            "turn_aborted" => self.end(TurnEnd::Interrupted, maker),
            "task_complete" => {
                let end = match event.get("error").filter(|error| !error.is_null()) {
                    Some(error) => TurnEnd::Failed(failure::failed(&turn_error(error), None, &self.limits)),
                    None => TurnEnd::Completed,
                };
                self.end(end, maker)
            }
            _ => Vec::new(),
        }
    }

    fn completed(&mut self, event: &Value, maker: &mut Maker) -> Vec<Seen> {
        let Some(entry) = entry(event) else { return Vec::new() };
        self.calls.shown(&entry.id);
        self.commands.remove(&entry.id);
        if self.told.contains(&entry.id) {
            return Vec::new();
        }
        let said = |kind: Kind, text: String| (!text.is_empty()).then(|| Draft::text(kind, text));
        let drafts: Vec<Draft> = match &entry.item {
            Item::UserMessage { content, .. } => {
                let words: Vec<&str> = content.iter().map(|piece| text(piece, "text")).collect();
                return vec![Seen::Said(words.concat())];
            }
            Item::AgentMessage { text } | Item::Plan { text } => {
                said(Kind::AssistantText, text.clone()).into_iter().collect()
            }
            Item::Reasoning { summary, content } => {
                let words: Vec<&str> = summary.iter().chain(content).map(String::as_str).collect();
                said(Kind::Thinking, words.join("\n\n")).into_iter().collect()
            }
            Item::ContextCompaction {} => {
                let kind = Kind::Notice { code: "compacted".to_owned() };
                vec![Draft::text(kind, "The conversation was summarised to free context.")]
            }
            Item::SubAgentActivity { .. } | Item::Unknown => Vec::new(),
            _ => items::call(&entry).into_iter().chain(items::result(&entry, false)).collect(),
        };
        if matches!(entry.item, Item::AgentMessage { .. } | Item::Plan { .. } | Item::Reasoning { .. }) {
            self.stepped();
        }
        drafts.into_iter().map(|draft| maker.item(self.step, draft)).collect()
    }

    fn stepped(&mut self) {
        if std::mem::take(&mut self.answered) {
            self.step += 1;
        }
    }

    /// Takes in what the model wrote: of most of it the things of the thread tell.
    fn written(&mut self, item: &Value, maker: &mut Maker) -> Vec<Seen> {
        let kind = text(item, "type");
        let mut seen = Vec::new();
        if kind == "function_call" || kind == "custom_tool_call" {
            seen = self.settle(None, maker);
            self.stepped();
            if text(item, "name") == RUNS {
                self.calls.shown(text(item, "call_id"));
                self.commands.insert(text(item, "call_id").to_owned(), text(item, "arguments").to_owned());
            }
        }
        self.unfinished.extend(self.calls.raw(item));
        seen
    }

    /// Tells of calls that became nothing else: as they were answered, or as what ended them says.
    fn settle(&mut self, outcome: Option<ToolOutcome>, maker: &mut Maker) -> Vec<Seen> {
        let mut seen = Vec::new();
        for (call, mut result) in std::mem::take(&mut self.unfinished) {
            if let (Some(outcome), Kind::ToolResult { outcome: known, .. }) = (outcome, &mut result.kind) {
                *known = outcome;
            }
            seen.extend([maker.item(self.step, call), maker.item(self.step, result)]);
        }
        seen
    }

    fn end(&mut self, end: TurnEnd, maker: &mut Maker) -> Vec<Seen> {
        let stopped = end == TurnEnd::Interrupted;
        let mut seen = self.settle(stopped.then_some(ToolOutcome::Interrupted), maker);
        for (call, arguments) in std::mem::take(&mut self.commands) {
            let arguments: Value = serde_json::from_str(&arguments).unwrap_or_default();
            let status = if stopped { "interrupted" } else { "inProgress" };
            let entry = json!({
                "type": "commandExecution", "id": call, "command": text(&arguments, "cmd"), "status": status,
            });
            let Some(entry) = parse::read::<Entry>(&entry) else { continue };
            let result = match stopped {
                true => items::result(&entry, false),
                false => Some(items::left_running(&call, "")),
            };
            let drafts = items::call(&entry).into_iter().chain(result);
            seen.extend(drafts.map(|draft| maker.item(self.step, draft)));
            self.told.insert(call);
        }
        self.calls.end();
        if self.used != Usage::default() {
            let draft = Draft { kind: Kind::Usage(self.used), text: None, extra: None };
            seen.push(maker.item(self.step, draft));
        }
        self.used = Usage::default();
        if std::mem::take(&mut self.running) {
            seen.push(Seen::Ended(end));
        }
        seen
    }
}

fn usage(tokens: &Value) -> Usage {
    let count = |name: &str| tokens.get(name).and_then(Value::as_u64).unwrap_or_default();
    Usage {
        input_tokens: count("input_tokens"),
        cached_tokens: count("cached_input_tokens"),
        output_tokens: count("output_tokens"),
        cost_micros: None,
    }
}

/// Returns an error as the app server would tell it.
fn turn_error(error: &Value) -> TurnError {
    let info = match error.get("codex_error_info") {
        Some(Value::String(word)) => camel(word).into(),
        Some(Value::Object(fields)) => Value::Object(renamed_deep(fields)),
        _ => Value::Null,
    };
    TurnError { message: text(error, "message").to_owned(), codex_error_info: info, additional_details: None }
}

/// Returns a thing of the thread as the app server would tell it.
fn entry(event: &Value) -> Option<Entry> {
    let theirs = event.get("item")?.as_object()?;
    let mut item = renamed(theirs);
    let kind = text(event.get("item")?, "type");
    let mut first = kind.chars();
    let kind: String = first.next().map(|c| c.to_ascii_lowercase()).into_iter().chain(first).collect();
    let pieces = |name: &str, joined: &str| -> String {
        let pieces = theirs.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        pieces.iter().map(|piece| text(piece, "text")).collect::<Vec<_>>().join(joined)
    };
    match kind.as_str() {
        "agentMessage" => drop(item.insert("text".to_owned(), pieces("content", "").into())),
        "reasoning" => {
            for (theirs, ours) in [("summaryText", "summary"), ("rawContent", "content")] {
                if let Some(words) = item.remove(theirs) {
                    item.insert(ours.to_owned(), words);
                }
            }
        }
        "commandExecution" => command(theirs, &mut item),
        "fileChange" => drop(item.insert("changes".to_owned(), changes(theirs.get("changes")?))),
        _ => {}
    }
    item.insert("type".to_owned(), kind.into());
    for (theirs, ours) in [("started_at_ms", "startedAtMs"), ("completed_at_ms", "completedAtMs")] {
        if let Some(at) = event.get(theirs) {
            item.insert(ours.to_owned(), at.clone());
        }
    }
    if let Some(lasted) = theirs.get("duration") {
        let part = |name: &str| lasted.get(name).and_then(Value::as_u64).unwrap_or_default();
        item.insert("durationMs".to_owned(), (part("secs") * 1_000 + part("nanos") / 1_000_000).into());
    }
    parse::read(&Value::Object(item))
}

fn command(theirs: &Map<String, Value>, item: &mut Map<String, Value>) {
    if let Some(words) = theirs.get("command").and_then(Value::as_array) {
        let words: Vec<String> = words.iter().filter_map(Value::as_str).map(quoted).collect();
        item.insert("command".to_owned(), words.join(" ").into());
    }
    if let Some(place) = theirs.get("cwd").and_then(Value::as_str) {
        item.insert("cwd".to_owned(), place.strip_prefix("file://").unwrap_or(place).into());
    }
    let actions = theirs.get("parsed_cmd").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let actions: Vec<Value> = actions
        .iter()
        .map(|action| json!({ "type": camel(text(action, "type")), "path": action.get("path") }))
        .collect();
    item.insert("commandActions".to_owned(), actions.into());
}

/// Returns a word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain =
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./=:,@+".contains(c));
    if plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

fn changes(theirs: &Value) -> Value {
    let Some(theirs) = theirs.as_object() else { return theirs.clone() };
    let changed = theirs.iter().map(|(path, change)| {
        let diff = match text(change, "content") {
            "" => text(change, "unified_diff"),
            content => content,
        };
        let kind = json!({ "type": text(change, "type"), "move_path": change.get("move_path") });
        json!({ "path": path, "kind": kind, "diff": diff })
    });
    changed.collect()
}

/// Names fields as the app server does.
fn renamed(fields: &Map<String, Value>) -> Map<String, Value> {
    fields.iter().map(|(name, value)| (camel(name), value.clone())).collect()
}

fn renamed_deep(fields: &Map<String, Value>) -> Map<String, Value> {
    let inner = |value: &Value| match value {
        Value::Object(fields) => Value::Object(renamed_deep(fields)),
        other => other.clone(),
    };
    fields.iter().map(|(name, value)| (camel(name), inner(value))).collect()
}

/// Turns `exit_code` into `exitCode`.
fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        all.extend(letters.next().map(|c| c.to_ascii_uppercase()));
        all.push_str(letters.as_str());
    }
    all
}
