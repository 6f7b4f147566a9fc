//! Words that an agent elsewhere sends when it likes: the answer that is waited for, or something late or unasked.

use std::collections::VecDeque;

use super::{Draft, Ending, Event, Outcome, Pending, Source, end, open_own};
use crate::cause::{self, Cause};
use crate::id::TurnId;
use crate::limits::UNASKED_PER_HOUR;
use crate::time::Timestamp;

const HOUR_MILLIS: i64 = 3_600_000;

/// Where such words belong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Landing {
    /// They answer this turn, which is over now.
    Answer(TurnId),
    /// They answer messages that came back from a turn which failed or was stopped, and wait no longer. The turn is a
    /// new one, over already, and costs nothing: the one that they answer was paid for.
    Late(TurnId, Vec<Pending>),
    /// They are a turn that the agent began by itself, and over already. The cause's event belongs into the same batch.
    Own(TurnId, cause::Event),
    /// No cause pays for a turn, or another turn runs: they are only noted.
    Aside,
}

/// Takes such words in. `answers` is the turn that they say they answer; without it they answer whatever runs. `cause`
/// is that of the newest turn, and `fresh` the id of a turn of their own.
pub fn call_back(draft: &mut Draft, cause: &Cause, answers: Option<TurnId>, fresh: TurnId) -> Landing {
    let over = Ending::of(Outcome::Completed, Source::Protocol);
    let was_tried = |pending: &Pending| answers.is_some_and(|answers| pending.tried.contains(&answers));
    if let Some(turn) = &draft.session.turn {
        // The same messages went out again: an agent that knows their ids answers only the first time.
        let same = !turn.deliveries.is_empty() && turn.deliveries.iter().all(was_tried);
        if !same && answers.is_some_and(|answers| answers != turn.id) {
            return Landing::Aside;
        }
        let turn = turn.id;
        end(draft, over);
        return Landing::Answer(turn);
    }
    let late: Vec<Pending> =
        draft.session.queue.iter().filter(|pending| was_tried(pending)).cloned().collect();
    if let Some(newest) = late.iter().max_by_key(|pending| pending.id).filter(|_| draft.session.is_open()) {
        let (cause, hop) = (newest.cause, newest.hop);
        let deliveries = late.iter().map(|pending| pending.id).collect();
        draft.push(Event::TurnOpened { turn: fresh, cause, hop, deliveries });
        end(draft, over);
        return Landing::Late(fresh, late);
    }
    match open_own(draft, cause, fresh) {
        Ok(Some(spent)) => {
            end(draft, over);
            Landing::Own(fresh, spent)
        }
        Ok(None) | Err(_) => Landing::Aside,
    }
}

/// When an agent last said something that no turn waited for. Without a limit, an agent could fill the disk.
#[derive(Debug, Clone, Default)]
pub struct Unasked(VecDeque<Timestamp>);

impl Unasked {
    /// Says whether it may say more now.
    pub fn allows(&self, now: Timestamp) -> bool {
        self.0.iter().filter(|at| is_recent(**at, now)).count() < UNASKED_PER_HOUR
    }

    /// Notes that it did.
    pub fn note(&mut self, now: Timestamp) {
        self.0.retain(|at| is_recent(*at, now));
        self.0.push_back(now);
    }

    /// Says whether it was quiet for so long that nothing needs to be remembered.
    pub fn is_quiet(&self, now: Timestamp) -> bool {
        !self.0.iter().any(|at| is_recent(*at, now))
    }
}

fn is_recent(at: Timestamp, now: Timestamp) -> bool {
    now.as_millis().saturating_sub(at.as_millis()) < HOUR_MILLIS
}
