//! The history of messages and causes, step by step.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::change::SessionChange;
use crate::id::{ActorName, CauseId, DeliveryId, PostId, SessionId, TaskId, TeamId, ThreadId, TurnId};
use crate::item::UsageView;
use crate::time::Moment;
use crate::words::{HeldReason, Stage, TaskStatus, TracedStatus, TurnOutcome};

/// The answer to `GET /api/deliveries/{delivery}`: the life of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryTrace {
    pub delivery: DeliveryId,
    pub session: SessionId,
    pub handle: String,
    pub cause: CauseId,
    /// The stage it has reached.
    pub stage: Stage,
    pub steps: Vec<TraceStep>,
}

/// One step in the life of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TraceStep {
    pub seq: u64,
    pub ts: Moment,
    pub actor: ActorName,
    pub change: SessionChange,
}

/// The answer to `GET /api/causes/{cause}`: what descends from one human request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CauseView {
    /// Watch `cause:<id>` from here for what follows.
    pub seq: u64,
    /// The daemon's time, for durations that go on.
    pub now: Moment,
    pub cause: CauseId,
    /// The requester.
    pub opened_by: Option<ActorName>,
    pub opened_at: Option<Moment>,
    /// When the last of its turns ended; null while one runs, and while a message waits unless the request is stopped.
    pub ended_at: Option<Moment>,
    /// The beginning of what the person wrote, on one line; null if it was erased.
    pub request: Option<String>,
    /// The first agent that was asked.
    pub session: Option<SessionId>,
    pub delivery: Option<DeliveryId>,
    /// The thread in which the request was posted, and the id of its message.
    pub thread: Option<ThreadId>,
    pub post: Option<PostId>,
    /// Turns without a human message so far, the maximum, and how many are left; none once it is stopped.
    pub wakes: u32,
    pub wakes_allowed: u32,
    pub wakes_left: u32,
    /// Agents started so far, and the maximum.
    pub spawned: u32,
    pub spawns_allowed: u32,
    pub stopped: bool,
    pub usage: UsageView,
    /// Number of its messages, see `GET /api/causes/{cause}/messages`.
    pub messages: usize,
    /// Number of turns under way, and of messages that are queued or held.
    pub running: usize,
    pub waiting: usize,
    /// Agents that worked or were started for it, in the order of a tree: each is followed by those it brought in.
    pub agents: Vec<CauseAgent>,
    /// Every turn that descends from it, oldest first.
    pub turns: Vec<CauseTurn>,
    /// Team tasks that were created or claimed in one of its turns, by team and number.
    pub tasks: Vec<CauseTask>,
    /// False if its agents have more history than is read at once: the newest part is missing.
    pub complete: bool,
}

/// An agent that worked, or was started, for a cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CauseAgent {
    pub session: SessionId,
    pub handle: String,
    /// Name given by a person, else its title.
    pub name: Option<String>,
    /// Its status now.
    pub status: TracedStatus,
    /// The agent that started it or wrote to it first; null for the agent that the person asked.
    pub by: Option<SessionId>,
    /// Its level in the tree; 0 for an agent that the person asked.
    pub depth: usize,
    /// Whether it was started for this cause.
    pub spawned: bool,
    /// Number of its turns without a human message, and how many more messages of agents may start one.
    pub wakes: u32,
    pub wakes_left: u32,
    pub turns: usize,
    /// Number of messages of the cause that it received.
    pub messages: usize,
    /// Number of messages of the cause that are queued for it.
    pub waiting: usize,
    /// When its first turn for the cause began, and its last one ended; null before, and while one runs.
    pub started_at: Option<Moment>,
    pub ended_at: Option<Moment>,
    pub usage: UsageView,
}

/// A turn that descends from a cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CauseTurn {
    pub session: SessionId,
    pub handle: String,
    pub turn: TurnId,
    /// Number of agents between the person and this turn.
    pub hop: u32,
    /// It was started without a human message.
    pub woken: bool,
    pub opened_at: Moment,
    pub ended_at: Option<Moment>,
    /// Null while it runs.
    pub outcome: Option<TurnOutcome>,
    pub usage: UsageView,
}

/// A team task that was created or claimed for a cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CauseTask {
    pub team: TeamId,
    pub task: TaskId,
    pub title: String,
    /// Its status now.
    pub status: TaskStatus,
    /// The agent that created it for this cause.
    pub created_by: Option<SessionId>,
    /// The last agent that claimed it for this cause.
    pub claimed_by: Option<SessionId>,
    /// When that happened last.
    pub at: Moment,
}

/// The answer to `GET /api/causes/{cause}/messages`: every message that descends from a request, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CauseMessages {
    pub cause: CauseId,
    pub messages: Vec<CauseMessage>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[schema(required)]
    pub next: Option<String>,
}

/// A message that descends from a cause, and its receipt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CauseMessage {
    pub delivery: DeliveryId,
    /// The sender.
    pub from: ActorName,
    /// The handle of that agent, if it was one.
    pub from_handle: Option<String>,
    /// The agent that it was sent to.
    pub session: SessionId,
    pub handle: String,
    /// Number of agents between the person and this message.
    pub hop: u32,
    pub sent_at: Moment,
    /// The stage it has reached, and why it is held if it is.
    pub stage: Stage,
    pub reason: Option<HeldReason>,
    /// The turn that took it last.
    pub turn: Option<TurnId>,
    /// When its outcome was known.
    pub settled_at: Option<Moment>,
    /// Its beginning on one line; null if it was erased.
    pub text: Option<String>,
}
