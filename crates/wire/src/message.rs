//! Messages and their receipts on the wire.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, SchemaType, Type};

use crate::attachment::AttachmentView;
use crate::id::{CauseId, DeliveryId, FileId, SessionId, TurnId};
use crate::session::SessionView;
use crate::time::Moment;
use crate::words::{
    AbandonReason, CheckState, HeldReason, Placement, PlacementReason, ProviderReason, Stage,
};

/// The body of `POST /api/sessions/{id}/messages`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SendMessage {
    #[schema(pattern = "\\S")]
    pub text: String,
    #[serde(default)]
    pub verb: Verb,
    /// The answer to this message alone is waited for: it gets a turn of its own.
    #[serde(default)]
    pub wait: bool,
    /// Ids of uploaded files: see `POST /api/attachments`. At most 10, of 32 MB in sum.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 10)]
    pub attachments: Vec<FileId>,
    /// The JSON Schema that the answer has to satisfy: the final answer is one JSON document, corrected at most twice. At most
    /// 64 KB, without references that lead out of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = json_schema)]
    pub output_schema: Option<Value>,
}

/// How a message enters a busy session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// After the running turn.
    #[default]
    Queue,
    /// Into the running turn.
    Steer,
    /// Instead of the running turn.
    Interrupt,
}

/// The receipt of an accepted message. The same again when the request is repeated with its key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Receipt {
    pub delivery: DeliveryId,
    pub session: SessionId,
    pub handle: String,
    pub placement: Placement,
    /// Why it is held, or queued when not for a running turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<PlacementReason>,
    pub cause: CauseId,
    /// The point in the log from before the message: stream from here to see what becomes of it.
    pub seq: u64,
    /// Why the agent follows another version of its definition than its file holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// The answer to `POST /api/sessions`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CreatedSession {
    pub session: SessionView,
    /// Of the first message, when there was one.
    pub receipt: Option<Receipt>,
    /// Why this provider.
    pub provider_reason: ProviderReason,
    /// What a person should know about where it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceNotes>,
}

/// What a person should know about the place where a new session runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlaceNotes {
    /// How many files with uncommitted work its worktree does not have.
    pub left_out: u64,
    /// The first of them.
    pub left_out_first: Vec<String>,
    /// How many submodules are empty in its worktree.
    pub submodules: u64,
    /// How many files `.worktreeinclude` brought into it.
    pub included: u64,
    /// Files that `.worktreeinclude` lists and that were not copied.
    pub skipped: Vec<String>,
    /// Why the session has no worktree, if it would have one by default.
    pub note: Option<String>,
}

/// The messages that wait in a session, in the order in which they are taken up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Queue {
    pub seq: u64,
    pub session: SessionId,
    pub handle: String,
    pub messages: Vec<QueuedMessage>,
}

/// A message that no turn has taken up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QueuedMessage {
    pub delivery: DeliveryId,
    /// Who sent it: `human:…`, `session:…` or `daemon`.
    pub origin: String,
    pub cause: CauseId,
    pub since: Moment,
    /// Queued or held.
    pub stage: Stage,
    /// Why it is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<HeldReason>,
    /// How it begins.
    pub text: String,
    /// How long all of it is, in bytes.
    pub full_length: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentView>,
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
    /// How often it is being handed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u8>,
    /// The turn that took it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// How its answer compares with its output schema, once there was an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckView>,
}

/// How an answer compares with the output schema of its message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CheckView {
    /// The message that has the schema.
    pub delivery: DeliveryId,
    pub state: CheckState,
    /// Whether the answer satisfies the schema; nothing while that is not decided.
    pub valid: Option<bool>,
    /// What the newest answer that was checked violates: at most 20.
    pub violations: Vec<ViolationView>,
    /// How many corrections were asked for, of 2.
    pub corrections: u8,
    /// Why it was abandoned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<AbandonReason>,
}

/// One thing that is wrong with an answer.
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
            "The JSON Schema that the answer has to satisfy: the final answer is one JSON document, corrected at most twice. \
             At most 64 KB, without references that lead out of it.",
        ))
        .build()
}
