//! What happened, in the words of the API: what readers of the stream are told instead of stored events.
//!
//! A client may be older than its daemon: a type that it does not know is read as `Unknown`, and means that it should
//! read the view again.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::{
    ActorName, CauseId, DeliveryId, MemberId, PostId, RequestHash, SessionId, TaskId, TeamThreadId, ThreadId,
    TurnId,
};
use crate::message::Verb;
use crate::time::Moment;
use crate::words::{
    AbandonReason, AnswerVerdict, Decision, HeldReason, Hold, SessionField, StatusSource, TurnOutcome,
};

/// A change to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SessionChange {
    Created {},
    Closed {},
    Reopened {},
    /// A person promoted it; it has no parent now.
    Promoted {
        /// Its former parent.
        from: SessionId,
    },
    /// The transcript was removed.
    Cleared {},
    Deleted {},
    /// The agent was deleted later, with the details of this change.
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
        origin: ActorName,
        verb: Verb,
        /// The message has an output schema for its answer.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        structured: bool,
        /// The message whose answer it asks to correct.
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
    /// The message was taken out of the queue.
    MessageCancelled {
        delivery: DeliveryId,
    },
    /// A person changed the text of the queued message.
    MessageEdited {
        delivery: DeliveryId,
    },
    /// A person moved the queued message: before another one, or to the end.
    MessageMoved {
        delivery: DeliveryId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<DeliveryId>,
    },
    /// A person released held messages, and the agent goes on.
    MessageReleased {
        deliveries: Vec<DeliveryId>,
        /// Their new cause, if it changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<CauseId>,
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
    /// The agent stopped waiting for a valid answer.
    AnswerAbandoned {
        delivery: DeliveryId,
        reason: AbandonReason,
    },
    PermissionRequested {
        hash: RequestHash,
        /// Name of the tool as the harness calls it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
        /// The agent asks a question, not for permission to do something.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        question: bool,
    },
    PermissionDecided {
        hash: RequestHash,
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
            Self::Promoted { .. } => "promoted",
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
            Self::MessageEdited { .. } => "message_edited",
            Self::MessageMoved { .. } => "message_moved",
            Self::MessageReleased { .. } => "message_released",
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
            | Self::MessageEdited { delivery }
            | Self::MessageMoved { delivery, .. }
            | Self::AnswerChecked { delivery, .. }
            | Self::AnswerAbandoned { delivery, .. } => delivery == wanted,
            Self::MessageHeld { deliveries, .. }
            | Self::MessageReleased { deliveries, .. }
            | Self::TurnStarted { deliveries, .. } => deliveries.iter().any(|delivery| delivery == wanted),
            Self::Created {}
            | Self::Closed {}
            | Self::Reopened {}
            | Self::Promoted { .. }
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

/// A change to a cause by the frame's `actor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum CauseChange {
    /// A person asked an agent.
    Opened {
        session: SessionId,
        delivery: DeliveryId,
    },
    /// A person posted in a thread.
    Posted {
        thread: ThreadId,
        message: PostId,
    },
    /// A turn started without a human message.
    Woken {
        session: SessionId,
        turn: TurnId,
    },
    /// An agent started another one.
    Spawned {
        by: SessionId,
        session: SessionId,
    },
    Stopped {},
    /// Any other change: read the cause.
    Updated {},
    /// A type of a newer version: read the cause.
    #[serde(other, skip_serializing)]
    Unknown,
}

/// A change to a team by the frame's `actor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TeamChange {
    Created {},
    Closed {},
    AgentEnrolled {
        agent: MemberId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
    },
    AgentLeft {
        agent: MemberId,
    },
    WorkerStarted {
        agent: MemberId,
        session: SessionId,
    },
    WorkerEnded {
        agent: MemberId,
        session: SessionId,
    },
    /// The guard of a member refused a write.
    WriteRefused {
        agent: MemberId,
    },
    ThreadStarted {
        thread: TeamThreadId,
    },
    ThreadLinked {
        thread: TeamThreadId,
        task: TaskId,
    },
    /// A message was posted to one of its threads.
    ThreadPosted {
        thread: ThreadId,
        message: PostId,
    },
    TaskCreated {
        task: TaskId,
    },
    TaskEdited {
        task: TaskId,
    },
    TaskClaimed {
        task: TaskId,
        holder: MemberId,
        epoch: u64,
        expires_at: Moment,
    },
    TaskRenewed {
        task: TaskId,
        holder: MemberId,
        epoch: u64,
        expires_at: Moment,
    },
    TaskExpired {
        task: TaskId,
        holder: MemberId,
        epoch: u64,
    },
    TaskCompleted {
        task: TaskId,
        holder: MemberId,
        epoch: u64,
        /// Tasks that are no longer blocked.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unblocks: Vec<TaskId>,
    },
    TaskFailed {
        task: TaskId,
        holder: MemberId,
        epoch: u64,
    },
    TaskReleased {
        task: TaskId,
        holder: MemberId,
        epoch: u64,
    },
    /// The task was reassigned, or returned to the queue if `to` is missing.
    TaskReassigned {
        task: TaskId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<MemberId>,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_with_a_word_of_a_newer_version_is_read() {
        let told = r#"{"type":"message_accepted","delivery":"d","origin":"human:cli","verb":"whisper"}"#;
        let change: SessionChange = serde_json::from_str(told).unwrap();
        let SessionChange::MessageAccepted { verb, .. } = &change else { panic!("{change:?}") };
        assert_eq!(*verb, Verb::Other("whisper".into()));
        assert_eq!(serde_json::to_string(&change).unwrap(), told);
    }
}
