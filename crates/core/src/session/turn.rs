//! How turns begin and end.

use super::{
    Abandoned, Class, Draft, Event, HeldReason, Hold, Outcome, Pending, Session, Source, Stage, Verb, answer,
};
use crate::attachment;
use crate::cause::{self, Cause, Charge, Exhausted};
use crate::id::{CauseId, DeliveryId, TurnId};
use crate::item::Decision;
use crate::limits::{ATTACHMENTS_BYTES, TURN_DELIVERIES};
use crate::time::Timestamp;

/// A turn that could start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub deliveries: Vec<DeliveryId>,
    /// Who pays and who is answered for.
    pub cause: CauseId,
    pub hop: u32,
    /// What it spends; `None` when a person asked.
    pub charge: Option<Charge>,
}

/// What came of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opening {
    /// The turn is drafted. The cause's event belongs into the same batch.
    Opened(Option<cause::Event>),
    /// No wake was left: these messages wait for a person. Others may still have one: plan again.
    Held(Exhausted),
    /// No wake was left to ask for a correction: its answer is given up. Others may still have one: plan again.
    Abandoned(Exhausted),
}

/// Plans the next turn, when something waits that may start one.
pub fn next(session: &Session) -> Option<Plan> {
    // A budget hold sits on the messages it concerns; others may have wakes left.
    let free = matches!(session.hold, Hold::None | Hold::Budget);
    if !session.is_open() || session.turn.is_some() || session.parked().is_some() || !free {
        return None;
    }
    match session.check.as_ref().map(|check| check.stage) {
        None => {}
        // Whether the agent has to go on is not known yet.
        Some(Stage::Checking) => return None,
        // Before everything else: it is about the newest answer.
        Some(Stage::Correcting(correction)) => {
            let correction = session.queue.iter().find(|pending| pending.id == correction)?;
            return Some(Plan {
                deliveries: vec![correction.id],
                cause: correction.cause,
                hop: correction.hop,
                charge: Some(Charge::Session),
            });
        }
    }
    let ready: Vec<&Pending> = session.queue.iter().filter(|pending| pending.held.is_none()).collect();
    let wakes = |pending: &&Pending| pending.class != Class::Passive;
    let first = ready.iter().copied().find(|pending| wakes(pending))?;
    let mut batch: Vec<&Pending> = if first.verb == Verb::Interrupt {
        vec![first]
    } else if first.waited {
        // Lines that ask for no answer ride along: senders that wait get their answer all the same.
        ready.into_iter().take_while(|pending| pending.id != first.id).take(TURN_DELIVERIES).collect()
    } else {
        ready.into_iter().take_while(|pending| !stands_alone(pending)).take(TURN_DELIVERIES).collect()
    };
    batch.truncate(fitting(&batch));
    // A long run of passive lines leaves room for the message that they ride along with.
    if !batch.iter().any(wakes) {
        batch.truncate(TURN_DELIVERIES - 1);
        batch.push(first);
    }

    // Steering puts a newer message before older ones: ids tell the age.
    let humans = batch.iter().filter(|pending| pending.origin.is_human() && wakes(pending));
    let newest_human = humans.max_by_key(|pending| pending.id);
    // News rides along with words: the sender of the words pays.
    let words = batch.iter().find(|pending| pending.class == Class::Message);
    let (payer, charge) = match (newest_human, words) {
        (Some(human), _) => (*human, None),
        (None, Some(words)) => (*words, Some(Charge::Session)),
        (None, None) => (first, Some(Charge::Cause)),
    };
    Some(Plan {
        deliveries: batch.iter().map(|pending| pending.id).collect(),
        cause: payer.cause,
        hop: payer.hop,
        charge,
    })
}

/// Counts the messages whose files fit into one turn: a harness is given them at once.
fn fitting(batch: &[&Pending]) -> usize {
    let mut bytes = 0u64;
    let fits = |pending: &&&Pending| {
        bytes = bytes.saturating_add(attachment::bytes(&pending.attachments));
        bytes <= ATTACHMENTS_BYTES
    };
    batch.iter().take_while(fits).count()
}

/// Opens a planned turn, or holds its messages when no wake is left.
pub fn open(draft: &mut Draft, plan: Plan, cause: &Cause, turn: TurnId) -> Opening {
    let paid = match plan.charge {
        // What a person asked for and took back before it began is not begun.
        None if cause.stopped => Err(Exhausted::Stopped),
        None => Ok(None),
        Some(charge) => cause.spend(draft.session.id, turn, charge).map(Some),
    };
    let spent = match paid {
        Ok(spent) => spent,
        Err(exhausted) if answer::is_correction(&draft.session, &plan.deliveries) => {
            answer::abandon(
                draft,
                match exhausted {
                    Exhausted::Session | Exhausted::Cause => Abandoned::Budget,
                    Exhausted::Stopped => Abandoned::CauseStopped,
                },
            );
            return Opening::Abandoned(exhausted);
        }
        Err(exhausted) => {
            let reason = match exhausted {
                Exhausted::Session | Exhausted::Cause => HeldReason::Budget,
                Exhausted::Stopped => HeldReason::CauseStopped,
            };
            let deliveries = unpaid(&draft.session, &plan, exhausted);
            draft.push(Event::DeliveriesHeld { deliveries, reason });
            draft.push(Event::Held { hold: Hold::Budget });
            return Opening::Held(exhausted);
        }
    };
    draft.push(Event::TurnOpened { turn, cause: plan.cause, hop: plan.hop, deliveries: plan.deliveries });
    Opening::Opened(spent)
}

/// Opens a turn that the harness began by itself, or says why it must not go on.
pub fn open_own(draft: &mut Draft, cause: &Cause, turn: TurnId) -> Result<Option<cause::Event>, Exhausted> {
    let Some((id, hop)) = draft.session.history.cause else { return Ok(None) };
    if draft.session.turn.is_some() || !draft.session.is_open() {
        return Ok(None);
    }
    let spent = cause.spend(draft.session.id, turn, Charge::Session)?;
    draft.push(Event::TurnOpened { turn, cause: id, hop, deliveries: Vec::new() });
    draft.push(Event::TurnHanded { turn });
    Ok(Some(spent))
}

/// Moves the next queued message into the running turn, when it was sent to steer and could not yet.
pub fn take_up(draft: &mut Draft) -> Option<DeliveryId> {
    let turn = draft.session.turn.as_ref().filter(|turn| turn.handed)?.id;
    let waiting =
        draft.session.queue.iter().find(|pending| pending.verb == Verb::Steer && pending.held.is_none())?.id;
    draft.push(Event::Handing { delivery: waiting, turn });
    Some(waiting)
}

/// Moves what a person sent into the running turn, whose agent waits for something and is told at once. It counts as
/// handed once the agent has it.
pub fn take_words(draft: &mut Draft) -> Option<Pending> {
    let turn = draft.session.turn.as_ref().filter(|turn| turn.handed)?.id;
    let words = |pending: &&Pending| {
        pending.origin.is_human()
            && pending.held.is_none()
            && pending.class == Class::Message
            && pending.verb != Verb::Interrupt
            // They are told as the result of a tool, which has no files.
            && pending.attachments.is_empty()
            // They would be answered by a turn that others share.
            && pending.schema.is_none()
    };
    let taken = draft.session.queue.iter().find(words)?.clone();
    draft.push(Event::Handing { delivery: taken.id, turn });
    Some(taken)
}

/// How a turn ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    pub outcome: Outcome,
    pub source: Source,
    /// Code of what went wrong, when something did.
    pub code: Option<String>,
    /// When a limit that was reached ends.
    pub until: Option<Timestamp>,
}

impl Ending {
    /// An ending without anything gone wrong.
    pub fn of(outcome: Outcome, source: Source) -> Self {
        Self { outcome, source, code: None, until: None }
    }
}

/// Ends the running turn. Messages that the harness never confirmed go back to the head of the queue, and may
/// be a repeat when they come again.
pub fn end(draft: &mut Draft, ending: Ending) {
    end_turn(draft, ending, true);
}

/// Ends a turn of which nothing has left for the harness: its messages come again for the first time.
pub fn end_unsent(draft: &mut Draft, ending: Ending) {
    end_turn(draft, ending, false);
}

fn end_turn(draft: &mut Draft, ending: Ending, sent: bool) {
    let Some(turn) = draft.session.turn.clone() else { return };
    let Ending { outcome, source, code, until } = ending;
    for ask in &turn.asks {
        draft.push(Event::Decided { hash: ask.hash.clone(), decision: Decision::Withdrawn });
    }
    // Each goes to the head, so the last goes first.
    for pending in turn.steering.iter().rev() {
        // At an orderly end the harness has said which of them it took.
        let repeat = outcome != Outcome::Completed;
        draft.push(Event::Returned { delivery: pending.id, repeat });
    }
    // An answer confirms what it answers.
    if !turn.handed && outcome == Outcome::Completed {
        draft.push(Event::TurnHanded { turn: turn.id });
    } else if !turn.handed {
        for pending in turn.deliveries.iter().rev() {
            draft.push(Event::Returned { delivery: pending.id, repeat: sent });
        }
    } else if outcome == Outcome::Interrupted && source == Source::Restart {
        // Only the daemon waits for a correction that it asked for, so it goes on by itself.
        for pending in turn.deliveries.iter().filter(|pending| pending.corrects.is_some()) {
            draft.push(Event::Returned { delivery: pending.id, repeat: true });
        }
    }
    draft.push(Event::TurnEnded { turn: turn.id, outcome, source, code, until });
    answer::review(draft);
}

/// Returns the planned messages that the spent cause was to pay for. Those of others may have wakes left.
fn unpaid(session: &Session, plan: &Plan, exhausted: Exhausted) -> Vec<DeliveryId> {
    let unpaid = |pending: &&Pending| match (pending.class, exhausted) {
        (Class::Passive, _) => false,
        (Class::Message, _) | (Class::Completion, Exhausted::Cause | Exhausted::Stopped) => true,
        // It pays from the cause alone, where wakes are left.
        (Class::Completion, Exhausted::Session) => false,
    };
    session
        .queue
        .iter()
        .filter(|pending| plan.deliveries.contains(&pending.id) && pending.cause == plan.cause)
        .filter(unpaid)
        .map(|pending| pending.id)
        .collect()
}

fn stands_alone(pending: &Pending) -> bool {
    pending.waited || pending.verb == Verb::Interrupt
}
