//! The history of messages and requests, step by step.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::change::SessionChange;
use crate::id::{CauseId, DeliveryId, PostId, SessionId, ThreadId, TurnId};
use crate::item::UsageView;
use crate::time::Moment;
use crate::words::{Stage, TracedStatus, TurnOutcome};

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
    pub actor: String,
    pub change: SessionChange,
}

/// The answer to `GET /api/causes/{cause}`: what descends from one human request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CauseView {
    pub cause: CauseId,
    /// Who asked.
    pub opened_by: Option<String>,
    pub opened_at: Option<Moment>,
    /// The session that was asked, or of several the first.
    pub session: Option<SessionId>,
    pub delivery: Option<DeliveryId>,
    /// The thread in which the request was posted, and the id of the post.
    pub thread: Option<ThreadId>,
    pub post: Option<PostId>,
    /// Turns without a human message that it has paid for, and how many it may.
    pub wakes: u32,
    pub wakes_allowed: u32,
    pub stopped: bool,
    pub usage: UsageView,
    /// Every agent that worked or was started for it, those that were asked first.
    pub agents: Vec<CauseAgent>,
    /// Every turn that descends from it, oldest first.
    pub turns: Vec<CauseTurn>,
}

/// An agent that worked, or was started, for a cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CauseAgent {
    pub session: SessionId,
    pub handle: String,
    /// What people see instead of the handle.
    pub name: Option<String>,
    /// Its status now.
    pub status: TracedStatus,
    /// The session that started it or wrote to it first; `None` for whom the person asked.
    pub by: Option<SessionId>,
    /// It was started for this.
    pub spawned: bool,
    /// Turns without a human message that it had.
    pub wakes: u32,
    pub turns: usize,
    /// Messages that descend from the cause and wait here.
    pub waiting: usize,
    pub usage: UsageView,
}

/// A turn that descends from a cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CauseTurn {
    pub session: SessionId,
    pub handle: String,
    pub turn: TurnId,
    /// How many agents stand between the person and this turn.
    pub hop: u32,
    /// It was started without a human message.
    pub woken: bool,
    pub opened_at: Moment,
    pub ended_at: Option<Moment>,
    /// `None` while it runs.
    pub outcome: Option<TurnOutcome>,
    pub usage: UsageView,
}
