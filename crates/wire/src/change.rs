//! What happened, in the words of the API: what readers of the stream are told instead of stored events.
//!
//! A client may be older than its daemon: a type that it does not know is read as `Unknown`, and means that it should
//! read the view again.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::{CauseId, DeliveryId, SessionId, TaskId, TurnId};
use crate::message::Verb;
use crate::time::Moment;
use crate::words::{
    AbandonReason, AnswerVerdict, Decision, HeldReason, Hold, SessionField, StatusSource, TurnOutcome,
};

/// What happened to a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SessionChange {
    Created {},
    Closed {},
    Reopened {},
    /// The transcript was removed.
    Cleared {},
    Deleted {},
    /// The session was deleted since, and the details of this change with it.
    Erased {},
    HoldChanged {
        hold: Hold,
    },
    /// The process in its terminal ended.
    ProcessEnded {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<i32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signal: Option<i32>,
    },
    MessageAccepted {
        delivery: DeliveryId,
        /// Who sent it: `human:…`, `session:…` or `daemon`.
        origin: String,
        verb: Verb,
        /// The answer has to satisfy an output schema.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        structured: bool,
        /// It asks for a correction of the answer to this message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        corrects: Option<DeliveryId>,
    },
    MessageHeld {
        deliveries: Vec<DeliveryId>,
        reason: HeldReason,
    },
    /// The message is about to enter the current turn.
    MessageHanding {
        delivery: DeliveryId,
        turn: TurnId,
    },
    /// The harness took the message into the current turn.
    MessageHanded {
        delivery: DeliveryId,
    },
    /// The harness never confirmed the message, which is back at the front of the queue.
    MessageReturned {
        delivery: DeliveryId,
        /// The agent may have read it.
        repeat: bool,
    },
    MessageCancelled {
        delivery: DeliveryId,
    },
    TurnStarted {
        turn: TurnId,
        cause: CauseId,
        deliveries: Vec<DeliveryId>,
    },
    /// The harness confirmed the messages of the turn.
    TurnConfirmed {
        turn: TurnId,
    },
    /// An attempt to get an answer from the model failed, and the harness retries.
    TurnRetried {
        turn: TurnId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attempt: Option<u32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<u32>,
    },
    TurnEnded {
        turn: TurnId,
        outcome: TurnOutcome,
        source: StatusSource,
        /// Error code.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
        /// When the rate limit ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Moment>,
    },
    /// The answer to a message was checked against the message's output schema.
    AnswerChecked {
        delivery: DeliveryId,
        turn: TurnId,
        verdict: AnswerVerdict,
    },
    /// A valid answer is no longer waited for.
    AnswerAbandoned {
        delivery: DeliveryId,
        reason: AbandonReason,
    },
    PermissionRequested {
        hash: String,
        /// The tool, in the harness's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
    },
    PermissionDecided {
        hash: String,
        decision: Decision,
    },
    /// The fields of the view that may have changed; empty if none did.
    Updated {
        fields: Vec<SessionField>,
    },
    /// A type of a newer version: read the view.
    #[serde(other, skip_serializing)]
    Unknown,
}

impl SessionChange {
    /// Returns the word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Created {} => "created",
            Self::Closed {} => "closed",
            Self::Reopened {} => "reopened",
            Self::Cleared {} => "cleared",
            Self::Deleted {} => "deleted",
            Self::Erased {} => "erased",
            Self::HoldChanged { .. } => "hold_changed",
            Self::ProcessEnded { .. } => "process_ended",
            Self::MessageAccepted { .. } => "message_accepted",
            Self::MessageHeld { .. } => "message_held",
            Self::MessageHanding { .. } => "message_handing",
            Self::MessageHanded { .. } => "message_handed",
            Self::MessageReturned { .. } => "message_returned",
            Self::MessageCancelled { .. } => "message_cancelled",
            Self::TurnStarted { .. } => "turn_started",
            Self::TurnConfirmed { .. } => "turn_confirmed",
            Self::TurnRetried { .. } => "turn_retried",
            Self::TurnEnded { .. } => "turn_ended",
            Self::AnswerChecked { .. } => "answer_checked",
            Self::AnswerAbandoned { .. } => "answer_abandoned",
            Self::PermissionRequested { .. } => "permission_requested",
            Self::PermissionDecided { .. } => "permission_decided",
            Self::Updated { .. } => "updated",
            Self::Unknown => "unknown",
        }
    }

    /// Says whether it is about a message.
    pub fn concerns(&self, wanted: &str) -> bool {
        match self {
            Self::MessageAccepted { delivery, .. }
            | Self::MessageHanding { delivery, .. }
            | Self::MessageHanded { delivery }
            | Self::MessageReturned { delivery, .. }
            | Self::MessageCancelled { delivery }
            | Self::AnswerChecked { delivery, .. }
            | Self::AnswerAbandoned { delivery, .. } => delivery == wanted,
            Self::MessageHeld { deliveries, .. } | Self::TurnStarted { deliveries, .. } => {
                deliveries.iter().any(|delivery| delivery == wanted)
            }
            Self::Created {}
            | Self::Closed {}
            | Self::Reopened {}
            | Self::Cleared {}
            | Self::Deleted {}
            | Self::Erased {}
            | Self::HoldChanged { .. }
            | Self::ProcessEnded { .. }
            | Self::TurnConfirmed { .. }
            | Self::TurnRetried { .. }
            | Self::TurnEnded { .. }
            | Self::PermissionRequested { .. }
            | Self::PermissionDecided { .. }
            | Self::Updated { .. }
            | Self::Unknown => false,
        }
    }
}

/// What happened in a team; the frame's `actor` did it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TeamChange {
    Created {},
    Closed {},
    AgentEnrolled {
        agent: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
    },
    AgentLeft {
        agent: String,
    },
    WorkerStarted {
        agent: String,
        session: SessionId,
    },
    WorkerEnded {
        agent: String,
        session: SessionId,
    },
    ThreadStarted {
        /// As the team calls it: `thread-0001`.
        thread: String,
    },
    ThreadLinked {
        thread: String,
        task: TaskId,
    },
    /// A message was posted to one of its threads.
    ThreadPosted {
        /// Ids of the thread and of the message.
        thread: String,
        message: String,
    },
    TaskCreated {
        task: TaskId,
    },
    TaskClaimed {
        task: TaskId,
        holder: String,
        epoch: u64,
        expires_at: Moment,
    },
    TaskRenewed {
        task: TaskId,
        holder: String,
        epoch: u64,
        expires_at: Moment,
    },
    TaskExpired {
        task: TaskId,
        holder: String,
        epoch: u64,
    },
    TaskCompleted {
        task: TaskId,
        holder: String,
        epoch: u64,
        /// Tasks that are no longer blocked.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unblocks: Vec<TaskId>,
    },
    TaskFailed {
        task: TaskId,
        holder: String,
        epoch: u64,
    },
    TaskReleased {
        task: TaskId,
        holder: String,
        epoch: u64,
    },
    /// The task was reassigned, or returned to the queue if `to` is missing.
    TaskReassigned {
        task: TaskId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<String>,
        epoch: u64,
    },
    TaskCanceled {
        task: TaskId,
    },
    TaskRetried {
        task: TaskId,
    },
    /// Any other change: read the team.
    Updated {},
    /// A type of a newer version: read the team.
    #[serde(other, skip_serializing)]
    Unknown,
}
