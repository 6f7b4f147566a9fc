//! Errors as clients see them: a stable code, words, and what to do.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::agent::AgentProblem;
use crate::session::Candidate;

/// The body of every answer that is not a success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorBody {
    pub code: Code,
    /// What is wrong and what was expected.
    pub message: String,
    /// What to do next; null when there is nothing to say.
    #[serde(default)]
    #[schema(required)]
    pub hint: Option<String>,
    /// What could have been meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
    /// Mistakes in a definition that was sent, each with its line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<AgentProblem>,
}

/// A stable name for what went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The request makes no sense as it stands.
    InvalidRequest,
    /// The message, name or body is too large.
    TooLarge,
    /// The file cannot be attached: no agent takes such files, or not the one that it is for.
    AttachmentRefused,
    /// There is no provider by that name, or it cannot be used here.
    ProviderUnavailable,
    /// No credential, or one that is not valid.
    Unauthenticated,
    /// The credential does not allow this.
    Forbidden,
    /// The named author does not match the credential.
    IdentityMismatch,
    /// The Host header names a host that is not ours.
    ForeignHost,
    /// The Origin header, or the browser, says that another site asks.
    ForeignOrigin,
    NotFound,
    Ambiguous,
    /// It contradicts the present state.
    Conflict,
    /// The decision came before the request had been displayed long enough to be read.
    TooEarly,
    /// The request is asked in a terminal, and can be answered only there.
    AnswerInTerminal,
    /// The participant may not speak in this thread now.
    ParticipantMuted,
    /// The thread is paused: only people can post.
    ThreadPaused,
    /// The task cannot be claimed: it is held, blocked or finished.
    TaskNotClaimable,
    /// The task has no holder.
    TaskNotInProgress,
    /// The lease on the task ran out.
    LeaseExpired,
    /// Another has the task.
    LeaseHolderMismatch,
    /// The task was given out again since: the epoch is an old one.
    EpochMismatch,
    /// Another task that is being worked on needs the same files.
    ResourceHeld,
    /// There is no tmux for workers to run in.
    TmuxNotInstalled,
    /// tmux does not do what it is told.
    TmuxFailed,
    /// There is no worker of that name, or its terminal is gone.
    SessionNotFound,
    /// The agent is closed.
    Closed,
    /// The agent is in the middle of a turn.
    Busy,
    /// The agent asks for a permission first.
    WaitingForPermission,
    /// Too many messages wait already.
    QueueFull,
    /// The participant says more than a thread bears.
    TooManyMessages,
    /// Too many wrong codes or credentials came.
    TooManyAttempts,
    /// Too many files are uploaded at a time, or wait for a message.
    TooManyUploads,
    /// The provider cannot take a message into a running turn.
    CannotSteer,
    /// The idempotency key was used with another body.
    KeyReused,
    /// The log cannot be written or read now.
    StorageUnavailable,
    /// The daemon has no connection or file descriptor left for this client.
    Overloaded,
    /// The daemon is stopping.
    ShuttingDown,
    Internal,
}

impl Code {
    /// All of them.
    pub const ALL: [Self; 38] = [
        Self::InvalidRequest,
        Self::TooLarge,
        Self::AttachmentRefused,
        Self::ProviderUnavailable,
        Self::Unauthenticated,
        Self::Forbidden,
        Self::IdentityMismatch,
        Self::ForeignHost,
        Self::ForeignOrigin,
        Self::NotFound,
        Self::Ambiguous,
        Self::Conflict,
        Self::TooEarly,
        Self::AnswerInTerminal,
        Self::ParticipantMuted,
        Self::ThreadPaused,
        Self::TaskNotClaimable,
        Self::TaskNotInProgress,
        Self::LeaseExpired,
        Self::LeaseHolderMismatch,
        Self::EpochMismatch,
        Self::ResourceHeld,
        Self::TmuxNotInstalled,
        Self::TmuxFailed,
        Self::SessionNotFound,
        Self::Closed,
        Self::Busy,
        Self::WaitingForPermission,
        Self::QueueFull,
        Self::TooManyMessages,
        Self::TooManyAttempts,
        Self::TooManyUploads,
        Self::CannotSteer,
        Self::KeyReused,
        Self::StorageUnavailable,
        Self::Overloaded,
        Self::ShuttingDown,
        Self::Internal,
    ];

    /// Returns the HTTP status that goes with it.
    pub fn http_status(self) -> u16 {
        match self {
            Self::InvalidRequest | Self::ProviderUnavailable | Self::TmuxNotInstalled => 400,
            Self::Unauthenticated => 401,
            Self::Forbidden
            | Self::IdentityMismatch
            | Self::ForeignOrigin
            | Self::LeaseExpired
            | Self::LeaseHolderMismatch => 403,
            Self::NotFound | Self::SessionNotFound => 404,
            Self::Ambiguous
            | Self::Conflict
            | Self::TooEarly
            | Self::AnswerInTerminal
            | Self::ParticipantMuted
            | Self::ThreadPaused
            | Self::TaskNotClaimable
            | Self::TaskNotInProgress
            | Self::EpochMismatch
            | Self::ResourceHeld
            | Self::Closed
            | Self::Busy
            | Self::WaitingForPermission
            | Self::CannotSteer
            | Self::KeyReused => 409,
            Self::TooLarge => 413,
            Self::AttachmentRefused => 415,
            Self::ForeignHost => 421,
            Self::QueueFull | Self::TooManyMessages | Self::TooManyAttempts | Self::TooManyUploads => 429,
            Self::Internal => 500,
            Self::StorageUnavailable | Self::Overloaded | Self::ShuttingDown | Self::TmuxFailed => 503,
        }
    }

    /// Returns the exit code of a command that ends with it.
    pub fn exit(self) -> Exit {
        match self {
            Self::InvalidRequest
            | Self::TooLarge
            | Self::AttachmentRefused
            | Self::ProviderUnavailable
            | Self::TmuxNotInstalled => Exit::Usage,
            Self::NotFound | Self::Ambiguous | Self::SessionNotFound => Exit::NotFound,
            Self::WaitingForPermission => Exit::WaitingForPermission,
            Self::Unauthenticated
            | Self::Forbidden
            | Self::IdentityMismatch
            | Self::ForeignHost
            | Self::ForeignOrigin
            | Self::Conflict
            | Self::TooEarly
            | Self::AnswerInTerminal
            | Self::ParticipantMuted
            | Self::ThreadPaused
            | Self::TaskNotClaimable
            | Self::TaskNotInProgress
            | Self::EpochMismatch
            | Self::ResourceHeld
            | Self::LeaseExpired
            | Self::LeaseHolderMismatch
            | Self::Closed
            | Self::Busy
            | Self::QueueFull
            | Self::TooManyMessages
            | Self::TooManyAttempts
            | Self::TooManyUploads
            | Self::CannotSteer
            | Self::KeyReused => Exit::Refused,
            Self::StorageUnavailable | Self::Overloaded | Self::ShuttingDown | Self::TmuxFailed => {
                Exit::Unreachable
            }
            Self::Internal => Exit::AgentError,
        }
    }
}

/// Exit codes of the command line. They differ by outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Ok = 0,
    AgentError = 1,
    Usage = 2,
    NotFound = 3,
    WaitingForPermission = 4,
    Timeout = 5,
    Refused = 6,
    Unreachable = 7,
    Interrupted = 130,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_a_code_a_message_and_a_hint() {
        let body = ErrorBody {
            code: Code::NotFound,
            message: "nothing".to_owned(),
            hint: None,
            candidates: Vec::new(),
            problems: Vec::new(),
        };
        let body = serde_json::to_value(body).unwrap();
        let names: Vec<&String> = body.as_object().unwrap().keys().collect();
        assert_eq!(names, ["code", "message", "hint"]);
    }
}
