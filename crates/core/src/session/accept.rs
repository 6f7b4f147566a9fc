//! What happens to a message that arrives. The one delivery rule.

use super::{Abandoned, Accepted, Class, Draft, Event, HeldReason, Hold, Pending, Session, Verb, answer};
use crate::id::DeliveryId;
use crate::limits::QUEUE_LENGTH;

/// A message, with what its sender wants. See [`Accepted`].
pub type Incoming = Accepted;

/// Where an accepted message went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// The session is free: [`super::next`] says whether and how a turn starts.
    Ready,
    /// It waits for the running turn.
    Queued,
    /// It goes into the running turn.
    Steer,
    /// It is next, and the running turn is to be interrupted.
    Interrupt,
    /// It waits for a person.
    Held(HeldReason),
}

/// Why something was refused. Nothing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the agent is closed")]
    Closed,
    #[error("the agent is in the middle of a turn")]
    Busy,
    #[error("the queue is full: {max} messages are waiting", max = QUEUE_LENGTH)]
    QueueFull,
    #[error("this agent's provider does not accept messages during a turn")]
    CannotSteer,
    #[error("only people can steer or interrupt")]
    PeopleOnly,
    #[error("a message with an output schema needs its own turn and cannot steer")]
    StructuredSteer,
    #[error("limit reached: {max} agents are already waiting for this one", max = crate::limits::WATCHES)]
    Watched,
    #[error("the current task already has a title")]
    TitledAlready,
}

/// Decides what happens to a message and drafts it.
pub fn accept(draft: &mut Draft, mut incoming: Incoming, can_steer: bool) -> Result<Placement, Refusal> {
    let human = incoming.origin.is_human();
    if !human && incoming.verb != Verb::Queue {
        return Err(Refusal::PeopleOnly);
    }
    // A passive line does not ask the agent to go on, and no caller waits for an answer to it.
    let wakes = incoming.class != Class::Passive;
    if !wakes {
        incoming.verb = Verb::Queue;
        incoming.waited = false;
        incoming.schema = None;
    }
    if incoming.schema.is_some() {
        if incoming.verb == Verb::Steer {
            return Err(Refusal::StructuredSteer);
        }
        // Whatever else the turn answered would be part of what is checked.
        incoming.waited = true;
    }
    let reopens = human && wakes;
    if !reopens && !draft.session.is_open() {
        return Err(Refusal::Closed);
    }
    if is_full(&draft.session, &incoming) {
        return Err(Refusal::QueueFull);
    }
    let running = draft.session.turn.is_some();
    if incoming.verb == Verb::Steer && running && !can_steer {
        return Err(Refusal::CannotSteer);
    }

    let (delivery, verb) = (incoming.delivery, incoming.verb);
    if verb == Verb::Interrupt && !running {
        answer::abandon(draft, Abandoned::Interrupted);
    }
    if !draft.session.is_open() {
        draft.push(Event::Reopened {});
    }
    draft.push(Event::Accepted(incoming));
    if human && wakes && is_held(&draft.session) {
        draft.push(Event::Released {});
    }

    Ok(match draft.session.hold {
        Hold::Stopped => hold(draft, delivery, HeldReason::Stopped),
        Hold::Paused => hold(draft, delivery, HeldReason::Paused),
        Hold::Budget if shares_spent_cause(&draft.session, delivery) => {
            hold(draft, delivery, HeldReason::Budget)
        }
        // What agents send waits for the end of the limit like everything else.
        Hold::None | Hold::Budget | Hold::Error if draft.session.parked().is_some() => Placement::Queued,
        Hold::None | Hold::Budget | Hold::Error if !running => {
            if draft.session.hold == Hold::Error && wakes {
                let hold = if holds_for_budget(&draft.session) { Hold::Budget } else { Hold::None };
                draft.push(Event::Held { hold });
            }
            Placement::Ready
        }
        Hold::None | Hold::Budget | Hold::Error => match (verb, &draft.session.turn) {
            (Verb::Queue, _) | (_, None) => Placement::Queued,
            (Verb::Interrupt, Some(_)) => Placement::Interrupt,
            (Verb::Steer, Some(turn)) if turn.handed => {
                draft.push(Event::Handing { delivery, turn: turn.id });
                Placement::Steer
            }
            // Not begun yet: it goes first into the next turn.
            (Verb::Steer, Some(_)) => Placement::Queued,
        },
    })
}

/// Says whether nothing more of this kind can wait. What agents send takes no room from people, who could not set a full
/// queue going otherwise; and news of its own work always reaches an agent, as it asked for no more than it gets.
fn is_full(session: &Session, incoming: &Incoming) -> bool {
    if incoming.corrects.is_some() {
        return false;
    }
    let waiting = match (incoming.origin.is_human(), incoming.class) {
        (_, Class::Completion) => return false,
        (true, _) => session.queue.iter().filter(|pending| pending.origin.is_human()).count(),
        (false, _) => session.queue.len(),
    };
    waiting >= QUEUE_LENGTH
}

fn hold(draft: &mut Draft, delivery: DeliveryId, reason: HeldReason) -> Placement {
    draft.push(Event::DeliveriesHeld { deliveries: vec![delivery], reason });
    Placement::Held(reason)
}

/// A request that has wakes of its own is not starved by one that has spent them.
fn shares_spent_cause(session: &Session, delivery: DeliveryId) -> bool {
    // News of one's own work may be paid for when words no longer are, and a passive line costs nothing.
    session
        .queue
        .iter()
        .find(|pending| pending.id == delivery && pending.class == Class::Message)
        .is_some_and(|incoming| held_for_budget(session).any(|pending| pending.cause == incoming.cause))
}

fn holds_for_budget(session: &Session) -> bool {
    held_for_budget(session).next().is_some()
}

fn held_for_budget(session: &Session) -> impl Iterator<Item = &Pending> {
    session.queue.iter().filter(|pending| pending.held == Some(HeldReason::Budget))
}

fn is_held(session: &Session) -> bool {
    session.hold != Hold::None
        || session.parked().is_some()
        || session.queue.iter().any(|pending| pending.held.is_some())
}
