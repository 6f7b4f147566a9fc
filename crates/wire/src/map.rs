//! The map: agents, who talks to whom, who waits for whom, and what that costs.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::{ActorName, CauseId, SessionId, ThreadId};
use crate::item::UsageView;
use crate::time::Moment;
use crate::words::Status;

/// The query of `GET /api/map`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MapQuery {
    /// All open agents, instead of those with a turn under way and those they talked to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
}

/// The answer to `GET /api/map`. Counts start at `since`, at most one hour ago.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MapView {
    /// Watch `sessions` from here for what follows.
    pub seq: u64,
    pub at: Moment,
    pub since: Moment,
    /// By project, then by family: each agent is followed by those it started.
    pub agents: Vec<MapAgent>,
    /// Number of agents that were left out because there are too many.
    pub left_out: usize,
    /// Messages and starts between two of these agents.
    pub links: Vec<MapLink>,
    /// Threads that one of these agents posted to, or was woken by.
    pub threads: Vec<MapThread>,
    /// Current waits of agents for each other's answers.
    pub waits: Vec<MapWait>,
    /// Waits that the daemon refused because of other waits, newest first.
    pub refused: Vec<MapRefusal>,
    /// The requests that cost most, the most expensive first.
    pub causes: Vec<MapCause>,
}

/// An agent on the map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MapAgent {
    pub session: SessionId,
    pub handle: String,
    /// Name given by a person, else its title.
    pub name: Option<String>,
    pub status: Status,
    /// A turn is under way.
    pub busy: bool,
    pub project: String,
    /// Slug of its definition.
    pub definition: Option<String>,
    /// Its parent, if that is open.
    pub parent: Option<SessionId>,
    /// The first agent of its family: itself, or the topmost of its ancestors.
    pub family: SessionId,
    /// Its level in the family.
    pub depth: usize,
    /// The cause of its turn, or of its last one.
    pub cause: Option<CauseId>,
    /// Messages that wait for it.
    pub queued: usize,
    /// Messages that people sent to it.
    pub asked: u32,
    /// Its turns without a human message.
    pub wakes: u32,
    pub usage: UsageView,
}

/// What went from one agent to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MapLink {
    pub from: SessionId,
    pub to: SessionId,
    pub messages: u32,
    /// Notices about work that the receiver asked for.
    pub answers: u32,
    /// Whether it started the other one.
    pub spawns: u32,
    pub last_at: Moment,
}

/// A thread on the map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MapThread {
    pub thread: ThreadId,
    /// Null if it was deleted.
    pub name: Option<String>,
    pub participants: Vec<MapParticipant>,
}

/// An agent that took part in a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MapParticipant {
    pub session: SessionId,
    /// Messages that it posted.
    pub posts: u32,
    /// Messages that woke it.
    pub wakes: u32,
    pub last_at: Moment,
}

/// An agent that waits for another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MapWait {
    pub from: SessionId,
    pub to: SessionId,
}

/// A wait that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MapRefusal {
    pub at: Moment,
    /// Each waits for the next. The last would wait for the first if `circle` is true.
    pub agents: Vec<MapName>,
    /// They would have waited in a circle; otherwise the chain would have been too long.
    pub circle: bool,
}

/// An agent and its handle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MapName {
    pub session: SessionId,
    pub handle: String,
}

/// What a human request cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MapCause {
    pub cause: CauseId,
    /// The requester.
    pub opened_by: Option<ActorName>,
    pub opened_at: Option<Moment>,
    /// The first agent that was asked.
    pub session: Option<SessionId>,
    pub handle: Option<String>,
    /// Number of agents that it paid for.
    pub agents: usize,
    /// Turns without a human message since `since`.
    pub wakes: u32,
    /// How many are left.
    pub wakes_left: u32,
    pub stopped: bool,
    pub usage: UsageView,
    pub last_at: Moment,
}
