//! Items on the wire.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::openapi::{AllOfBuilder, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::attachment::AttachmentView;
use crate::id::{DeliveryId, ItemId, SessionId, TurnId};
use crate::time::Moment;
use crate::words::{Decision, ItemKind, Status, ToolClass, ToolOutcome};

/// One thing in a transcript.
///
/// Its schema is [`ItemPlace`] together with [`ItemBody`]: `fields` has what goes with the `kind`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ItemView {
    pub id: ItemId,
    pub ordinal: u64,
    pub seq: u64,
    pub ts: Moment,
    pub turn: Option<TurnId>,
    pub step: u32,
    pub parent: Option<String>,
    /// Text of a failed attempt: not part of the answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub superseded: bool,
    pub kind: ItemKind,
    /// What else the kind has: see [`ItemBody`].
    pub fields: Map<String, Value>,
    /// Its text; of a large one only the beginning and the end. `None`: it has none, or it was cleared.
    pub text: Option<String>,
    /// Set when `text` is not all of it: read the rest from `/api/sessions/{id}/items/{ordinal}/text`.
    pub full_length: Option<u64>,
}

impl PartialSchema for ItemView {
    fn schema() -> RefOr<Schema> {
        let about = "One thing in a transcript.";
        AllOfBuilder::new().item(ItemPlace::schema()).item(ItemBody::schema()).description(Some(about)).into()
    }
}

impl ToSchema for ItemView {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        ItemPlace::schemas(schemas);
        ItemBody::schemas(schemas);
    }
}

/// What items of all kinds have.
#[derive(ToSchema)]
#[allow(dead_code)] // Only its shape is wanted.
pub struct ItemPlace {
    id: ItemId,
    ordinal: u64,
    seq: u64,
    ts: Moment,
    turn: Option<TurnId>,
    step: u32,
    parent: Option<String>,
    /// Text of a failed attempt: not part of the answer.
    #[schema(required = false)]
    superseded: bool,
    /// Its text; of a large one only the beginning and the end. Null: it has none, or it was cleared.
    text: Option<String>,
    /// Set when `text` is not all of it: read the rest from `/api/sessions/{id}/items/{ordinal}/text`.
    full_length: Option<u64>,
}

/// What an item is, and what goes with that. Of a deleted session nothing but the kind is left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", content = "fields", rename_all = "snake_case")]
pub enum ItemBody {
    /// A message that entered the session. Text: the message.
    UserText(UserTextFields),
    /// What the agent said. Text: its words.
    AssistantText(NoFields),
    /// What the agent thought aloud. Text: its words.
    Thinking(NoFields),
    /// A tool is called. Text: the input, as JSON.
    ToolCall(ToolCallFields),
    /// A tool answered. Text: the output.
    ToolResult(ToolResultFields),
    /// The agent asks for permission, or a request was decided. Text: exactly what is asked.
    Permission(PermissionFields),
    /// The agent's task list. Text: the list, as JSON.
    Todo(NoFields),
    /// What a request cost.
    Usage(UsageView),
    /// Something a person should know. Text: the words.
    Notice(NoticeFields),
    /// Something went wrong. Text: what.
    Error(ErrorFields),
    /// Something the provider said that fits nowhere else. Text: the JSON as it came.
    Raw(RawFields),
}

/// Nothing beside the text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NoFields {}

/// Of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserTextFields {
    /// Who sent it: `human:…`, `session:…` or `daemon`.
    pub origin: String,
    pub delivery: DeliveryId,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentView>,
}

/// Of a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolCallFields {
    /// Names the call: its result has the same.
    pub call: String,
    /// The tool, in the harness's words.
    pub name: String,
    pub class: ToolClass,
    /// One line for people. Gone once the transcript was cleared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Files it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<String>,
}

/// Of a tool result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolResultFields {
    pub call: String,
    pub outcome: ToolOutcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    pub duration_ms: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diffs: Vec<DiffView>,
}

/// A change to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffView {
    pub path: String,
    /// A unified diff.
    pub patch: String,
}

/// Of a permission request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PermissionFields {
    pub hash: String,
    /// How it ended; nothing while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// Who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// What would be done, in words. Gone once the transcript was cleared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
}

/// Of a notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NoticeFields {
    pub code: String,
    /// Of a summary: the turn in which what is kept word for word begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_turn: Option<TurnId>,
    /// Of a summary: after so many of that turn's words, calls and results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_after: Option<u64>,
}

/// Of an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorFields {
    pub code: String,
}

/// Of what fits nowhere else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RawFields {
    pub provider: String,
}

/// A page of items, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ItemPage {
    /// The point in the log to stream from.
    pub seq: u64,
    pub items: Vec<ItemView>,
    /// Pass as `after` to read on; null: these are the newest.
    pub next: Option<u64>,
    /// Pass as `before` to read what came earlier; null: these are the first.
    pub earlier: Option<u64>,
}

/// The query of `GET /api/sessions/{id}/items`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ItemQuery {
    /// Items above this ordinal, oldest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// The newest items below this ordinal. Without either: the newest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// What an agent said in its last turn that is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LastTurn {
    pub session: SessionId,
    pub handle: String,
    pub status: Status,
    /// The newest turn in which it said something, other than the running one.
    pub turn: Option<TurnId>,
    /// Everything that it said in that turn, in order. Agents get the first 20,000 characters.
    pub text: Option<String>,
    /// The text is longer.
    pub truncated: bool,
    /// Code of what went wrong in the newest turn, when it failed.
    pub code: Option<String>,
    /// What went wrong there, in words.
    pub error: Option<String>,
}

/// Tokens and money.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageView {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cached_tokens: u64,
    pub cost_micros: Option<u64>,
}
