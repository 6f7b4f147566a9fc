//! What goes wrong, as the API tells it.

use paseo_core::session::Refusal;
use paseo_store as store;
use paseo_wire::error::{Code, ErrorBody};
use paseo_wire::session::Candidate;

/// A request that could not be done.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) candidates: Vec<Candidate>,
    /// After how many seconds it is worth another try.
    pub(crate) retry_after: Option<u64>,
}

impl Failure {
    /// Makes a failure that needs no advice.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, candidates: Vec::new(), retry_after: None }
    }

    /// Adds what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds what could have been meant.
    pub(crate) fn candidates(mut self, candidates: Vec<Candidate>) -> Self {
        self.candidates = candidates;
        self
    }

    /// Adds when to try again.
    pub(crate) fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Hides a defect of ours behind plain words; the details go to the log file.
    pub(crate) fn internal(error: impl std::fmt::Display) -> Self {
        tracing::error!(%error, "internal error");
        Self::new(Code::Internal, "something went wrong inside the daemon")
            .hint("look at `paseo daemon logs`, and report what you find there")
    }
}

impl From<store::Error> for Failure {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::KeyReused { .. } => Self::new(Code::KeyReused, error.to_string())
                .hint("use a new key for a new request, or repeat the old request unchanged"),
            // The store's own words say what to do.
            store::Error::Unavailable(text) | store::Error::Unusable(text) => {
                Self::new(Code::StorageUnavailable, text)
            }
            store::Error::Conflict { .. } | store::Error::Fenced { .. } => {
                Self::new(Code::Conflict, "the agent was changed by someone else at the same time")
                    .hint("try again")
            }
            store::Error::Invalid(_) => Self::internal(error),
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let (code, hint) = match refusal {
            Refusal::Closed => (Code::Closed, "a person can reopen it with `paseo reopen`"),
            Refusal::Busy => (Code::Busy, "stop it first with `paseo stop`, or wait with `paseo wait`"),
            Refusal::QueueFull => (Code::QueueFull, "wait until some are answered"),
            Refusal::CannotSteer => {
                (Code::CannotSteer, "send it to the queue, or interrupt with --interrupt")
            }
            Refusal::PeopleOnly => (Code::Forbidden, "send the message without --steer or --interrupt"),
            Refusal::Watched => (Code::Conflict, "wait until some of them were told"),
            Refusal::TitledAlready => (Code::Conflict, "carry on; nothing needs to be done"),
        };
        Self::new(code, refusal.to_string()).hint(hint)
    }
}

impl From<Failure> for ErrorBody {
    fn from(failure: Failure) -> Self {
        Self {
            code: failure.code,
            message: failure.message,
            hint: failure.hint,
            candidates: failure.candidates,
        }
    }
}
