//! Errors as clients see them: a stable code, words, and what to do.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::agent::AgentProblem;
use crate::session::Candidate;
pub use crate::words::Code;

/// The body of every answer that is not a success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorBody {
    pub code: Code,
    /// What went wrong.
    pub message: String,
    /// What to do next; null if there is no advice.
    #[serde(default)]
    #[schema(required)]
    pub hint: Option<String>,
    /// Agents that the handle could mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
    /// Mistakes in a definition that was sent, each with its line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<AgentProblem>,
}

impl Code {
    /// Returns the HTTP status that goes with it.
    pub fn http_status(&self) -> u16 {
        match self {
            Self::InvalidRequest => 400,
            Self::Unauthenticated => 401,
            Self::Forbidden
            | Self::IdentityMismatch
            | Self::ForeignOrigin
            | Self::LeaseExpired
            | Self::LeaseHolderMismatch => 403,
            Self::NotFound | Self::SessionNotFound => 404,
            // The request is well formed; this machine cannot do it as it is.
            Self::ProviderUnavailable
            | Self::TmuxNotInstalled
            | Self::Ambiguous
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
            Self::Internal | Self::Other(_) => 500,
            Self::StorageUnavailable | Self::Overloaded | Self::ShuttingDown | Self::TmuxFailed => 503,
        }
    }

    /// Returns the exit code of a command that ends with it.
    pub fn exit(&self) -> Exit {
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
            | Self::KeyReused
            // Whatever it is, the daemon did not do it.
            | Self::Other(_) => Exit::Refused,
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

    #[test]
    fn a_code_of_a_newer_version_keeps_its_message_and_its_hint() {
        let told = r#"{"code":"out_of_tea","message":"the kettle is empty","hint":"fill it"}"#;
        let body: ErrorBody = serde_json::from_str(told).unwrap();
        assert_eq!(body.code, Code::Other("out_of_tea".into()));
        assert_eq!((body.message.as_str(), body.hint.as_deref()), ("the kettle is empty", Some("fill it")));
        assert_eq!(body.code.exit(), Exit::Refused);
        assert_eq!(serde_json::to_string(&body).unwrap(), told);
    }
}
