//! The inbox on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::{CauseId, RequestHash, SessionId, TeamId};
use crate::item::UsageView;
use crate::time::Moment;
use crate::words::{AgentColor, InboxNeed, Status};

/// A page of the inbox: what needs a person, then what finished, then what is being worked on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Inbox {
    /// The point in the log to stream from.
    pub seq: u64,
    /// How many entries each section has, on all pages.
    pub counts: InboxCounts,
    /// Oldest first.
    pub needs_you: Vec<InboxRequest>,
    /// Agents that finished since a person looked, newest first.
    pub finished: Vec<InboxFinished>,
    /// Oldest first.
    pub working: Vec<InboxWorking>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[schema(required)]
    pub next: Option<String>,
}

/// How many entries each section of the inbox has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InboxCounts {
    pub needs_you: usize,
    pub finished: usize,
    pub working: usize,
}

/// The agent that an entry of the inbox is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InboxAgent {
    pub session: SessionId,
    pub handle: String,
    /// Name given by a person, else the title that it gave itself.
    pub name: Option<String>,
    /// Slug of its definition.
    pub agent: String,
    pub icon: Option<String>,
    pub color: Option<AgentColor>,
    /// Where it was started.
    pub project: String,
    pub parent: Option<SessionId>,
    pub team: Option<TeamId>,
    pub status: Status,
    /// Number of news so far: pass it to `looked` and `archive`.
    pub news: u64,
}

/// Something that needs a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InboxRequest {
    pub kind: InboxNeed,
    pub agent: InboxAgent,
    pub since: Moment,
    /// One-line summary; null if nothing more is known.
    pub summary: Option<String>,
    /// What to do next.
    pub hint: String,
    /// Hash of a permission request or a question, as in `GET /api/permissions`.
    pub request: Option<RequestHash>,
    /// Whether a permission request may destroy something that cannot be restored.
    #[serde(default)]
    pub destructive: bool,
    /// Error code, for a failure.
    pub code: Option<String>,
    /// When a rate limit ends.
    pub until: Option<Moment>,
    /// How many messages are held.
    pub held: usize,
    /// The cause of the first of them.
    pub cause: Option<CauseId>,
    /// Terminal, for a request that can only be answered there.
    pub terminal: Option<String>,
}

/// An agent that finished since a person looked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InboxFinished {
    pub agent: InboxAgent,
    pub since: Moment,
    /// The last thing the agent said, on one line.
    pub last_snippet: Option<String>,
}

/// An agent that works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InboxWorking {
    pub agent: InboxAgent,
    /// When its turn began.
    pub since: Moment,
    /// The newest tool call without a result, in one line.
    pub step: Option<String>,
    pub todo_done: Option<usize>,
    pub todo_total: Option<usize>,
    /// Total usage.
    pub usage: UsageView,
}

/// The query of `GET /api/inbox`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InboxPageQuery {
    /// The `next` of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^(needs_you|finished|working):-?[0-9]{1,18}:[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}:"
    )]
    pub after: Option<String>,
    /// Entries of all sections together. Default and maximum 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 100, default = 100)]
    pub limit: Option<usize>,
}
