//! Watches and notices: an agent is told the outcome of something here, once. Durable, so that a restart forgets none.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Class, Draft, Event, Pending, Receipt, Refusal, Session, next};
use crate::actor::Actor;
use crate::id::{CauseId, ContentId, DeliveryId, SessionId, TurnId, WatchId};
use crate::limits::WATCHES;

/// A recipient to be notified, once.
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
    /// Its outcome, once that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<Due>,
    /// The text of the request that is watched, so that the notice can name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<ContentId>,
    /// The notice that reports it, once [`gather`] has decided: the id of that notice's first watch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<WatchId>,
}

/// What is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum On {
    /// The outcome of a message.
    Delivery(DeliveryId),
    /// Nothing is left to do.
    Idle,
    /// A person made it an independent agent: that is known as soon as it is watched.
    Promotion,
}

/// The outcome of a message that is watched. [`Receipt::Failed`] also when its turn failed before it was taken up: it waits
/// then, and the asker is not told again about the later outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Due {
    pub receipt: Receipt,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
}

/// Everything that one watcher is told in one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The idempotency key of the message.
    pub id: WatchId,
    pub watcher: SessionId,
    pub class: Class,
    /// What the message descends from: the newest request that it answers.
    pub cause: CauseId,
    pub hop: u32,
    /// Never empty, in the order of the requests.
    pub watches: Vec<Watch>,
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

/// Ends all watches of a notice at once, after its watcher was told. At once, because the rest would be told again under
/// the same key after a crash, and the key would swallow it.
pub fn disarm_notice(draft: &mut Draft, notice: WatchId) {
    let told = |watch: &&Watch| watch.notice == Some(notice);
    let told: Vec<_> = draft.session.watches.iter().filter(told).map(|watch| watch.id).collect();
    told.into_iter().for_each(|watch| draft.push(Event::WatchEnded { watch }));
}

/// Puts outcomes that became known together into one notice for each watcher: several requests answered by one turn, or
/// everything that a closing ends. Which watches share a notice is durable before the notice is sent, so that a restart
/// sends the same notice again, under the same key. An agent that waits in a call (`waited`) is told by that call.
pub fn gather(draft: &mut Draft, waited: impl Fn(WatchId) -> bool) {
    let mut notices: BTreeMap<(SessionId, bool), Vec<WatchId>> = BTreeMap::new();
    let fresh = |watch: &&Watch| watch.notice.is_none() && !waited(watch.id);
    for watch in due(&draft.session).filter(fresh) {
        notices.entry((watch.watcher, watch.class == Class::Passive)).or_default().push(watch.id);
    }
    notices.into_values().for_each(|watches| draft.push(Event::WatchesGathered { watches }));
}

/// Returns the notices that are to be sent.
pub fn notices(session: &Session) -> Vec<Notice> {
    let mut notices: BTreeMap<WatchId, Vec<Watch>> = BTreeMap::new();
    for watch in &session.watches {
        if let Some(notice) = watch.notice {
            notices.entry(notice).or_default().push(watch.clone());
        }
    }
    let notice = |(id, watches): (WatchId, Vec<Watch>)| {
        let newest = watches.iter().max_by_key(|watch| watch.id)?;
        let Watch { watcher, class, cause, hop, .. } = *newest;
        Some(Notice { id, watcher, class, cause, hop, watches })
    };
    notices.into_iter().filter_map(notice).collect()
}

/// Takes back pending news of a session's work: their recipients know it already.
pub fn forget_news(draft: &mut Draft, of: SessionId) {
    let known =
        |pending: &&Pending| pending.class == Class::Completion && pending.origin == Actor::Session(of);
    let known: Vec<_> = draft.session.queue.iter().filter(known).map(|pending| pending.id).collect();
    known.into_iter().for_each(|delivery| draft.push(Event::Cancelled { delivery }));
}

/// Returns the watches whose watchers are to be told now.
pub fn due(session: &Session) -> impl Iterator<Item = &Watch> {
    let over = !session.is_open();
    let idle = over || session.turn.is_none() && session.check.is_none() && next(session).is_none();
    session.watches.iter().filter(move |watch| match watch.on {
        _ if watch.notice.is_some() => true,
        On::Delivery(_) => over || watch.due.is_some(),
        On::Idle => idle,
        On::Promotion => true,
    })
}

impl Session {
    pub(super) fn watched(&mut self, delivery: DeliveryId, receipt: Receipt, turn: Option<TurnId>) {
        for watch in self.watches.iter_mut().filter(|watch| watch.on == On::Delivery(delivery)) {
            watch.due = Some(Due { receipt, turn });
        }
    }
}
