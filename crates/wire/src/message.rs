//! Messages and their receipts on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::session::SessionView;

/// The body of `POST /api/sessions/{id}/messages`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SendMessage {
    pub text: String,
    #[serde(default)]
    pub verb: Verb,
    /// The answer to this message alone is waited for: it gets a turn of its own.
    #[serde(default)]
    pub wait: bool,
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
    /// Why it is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub cause: String,
    /// The point in the log from before the message: stream from here to see what becomes of it.
    pub seq: u64,
}

/// The answer to `POST /api/sessions`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CreatedSession {
    pub session: SessionView,
    /// Of the first message, when there was one.
    pub receipt: Option<Receipt>,
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
