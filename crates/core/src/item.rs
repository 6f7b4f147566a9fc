//! Items: what a transcript is made of. Every provider maps to these.

use serde::{Deserialize, Serialize};

use crate::actor::Actor;
use crate::delegation::Delegation;
use crate::id::{DeliveryId, TurnId};
use crate::permission::Form;

/// One kind of item. Holds no conversation text: that is the item's content (see [`Draft`]).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Kind {
    /// A message that entered the session. Text: the message.
    UserText { origin: Actor, delivery: DeliveryId },
    /// What the agent said. Text: its words.
    AssistantText,
    /// What the agent thought aloud. Text: its words.
    Thinking,
    /// A tool is called. Text: the input, as JSON. Extra: [`ToolCallExtra`].
    ToolCall { call: String, name: String, class: ToolClass },
    /// A tool answered. Text: the output. Extra: [`ToolResultExtra`].
    ToolResult {
        call: String,
        outcome: ToolOutcome,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
        duration_ms: u64,
    },
    /// The agent asks for permission, or an ask was decided. Text: exactly what is asked. Extra:
    /// [`PermissionExtra`].
    Permission {
        hash: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        decision: Option<Decision>,
        /// Who decided.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Actor>,
    },
    /// The agent's to-do list. Text: the list, as JSON.
    Todo,
    /// What a request cost.
    Usage(Usage),
    /// Something a person should know. Text: the words.
    Notice { code: String },
    /// Something went wrong. Text: what.
    Error { code: String },
    /// Something the provider said that fits nowhere else. Text: the JSON as it came.
    Raw { provider: String },
}

impl Kind {
    /// Returns the word for this kind, as it stands in the log.
    pub fn word(&self) -> &'static str {
        match self {
            Self::UserText { .. } => "user_text",
            Self::AssistantText => "assistant_text",
            Self::Thinking => "thinking",
            Self::ToolCall { .. } => "tool_call",
            Self::ToolResult { .. } => "tool_result",
            Self::Permission { .. } => "permission",
            Self::Todo => "todo",
            Self::Usage(_) => "usage",
            Self::Notice { .. } => "notice",
            Self::Error { .. } => "error",
            Self::Raw { .. } => "raw",
        }
    }
}

/// What a tool does to the world, as a person would sort it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolClass {
    Read,
    Edit,
    Execute,
    Search,
    Fetch,
    Other,
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolOutcome {
    Ok,
    Error,
    Denied,
    Interrupted,
}

/// What a person answered to an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    Allow,
    Deny,
    /// It was not answered: the turn ended first.
    Withdrawn,
}

/// Tokens and money of one request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    #[serde(default)]
    pub input_tokens: u64,
    #[serde(default)]
    pub output_tokens: u64,
    #[serde(default)]
    pub cached_tokens: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

impl Usage {
    /// Adds two up.
    pub fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cached_tokens: self.cached_tokens.saturating_add(other.cached_tokens),
            cost_micros: match (self.cost_micros, other.cost_micros) {
                (None, None) => None,
                (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
            },
        }
    }
}

/// The side information of a tool call that may quote the conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCallExtra {
    /// One line for people.
    pub title: String,
    /// Files it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<String>,
}

/// The side information of an ask.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionExtra {
    /// What would be done, in words.
    pub headline: String,
    /// What a question offers to choose from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<Form>,
}

/// The code of a notice that says that the older part of a conversation was summarised. Text: the summary. Extra:
/// [`CompactionExtra`].
pub const COMPACTED: &str = "compacted";

/// The side information of a notice that something was summarised: where what is kept word for word begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompactionExtra {
    /// In this turn; without one, nothing is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_turn: Option<TurnId>,
    /// After so many of the turn's own words, calls and results.
    #[serde(default)]
    pub kept_after: usize,
}

/// The side information of a tool result that may quote the conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResultExtra {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diffs: Vec<Diff>,
    /// Set for a tool of ours that hands work to another agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegation: Option<Delegation>,
}

impl ToolResultExtra {
    /// Returns that of a call that changed files.
    pub fn of(diffs: Vec<Diff>) -> Self {
        Self { diffs, delegation: None }
    }
}

/// A change to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diff {
    pub path: String,
    /// A unified diff.
    pub patch: String,
}

/// An item before it is in the log: the log gives it its ordinal and time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub kind: Kind,
    /// Text of the conversation.
    pub text: Option<String>,
    /// Side information that may quote the conversation, as JSON.
    pub extra: Option<String>,
}

impl Draft {
    /// Makes a draft of an item that has text and nothing else.
    pub fn text(kind: Kind, text: impl Into<String>) -> Self {
        Self { kind, text: Some(text.into()), extra: None }
    }
}

/// Where an item stands: the small part that goes into the event beside its kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// Counts the model's steps within the turn.
    #[serde(default)]
    pub step: u32,
    /// The tool call that this item belongs under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// It was said in an attempt that broke off. Kept for readers that ask for it; not part of the answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub superseded: bool,
}

/// What an item event's data holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    #[serde(flatten)]
    pub place: Place,
    #[serde(flatten)]
    pub kind: Kind,
}

/// Returns the calls that were made and never answered, oldest first.
pub fn dangling_calls<'a>(kinds: impl IntoIterator<Item = &'a Kind>) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    for kind in kinds {
        match kind {
            Kind::ToolCall { call, .. } => open.push(call.clone()),
            Kind::ToolResult { call, .. } => open.retain(|c| c != call),
            _ => {}
        }
    }
    open
}

/// Returns the answer of a turn: what was said after its last tool call, or, when it ended on one,
/// the last words before it. `None` when the agent said nothing. What is superseded was not said.
pub fn answer<'a>(items: impl IntoIterator<Item = (&'a Entry, &'a str)>) -> Option<String> {
    let mut current: Vec<&str> = Vec::new();
    let mut last: Vec<&str> = Vec::new();
    for (entry, text) in items.into_iter().filter(|(entry, _)| !entry.place.superseded) {
        match &entry.kind {
            Kind::AssistantText if !text.is_empty() => current.push(text),
            Kind::ToolCall { .. } | Kind::ToolResult { .. } if !current.is_empty() => {
                last = std::mem::take(&mut current);
            }
            _ => {}
        }
    }
    let said = if current.is_empty() { last } else { current };
    (!said.is_empty()).then(|| said.join("\n"))
}

/// Returns everything that the agent said in a turn, in order. `None` when it said nothing. What is superseded was not
/// said.
pub fn said<'a>(items: impl IntoIterator<Item = (&'a Entry, &'a str)>) -> Option<String> {
    let words = |(entry, text): (&Entry, &'a str)| {
        (entry.kind == Kind::AssistantText && !entry.place.superseded && !text.is_empty()).then_some(text)
    };
    let said: Vec<&str> = items.into_iter().filter_map(words).collect();
    (!said.is_empty()).then(|| said.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> Kind {
        Kind::ToolCall { call: id.into(), name: "shell".into(), class: ToolClass::Execute }
    }

    fn result(id: &str) -> Kind {
        Kind::ToolResult { call: id.into(), outcome: ToolOutcome::Ok, exit_code: None, duration_ms: 0 }
    }

    fn live(kind: Kind) -> Entry {
        Entry { place: Place::default(), kind }
    }

    #[test]
    fn an_answered_call_does_not_dangle() {
        assert_eq!(dangling_calls(&[call("a"), call("b"), result("a")]), ["b"]);
    }

    #[test]
    fn the_answer_is_what_follows_the_last_tool() {
        let said = live(Kind::AssistantText);
        let (called, answered) = (live(call("a")), live(result("a")));
        let items = [(&said, "looking"), (&called, "{}"), (&answered, "x"), (&said, "found"), (&said, "it")];
        assert_eq!(answer(items).as_deref(), Some("found\nit"));
        assert_eq!(answer(items[..3].iter().copied()).as_deref(), Some("looking"));
        assert_eq!(answer(items[1..3].iter().copied()), None);
        assert_eq!(super::said(items).as_deref(), Some("looking\nfound\nit"));
        assert_eq!(super::said(items[1..3].iter().copied()), None);
    }

    #[test]
    fn what_broke_off_was_not_said() {
        let said = live(Kind::AssistantText);
        let mut broken = said.clone();
        broken.place.superseded = true;
        let items = [(&broken, "the ans"), (&said, "the answer"), (&broken, "more")];
        assert_eq!(answer(items).as_deref(), Some("the answer"));
        assert_eq!(super::said(items).as_deref(), Some("the answer"));
        assert_eq!((answer([items[0]]), super::said([items[0]])), (None, None));
        let mut called = live(call("a"));
        called.place.superseded = true;
        // A call that was never made does not end what was said before.
        assert_eq!(answer([items[1], (&called, "{}"), items[1]]).as_deref(), Some("the answer\nthe answer"));
        let json = serde_json::to_string(&broken).unwrap();
        assert_eq!(json, r#"{"step":0,"superseded":true,"kind":"assistant_text"}"#);
        assert_eq!(serde_json::from_str::<Entry>(&json).unwrap(), broken);
    }

    #[test]
    fn entries_are_flat_json() {
        let entry = Entry { place: Place { step: 2, ..Place::default() }, kind: call("c1") };
        let json = serde_json::to_string(&entry).unwrap();
        assert_eq!(json, r#"{"step":2,"kind":"tool_call","call":"c1","name":"shell","class":"execute"}"#);
        assert_eq!(serde_json::from_str::<Entry>(&json).unwrap(), entry);
    }
}
