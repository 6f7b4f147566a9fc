//! Whose turn it is, and how turns end that the program says nothing about.

use paseo_core::id::{DeliveryId, TurnId};

use crate::driver::Action;
use crate::provider::{Failed, FailureCode, Output, TurnEnd};

/// Whose turn it is.
#[derive(Debug, Default)]
pub(super) struct Turns {
    pub waiting: Option<Waiting>,
    pub running: Option<TurnId>,
    /// Written into the running turn and not taken up yet.
    pub steers: Vec<DeliveryId>,
    pub interrupting: bool,
    /// The turn would have ended so, had it not to take up what was steered.
    pub held: Option<TurnEnd>,
}

/// A turn that was written and not taken up yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    pub turn: TurnId,
    /// The program says that it works on it, and has not shown it yet.
    pub started: bool,
}

pub(super) fn ended(turn: TurnId, end: TurnEnd) -> Action {
    Action::Tell(Output::TurnEnded { turn, end })
}

pub(super) fn failed(text: &str) -> TurnEnd {
    TurnEnd::Failed(Failed { code: FailureCode::HarnessError, text: text.to_owned(), until: None })
}

pub(super) fn resume_failed() -> TurnEnd {
    let text = "Claude Code no longer has this conversation.".to_owned();
    TurnEnd::Failed(Failed { code: FailureCode::ResumeFailed, text, until: None })
}
