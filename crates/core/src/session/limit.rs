//! A limit that a harness reached: how long it parks a session, and how the session goes on afterwards.

use super::{Draft, Event, Hold, Outcome, Session};
use crate::id::CauseId;
use crate::limits::{PARK_LONGEST_SECONDS, PARK_SHORTEST_SECONDS, QUEUE_LENGTH};
use crate::time::Timestamp;

/// What an agent is told when the limit that cut its turn off is over.
pub const LIMIT_OVER: &str = "The rate limit that ended your last turn is over. Continue where you \
                              stopped; do not repeat completed work.";

/// Returns until when a session is parked, when its harness says that a limit ends at `told`.
///
/// A time that has passed already is a clock that is wrong, or an answer that took long: a short wait follows, not an
/// attempt at once. No limit lasts as long as the longest wait: then nothing is known, and a person decides.
pub fn parked_until(told: Timestamp, now: Timestamp) -> Option<Timestamp> {
    let after = |seconds: i64| Timestamp::from_millis(now.as_millis().saturating_add(seconds * 1_000));
    match told {
        told if told > after(PARK_LONGEST_SECONDS) => None,
        told if told <= now => Some(after(PARK_SHORTEST_SECONDS)),
        told => Some(told),
    }
}

/// Returns the cause that the session goes on for when its limit ends, when the limit cut off a turn that had its
/// messages already: nothing waits then that would wake the agent, so it is told to continue.
pub fn cut_off(session: &Session) -> Option<(CauseId, u32)> {
    let ended = session.history.ended.as_ref().filter(|ended| ended.outcome == Outcome::Failed)?;
    let free = matches!(session.hold, Hold::None | Hold::Error | Hold::Budget);
    let room = session.queue.len() < QUEUE_LENGTH;
    let cut_off = session.parked().is_some() && free && room && ended.returned.is_empty();
    session.history.cause.filter(|_| cut_off)
}

/// Lets the session go on by itself again, once a limit that was reached has ended. Says whether it has.
pub fn unpark(draft: &mut Draft, now: Timestamp) -> bool {
    let over = draft.session.parked().is_some_and(|until| until <= now);
    if over {
        draft.push(Event::Unparked {});
    }
    over
}
