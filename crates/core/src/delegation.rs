//! Work that an agent hands to another one with a tool.

use serde::{Deserialize, Serialize};

use crate::id::SessionId;

/// The agent that got the work, and where the work stood when the call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delegation {
    pub session: SessionId,
    pub state: State,
}

/// Where the work stood when the call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The message was delivered, and its outcome is not reported to the caller.
    Sent,
    /// The agent works, and the caller did not wait for it.
    Background,
    /// The agent answered.
    Finished,
    /// The wait ended before the agent answered.
    Unfinished,
    /// The message waits until a person releases it.
    Held,
    /// The agent failed, was interrupted or was closed.
    Failed,
}
