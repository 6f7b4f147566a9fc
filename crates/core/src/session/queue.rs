//! What people do to messages that wait: edit, cancel, move and release them.
//!
//! Only what stands in the queue can change. From the moment a turn takes a message it is locked: bytes of it may have
//! left, and the transcript has to say what the agent was told.

use super::{
    Abandoned, Class, Draft, Event, HeldReason, Hold, On, Pending, Receipt, Session, Stage, Verb, Watch,
    answer,
};
use crate::actor::Actor;
use crate::content::ContentRef;
use crate::id::{CauseId, DeliveryId, WatchId};
use crate::limits::HELD_DELIVERIES;

/// Why a message cannot be changed. Nothing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unchangeable {
    #[error("only people can change an agent's queue")]
    PeopleOnly,
    #[error("message not found in this agent's queue")]
    Unknown,
    #[error("the message is being handed to the agent and can no longer be changed")]
    Handing,
    #[error("the agent already has the message")]
    Handed,
    #[error("the message is no longer in the queue: it was {}", ended(*.0))]
    Settled(Receipt),
    #[error("only messages that a person wrote to this agent can be edited")]
    OthersWords,
    #[error("the agent may have read the message already, so its text can no longer be edited")]
    MayBeRead,
    #[error("a request to correct an answer always comes first and cannot be moved")]
    Correction,
    #[error("the agent is closed")]
    Closed,
}

/// Where a message is moved to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    First,
    Last,
    Before(DeliveryId),
}

/// Replaces the words of a message. Its id, its receipt, its files and its output schema stay. Says whether anything
/// changed.
pub fn edit(
    draft: &mut Draft,
    by: &Actor,
    delivery: DeliveryId,
    text: ContentRef,
) -> Result<bool, Unchangeable> {
    let pending = waiting(&draft.session, by, delivery)?;
    may_edit(&draft.session, pending)?;
    if (pending.text.len, &pending.text.sha256) == (text.len, &text.sha256) {
        return Ok(false);
    }
    draft.push(Event::Edited { delivery, text });
    Ok(true)
}

/// Takes a message out of the queue. An agent that sent it is told once: by the watch that it has on the message, or by
/// this one.
pub fn cancel(
    draft: &mut Draft,
    by: &Actor,
    delivery: DeliveryId,
    watch: WatchId,
) -> Result<(), Unchangeable> {
    let pending = waiting(&draft.session, by, delivery)?.clone();
    let is_correction =
        draft.session.check.as_ref().is_some_and(|check| check.stage == Stage::Correcting(delivery));
    if is_correction {
        // Nothing else waits for the correction: without it the answer is given up.
        answer::abandon(draft, Abandoned::Interrupted);
    } else {
        if let Some(watch) = untold(&draft.session, &pending, watch) {
            draft.push(Event::WatchArmed(watch));
        }
        draft.push(Event::Cancelled { delivery });
    }
    // The hold sat on messages that are gone.
    if draft.session.hold == Hold::Budget && !draft.session.queue.iter().any(is_unpaid) {
        draft.push(Event::Held { hold: Hold::None });
    }
    Ok(())
}

/// Moves a message to another place in the queue. Says whether that is another one.
pub fn move_to(
    draft: &mut Draft,
    by: &Actor,
    delivery: DeliveryId,
    position: Position,
) -> Result<bool, Unchangeable> {
    let pending = waiting(&draft.session, by, delivery)?;
    if !is_movable(pending) {
        return Err(Unchangeable::Correction);
    }
    let others = || draft.session.queue.iter().map(|pending| pending.id).filter(|id| *id != delivery);
    let before = match position {
        Position::First => others().next(),
        Position::Last => None,
        Position::Before(other) if other == delivery => return Ok(false),
        Position::Before(other) => Some(waiting(&draft.session, by, other)?.id),
    };
    let order = draft.session.queue.iter().map(|pending| pending.id);
    let behind = order.skip_while(|id| *id != delivery).nth(1);
    if behind == before {
        return Ok(false);
    }
    draft.push(Event::Moved { delivery, before });
    Ok(true)
}

/// Lets messages go on that are held, or that wait in a session that a hold or a limit keeps from going on.
///
/// A person stands in for messages whose request is out of wakes or was stopped: those descend from `fresh`, which is
/// to be opened in the same batch. `is_stopped` tells of other requests whether a person stopped them. Returns what
/// was released, and the first message that descends from `fresh`.
pub fn release(
    draft: &mut Draft,
    by: &Actor,
    deliveries: &[DeliveryId],
    is_stopped: impl Fn(CauseId) -> bool,
    fresh: CauseId,
) -> Result<Released, Unchangeable> {
    let mut released = Released::default();
    let (mut carried, mut going_on) = (Vec::new(), Vec::new());
    for delivery in deliveries {
        let pending = waiting(&draft.session, by, *delivery)?;
        if !draft.session.is_open() {
            return Err(Unchangeable::Closed);
        }
        if is_releasable(&draft.session, pending) {
            let pays = !is_unpaid(pending) && !is_stopped(pending.cause);
            if pays { going_on.push(*delivery) } else { carried.push(*delivery) }
        }
    }
    released.opens = carried.first().copied();
    released.count = carried.len() + going_on.len();
    for (deliveries, cause) in [(carried, Some(fresh)), (going_on, None)] {
        for deliveries in deliveries.chunks(HELD_DELIVERIES) {
            draft.push(Event::DeliveriesReleased { deliveries: deliveries.to_vec(), cause });
        }
    }
    Ok(released)
}

/// What a release came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Released {
    pub count: usize,
    /// The message that the new cause is opened with, when there is to be one.
    pub opens: Option<DeliveryId>,
}

/// Says whether a person may replace the words of a message that waits.
pub fn is_editable(session: &Session, pending: &Pending) -> bool {
    may_edit(session, pending).is_ok()
}

/// Says whether a message that waits can stand elsewhere in the queue.
pub fn is_movable(pending: &Pending) -> bool {
    pending.corrects.is_none()
}

/// Says whether a message waits for more than its turn.
pub fn is_releasable(session: &Session, pending: &Pending) -> bool {
    let is_halted = matches!(session.hold, Hold::Stopped | Hold::Error | Hold::Paused);
    session.is_open() && (pending.held.is_some() || is_halted || session.parked().is_some())
}

fn may_edit(session: &Session, pending: &Pending) -> Result<(), Unchangeable> {
    // What a thread tells a participant is the daemon's wording of a post, which stays as it is there.
    let is_of_thread = session.profile.seat.is_some() && pending.waited;
    if !pending.origin.is_human() || pending.class != Class::Message || is_of_thread {
        return Err(Unchangeable::OthersWords);
    }
    if pending.repeat {
        return Err(Unchangeable::MayBeRead);
    }
    Ok(())
}

/// Finds a message that waits, or says why it cannot be changed any longer.
fn waiting<'a>(session: &'a Session, by: &Actor, delivery: DeliveryId) -> Result<&'a Pending, Unchangeable> {
    if !by.is_human() {
        return Err(Unchangeable::PeopleOnly);
    }
    if let Some(pending) = session.queue.iter().find(|pending| pending.id == delivery) {
        return Ok(pending);
    }
    Err(match session.receipt(delivery) {
        None => Unchangeable::Unknown,
        Some(Receipt::Handing(_)) => Unchangeable::Handing,
        Some(Receipt::Handed | Receipt::Queued | Receipt::Held(_)) => Unchangeable::Handed,
        Some(settled) => Unchangeable::Settled(settled),
    })
}

/// Says how a message left the queue.
fn ended(receipt: Receipt) -> &'static str {
    match receipt {
        Receipt::Cancelled => "canceled",
        Receipt::Failed => "read, and its turn failed",
        Receipt::Interrupted => "read, and its turn was interrupted",
        _ => "answered",
    }
}

/// Makes the watch that tells the sender of a message, when an agent sent it and has none. Those that asked for no
/// outcome are not woken by one.
fn untold(session: &Session, pending: &Pending, id: WatchId) -> Option<Watch> {
    let watcher = pending.origin.session().filter(|_| pending.class == Class::Message)?;
    let on = On::Delivery(pending.id);
    let is_told = session.watches.iter().any(|watch| watch.watcher == watcher && watch.on == on);
    let (cause, hop, request) = (pending.cause, pending.hop + 1, Some(pending.text.id));
    let class = Class::Passive;
    (!is_told).then_some(Watch { id, watcher, on, cause, hop, class, due: None, request, notice: None })
}

fn is_unpaid(pending: &Pending) -> bool {
    matches!(pending.held, Some(HeldReason::Budget | HeldReason::CauseStopped))
}

impl Session {
    pub(super) fn edited(&mut self, delivery: DeliveryId, text: &ContentRef) {
        if let Some(pending) = self.queue.iter_mut().find(|pending| pending.id == delivery) {
            pending.text.clone_from(text);
        }
    }

    pub(super) fn moved(&mut self, delivery: DeliveryId, before: Option<DeliveryId>) {
        let Some(from) = self.queue.iter().position(|pending| pending.id == delivery) else { return };
        let mut pending = self.queue.remove(from);
        // Where a person put it says when it is taken up, and no longer how it came in.
        pending.verb = Verb::Queue;
        let to = before.and_then(|before| self.queue.iter().position(|other| other.id == before));
        self.queue.insert(to.unwrap_or(self.queue.len()), pending);
    }

    pub(super) fn deliveries_released(&mut self, deliveries: &[DeliveryId], cause: Option<CauseId>) {
        for pending in self.queue.iter_mut().filter(|pending| deliveries.contains(&pending.id)) {
            pending.held = None;
            pending.attempts = 0;
            pending.cause = cause.unwrap_or(pending.cause);
        }
        self.condition.until = None;
        self.hold = if self.queue.iter().any(is_unpaid) { Hold::Budget } else { Hold::None };
    }
}
