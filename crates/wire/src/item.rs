//! Items on the wire.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use crate::attachment::AttachmentView;
use crate::id::{ActorName, CallId, DeliveryId, ItemId, RequestHash, SessionId, TurnId};
use crate::time::Moment;
use crate::words::{Decision, DelegationState, ItemKind, Stage, Status, ToolClass, ToolOutcome, TurnOutcome};

/// One thing in a transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ItemView {
    pub id: ItemId,
    pub ordinal: u64,
    pub seq: u64,
    pub ts: Moment,
    pub turn: Option<TurnId>,
    pub step: u32,
    pub parent: Option<CallId>,
    /// Text of a failed attempt: not part of the answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub superseded: bool,
    #[serde(flatten)]
    #[schema(inline)]
    pub body: ItemBody,
    /// The text; only the beginning and the end of a large one. Null if it has none or was cleared.
    pub text: Option<String>,
    /// Length of the whole text if `text` is shortened: read it from `/api/sessions/{id}/items/{ordinal}/text`.
    pub full_length: Option<u64>,
}

impl ItemView {
    /// Returns what it is.
    pub fn kind(&self) -> ItemKind {
        self.body.kind()
    }

    /// Returns the message that it is.
    pub fn delivery(&self) -> Option<&DeliveryId> {
        match &self.body {
            ItemBody::UserText(said) => Some(&said.delivery),
            _ => None,
        }
    }

    /// Sets the outcome of the message that it is.
    pub fn settle(&mut self, stage: Stage) {
        if let ItemBody::UserText(said) = &mut self.body {
            said.stage = Some(stage);
        }
    }

    /// Returns the code of a notice or an error.
    pub fn code(&self) -> Option<&str> {
        match &self.body {
            ItemBody::Notice(NoticeFields { code, .. }) | ItemBody::Error(ErrorFields { code }) => Some(code),
            _ => None,
        }
    }
}

/// Makes the union of what items are. The schema has the kinds of this version, and not what is read of others.
macro_rules! bodies {
    ($(#[doc = $about:literal] $kind:ident($fields:ty),)+) => {
        /// The kind of an item, and its fields.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", content = "fields", rename_all = "snake_case")]
        pub enum ItemBody {
            $(#[doc = $about] $kind($fields),)+
            /// A kind of a newer version, or an item of a deleted agent, of which only the kind is left.
            #[serde(untagged)]
            Other {
                kind: ItemKind,
                #[serde(default)]
                fields: Map<String, Value>,
            },
        }

        impl ItemBody {
            /// Returns the word for it.
            pub fn kind(&self) -> ItemKind {
                match self {
                    $(Self::$kind(_) => ItemKind::$kind,)+
                    Self::Other { kind, .. } => kind.clone(),
                }
            }
        }

        /// The kind of an item, and its fields. Items of a deleted agent have only the kind.
        #[derive(ToSchema)]
        #[serde(tag = "kind", content = "fields", rename_all = "snake_case")]
        #[allow(dead_code)] // Only its shape is wanted.
        enum Shape {
            $(#[doc = $about] $kind($fields),)+
        }

        /// The fields of each kind, in the order of the forms.
        const FIELDS: &[fn() -> RefOr<Schema>] = &[$(<$fields as utoipa::PartialSchema>::schema),+];
    };
}

bodies! {
    /// A message. The text is what was sent.
    UserText(UserTextFields),
    /// The agent's answer.
    AssistantText(NoFields),
    /// The agent's reasoning.
    Thinking(NoFields),
    /// A tool call. The text is the input, as JSON.
    ToolCall(ToolCallFields),
    /// A tool result. The text is the output.
    ToolResult(ToolResultFields),
    /// A permission request, or the decision about it. The text is exactly what was requested.
    Permission(PermissionFields),
    /// The agent's to-do list. The text is the list, as JSON.
    Todo(NoFields),
    /// The usage of a request.
    Usage(UsageFields),
    /// A notice for people. The text is the notice.
    Notice(NoticeFields),
    /// An error. The text is the message.
    Error(ErrorFields),
    /// Output of the provider that fits no other kind. The text is its JSON.
    Raw(RawFields),
}

impl utoipa::PartialSchema for ItemBody {
    fn schema() -> RefOr<Schema> {
        let mut schema = <Shape as utoipa::PartialSchema>::schema();
        if let RefOr::T(Schema::OneOf(union)) = &mut schema {
            for (form, fields) in union.items.iter_mut().zip(FIELDS) {
                or_erased(form, &fields());
            }
        }
        schema
    }
}

/// Adds to a form what is left of it when its agent is deleted, if that does not fit it already.
fn or_erased(form: &mut RefOr<Schema>, fields: &RefOr<Schema>) {
    let RefOr::T(Schema::Object(form)) = form else { return };
    let has_required = matches!(fields, RefOr::T(Schema::Object(fields)) if !fields.required.is_empty());
    if let Some(fields) = form.properties.get_mut("fields").filter(|_| has_required) {
        let erased = utoipa::openapi::Ref::from_schema_name("ErasedFields");
        *fields = utoipa::openapi::schema::OneOfBuilder::new().item(fields.clone()).item(erased).into();
    }
}

impl ToSchema for ItemBody {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Shape::schemas(schemas);
        schemas.push(("ErasedFields".to_owned(), <ErasedFields as utoipa::PartialSchema>::schema()));
    }
}

/// Nothing beside the text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NoFields {}

/// The fields of an item of a deleted agent: none are left.
#[derive(ToSchema)]
#[schema(max_properties = 0)]
struct ErasedFields {}

/// Fields of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserTextFields {
    pub origin: ActorName,
    pub delivery: DeliveryId,
    /// Its outcome so far. Missing if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentView>,
}

/// Fields of a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolCallFields {
    /// Id of the call, which its result repeats.
    pub call: CallId,
    /// Name of the tool as the harness calls it.
    pub name: String,
    pub class: ToolClass,
    /// One-line summary for people. Missing after the transcript was cleared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Files that it concerns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<String>,
}

/// Fields of a tool result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolResultFields {
    pub call: CallId,
    pub outcome: ToolOutcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    pub duration_ms: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diffs: Vec<DiffView>,
    /// Set if the call was `agents_message`, `summon`, `retrieve` or `send_to_tab` and reached an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegation: Option<DelegationView>,
}

/// Work that was handed to another agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DelegationView {
    /// The agent that got it.
    pub session: SessionId,
    pub state: DelegationState,
}

/// A change to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiffView {
    pub path: String,
    /// A unified diff.
    pub patch: String,
}

/// Fields of a permission request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PermissionFields {
    pub hash: RequestHash,
    /// How it ended; missing while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// The actor that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<ActorName>,
    /// One-line summary. Missing after the transcript was cleared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
}

/// Fields of a usage item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageFields {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cached_tokens: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

/// Fields of a notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NoticeFields {
    pub code: String,
    /// For a summary: the turn in which the verbatim part begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_turn: Option<TurnId>,
    /// For a summary: how many texts, calls and results of that turn precede the verbatim part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_after: Option<u64>,
}

/// Fields of an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorFields {
    pub code: String,
}

/// Fields of a raw item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RawFields {
    pub provider: String,
}

/// A page of items, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ItemPage {
    /// The point in the log to stream from.
    pub seq: u64,
    pub items: Vec<ItemView>,
    /// Pass as `after` to read newer items; null if these are the newest.
    #[schema(required)]
    pub next: Option<u64>,
    /// Pass as `before` to read earlier items; null if these are the first.
    #[schema(required)]
    pub earlier: Option<u64>,
}

/// The query of `GET /api/sessions/{id}/items`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ItemQuery {
    /// Items above this ordinal, oldest first; with `before`, those between.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// Items below this ordinal; without `after`, the newest of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// How many to return at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 500)]
    pub limit: Option<usize>,
}

/// The query of `GET /api/sessions/{id}/turns`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnQuery {
    /// Turns whose first message is above this ordinal, oldest first. Excludes `before`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// Turns whose first message is below this ordinal, the newest of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// How many to return at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 100)]
    pub limit: Option<usize>,
}

/// A page of turns, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TurnPage {
    /// The point in the log to stream from.
    pub seq: u64,
    pub turns: Vec<TurnView>,
    /// Pass as `after` to read newer turns; null if these are the newest.
    #[schema(required)]
    pub next: Option<u64>,
    /// Pass as `before` to read earlier turns; null if these are the first.
    #[schema(required)]
    pub earlier: Option<u64>,
}

/// A turn of an agent: the first message of it, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TurnView {
    pub turn: TurnId,
    /// Ordinal of its first message in the transcript.
    pub ordinal: u64,
    /// When the agent got that message.
    pub ts: Moment,
    /// The author of that message.
    pub origin: ActorName,
    /// The beginning of that message, on one line. Null if the transcript was cleared.
    pub text: Option<String>,
    /// How it ended; null while it runs.
    pub outcome: Option<TurnOutcome>,
}

/// What an agent said in its last finished turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LastTurn {
    pub session: SessionId,
    pub handle: String,
    pub status: Status,
    /// The newest turn with text, other than the current one.
    pub turn: Option<TurnId>,
    /// All of its text in that turn. Agents get the first 20,000 characters.
    pub text: Option<String>,
    /// The text is longer.
    pub truncated: bool,
    /// Error code of the newest turn, if it failed.
    pub code: Option<String>,
    /// Error message of the newest turn, if it failed.
    pub error: Option<String>,
}

/// Tokens and cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageView {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cached_tokens: u64,
    pub cost_micros: Option<u64>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use utoipa::PartialSchema;

    use super::*;

    fn item(kind: &str, fields: Value) -> Value {
        json!({
            "id": "i", "ordinal": 3, "seq": 9, "ts": "2026-01-31T12:00:00.000Z", "turn": null, "step": 0,
            "parent": null, "kind": kind, "fields": fields, "text": "x", "full_length": null,
        })
    }

    #[test]
    fn what_only_another_version_knows_is_read() {
        // A kind of a newer version, a field of a newer version, and what is left of a deleted session.
        let newer = item("dream", json!({ "depth": 3 }));
        let more = item("error", json!({ "code": "failed", "severity": "high" }));
        let erased = item("tool_call", json!({}));
        let read = |value: &Value| serde_json::from_value::<ItemView>(value.clone()).unwrap();

        assert_eq!(read(&newer).kind(), ItemKind::Other("dream".into()));
        assert_eq!(serde_json::to_value(read(&newer)).unwrap(), newer, "it is written as it came");
        assert_eq!(read(&more).body, ItemBody::Error(ErrorFields { code: "failed".to_owned() }));
        assert_eq!(read(&erased).kind(), ItemKind::ToolCall);
        assert_eq!(serde_json::to_value(read(&erased)).unwrap(), erased);
    }

    #[test]
    fn kinds_are_those_of_the_schema() {
        let schema = serde_json::to_value(ItemBody::schema()).unwrap();
        let forms = schema["oneOf"].as_array().unwrap().iter();
        let kinds: Vec<_> =
            forms.map(|form| form["properties"]["kind"]["enum"][0].as_str().unwrap()).collect();
        assert_eq!(kinds, ItemKind::WORDS);
    }

    #[test]
    fn an_item_of_a_deleted_agent_fits_its_form() {
        let schema = serde_json::to_value(ItemBody::schema()).unwrap();
        let erased = serde_json::to_value(ErasedFields::schema()).unwrap();
        assert_eq!(erased["maxProperties"], 0);
        for (form, fields) in schema["oneOf"].as_array().unwrap().iter().zip(FIELDS) {
            let required = &serde_json::to_value(fields()).unwrap()["required"];
            let forms = form["properties"]["fields"]["oneOf"].as_array();
            let has_erased =
                forms.is_some_and(|forms| forms[1]["$ref"] == "#/components/schemas/ErasedFields");
            assert_eq!(has_erased, required.is_array(), "{form}");
        }
        let mut reached = Vec::new();
        ItemBody::schemas(&mut reached);
        assert!(reached.iter().any(|(name, _)| name == "ErasedFields"));
    }
}
