//! Talking to an agent by its definition: asking it, telling it, going to it and coming back.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::id::{FileId, SessionId};
use crate::message::Receipt;
use crate::session::SessionView;

/// The query of `GET /api/agents/{slug}/sessions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentSessionsQuery {
    /// Whose definitions count, and whose sessions: an absolute path.
    #[schema(pattern = "^/")]
    pub project: String,
    /// Pass `next` to read on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")]
    pub after: Option<String>,
    /// 50, unless it is said; at most 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// The sessions of a definition: open ones first, then closed ones, the most recently updated first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentSessions {
    /// The point in the log to stream from.
    pub seq: u64,
    pub agent: String,
    pub sessions: Vec<SessionView>,
    /// Pass as `after` to read on.
    pub next: Option<String>,
}

/// The body of `POST /api/agents/{slug}/messages`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageAgent {
    /// Whose definitions count, and where a new session is started: an absolute path.
    #[schema(pattern = "^/")]
    pub project: String,
    #[schema(pattern = "\\S")]
    pub text: String,
    /// `latest`, `create`, `latest-or-create` (the default), or a handle or id of one of its sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
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
    #[schema(schema_with = crate::message::json_schema)]
    pub output_schema: Option<Value>,
    /// The provider to use when a session is started and its definition names none. Without it, the daemon's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_provider: Option<String>,
}

/// Where a message for a definition went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MessagedAgent {
    pub receipt: Receipt,
    pub session: SessionView,
    /// The session was made for this message.
    pub created: bool,
}

/// The query of `GET /api/whereabouts`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WhereaboutsQuery {
    /// An absolute path.
    #[schema(pattern = "^/")]
    pub project: String,
}

/// Which session of a project a person is in: the open one that they wrote to or entered last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Whereabouts {
    pub session: Option<SessionView>,
    /// Id of the session that they came from, when there is one to go back to.
    pub from: Option<SessionId>,
}

/// The body of `POST /api/agents/{slug}/switch`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SwitchAgent {
    /// Whose definitions count, and where a new session is started: an absolute path.
    #[schema(pattern = "^/")]
    pub project: String,
    /// Handle or id of where the person comes from. Without it: the open session of the project that they wrote
    /// to or entered last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What to say there at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "\\S")]
    pub text: Option<String>,
    /// Show the session in the web app: gives it the label `ui=true`.
    #[serde(default)]
    pub ui: bool,
    /// The provider to use when a session is started and its definition names none. Without it, the daemon's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_provider: Option<String>,
}

/// The session that a person went to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SwitchedAgent {
    pub session: SessionView,
    /// There was none, so it was made.
    pub created: bool,
    /// Id of the session that they came from, when there is one to go back to.
    pub from: Option<SessionId>,
    /// Of what was said there, if anything was.
    pub receipt: Option<Receipt>,
}

/// The body of `POST /api/sessions/{id}/back`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GoBack {
    /// What the agent is asked, instead of for a summary of what was decided. Its answer is what is passed on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "\\S")]
    pub text: Option<String>,
}

/// Where a person went back to, and what was passed on there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WentBack {
    /// The session that they came from, and are in again.
    pub session: SessionView,
    /// Id of the session that they left.
    pub left: SessionId,
    /// What was passed on.
    pub summary: String,
    /// Of that.
    pub receipt: Receipt,
}
