//! What the agent says and does, as items: growing text, finished blocks, tool calls and their results.

use std::collections::HashMap;

use paseo_core::id::ItemId;
use paseo_core::item::{Diff, Draft, Kind, ToolOutcome, ToolResultExtra};
use paseo_core::time::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::parse::{self, Assistant, Block, Content, Delta, Event, FileChange, StreamEvent, User};
use super::{NAME, tools};
use crate::diff::{self, Hunk};
use crate::fresh::Ids;
use crate::provider::{DeltaKind, Output};

/// What is known of the items so far.
#[derive(Debug)]
pub(super) struct Transcript {
    ids: Ids,
    /// Counts the model's messages within the turn.
    step: u32,
    /// The newest message at the top level.
    message: String,
    growing: Vec<Growing>,
    /// Whose message came to its end: the call that started a subagent, or `None` for the agent itself.
    whole: Vec<Option<String>>,
    /// The newest message at the top level ended without saying why.
    cut_off: bool,
    /// Calls without a result.
    calls: HashMap<String, Call>,
}

/// A text that is being streamed.
#[derive(Debug)]
struct Growing {
    id: ItemId,
    parent: Option<String>,
    kind: DeltaKind,
    /// Its place in the message.
    index: u64,
}

#[derive(Debug)]
struct Call {
    name: String,
    input: Value,
    since: Timestamp,
    denied: bool,
}

impl Transcript {
    pub(super) fn new(ids: Ids) -> Self {
        Self {
            ids,
            step: 0,
            message: String::new(),
            growing: Vec::new(),
            whole: Vec::new(),
            cut_off: false,
            calls: HashMap::new(),
        }
    }

    pub(super) fn ids(&mut self) -> &mut Ids {
        &mut self.ids
    }

    /// Restarts the count.
    pub(super) fn begin_turn(&mut self) {
        self.step = 0;
        self.growing.clear();
        self.whole.clear();
        self.cut_off = false;
    }

    /// Makes an item.
    pub(super) fn item(&mut self, draft: Draft, parent: Option<&str>, now: Timestamp) -> Output {
        Output::Item { id: self.ids.item(now), step: self.step, parent: parent.map(str::to_owned), draft }
    }

    /// Notes that a call was allowed: it takes time only from now on.
    pub(super) fn allowed(&mut self, call: &str, now: Timestamp) {
        if let Some(call) = self.calls.get_mut(call) {
            call.since = now;
        }
    }

    /// Notes that a call was denied.
    pub(super) fn denied(&mut self, call: &str) {
        if let Some(call) = self.calls.get_mut(call) {
            call.denied = true;
        }
    }

    /// Takes in a piece of a message. `interrupting`: the turn is being ended.
    pub(super) fn stream(&mut self, line: StreamEvent, interrupting: bool, now: Timestamp) -> Option<Output> {
        let parent = line.parent_tool_use_id;
        match line.event {
            // What of the message before was not confirmed by a finished block was cut off.
            Event::MessageStart => {
                self.cut_off &= parent.is_some();
                self.whole.retain(|whose| *whose != parent);
                self.break_off(|growing| growing.parent == parent)
            }
            Event::MessageDelta => {
                self.whole.push(parent);
                None
            }
            // The program ends a message that was cut off as well, but without saying why it ended.
            Event::MessageStop if !interrupting && !self.whole.contains(&parent) => {
                self.cut_off |= parent.is_none();
                self.break_off(|growing| growing.parent == parent)
            }
            Event::MessageStop => None,
            Event::ContentBlockStart { index, content_block } => {
                let kind = match content_block {
                    Block::Text { .. } => DeltaKind::AssistantText,
                    Block::Thinking { .. } => DeltaKind::Thinking,
                    _ => return None,
                };
                let id = self.ids.item(now);
                self.growing.push(Growing { id, parent, kind, index });
                None
            }
            Event::ContentBlockDelta { index, delta } => {
                let text = match delta {
                    Delta::Text { text } | Delta::Thinking { thinking: text } => text,
                    Delta::Other => return None,
                };
                let growing =
                    self.growing.iter().find(|growing| growing.parent == parent && growing.index == index)?;
                (!text.is_empty()).then_some(Output::Delta { item: growing.id, kind: growing.kind, text })
            }
            Event::Other => None,
        }
    }

    /// Says whether the newest message was cut off, and none followed.
    pub(super) fn is_cut_off(&self) -> bool {
        self.cut_off
    }

    /// Drops what was streamed and not finished when a turn fails.
    pub(super) fn broken(&mut self) -> Option<Output> {
        self.break_off(|growing| growing.parent.is_none())
    }

    fn break_off(&mut self, is_broken: impl Fn(&Growing) -> bool) -> Option<Output> {
        let items: Vec<ItemId> =
            self.growing.extract_if(.., |growing| is_broken(growing)).map(|one| one.id).collect();
        (!items.is_empty()).then_some(Output::BrokeOff { items, retry: None })
    }

    /// Takes in finished blocks of the agent.
    pub(super) fn assistant(&mut self, line: Assistant, now: Timestamp) -> Vec<Output> {
        let parent = line.parent_tool_use_id;
        if parent.is_none() && line.message.id != self.message {
            self.message = line.message.id;
            self.step += 1;
        }
        let mut outputs = Vec::new();
        let blocks = match line.message.content {
            Content::Blocks(blocks) => blocks,
            Content::Text(text) => vec![serde_json::json!({ "type": "text", "text": text })],
            Content::Other(value) => vec![value],
        };
        for value in blocks {
            match parse::block(&value) {
                Some(Block::Text { text }) => {
                    outputs.extend(self.said(DeltaKind::AssistantText, text, parent.as_deref(), now));
                }
                Some(Block::Thinking { thinking }) => {
                    outputs.extend(self.said(DeltaKind::Thinking, thinking, parent.as_deref(), now));
                }
                Some(Block::RedactedThinking) => {}
                Some(Block::ToolUse { id, name, input }) => {
                    outputs.extend(self.called(id, name, input, parent.as_deref(), now));
                }
                Some(Block::ToolResult { .. } | Block::Other) | None => {
                    outputs.push(self.raw(value.to_string(), parent.as_deref(), now));
                }
            }
        }
        outputs
    }

    /// Takes in what tools answered. `interrupting`: the turn is being ended.
    pub(super) fn results(&mut self, line: &User, interrupting: bool, now: Timestamp) -> Vec<Output> {
        let parent = line.parent_tool_use_id.as_deref();
        let Content::Blocks(blocks) = &line.message.content else { return Vec::new() };
        let mut outputs = Vec::new();
        for value in blocks {
            match parse::block(value) {
                Some(Block::ToolResult { tool_use_id, content, is_error }) => {
                    let call = self.calls.remove(&tool_use_id);
                    let outcome = outcome(line, &tool_use_id, is_error, call.as_ref(), interrupting);
                    let text = parse::text_of(&content);
                    let diffs = diffs(&line.tool_use_result, call.as_ref(), outcome);
                    let kind = Kind::ToolResult {
                        exit_code: call.as_ref().and_then(|call| exit_code(call, outcome, &text, line)),
                        duration_ms: call.map_or(0, |call| elapsed(call.since, now)),
                        call: tool_use_id,
                        outcome,
                    };
                    let extra = (!diffs.is_empty()).then(|| json(&ToolResultExtra::of(diffs)));
                    outputs.push(self.item(Draft { kind, text: Some(text), extra }, parent, now));
                }
                // Handled where its subject is known.
                Some(Block::Text { .. }) => {}
                _ => outputs.push(self.raw(value.to_string(), parent, now)),
            }
        }
        outputs
    }

    /// Keeps what fits nowhere.
    pub(super) fn raw(&mut self, json: String, parent: Option<&str>, now: Timestamp) -> Output {
        self.item(Draft::text(Kind::Raw { provider: NAME.to_owned() }, json), parent, now)
    }

    fn said(
        &mut self,
        kind: DeltaKind,
        text: String,
        parent: Option<&str>,
        now: Timestamp,
    ) -> Option<Output> {
        let grown = self
            .growing
            .iter()
            .position(|growing| growing.parent.as_deref() == parent && growing.kind == kind)
            .map(|place| self.growing.remove(place).id);
        if text.is_empty() && grown.is_none() {
            return None;
        }
        let item = match kind {
            DeltaKind::Thinking => Kind::Thinking,
            DeltaKind::AssistantText => Kind::AssistantText,
        };
        // Thoughts that are not shown leave an empty block.
        if text.is_empty() && item == Kind::Thinking {
            return None;
        }
        let id = grown.unwrap_or_else(|| self.ids.item(now));
        let (step, parent) = (self.step, parent.map(str::to_owned));
        Some(Output::Item { id, step, parent, draft: Draft::text(item, text) })
    }

    fn called(
        &mut self,
        call: String,
        name: String,
        input: Value,
        parent: Option<&str>,
        now: Timestamp,
    ) -> Vec<Output> {
        let kind = Kind::ToolCall { call: call.clone(), name: name.clone(), class: tools::class(&name) };
        let extra = Some(json(&tools::extra(&name, &input)));
        let mut outputs = vec![self.item(Draft { kind, text: Some(input.to_string()), extra }, parent, now)];
        if let Some(todos) = input.get("todos").filter(|_| name == "TodoWrite") {
            outputs.push(self.item(Draft::text(Kind::Todo, todos.to_string()), parent, now));
        }
        self.calls.insert(call, Call { name, input, since: now, denied: false });
        outputs
    }
}

fn outcome(line: &User, id: &str, is_error: bool, call: Option<&Call>, interrupting: bool) -> ToolOutcome {
    let meta = line.tool_result_meta.iter().find(|meta| meta.id == id);
    let kind = meta.and_then(|meta| meta.non_execution_kind.as_deref());
    let cut_off = line.tool_use_result.get("interrupted").and_then(Value::as_bool) == Some(true);
    match kind {
        _ if call.is_some_and(|call| call.denied) => ToolOutcome::Denied,
        Some("permission-rule") => ToolOutcome::Denied,
        // Also said of a command that was running when the turn was ended.
        Some("user-rejected") if !interrupting => ToolOutcome::Denied,
        _ if cut_off || (is_error && interrupting) => ToolOutcome::Interrupted,
        _ if is_error => ToolOutcome::Error,
        _ => ToolOutcome::Ok,
    }
}

/// Returns the exit code of a command that ran to its end. A failure stands only in the first line of the output.
fn exit_code(call: &Call, outcome: ToolOutcome, text: &str, line: &User) -> Option<i32> {
    if !tools::runs_commands(&call.name) {
        return None;
    }
    let background = line.tool_use_result.get("backgroundTaskId").is_some_and(|id| !id.is_null());
    match outcome {
        ToolOutcome::Ok => (!background).then_some(0),
        ToolOutcome::Error => text.lines().next()?.strip_prefix("Exit code ")?.trim().parse().ok(),
        ToolOutcome::Denied | ToolOutcome::Interrupted => None,
    }
}

fn diffs(result: &Value, call: Option<&Call>, outcome: ToolOutcome) -> Vec<Diff> {
    let Some(call) = call.filter(|call| outcome == ToolOutcome::Ok && is_edit(&call.name)) else {
        return Vec::new();
    };
    let change = FileChange::deserialize(result).unwrap_or_default();
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let path = Some(change.file_path).filter(|path| !path.is_empty());
    let path = path.or_else(|| text(&call.input, "file_path")).or_else(|| text(&call.input, "notebook_path"));
    let Some(path) = path else { return Vec::new() };
    if !change.structured_patch.is_empty() {
        let hunks = change.structured_patch.into_iter().map(|hunk| Hunk {
            old_start: hunk.old_start,
            old_lines: hunk.old_lines,
            new_start: hunk.new_start,
            new_lines: hunk.new_lines,
            lines: hunk.lines,
        });
        return diff::of_hunks(&path, false, &hunks.collect::<Vec<_>>()).into_iter().collect();
    }
    if let Some(content) = change.content.or_else(|| text(&call.input, "content")) {
        return diff::between(&path, change.original_file.as_deref(), &content).into_iter().collect();
    }
    let replaced = |edit: &Value| {
        let new = text(edit, "new_string").or_else(|| text(edit, "new_source"))?;
        diff::between(&path, Some(&text(edit, "old_string").unwrap_or_default()), &new)
    };
    match call.input.get("edits").and_then(Value::as_array) {
        Some(edits) => edits.iter().filter_map(replaced).collect(),
        None => replaced(&call.input).into_iter().collect(),
    }
}

fn is_edit(name: &str) -> bool {
    tools::class(name) == paseo_core::item::ToolClass::Edit
}

fn elapsed(since: Timestamp, now: Timestamp) -> u64 {
    u64::try_from(now.as_millis().saturating_sub(since.as_millis())).unwrap_or(0)
}

fn json(value: &impl serde::Serialize) -> String {
    // Plain structs with string keys always serialise.
    serde_json::to_string(value).unwrap_or_default()
}
