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
    /// Project of the definition and its agents: an absolute path.
    #[schema(pattern = "^/")]
    pub project: String,
    /// The `next` of the previous page. Conflicts once its row is gone: read the list again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")]
    pub after: Option<String>,
    /// Default 50, at most 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 50)]
    pub limit: Option<usize>,
}

/// A page of the agents of a definition: open ones first, then closed ones, each most recently updated first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentSessions {
    /// The point in the log to stream from.
    pub seq: u64,
    pub agent: String,
    pub sessions: Vec<SessionView>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[schema(required)]
    pub next: Option<String>,
}

/// The body of `POST /api/agents/{slug}/messages`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageAgent {
    /// Project of the definition, in which a new agent is started: an absolute path.
    #[schema(pattern = "^/")]
    pub project: String,
    #[schema(pattern = "\\S")]
    pub text: String,
    /// `latest`, `create`, `latest-or-create` (the default), or the handle or id of one of its agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
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
    #[schema(schema_with = crate::message::json_schema)]
    pub output_schema: Option<Value>,
    /// The provider to use when an agent is started and its definition names none. Without it, the daemon's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_provider: Option<String>,
}

/// The receipt of a message to a definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MessagedAgent {
    pub receipt: Receipt,
    pub session: SessionView,
    /// The agent was created for this message.
    pub created: bool,
}

/// The query of `GET /api/whereabouts`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WhereaboutsQuery {
    /// An absolute path.
    #[schema(pattern = "^/")]
    pub project: String,
}

/// The agent of a project that a person is in: the open one that they wrote to or entered last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Whereabouts {
    pub session: Option<SessionView>,
    /// Agent that they came from, if they can go back to it.
    pub from: Option<SessionId>,
}

/// The body of `POST /api/agents/{slug}/switch`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SwitchAgent {
    /// Project of the definition, in which a new agent is started: an absolute path.
    #[schema(pattern = "^/")]
    pub project: String,
    /// Handle or id of the agent that the person comes from. By default, the open agent of the project that they
    /// wrote to or entered last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Message to send there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "\\S")]
    pub text: Option<String>,
    /// Show the agent in the web app: gives it the label `ui=true`.
    #[serde(default)]
    pub ui: bool,
    /// Start a new agent, even if the definition has one.
    #[serde(default)]
    pub new: bool,
    /// The provider to use when an agent is started and its definition names none. Without it, the daemon's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_provider: Option<String>,
}

/// The agent that a person went to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SwitchedAgent {
    pub session: SessionView,
    /// The agent was created.
    pub created: bool,
    /// Agent that they came from, if they can go back to it.
    pub from: Option<SessionId>,
    /// Receipt of the message, if one was sent.
    pub receipt: Option<Receipt>,
}

/// The body of `POST /api/sessions/{id}/back`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GoBack {
    /// Prompt for the agent instead of asking for a summary of the decisions. Its answer is passed on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "\\S")]
    pub text: Option<String>,
}

/// The agent that a person went back to, and the summary passed on to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WentBack {
    /// The agent that they are in again.
    pub session: SessionView,
    /// The agent that they left.
    pub left: SessionId,
    /// The text that was passed on.
    pub summary: String,
    /// Receipt of the summary.
    pub receipt: Receipt,
}
