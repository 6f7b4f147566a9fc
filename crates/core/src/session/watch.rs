//! Watches: somebody is to be told what becomes of something here, once. Durable, so that a restart forgets nobody.

use serde::{Deserialize, Serialize};

use super::{Class, Draft, Event, Pending, Receipt, Refusal, Session, next};
use crate::actor::Actor;
use crate::id::{CauseId, DeliveryId, SessionId, TurnId, WatchId};
use crate::limits::WATCHES;

/// Somebody who is to be told, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    pub id: WatchId,
    /// Who is told.
    pub watcher: SessionId,
    pub on: On,
    /// What the news descends from.
    pub cause: CauseId,
    pub hop: u32,
    /// [`Class::Completion`] or [`Class::Passive`].
    pub class: Class,
    /// What became of it, once that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<Due>,
}

/// What is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum On {
    /// What becomes of a message.
    Delivery(DeliveryId),
    /// Nothing is left to do.
    Idle,
}

/// What became of a message that is watched. [`Receipt::Failed`] also when its turn failed before it was taken up: it waits
/// then, and whoever asked is not told again what comes of it later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Due {
    pub receipt: Receipt,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
}

/// Adds a watch.
pub fn arm(draft: &mut Draft, watch: Watch) -> Result<(), Refusal> {
    if !draft.session.is_open() {
        return Err(Refusal::Closed);
    }
    if draft.session.watches.len() >= WATCHES {
        return Err(Refusal::Watched);
    }
    draft.push(Event::WatchArmed(watch));
    Ok(())
}

/// Ends a watch: its watcher was told, or need not be any more.
pub fn disarm(draft: &mut Draft, watch: WatchId) {
    if draft.session.watches.iter().any(|known| known.id == watch) {
        draft.push(Event::WatchEnded { watch });
    }
}

/// Takes back the news of a session's work that wait here: whoever they are for knows by now.
pub fn forget_news(draft: &mut Draft, of: SessionId) {
    let known =
        |pending: &&Pending| pending.class == Class::Completion && pending.origin == Actor::Session(of);
    let known: Vec<_> = draft.session.queue.iter().filter(known).map(|pending| pending.id).collect();
    known.into_iter().for_each(|delivery| draft.push(Event::Cancelled { delivery }));
}

/// Returns the watches whose watchers are to be told now.
pub fn due(session: &Session) -> impl Iterator<Item = &Watch> {
    let over = !session.is_open();
    let idle = over || session.turn.is_none() && next(session).is_none();
    session.watches.iter().filter(move |watch| match watch.on {
        On::Delivery(_) => over || watch.due.is_some(),
        On::Idle => idle,
    })
}

impl Session {
    pub(super) fn watched(&mut self, delivery: DeliveryId, receipt: Receipt, turn: Option<TurnId>) {
        for watch in self.watches.iter_mut().filter(|watch| watch.on == On::Delivery(delivery)) {
            watch.due = Some(Due { receipt, turn });
        }
    }
}
