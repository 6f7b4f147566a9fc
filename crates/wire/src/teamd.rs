//! The queries and failures of the teamd protocol. Its clients send `""` for what they leave out, so everything is optional text.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Which team is asked about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TeamdQuery {
    /// Without it the team of the credential, or the only one.
    pub team_id: Option<String>,
}

/// The query of `GET /v1/inbox`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TeamdInboxQuery {
    pub team_id: Option<String>,
    /// The agent of the credential, or one of the team when a person asks.
    #[schema(pattern = "^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$")]
    pub agent_id: Option<String>,
    /// A `nextSince`: a number.
    #[schema(pattern = "^ *[0-9]{0,19} *$")]
    pub since: Option<String>,
}

/// The query of `GET /v1/threads/search`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TeamdSearchQuery {
    pub team_id: Option<String>,
    /// Text that a title or a message contains.
    pub q: Option<String>,
    /// The same as `q`, as the protocol's tool calls it.
    pub query: Option<String>,
}

/// The query of `GET /v1/threads/{thread}/tail`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TeamdTailQuery {
    pub team_id: Option<String>,
    /// How many messages, at most 200. Anything but a positive number counts as 20.
    pub limit: Option<String>,
}

/// The query of `GET /v1/can-write`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TeamdWriteQuery {
    pub team_id: Option<String>,
    pub agent_id: Option<String>,
    /// Without it the whole project.
    pub path: Option<String>,
}

/// A failure in the shape of the protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TeamdError {
    pub error: TeamdRefusal,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TeamdRefusal {
    /// A word of the protocol, as `TASK_NOT_FOUND`.
    pub code: String,
    /// What is wrong, and what to do.
    pub message: String,
}
