//! Setbacks: a turn failed before its messages were taken up. They wait, and their senders are told.

use serde::{Deserialize, Serialize};

use super::{HeldReason, Hold, Outcome, Session, Source};
use crate::id::{DeliveryId, TurnId};

/// How the newest turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    pub turn: TurnId,
    pub outcome: Outcome,
    pub source: Source,
    /// Messages that went back to the queue, as the agent did not take them up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub returned: Vec<DeliveryId>,
}

/// Why a message waits although nothing was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setback {
    /// The turn that failed.
    pub turn: TurnId,
    pub again: Again,
}

/// When a message is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// By itself, when the limit that was reached ends.
    AfterLimit,
    /// With the next message from any sender.
    WithNext,
    /// When a person writes: it was tried often enough.
    ByPerson,
}

impl Again {
    /// Puts it into words.
    pub fn words(self) -> &'static str {
        match self {
            Self::AfterLimit => "The message is queued and will be retried when the limit ends.",
            Self::WithNext => "The message is queued and will be retried with the next one.",
            Self::ByPerson => "The message is queued and will be retried when a person sends a message.",
        }
    }
}

/// Returns the failed turn since which a message waits, when that is why it does.
pub fn setback(session: &Session, delivery: DeliveryId) -> Option<Setback> {
    let ended = session.history.ended.as_ref().filter(|ended| ended.outcome == Outcome::Failed)?;
    if session.turn.is_some() || !session.is_open() {
        return None;
    }
    let pending = session.queue.iter().find(|pending| pending.id == delivery)?;
    let again = match pending.held {
        Some(HeldReason::Attempts) => Again::ByPerson,
        None if session.parked().is_some() => Again::AfterLimit,
        None if session.hold == Hold::Error => Again::WithNext,
        _ => return None,
    };
    Some(Setback { turn: ended.turn, again })
}
