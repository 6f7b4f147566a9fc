//! What Claude Code writes down of a conversation in a terminal, a line for each thing that was said and done.
//!
//! The lines are like those that it speaks behind pipes, with some fields under other names.

use paseo_core::item::{Draft, Kind, Usage};
use paseo_core::permission::Mode;
use paseo_core::time::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::ending::{self, Troubles};
use super::notices::{self, Said};
use super::parse::{self, Assistant, Content, System, TokenCount, ToolResultMeta, TurnResult, User};
use super::transcript::Transcript;
use crate::fresh::Ids;
use crate::provider::{Output, TurnEnd};
use crate::terminal::resident::Seen;

/// What it writes in the name of the user when a turn was ended. Older ones say it in no other way.
const STOPPED: &str = "[Request interrupted by user";

/// How lines begin that tell of a command to the program itself.
const COMMANDS: [&str; 4] = ["<command-name>", "<command-message>", "<local-command-", "<bash-"];

/// Fields that have another name behind pipes.
const RENAMED: [(&str, &str); 3] = [
    ("toolUseResult", "tool_use_result"),
    ("apiErrorStatus", "api_error_status"),
    ("apiErrorParams", "api_error_params"),
];

/// What is known of a conversation from the lines so far.
#[derive(Debug)]
pub(super) struct History {
    transcript: Transcript,
    /// No person is asked, so what was not done was not denied.
    unasked: bool,
    conversation: Option<String>,
    turn: Option<Turn>,
}

/// The turn that the lines are in.
#[derive(Debug, Default)]
struct Turn {
    /// What each message of the model used: it is repeated with each part of it.
    used: Vec<(String, TokenCount)>,
    /// The model had no more to say.
    done: bool,
    troubles: Troubles,
}

impl History {
    pub(super) fn new(permissions: Mode) -> Self {
        Self {
            transcript: Transcript::new(Ids::derived(&[])),
            unasked: permissions == Mode::Full,
            conversation: None,
            turn: None,
        }
    }

    /// Takes in a line. What is none of theirs, or new, says nothing.
    pub(super) fn line(&mut self, text: &str) -> Vec<Seen> {
        let Some(Value::Object(mut fields)) = serde_json::from_str(text).ok() else { return Vec::new() };
        for (theirs, ours) in RENAMED {
            if let Some(value) = fields.remove(theirs) {
                fields.insert(ours.to_owned(), value);
            }
        }
        fields.retain(|_, value| !value.is_null());
        let is = |name: &str| fields.get(name).and_then(Value::as_bool) == Some(true);
        // What subagents do stands in files of their own, but for older ones.
        if is("isSidechain") || is("isMeta") || is("isCompactSummary") {
            return Vec::new();
        }
        let now = timestamp(&fields);
        *self.transcript.ids() = Ids::derived(&["claude", word(&fields, "uuid")]);
        let mut seen = Vec::from_iter(self.reference(&fields));
        match word(&fields, "type") {
            "user" => seen.extend(self.user(fields, now)),
            "assistant" => seen.extend(self.assistant(fields, now)),
            "attachment" => seen.extend(self.attachment(&fields)),
            "system" => seen.extend(self.system(fields, now)),
            _ => {}
        }
        seen
    }

    /// A conversation can be continued once something was said in it.
    fn reference(&mut self, fields: &Map<String, Value>) -> Option<Seen> {
        let id = word(fields, "sessionId");
        let said = matches!(word(fields, "type"), "user" | "assistant") && !id.is_empty();
        if !said || self.conversation.as_deref() == Some(id) {
            return None;
        }
        self.conversation = Some(id.to_owned());
        Some(Seen::Reference(id.to_owned()))
    }

    fn user(&mut self, fields: Map<String, Value>, now: Timestamp) -> Vec<Seen> {
        let stopped = fields.contains_key("interruptedMessageId");
        let why_not = Some(word(&fields, "toolDenialKind").to_owned()).filter(|kind| !kind.is_empty());
        let rejected = why_not.as_deref() == Some("user-rejected");
        let Ok(mut line) = User::deserialize(Value::Object(fields)) else { return Vec::new() };
        if !parse::is_text(&line.message.content) {
            line.tool_result_meta =
                calls(&line).map(|id| ToolResultMeta { id, non_execution_kind: why_not.clone() }).collect();
            let results = self.transcript.results(&line, rejected && self.unasked, now);
            return results.into_iter().filter_map(item).collect();
        }
        let text = parse::text_of(&line.message.content);
        if stopped || text.starts_with(STOPPED) {
            return self.end(TurnEnd::Interrupted, now);
        }
        if COMMANDS.iter().any(|command| text.starts_with(command)) {
            return Vec::new();
        }
        // It says nothing about a turn that was ended before the model said anything.
        let before = match self.turn.as_ref().map(|turn| turn.done) {
            Some(true) => self.over(now),
            Some(false) => self.end(TurnEnd::Interrupted, now),
            None => Vec::new(),
        };
        self.turn = Some(Turn::default());
        self.transcript.begin_turn();
        before.into_iter().chain([Seen::Said(text)]).collect()
    }

    /// Something that was typed while a turn ran, and that the model was told.
    fn attachment(&mut self, fields: &Map<String, Value>) -> Option<Seen> {
        let attached = fields.get("attachment")?;
        let text = |name: &str| attached.get(name).and_then(Value::as_str);
        if text("type") != Some("queued_command") || text("commandMode").is_some_and(|mode| mode != "prompt")
        {
            return None;
        }
        if attached.pointer("/origin/kind").and_then(Value::as_str).is_some_and(|kind| kind != "human") {
            return None;
        }
        let said = Content::deserialize(attached.get("prompt")?).ok()?;
        Some(Seen::Said(parse::text_of(&said)))
    }

    fn assistant(&mut self, fields: Map<String, Value>, now: Timestamp) -> Vec<Seen> {
        let spent =
            fields.get("message").and_then(|message| TokenCount::deserialize(message.get("usage")?).ok());
        let stop = fields.get("message").and_then(|message| message.get("stop_reason")?.as_str());
        let done = stop.is_some_and(|reason| reason != "tool_use" && reason != "pause_turn");
        let Ok(mut line) = Assistant::deserialize(Value::Object(fields)) else { return Vec::new() };
        // It may go on by itself, when something in the background has ended.
        let turn = self.turn.get_or_insert_default();
        turn.done = done;
        if let Some(code) = line.error.take() {
            let text = Some(parse::text_of(&line.message.content));
            turn.troubles = Troubles { code: Some(code), status: line.api_error_status, text, limit: None };
            turn.troubles.note_limit(&line.api_error_params.rate_limit_info);
            return Vec::new();
        }
        turn.troubles = Troubles::default();
        if let Some(spent) = spent {
            turn.used.retain(|(message, _)| *message != line.message.id);
            turn.used.push((line.message.id.clone(), spent));
        }
        self.transcript.assistant(line, now).into_iter().filter_map(item).collect()
    }

    fn system(&mut self, fields: Map<String, Value>, now: Timestamp) -> Vec<Seen> {
        if word(&fields, "subtype") == "turn_duration" {
            return self.over(now);
        }
        let Ok(line) = System::deserialize(Value::Object(fields)) else { return Vec::new() };
        match notices::of_system(&line) {
            Said::Notice { code, text } => {
                let draft = Draft::text(Kind::Notice { code: code.to_owned() }, text);
                item(self.transcript.item(draft, None, now)).into_iter().collect()
            }
            // Much of it is for its own screen.
            Said::Nothing | Said::Unknown => Vec::new(),
        }
    }

    /// Ends the turn as it went.
    fn over(&mut self, now: Timestamp) -> Vec<Seen> {
        let Some(turn) = &self.turn else { return Vec::new() };
        let failed = turn.troubles.code.is_some();
        let result = TurnResult {
            subtype: "success".to_owned(),
            is_error: failed,
            terminal_reason: Some(if failed { "api_error" } else { "completed" }.to_owned()),
            ..TurnResult::default()
        };
        let end = ending::end_of(&result, &turn.troubles, false);
        self.end(end, now)
    }

    fn end(&mut self, end: TurnEnd, now: Timestamp) -> Vec<Seen> {
        let Some(turn) = self.turn.take() else { return Vec::new() };
        let of = |usage: TokenCount| ending::usage(&TurnResult { usage, ..TurnResult::default() }, None);
        let used = turn.used.into_iter().fold(Usage::default(), |sum, (_, usage)| sum.plus(of(usage)));
        let used = (used != Usage::default()).then(|| {
            let draft = Draft { kind: Kind::Usage(used), text: None, extra: None };
            item(self.transcript.item(draft, None, now))
        });
        used.flatten().into_iter().chain([Seen::Ended(end)]).collect()
    }
}

/// Returns the calls that a line answers.
fn calls(line: &User) -> impl Iterator<Item = String> {
    let blocks = match &line.message.content {
        Content::Blocks(blocks) => blocks.as_slice(),
        Content::Text(_) | Content::Other(_) => &[],
    };
    let id = |block: &Value| block.get("tool_use_id").and_then(Value::as_str).map(str::to_owned);
    blocks.iter().filter_map(id).collect::<Vec<_>>().into_iter()
}

fn word<'a>(fields: &'a Map<String, Value>, name: &str) -> &'a str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn timestamp(fields: &Map<String, Value>) -> Timestamp {
    crate::terminal::resident::timestamp(word(fields, "timestamp"))
}

fn item(output: Output) -> Option<Seen> {
    match output {
        Output::Item { id, step, parent, draft } => Some(Seen::Item { id, step, parent, draft }),
        _ => None,
    }
}
