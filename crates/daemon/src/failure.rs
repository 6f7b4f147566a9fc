//! What goes wrong, as the API tells it.

use std::error::Error;
use std::sync::Arc;

use paseo_core::session::{Refusal, Unchangeable, Unpromotable};
use paseo_store as store;
use paseo_wire::agent::AgentProblem;
use paseo_wire::error::{Code, ErrorBody};
use paseo_wire::session::Candidate;

use crate::directory::shown;

/// A request that could not be done.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) candidates: Box<[Candidate]>,
    /// Mistakes in a definition that was sent. Boxed: almost no failure has any.
    pub(crate) mistakes: Option<Box<Mistakes>>,
    /// After how many seconds it is worth another try.
    pub(crate) retry_after: Option<u32>,
    /// What really went wrong, for the log file only.
    pub(crate) cause: Option<Cause>,
}

/// What is wrong with a definition, line by line.
#[derive(Debug, Clone)]
pub(crate) struct Mistakes(pub(crate) Vec<AgentProblem>);

/// What really went wrong, with all that led to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cause(pub(crate) Arc<str>);

impl Cause {
    /// Writes down an error and everything behind it.
    fn of(error: &(dyn Error + 'static)) -> Self {
        let chain: Vec<String> =
            std::iter::successors(Some(error), |error| (*error).source()).map(ToString::to_string).collect();
        Self(chain.join(": ").into())
    }
}

impl Failure {
    /// Makes a failure that needs no advice.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            candidates: Box::default(),
            mistakes: None,
            retry_after: None,
            cause: None,
        }
    }

    /// Refuses a cursor whose row is not in the list: its position is unknown.
    pub(crate) fn lost_cursor(given: &str) -> Self {
        let message = format!("the list no longer has the row of the cursor `{}`", shown(given));
        Self::new(Code::Conflict, message).hint("read the list again from the beginning")
    }

    /// Refuses a text that is not a cursor of the list that was asked for.
    pub(crate) fn no_cursor(given: &str) -> Self {
        let given = shown(given);
        let message = format!("`{given}` is not a cursor of this list: pass the `next` of the previous page");
        Self::new(Code::InvalidRequest, message)
    }

    /// Adds what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns what is wrong and what to do next as one sentence.
    pub(crate) fn in_one(self) -> String {
        let hint = self.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
        self.message + &hint
    }

    /// Adds what could have been meant.
    pub(crate) fn candidates(mut self, candidates: Vec<Candidate>) -> Self {
        self.candidates = candidates.into();
        self
    }

    /// Adds when to try again.
    pub(crate) fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(u32::try_from(seconds).unwrap_or(u32::MAX));
        self
    }

    /// Hides a defect of ours behind plain words; the details go to the log file.
    pub(crate) fn internal(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let cause = Cause::of(&*error.into());
        tracing::error!(error = %cause.0, "internal error");
        let failure = Self::new(Code::Internal, "internal error in the daemon")
            .hint("run `paseo daemon logs` and report the error");
        Self { cause: Some(cause), ..failure }
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
                Self::new(Code::Conflict, "the agent was changed at the same time").hint("try again")
            }
            store::Error::Unclaimable { .. } => {
                Self::new(Code::NotFound, "an attached file no longer exists, or was used by another message")
                    .hint("attach the file again")
            }
            store::Error::Invalid(_) => Self::internal(error),
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let (code, hint) = match refusal {
            Refusal::Closed => (Code::Closed, "reopen it with `paseo reopen` (people only)"),
            Refusal::Busy => (Code::Busy, "stop it first with `paseo stop`, or wait with `paseo wait`"),
            Refusal::QueueFull => (Code::QueueFull, "wait until some messages have been answered"),
            Refusal::CannotSteer => {
                (Code::CannotSteer, "queue the message instead, or interrupt with --interrupt")
            }
            Refusal::StructuredSteer => {
                (Code::InvalidRequest, "send it to the queue, or interrupt with --interrupt")
            }
            Refusal::PeopleOnly => (Code::Forbidden, "send the message without --steer or --interrupt"),
            Refusal::Watched => (Code::Conflict, "wait until some of them have been notified"),
            Refusal::TitledAlready => (Code::Conflict, "continue; no action is needed"),
        };
        Self::new(code, refusal.to_string()).hint(hint)
    }
}

impl From<Unchangeable> for Failure {
    fn from(refusal: Unchangeable) -> Self {
        let (code, hint) = match refusal {
            Unchangeable::PeopleOnly => (Code::Forbidden, "ask a person"),
            Unchangeable::Unknown => {
                (Code::NotFound, "run `paseo queue HANDLE` to list the waiting messages")
            }
            Unchangeable::Handing | Unchangeable::Handed => {
                (Code::Conflict, "stop the turn with `paseo stop`, or send another message")
            }
            Unchangeable::Settled(_) => (Code::Conflict, "send another message"),
            Unchangeable::OthersWords => (Code::Forbidden, "cancel it, and send your own message"),
            Unchangeable::MayBeRead => (Code::Conflict, "cancel it, and send a corrected message"),
            Unchangeable::Correction => (Code::Conflict, "cancel it to give up on the answer"),
            Unchangeable::Closed => (Code::Closed, "reopen it with `paseo reopen`"),
        };
        Self::new(code, refusal.to_string()).hint(hint)
    }
}

impl From<Unpromotable> for Failure {
    fn from(refusal: Unpromotable) -> Self {
        let (code, hint) = match refusal {
            Unpromotable::PeopleOnly => (Code::Forbidden, "ask a person"),
            Unpromotable::Closed => (Code::Closed, "reopen it with `paseo reopen`"),
            Unpromotable::NoChild => (Code::Conflict, "choose an agent that another agent started"),
            Unpromotable::Labels(_) => {
                (Code::Conflict, "remove a label first; promotion adds the label ui=true")
            }
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
            candidates: failure.candidates.into(),
            problems: failure.mistakes.map(|mistakes| mistakes.0).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_defect_keeps_all_that_led_to_it_for_the_log() {
        #[derive(Debug, thiserror::Error)]
        #[error("no head")]
        struct Outer(#[source] std::io::Error);

        let failure = Failure::internal(Outer(std::io::Error::other("the page is torn")));
        assert_eq!(failure.cause, Some(Cause("no head: the page is torn".into())));
        assert!(!failure.message.contains("torn"), "{}", failure.message);
    }

    #[test]
    fn a_cursor_that_is_none_is_named_as_far_as_it_can_be_shown() {
        let told = |given: &str| Failure::no_cursor(given).message;
        assert_eq!(told("foo"), "`foo` is not a cursor of this list: pass the `next` of the previous page");
        assert!(told("a\u{1b}[2J").starts_with("`a\\u{1b}[2J`"), "{}", told("a\u{1b}[2J"));
        assert!(told(&"x".repeat(10_000)).len() < 200);
    }
}
