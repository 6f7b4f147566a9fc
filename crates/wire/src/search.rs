//! Searching: what is asked, and what was found.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::{PostId, SessionId, ThreadId};
use crate::time::Moment;
use crate::words::{SearchIn, SearchKind, Status};

/// What is asked for. Every condition must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchQuery {
    /// Words that must all be in one text, "phrases" in quotes, beginnings*. Case and accents make no difference.
    #[serde(default)]
    pub q: String,
    /// In the transcript of this agent: a handle or an id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// In this thread: a name or an id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    #[serde(default, rename = "in", skip_serializing_if = "Option::is_none")]
    pub within: Option<SearchIn>,
    /// `said`, `answered`, `tool` or `name`; several with commas between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^ *(said|answered|tool|name) *(, *(said|answered|tool|name) *)*$")]
    pub kind: Option<String>,
    /// Who said it: `me` for any person, an agent's handle, or a participant of a thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// From this moment on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Moment>,
    /// Before this moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Moment>,
    /// Of agents and threads at home in this directory or below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// What fits best first, not the newest.
    #[serde(default)]
    pub best: bool,
    /// Where the page before this one ended: its `next`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^(best:)?[0-9]{1,18}$")]
    pub after: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// A page of what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SearchPage {
    pub hits: Vec<SearchHit>,
    /// Where the next page begins; none: this is the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// How many of the newest events were not looked at yet.
    pub behind: u64,
}

/// Something that was found: in an agent's transcript or in a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SearchHit {
    pub kind: SearchKind,
    /// An actor, or the id of a participant of the thread.
    pub who: String,
    pub at: Moment,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<FoundAgent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<FoundThread>,
    /// Which item of the transcript it is; none for names, and while a message waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u64>,
    /// Which event of the thread it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<PostId>,
    /// A piece of the text, around what was asked for.
    pub excerpt: Vec<ExcerptPiece>,
}

/// The agent in whose transcript it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FoundAgent {
    pub id: SessionId,
    pub handle: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub status: Status,
    pub project: String,
}

/// The thread in which it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FoundThread {
    pub id: ThreadId,
    pub name: String,
}

/// Some text that is, or is not, what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExcerptPiece {
    pub text: String,
    pub hit: bool,
}
