//! Items on the wire.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::time::Moment;
use crate::words::Status;

/// One thing in a transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ItemView {
    pub id: String,
    pub ordinal: u64,
    pub seq: u64,
    pub ts: Moment,
    pub turn: Option<String>,
    pub step: u32,
    pub parent: Option<String>,
    /// It was said in an attempt that broke off: no part of the answer, and of interest only to whoever looks for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub superseded: bool,
    /// user_text, assistant_text, thinking, tool_call, tool_result, permission, todo, usage, notice, error or raw.
    pub kind: String,
    /// What else the kind has (`call`, `name`, `outcome`, `origin`, …).
    #[schema(value_type = Object)]
    pub fields: Map<String, Value>,
    /// Its text; of a large one only the beginning and the end. `None`: it has none, or it was cleared.
    pub text: Option<String>,
    /// Set when `text` is not all of it: read the rest from `/api/sessions/{id}/items/{ordinal}/text`.
    pub full_length: Option<u64>,
}

/// A page of items, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ItemPage {
    /// The point in the log to stream from.
    pub seq: u64,
    pub items: Vec<ItemView>,
    /// There are older ones: pass the first ordinal as `before`.
    pub older: bool,
    /// There are newer ones: pass the last ordinal as `after`.
    pub newer: bool,
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
    pub session: String,
    pub handle: String,
    pub status: Status,
    /// The newest turn in which it said something, other than the running one.
    pub turn: Option<String>,
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
