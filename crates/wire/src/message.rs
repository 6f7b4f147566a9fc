//! Messages and their receipts on the wire.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, SchemaType, Type};

use crate::attachment::AttachmentView;
use crate::id::{ActorName, CauseId, DeliveryId, FileId, SessionId, TurnId};
use crate::session::SessionView;
use crate::time::Moment;
use crate::words::{
    AbandonReason, CheckState, HeldReason, Placement, PlacementReason, ProviderReason, Stage,
};
pub use crate::words::{QueuePosition, Verb};

/// The body of `POST /api/sessions/{id}/messages`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SendMessage {
    #[schema(pattern = "\\S")]
    pub text: String,
    #[serde(default)]
    pub verb: Verb,
    /// Give the message a turn of its own, so that its answer can be waited for.
    #[serde(default)]
    pub wait: bool,
    /// Ids of uploaded files: see `POST /api/attachments`. At most 10, of 32 MB in sum.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 10)]
    pub attachments: Vec<FileId>,
    /// JSON Schema for the answer: the final answer is one JSON document, corrected at most twice. At most 64 KB, without
    /// references to other documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = json_schema)]
    pub output_schema: Option<Value>,
}

/// The receipt of an accepted message. A request repeated with the same key gets the same receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Receipt {
    pub delivery: DeliveryId,
    pub session: SessionId,
    pub handle: String,
    pub placement: Placement,
    /// Why it is held, or why it is queued if not behind the current turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<PlacementReason>,
    pub cause: CauseId,
    /// The point in the log before the message: stream from here to follow its outcome.
    pub seq: u64,
    /// Why the agent follows another version of its definition than the file has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// The answer to `POST /api/sessions`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CreatedSession {
    pub session: SessionView,
    /// Receipt of the first message, if there was one.
    pub receipt: Option<Receipt>,
    /// Why this provider was chosen.
    pub provider_reason: ProviderReason,
    /// Notes for people about where it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceNotes>,
}

/// Notes for people about where a new agent runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlaceNotes {
    /// Number of files with uncommitted changes that its worktree lacks.
    pub left_out: u64,
    /// The first of them.
    pub left_out_first: Vec<String>,
    /// Number of submodules that are empty in its worktree.
    pub submodules: u64,
    /// Number of files copied because of `.worktreeinclude`.
    pub included: u64,
    /// Files listed in `.worktreeinclude` that were not copied.
    pub skipped: Vec<String>,
    /// Why the agent has no worktree although it would by default.
    pub note: Option<String>,
}

/// A page of the messages queued for an agent, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Queue {
    pub seq: u64,
    pub session: SessionId,
    pub handle: String,
    pub messages: Vec<QueuedMessage>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[serde(default)]
    #[schema(required)]
    pub next: Option<String>,
}

/// A queued message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QueuedMessage {
    pub delivery: DeliveryId,
    pub origin: ActorName,
    pub cause: CauseId,
    pub since: Moment,
    /// `queued` or `held`.
    pub stage: Stage,
    /// Why it is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<HeldReason>,
    /// Position in the queue, from 1.
    pub position: u64,
    /// Whether it can be edited: a person wrote it, and the agent cannot have read it yet.
    pub editable: bool,
    /// Whether it can be moved.
    pub movable: bool,
    /// Whether a person can release it: it waits for more than its turn.
    pub releasable: bool,
    /// The beginning of its text.
    pub text: String,
    /// Length of the whole text, in bytes.
    pub full_length: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentView>,
}

/// The body of `PATCH /api/sessions/{id}/queue/{delivery}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EditMessage {
    /// The whole new text.
    #[schema(pattern = "\\S")]
    pub text: String,
}

/// The body of `POST /api/sessions/{id}/queue/{delivery}/move`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveMessage {
    pub to: QueuePosition,
    /// The queued message to move it before. Only with `to: before`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<DeliveryId>,
}

/// A message and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryView {
    pub seq: u64,
    pub delivery: DeliveryId,
    pub session: SessionId,
    pub stage: Stage,
    /// Why it is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<HeldReason>,
    /// Number of the current attempt to hand it over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u8>,
    /// The turn that it entered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// Result of checking its answer against its output schema, once it has an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckView>,
}

/// Result of checking an answer against the output schema of its message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CheckView {
    /// The message that has the schema.
    pub delivery: DeliveryId,
    pub state: CheckState,
    /// Whether the answer satisfies the schema; null until that is decided.
    pub valid: Option<bool>,
    /// What the newest checked answer violates; at most 20.
    pub violations: Vec<ViolationView>,
    /// Number of corrections requested, at most 2.
    pub corrections: u8,
    /// Why it was abandoned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<AbandonReason>,
}

/// One violation of the schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ViolationView {
    /// Where in the document, as a JSON Pointer; empty for the document itself.
    pub path: String,
    /// What was expected there.
    pub expected: String,
}

/// Returns the schema of a schema.
pub(crate) fn json_schema() -> Object {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Object, Type::Boolean, Type::Null]))
        .description(Some(
            "JSON Schema for the answer: the final answer is one JSON document, corrected at most twice. At most 64 KB, \
             without references to other documents.",
        ))
        .build()
}
