//! Calls of tools: what is known of each grows with every update, and is told when it begins and when it ends.

use std::path::Path;

use agent_client_protocol_schema::v1::{
    ContentBlock, EmbeddedResourceResource, ToolCall, ToolCallContent, ToolCallStatus, ToolCallUpdate,
    ToolKind,
};
use paseo_core::item::{Diff, Draft, Kind, ToolCallExtra, ToolClass, ToolOutcome, ToolResultExtra};
use paseo_core::time::Timestamp;
use serde_json::{Map, Value, json};

use super::parse::text;
use crate::diff;

/// The longest title of a call, and the longest name.
const TITLE: usize = 200;
const NAME: usize = 64;

/// The most that is kept of what a command said.
const TERMINAL_BYTES: usize = 16 * 1024 * 1024;

/// What a command said, where an agent tells that beside the protocol, as if in a terminal of the client's.
#[derive(Debug, Clone, Default)]
struct Terminal {
    text: String,
    exit_code: Option<i32>,
}

impl Terminal {
    fn update(&mut self, meta: &Map<String, Value>) {
        for field in ["terminal_output", "terminal_output_delta"] {
            let said = meta.get(field).map(|output| text(output, "data")).unwrap_or_default();
            let room = TERMINAL_BYTES.saturating_sub(self.text.len());
            let fits =
                said.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= room).last();
            self.text.push_str(&said[..fits.unwrap_or_default()]);
        }
        let code = meta.get("terminal_exit").and_then(|exit| exit.get("exit_code")?.as_i64());
        self.exit_code = code.and_then(|code| i32::try_from(code).ok()).or(self.exit_code);
    }
}

/// One call, as far as it is known.
#[derive(Debug, Clone)]
pub(super) struct Call {
    /// The agent's id of it, which another call may have had before.
    pub(super) id: String,
    /// What we call it.
    pub(super) own: String,
    name: Option<String>,
    pub(super) title: String,
    pub(super) kind: ToolKind,
    status: ToolCallStatus,
    content: Vec<ToolCallContent>,
    locations: Vec<String>,
    pub(super) input: Value,
    output: Value,
    terminal: Terminal,
    began: Timestamp,
    /// It was told that it began.
    pub(super) told: bool,
    /// It was told that it ended.
    ended: bool,
    pub(super) denied: bool,
}

impl Call {
    /// Says whether it does nothing but ask: it names no command and no file.
    pub(super) fn only_asks(&self) -> bool {
        let acts = matches!(
            self.kind,
            ToolKind::Execute | ToolKind::Edit | ToolKind::Delete | ToolKind::Move | ToolKind::Fetch
        );
        !acts && self.input.get("command").is_none() && self.changes().next().is_none()
    }

    /// Makes a call that is the agent's first of this id, or the second, and so on.
    pub(super) fn new(id: &str, number: u32, now: Timestamp) -> Self {
        Self {
            id: id.to_owned(),
            own: if number > 1 { format!("{id}#{number}") } else { id.to_owned() },
            name: None,
            title: String::new(),
            kind: ToolKind::Other,
            status: ToolCallStatus::Pending,
            content: Vec::new(),
            locations: Vec::new(),
            input: Value::Null,
            output: Value::Null,
            terminal: Terminal::default(),
            began: now,
            told: false,
            ended: false,
            denied: false,
        }
    }

    /// Takes in what changed. What is left out stays as it was.
    pub(super) fn update(&mut self, update: ToolCallUpdate) {
        let fields = update.fields;
        if let Some(meta) = &update.meta {
            self.terminal.update(meta);
        }
        if let Some(title) = fields.title.filter(|title| !title.is_empty()) {
            // Many begin with the name of the tool as the title.
            if self.name.is_none() && self.title.is_empty() && is_name(&title) {
                self.name = Some(title.clone());
            }
            self.title = title;
        }
        self.name = fields.name.or_else(|| own_name(update.meta.as_ref())).or(self.name.take());
        self.kind = fields.kind.unwrap_or(self.kind);
        self.status = fields.status.unwrap_or(self.status);
        if let Some(content) = fields.content {
            // A result may leave out what the call was shown with: a change stays a change.
            let diffs = std::mem::take(&mut self.content).into_iter().filter(is_diff);
            let new = content.iter().any(is_diff);
            self.content = diffs.filter(|_| !new).chain(content).collect();
        }
        if let Some(locations) = fields.locations.filter(|locations| !locations.is_empty()) {
            self.locations = locations.iter().map(|location| location.path.display().to_string()).collect();
        }
        if let Some(input) = fields.raw_input.filter(|input| !is_empty(input)) {
            self.input = input;
        }
        self.output = fields.raw_output.unwrap_or(self.output.take());
    }

    /// Says whether it has begun as far as the agent is concerned: before, half of it may be missing.
    pub(super) fn has_begun(&self) -> bool {
        !matches!(self.status, ToolCallStatus::Pending)
    }

    /// Says whether it has ended and that was not told.
    pub(super) fn ends(&self) -> bool {
        !self.ended && matches!(self.status, ToolCallStatus::Completed | ToolCallStatus::Failed)
    }

    pub(super) fn is_open(&self) -> bool {
        self.told && !self.ended
    }

    pub(super) fn name(&self) -> String {
        let name = self.name.clone().unwrap_or_else(|| word(self.kind).to_owned());
        name.chars().take(NAME).collect()
    }

    pub(super) fn locations(&self) -> Vec<String> {
        let changed = self.changes().map(|(path, _, _)| path.display().to_string());
        let mut all: Vec<String> = changed.collect();
        if all.is_empty() {
            all.clone_from(&self.locations);
        }
        all
    }

    /// Returns the changes that it shows: path, what was, what is.
    pub(super) fn changes(&self) -> impl Iterator<Item = (&Path, Option<&str>, &str)> {
        self.content.iter().filter_map(|content| match content {
            ToolCallContent::Diff(diff) => {
                Some((diff.path.as_path(), diff.old_text.as_deref(), diff.new_text.as_str()))
            }
            _ => None,
        })
    }

    /// Tells that it begins.
    pub(super) fn begin(&mut self) -> Draft {
        self.told = true;
        let name = self.name();
        let command = text(&self.input, "command");
        let shown = if !command.is_empty() && self.title == name { command } else { &self.title };
        let title: String = shown.lines().next().unwrap_or_default().chars().take(TITLE).collect();
        let title = if title.is_empty() { name.clone() } else { title };
        let extra = ToolCallExtra { title, locations: self.locations() };
        let input = if self.input.is_null() { json!({}) } else { self.input.clone() };
        Draft {
            kind: Kind::ToolCall { call: self.own.clone(), name, class: class(self.kind) },
            text: Some(input.to_string()),
            extra: serde_json::to_string(&extra).ok(),
        }
    }

    /// Tells that it ended; `stopping` when the turn was asked to.
    pub(super) fn end(&mut self, now: Timestamp, stopping: bool) -> Draft {
        self.ended = true;
        let exit_code = exit_code(&self.output).or(self.terminal.exit_code);
        let failed = self.status == ToolCallStatus::Failed
            || exit_code.is_some_and(|code| code != 0)
            || self.is_no_call();
        let outcome = match failed {
            _ if self.denied => ToolOutcome::Denied,
            // Some call a command done that they cut off.
            _ if stopping && exit_code.is_none() => ToolOutcome::Interrupted,
            true => ToolOutcome::Error,
            false => ToolOutcome::Ok,
        };
        let lasted = now.as_millis().saturating_sub(self.began.as_millis());
        let kind = Kind::ToolResult {
            call: self.own.clone(),
            outcome,
            exit_code,
            duration_ms: u64::try_from(lasted).unwrap_or_default(),
        };
        let extra = ToolResultExtra::of(if failed { Vec::new() } else { self.diffs() });
        let extra = if extra.diffs.is_empty() { None } else { serde_json::to_string(&extra).ok() };
        Draft { kind, text: Some(self.said()), extra }
    }

    /// Says whether this is how opencode tells that there is no such tool: by one that is called, and succeeds.
    fn is_no_call(&self) -> bool {
        let fields = self.input.as_object();
        let told = fields.is_some_and(|fields| fields.len() == 2 && fields.contains_key("tool"));
        self.kind == ToolKind::Other && told && self.input.get("error").is_some()
    }

    fn diffs(&self) -> Vec<Diff> {
        let mut diffs: Vec<Diff> = self
            .changes()
            .filter_map(|(path, old, new)| {
                let old = old.filter(|old| !old.is_empty());
                diff::between(&path.display().to_string(), old, new)
            })
            .collect();
        // Opencode shows what it changes, and not what it makes.
        let made = self.output.pointer("/metadata/exists") == Some(&Value::Bool(false));
        if diffs.is_empty() && made {
            let path = text(&self.input, "filePath");
            diffs.extend(diff::between(path, None, text(&self.input, "content")));
        }
        diffs
    }

    /// Returns what it says in words.
    pub(super) fn said(&self) -> String {
        let texts: Vec<String> = self.content.iter().filter_map(content_text).collect();
        if !texts.is_empty() {
            return texts.join("\n");
        }
        if !self.terminal.text.is_empty() {
            return self.terminal.text.clone();
        }
        match &self.output {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            output => output.to_string(),
        }
    }
}

/// Reads a call that begins as an update of nothing.
pub(super) fn as_update(call: ToolCall) -> ToolCallUpdate {
    let ToolCall {
        tool_call_id,
        title,
        name,
        kind,
        status,
        content,
        locations,
        raw_input,
        raw_output,
        meta,
        ..
    } = call;
    let fields = agent_client_protocol_schema::v1::ToolCallUpdateFields::new()
        .title(title)
        .name(name)
        .kind(kind)
        .status(status)
        .content(content)
        .locations(locations)
        .raw_input(raw_input)
        .raw_output(raw_output);
    ToolCallUpdate::new(tool_call_id, fields).meta(meta)
}

/// Returns the text of a block; `None` when it is none.
pub(super) fn block_text(block: &ContentBlock) -> Option<String> {
    match block {
        ContentBlock::Text(text) => Some(text.text.clone()),
        ContentBlock::ResourceLink(link) => Some(link.uri.clone()),
        ContentBlock::Resource(resource) => match &resource.resource {
            EmbeddedResourceResource::TextResourceContents(resource) => Some(resource.text.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn content_text(content: &ToolCallContent) -> Option<String> {
    match content {
        ToolCallContent::Content(content) => block_text(&content.content),
        _ => None,
    }
}

fn is_diff(content: &ToolCallContent) -> bool {
    matches!(content, ToolCallContent::Diff(_))
}

fn is_empty(input: &Value) -> bool {
    input.is_null() || input.as_object().is_some_and(Map::is_empty)
}

/// Says whether a title is the name of a tool and no sentence.
pub(super) fn is_name(title: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    !title.is_empty() && title.len() <= NAME && title.chars().all(plain)
}

/// The agents of claude name their tools beside the protocol.
fn own_name(meta: Option<&Map<String, Value>>) -> Option<String> {
    meta?.get("claudeCode")?.get("toolName")?.as_str().map(str::to_owned)
}

fn exit_code(output: &Value) -> Option<i32> {
    let places = ["/metadata/exit", "/exitCode", "/exit_code", "/metadata/exit_code"];
    let code = places.iter().find_map(|place| output.pointer(place)?.as_i64())?;
    i32::try_from(code).ok()
}

fn class(kind: ToolKind) -> ToolClass {
    match kind {
        ToolKind::Read => ToolClass::Read,
        ToolKind::Edit | ToolKind::Delete | ToolKind::Move => ToolClass::Edit,
        ToolKind::Search => ToolClass::Search,
        ToolKind::Execute => ToolClass::Execute,
        ToolKind::Fetch => ToolClass::Fetch,
        _ => ToolClass::Other,
    }
}

fn word(kind: ToolKind) -> &'static str {
    match kind {
        ToolKind::Read => "read",
        ToolKind::Edit => "edit",
        ToolKind::Delete => "delete",
        ToolKind::Move => "move",
        ToolKind::Search => "search",
        ToolKind::Execute => "execute",
        ToolKind::Think => "think",
        ToolKind::Fetch => "fetch",
        ToolKind::SwitchMode => "switch_mode",
        _ => "tool",
    }
}
