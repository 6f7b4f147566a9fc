//! Messages and their receipts on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::attachment::AttachmentView;
use crate::session::SessionView;
use crate::time::Moment;

/// The body of `POST /api/sessions/{id}/messages`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SendMessage {
    pub text: String,
    #[serde(default)]
    pub verb: Verb,
    /// The answer to this message alone is waited for: it gets a turn of its own.
    #[serde(default)]
    pub wait: bool,
    /// Ids of uploaded files: see `POST /api/attachments`. At most 10, of 32 MB in sum.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<String>,
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
    pub delivery: String,
    pub session: String,
    pub handle: String,
    /// started, queued, steering, interrupting or held.
    pub placement: String,
    /// Why it is held; why it is queued when not for a turn that was running: earlier (messages that were kept are
    /// first) or limit; terminal when it was started and waits for a tmux that does not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub cause: String,
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
    /// Why this provider: asked_for, configured or first_ready.
    #[serde(default)]
    pub provider_reason: String,
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
    /// Why there is no worktree, when there would be one by default.
    pub note: Option<String>,
}

/// The messages that wait in a session, in the order in which they are taken up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Queue {
    pub seq: u64,
    pub session: String,
    pub handle: String,
    pub messages: Vec<QueuedMessage>,
}

/// A message that no turn has taken up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QueuedMessage {
    pub delivery: String,
    /// Who sent it: `human:…`, `session:…` or `daemon`.
    pub origin: String,
    pub cause: String,
    pub since: Moment,
    /// queued or held.
    pub stage: String,
    /// Why it is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How it begins.
    pub text: String,
    /// How long all of it is, in bytes.
    pub full_length: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentView>,
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryView {
    pub seq: u64,
    pub delivery: String,
    pub session: String,
    /// queued, held, handing, handed, answered, failed, interrupted or cancelled.
    pub stage: String,
    /// Why it is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How often it is being handed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u8>,
    /// The turn that took it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
}
