//! Presence: what participants are doing right now. Never stored; who is not heard of for a while is offline.

use std::time::Duration;

use super::Seat;
use crate::time::Timestamp;

/// How long a participant counts as present after its last sign, in seconds.
pub const TTL: i64 = 120;

/// What a participant said that it is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presence {
    /// `listening`, `thinking`, `typing`, `idle`, or a word of its own.
    pub state: String,
    pub details: Option<String>,
    pub updated_at: Timestamp,
}

/// Presence as others see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    pub state: String,
    pub details: Option<String>,
    pub stale: bool,
}

impl Presence {
    /// Takes in what a participant says; details that it does not repeat are kept.
    pub fn says(known: Option<&Self>, state: &str, details: Option<String>, now: Timestamp) -> Self {
        let details = details.or_else(|| known.and_then(|known| known.details.clone()));
        Self { state: state.to_owned(), details, updated_at: now }
    }
}

/// Returns the presence of a participant that reports it itself.
pub fn shown(presence: Option<&Presence>, now: Timestamp) -> Shown {
    let Some(presence) = presence else {
        return Shown { state: "offline".to_owned(), details: None, stale: false };
    };
    let stale = now.as_millis().saturating_sub(presence.updated_at.as_millis()) > TTL * 1000;
    let state = if stale { "offline" } else { &presence.state };
    Shown { state: state.to_owned(), details: presence.details.clone(), stale }
}

/// Returns what others see of an invited participant: of an agent behind a session it is known whether it works, however
/// long that takes; of others, what they said.
pub fn seen(seat: &Seat, said: Option<&Presence>, now: Timestamp) -> Shown {
    let state = match said.map(|said| shown(Some(said), now)) {
        _ if seat.is_working() => "thinking",
        Some(said) if !said.stale => return said,
        _ if seat.session.is_some() => "listening",
        Some(stale) => return stale,
        None => return shown(None, now),
    };
    Shown { state: state.to_owned(), details: None, stale: false }
}

/// Says whether a participant owes an answer for longer than people are patient.
pub fn is_late(seat: &Seat, patience: Duration, now: Timestamp) -> bool {
    let oldest = seat.working_on.iter().map(|work| work.post.made_at().as_millis()).min();
    let patience = i64::try_from(patience.as_millis()).unwrap_or(i64::MAX);
    oldest.is_some_and(|since| now.as_millis().saturating_sub(since) > patience)
}
