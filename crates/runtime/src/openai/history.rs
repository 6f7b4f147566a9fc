//! A conversation as a model is told it.

use std::borrow::Cow;

use paseo_core::cut::head_and_tail;
use paseo_core::id::TurnId;
use paseo_core::item::{COMPACTED, CompactionExtra, Kind, ToolOutcome};
use serde_json::{Value, json};

use crate::attachment;
use crate::provider::{Attachment, Past};

/// How much of a tool's result the model is told. The transcript has all of it.
const RESULT_BYTES: usize = 32 * 1024;
/// About as many tokens an image is, in the models there are.
const IMAGE_TOKENS: u64 = 1_500;
/// Stands where a turn ended without a word, as models expect to be answered in turn.
const NO_ANSWER: &str = "(This turn ended without an answer.)";
/// Stands for a result that never came.
const NO_RESULT: &str = "(Interrupted: no result.)";
/// Stands before what is left of the older part.
const SUMMARY: &str = "[Summary of the earlier conversation:]";

/// What was said, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct History {
    /// What is left of the part that is older than the entries.
    summary: Option<String>,
    entries: Vec<Entry>,
    /// The turn of the newest entry, and how many words, calls and results it has.
    turn: Option<TurnId>,
    own: usize,
}

/// A message, and its place in the transcript.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) said: Said,
    turn: Option<TurnId>,
    /// So many of the turn's own words, calls and results stand before it.
    after: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said {
    User { text: String, images: Vec<String> },
    Assistant { text: String, calls: Vec<Made> },
    Result { call: String, text: String },
}

/// A call that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) call: String,
    pub(super) name: String,
    /// JSON.
    pub(super) input: String,
}

impl History {
    /// Reads it out of the transcript.
    pub(super) fn of(past: Vec<Past>) -> Self {
        let mut history = Self::default();
        for Past { turn, kind, text, kept, attachments } in past {
            match kind {
                Kind::UserText { .. } => history.user(turn, &text, &attachments),
                Kind::AssistantText => history.assistant(turn, text),
                Kind::ToolCall { call, name, .. } => history.call(turn, Made { call, name, input: text }),
                // The daemon closes what a crash left open, without a word.
                Kind::ToolResult { call, outcome: ToolOutcome::Interrupted, .. } if text.is_empty() => {
                    history.result(turn, call, NO_RESULT);
                }
                Kind::ToolResult { call, .. } => history.result(turn, call, &text),
                Kind::Notice { code } if code == COMPACTED => {
                    // A turn that is kept from its middle on is counted from its beginning.
                    let (turn, own) = kept.map_or((None, 0), |kept| (kept.kept_turn, kept.kept_after));
                    history = Self { summary: Some(text), entries: Vec::new(), turn, own };
                }
                Kind::Thinking
                | Kind::Permission { .. }
                | Kind::Todo
                | Kind::Usage(_)
                | Kind::Notice { .. }
                | Kind::Error { .. }
                | Kind::Raw { .. } => {}
            }
        }
        history
    }

    /// Adds texts to the agent. What comes together is one message.
    pub(super) fn user(&mut self, turn: Option<TurnId>, text: &str, files: &[Attachment]) {
        let text = attachment::with_texts(text, files);
        let shown = files.iter().filter(|file| file.kind.is_image()).map(Attachment::data_url);
        if let Some(Entry { said: Said::User { text: before, images }, turn: of, .. }) =
            self.entries.last_mut()
            && *of == turn
        {
            before.push_str("\n\n");
            before.push_str(&text);
            images.extend(shown);
            return;
        }
        let images = shown.collect();
        self.push(turn, Said::User { text, images }, 0);
    }

    /// Adds what the agent said.
    pub(super) fn assistant(&mut self, turn: Option<TurnId>, text: String) {
        self.push(turn, Said::Assistant { text, calls: Vec::new() }, 1);
    }

    /// Adds a call, to what the agent said just before or on its own.
    pub(super) fn call(&mut self, turn: Option<TurnId>, made: Made) {
        if let Some(Entry { said: Said::Assistant { calls, .. }, turn: of, .. }) = self.entries.last_mut()
            && *of == turn
        {
            calls.push(made);
            self.own += 1;
            return;
        }
        self.push(turn, Said::Assistant { text: String::new(), calls: vec![made] }, 1);
    }

    /// Adds the result of a call.
    pub(super) fn result(&mut self, turn: Option<TurnId>, call: String, text: &str) {
        let text = head_and_tail(text, RESULT_BYTES).into_owned();
        self.push(turn, Said::Result { call, text }, 1);
    }

    fn push(&mut self, turn: Option<TurnId>, said: Said, own: usize) {
        if turn != self.turn {
            (self.turn, self.own) = (turn, 0);
        }
        self.entries.push(Entry { said, turn, after: self.own });
        self.own += own;
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn summary(&self) -> Option<&str> {
        self.summary.as_deref()
    }

    /// Puts a summary in the place of everything before an entry. Returns where what is kept begins.
    pub(super) fn compact(&mut self, first: usize, summary: String) -> CompactionExtra {
        self.entries.drain(..first.min(self.entries.len()));
        self.summary = Some(summary);
        let kept = self.entries.first();
        CompactionExtra {
            kept_turn: kept.and_then(|entry| entry.turn),
            kept_after: kept.map_or(0, |entry| entry.after),
        }
    }

    /// Returns about how many tokens it has.
    pub(super) fn tokens(&self) -> u64 {
        self.entries.iter().map(Entry::tokens).sum::<u64>()
            + tokens(self.summary.as_deref().unwrap_or_default())
    }

    /// Returns the messages of a request. Every call has its result and every result its call, whatever is missing.
    pub(super) fn messages(&self, system: &str) -> Vec<Value> {
        let mut messages = vec![json!({ "role": "system", "content": system })];
        let mut summary = self.summary.as_deref().map(|summary| format!("{SUMMARY}\n\n{summary}"));
        if !matches!(self.entries.first(), Some(Entry { said: Said::User { .. }, .. }))
            && let Some(summary) = summary.take()
        {
            messages.push(json!({ "role": "user", "content": summary }));
        }
        let mut waiting: Vec<&str> = Vec::new();
        for Entry { said, .. } in &self.entries {
            match said {
                Said::Result { call, text } => {
                    if let Some(place) = waiting.iter().position(|waiting| waiting == call) {
                        waiting.remove(place);
                        messages
                            .push(json!({ "role": "tool", "tool_call_id": wire_id(call), "content": text }));
                    }
                    continue;
                }
                Said::User { .. } | Said::Assistant { .. } => {
                    messages.extend(waiting.drain(..).map(no_result));
                }
            }
            match said {
                Said::User { text, images } => {
                    if messages.last().is_some_and(|last| last["role"] == "user") {
                        messages.push(json!({ "role": "assistant", "content": NO_ANSWER }));
                    }
                    let text = match summary.take() {
                        Some(summary) => Cow::Owned(format!("{summary}\n\n{text}")),
                        None => Cow::Borrowed(text.as_str()),
                    };
                    messages.push(json!({ "role": "user", "content": content(&text, images) }));
                }
                Said::Assistant { text, calls } => {
                    let content = if text.is_empty() { Value::Null } else { text.as_str().into() };
                    let mut message = json!({ "role": "assistant", "content": content });
                    if !calls.is_empty() {
                        waiting = calls.iter().map(|made| made.call.as_str()).collect();
                        message["tool_calls"] = calls.iter().map(Made::wire).collect();
                    } else if text.is_empty() {
                        continue;
                    }
                    messages.push(message);
                }
                Said::Result { .. } => {}
            }
        }
        messages.extend(waiting.drain(..).map(no_result));
        messages
    }
}

impl Entry {
    /// Returns about how many tokens it has.
    pub(super) fn tokens(&self) -> u64 {
        match &self.said {
            Said::User { text, images } => tokens(text) + images.len() as u64 * IMAGE_TOKENS,
            Said::Result { text, .. } => tokens(text),
            Said::Assistant { text, calls } => {
                let calls = calls.iter().map(|made| tokens(&made.name) + tokens(&made.input));
                tokens(text) + calls.sum::<u64>()
            }
        }
    }
}

impl Made {
    fn wire(&self) -> Value {
        let function = json!({ "name": self.name, "arguments": self.input });
        json!({ "id": wire_id(&self.call), "type": "function", "function": function })
    }
}

/// Returns what a user said as a request has it: a text, or parts when there are images.
fn content(text: &str, images: &[String]) -> Value {
    if images.is_empty() {
        return text.into();
    }
    let text = json!({ "type": "text", "text": text });
    let image = |url: &String| json!({ "type": "image_url", "image_url": { "url": url } });
    [text].into_iter().chain(images.iter().map(image)).collect()
}

fn no_result(call: &str) -> Value {
    json!({ "role": "tool", "tool_call_id": wire_id(call), "content": NO_RESULT })
}

/// Returns the id of a call for the API, which takes no more than 40 characters.
fn wire_id(call: &str) -> String {
    call.replace('-', "")
}

/// Returns about how many tokens a text has: a few bytes are one, and every message costs a few.
pub(super) fn tokens(text: &str) -> u64 {
    text.len() as u64 / 4 + 4
}

#[cfg(test)]
mod tests {
    use paseo_core::actor::Actor;
    use paseo_core::id::DeliveryId;
    use paseo_core::item::ToolClass;
    use paseo_core::time::Timestamp;

    use super::*;

    fn turn(number: u8) -> Option<TurnId> {
        Some(TurnId::from_parts(Timestamp::from_millis(1), [number; 10]))
    }

    fn past(number: u8, kind: Kind, text: &str) -> Past {
        Past { turn: turn(number), kind, text: text.into(), kept: None, attachments: Vec::new() }
    }

    fn user() -> Kind {
        let delivery = DeliveryId::from_parts(Timestamp::from_millis(1), [1; 10]);
        Kind::UserText { origin: Actor::Human("cli".into()), delivery }
    }

    fn call(call: &str) -> Kind {
        Kind::ToolCall { call: call.into(), name: "shell".into(), class: ToolClass::Execute }
    }

    fn result(call: &str) -> Kind {
        Kind::ToolResult { call: call.into(), outcome: ToolOutcome::Ok, exit_code: None, duration_ms: 0 }
    }

    fn shape(messages: &[Value]) -> Vec<String> {
        let one = |message: &Value| {
            let calls = message["tool_calls"].as_array().map_or(0, Vec::len);
            let calls = if calls == 0 { String::new() } else { format!("+{calls}") };
            format!(
                "{}{calls}: {}",
                message["role"].as_str().unwrap(),
                message["content"].as_str().unwrap_or("-")
            )
        };
        messages.iter().map(one).collect()
    }

    #[test]
    fn a_transcript_becomes_messages() {
        let history = History::of(vec![
            past(1, user(), "one"),
            past(1, user(), "two"),
            past(1, Kind::Thinking, "hm"),
            past(1, Kind::AssistantText, "looking"),
            past(1, call("a"), "{}"),
            past(1, call("b"), "{}"),
            past(1, result("a"), "A"),
            past(1, result("b"), "B"),
            past(1, Kind::AssistantText, "done"),
        ]);
        let shown = shape(&history.messages("sys"));
        let expected = [
            "system: sys",
            "user: one\n\ntwo",
            "assistant+2: looking",
            "tool: A",
            "tool: B",
            "assistant: done",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn what_is_missing_is_made_up_for() {
        let history = History::of(vec![
            past(1, result("lost"), "of an earlier call"),
            past(1, user(), "one"),
            past(2, user(), "two"),
            past(2, call("a"), "{}"),
            past(2, call("b"), "{}"),
            past(2, result("b"), "B"),
            past(3, user(), "three"),
        ]);
        let shown = shape(&history.messages("sys"));
        let (no_answer, no_result) = (format!("assistant: {NO_ANSWER}"), format!("tool: {NO_RESULT}"));
        let expected: [&str; 8] = [
            "system: sys",
            "user: one",
            &no_answer,
            "user: two",
            "assistant+2: -",
            "tool: B",
            &no_result,
            "user: three",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_command_that_a_crash_ended_did_not_end_well() {
        let (outcome, exit_code) = (ToolOutcome::Interrupted, None);
        let closed = Kind::ToolResult { call: "a".into(), outcome, exit_code, duration_ms: 0 };
        let history =
            History::of(vec![past(1, user(), "one"), past(1, call("a"), "{}"), past(1, closed, "")]);
        assert_eq!(shape(&history.messages("sys"))[3], format!("tool: {NO_RESULT}"));
    }

    #[test]
    fn a_long_result_is_cut_for_the_model() {
        let mut history = History::default();
        history.call(turn(1), Made { call: "a".into(), name: "shell".into(), input: "{}".into() });
        history.result(turn(1), "a".into(), &"x".repeat(1_000_000));
        let told = history.messages("")[2]["content"].as_str().unwrap().len();
        assert!(told < RESULT_BYTES + 100, "{told}");
    }

    #[test]
    fn a_summary_stands_before_what_is_kept() {
        let mut history = History::of(vec![
            past(1, user(), "one"),
            past(1, Kind::AssistantText, "1"),
            past(2, user(), "two"),
            past(2, Kind::AssistantText, "looking"),
            past(2, call("a"), "{}"),
            past(2, result("a"), "A"),
            past(2, Kind::AssistantText, "2"),
        ]);
        let mut middle = history.clone();
        let kept = history.compact(2, "they counted".into());
        assert_eq!(kept, CompactionExtra { kept_turn: turn(2), kept_after: 0 });
        let shown = shape(&history.messages("sys"));
        assert!(shown[1].contains("they counted\n\ntwo"), "{shown:?}");
        // Words, a call and its result stand before the last words.
        let kept = middle.compact(5, "they counted".into());
        assert_eq!(kept, CompactionExtra { kept_turn: turn(2), kept_after: 3 });
        let shown = shape(&middle.messages("sys"));
        assert_eq!(shown[2..], ["assistant: 2"]);
        assert!(shown[1].starts_with("user: ") && shown[1].ends_with("they counted"), "{shown:?}");
    }

    #[test]
    fn a_turn_that_was_summarised_in_part_is_counted_on() {
        let kept = CompactionExtra { kept_turn: turn(1), kept_after: 3 };
        let notice = past(1, Kind::Notice { code: COMPACTED.into() }, "they counted");
        let mut history = History::of(vec![
            Past { kept: Some(kept), ..notice },
            past(1, call("b"), "{}"),
            past(1, result("b"), "B"),
            past(1, call("c"), "{}"),
            past(1, result("c"), "C"),
            past(2, user(), "two"),
        ]);
        let mut next = history.clone();
        assert_eq!(history.compact(2, "again".into()), CompactionExtra { kept_turn: turn(1), kept_after: 5 });
        assert_eq!(next.compact(4, "again".into()), CompactionExtra { kept_turn: turn(2), kept_after: 0 });
    }

    #[test]
    fn a_notice_of_a_summary_begins_anew() {
        let notice = Kind::Notice { code: COMPACTED.into() };
        let history = History::of(vec![
            past(1, user(), "one"),
            past(1, notice, "they counted"),
            past(2, user(), "two"),
        ]);
        assert_eq!((history.summary(), history.entries().len()), (Some("they counted"), 1));
    }
}
