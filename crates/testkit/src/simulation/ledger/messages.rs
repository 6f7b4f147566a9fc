//! The outcome of every message, from the log's events and from the harnesses alone.

use std::collections::{BTreeMap, BTreeSet};

use paseo_core::id::{CauseId, DeliveryId, SessionId, TurnId};
use paseo_core::session::{Accepted, Class, Event, HeldReason, Hold, Outcome, Pending, Session, Verb};

use super::Check;

const WAKES_PER_SESSION: u32 = 6;
const WAKES_PER_CAUSE: u32 = 64;
const ATTEMPTS: u8 = 2;

#[derive(Default)]
pub(in crate::simulation) struct Messages {
    messages: BTreeMap<DeliveryId, Message>,
    by_session: BTreeMap<SessionId, Vec<DeliveryId>>,
    acknowledged: BTreeSet<DeliveryId>,
    /// Bytes of it left, and nobody said that they were not taken.
    doubtful: BTreeSet<DeliveryId>,
    /// A harness took it.
    taken: BTreeSet<DeliveryId>,
    wakes_by_session: BTreeMap<(SessionId, CauseId), u32>,
    wakes_by_cause: BTreeMap<CauseId, u32>,
    /// The messages that the running turns began with.
    opened_with: BTreeMap<SessionId, Vec<DeliveryId>>,
    /// The messages that running turns gave back.
    returned: BTreeMap<SessionId, Vec<DeliveryId>>,
    /// Sessions that start nothing by themselves, with the reason.
    held: BTreeMap<SessionId, Hold>,
    /// How many messages there were when a session was last stopped or failed.
    halted_at: BTreeMap<SessionId, usize>,
    turns: usize,
    repeats: usize,
    unpaid: usize,
}

struct Message {
    accepted: Accepted,
    order: usize,
    place: Place,
    attempts: u8,
    /// The log holds the harness's confirmation.
    recorded: bool,
    /// It was held for a reason that did not concern the whole queue.
    held_alone: bool,
    /// It was on its way into a running turn, and so stands at the head of the queue if it comes back.
    jumped: bool,
    /// It is held because nobody pays for it.
    unpaid: bool,
    /// A person has released it from that.
    carried: bool,
    /// How many turns failed before they took it up.
    setbacks: u32,
    /// A person put it somewhere else in the queue.
    moved: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Waiting,
    Turn,
    Steering,
    Settled,
}

impl Messages {
    /// Takes in an event of a session that became durable.
    pub(in crate::simulation) fn observe(&mut self, session: SessionId, event: &Event) -> Check {
        match *event {
            Event::Accepted(ref accepted) => self.accept(session, accepted.clone()),
            Event::TurnOpened { turn, cause, ref deliveries, .. } => {
                self.open(session, turn, cause, deliveries)
            }
            Event::Handing { delivery, .. } => {
                self.attempt(delivery)?;
                self.relocate(delivery, &[Place::Waiting], Place::Steering)?;
                self.check_order(session, &[delivery], Verb::Steer)?;
                self.check_words(session, delivery)?;
                self.message(delivery)?.jumped = true;
                Ok(())
            }
            Event::TurnHanded { .. } => {
                let handed = self.at(session, Place::Turn);
                handed.into_iter().try_for_each(|id| self.record(id))
            }
            Event::Handed { delivery } if self.place(delivery) == Some(Place::Steering) => {
                self.relocate(delivery, &[Place::Steering], Place::Turn)?;
                self.record(delivery)
            }
            Event::Returned { delivery, repeat } => self.give_back(session, delivery, repeat),
            Event::Cancelled { delivery } => self.relocate(delivery, &[Place::Waiting], Place::Settled),
            Event::Edited { delivery, ref text } => {
                self.check_waiting(delivery)?;
                if self.doubtful.contains(&delivery) {
                    return Err(format!("{delivery} may have been read and gets other words"));
                }
                let message = self.message(delivery)?;
                if !message.accepted.origin.is_human() || message.accepted.class != Class::Message {
                    return Err(format!("{delivery} is in the words of an agent and is edited"));
                }
                message.accepted.text.clone_from(text);
                Ok(())
            }
            Event::Moved { delivery, .. } => {
                self.check_waiting(delivery)?;
                self.message(delivery)?.moved = true;
                Ok(())
            }
            Event::DeliveriesReleased { ref deliveries, .. } => {
                self.held.remove(&session);
                for id in deliveries {
                    self.check_waiting(*id)?;
                    let message = self.message(*id)?;
                    message.attempts = 0;
                    message.carried |= std::mem::take(&mut message.unpaid);
                }
                Ok(())
            }
            Event::TurnEnded { outcome, until, .. } => {
                self.set_back(session, outcome == Outcome::Failed && until.is_none())?;
                self.end(session, outcome)
            }
            Event::Held { hold: Hold::Stopped } => {
                self.halted_at.insert(session, self.messages.len());
                self.held.insert(session, Hold::Stopped);
                Ok(())
            }
            Event::DeliveriesHeld { ref deliveries, reason } => {
                let alone = matches!(reason, HeldReason::Budget | HeldReason::CauseStopped);
                for id in deliveries {
                    let message = self.message(*id)?;
                    message.held_alone |= alone;
                    message.unpaid |= reason == HeldReason::Budget;
                    self.unpaid += usize::from(reason == HeldReason::Budget);
                }
                Ok(())
            }
            Event::Released {} => {
                for id in self.at(session, Place::Waiting) {
                    let message = self.message(id)?;
                    message.attempts = 0;
                    message.carried |= std::mem::take(&mut message.unpaid);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Remembers that a sender was told that its message is safe.
    pub(in crate::simulation) fn acknowledge(&mut self, id: DeliveryId) {
        self.acknowledged.insert(id);
    }

    /// Checks a message whose bytes leave for a harness.
    pub(in crate::simulation) fn send(&mut self, id: DeliveryId, repeat: bool) -> Check {
        if self.doubtful.insert(id) {
            return Ok(());
        }
        self.repeats += 1;
        if !repeat {
            return Err(format!("I1: {id} is handed again without the repeat mark"));
        }
        Ok(())
    }

    /// Remembers that a harness took a message.
    pub(in crate::simulation) fn take(&mut self, id: DeliveryId) {
        self.taken.insert(id);
    }

    /// Remembers that a harness said that it did not take a message.
    pub(in crate::simulation) fn leave(&mut self, id: DeliveryId) {
        self.doubtful.remove(&id);
    }

    /// Checks a session's durable state against the messages that are known to be in it.
    pub(in crate::simulation) fn check(&self, session: &Session) -> Check {
        let turn = session.turn.as_ref();
        if session.condition.status.is_busy() != turn.is_some() {
            return Err(format!("{} shows {:?} with turn {turn:?}", session.id, session.condition.status));
        }
        let in_turn = turn.into_iter().flat_map(|turn| turn.deliveries.iter().chain(&turn.steering));
        let mut held: BTreeMap<DeliveryId, usize> = BTreeMap::new();
        for pending in session.queue.iter().chain(in_turn) {
            *held.entry(pending.id).or_default() += 1;
            let known = self.messages.get(&pending.id);
            if known.is_some_and(|known| known.accepted.text != pending.text) {
                return Err(format!("{} says something else than it was last told to", pending.id));
            }
        }
        for id in self.by_session.get(&session.id).into_iter().flatten() {
            let places = held.remove(id).unwrap_or(0);
            let expected = usize::from(self.place(*id) != Some(Place::Settled));
            if places != expected {
                let place = self.place(*id);
                return Err(format!("I1: {id} is {place:?} by the log and in {places} places of the state"));
            }
        }
        match held.keys().next() {
            Some(id) => Err(format!("I1: {id} is in the state and was never accepted")),
            None => Ok(()),
        }
    }

    /// Checks that nothing was acknowledged that the log does not hold.
    pub(in crate::simulation) fn check_acknowledged(&self) -> Check {
        match self.acknowledged.iter().find(|id| !self.messages.contains_key(id)) {
            Some(id) => Err(format!("I1: {id} was acknowledged and is lost")),
            None => Ok(()),
        }
    }

    /// Checks a session when everything is at rest: what still waits has a reason that a person can see.
    pub(in crate::simulation) fn check_rest(&self, session: &Session) -> Check {
        if session.turn.is_some() {
            return Err(format!("{} has a turn that nobody runs", session.id));
        }
        let session_waits = !session.is_open() || !matches!(session.hold, Hold::None | Hold::Budget);
        let unexplained =
            |pending: &&Pending| pending.held.is_none() && pending.class != Class::Passive && !session_waits;
        if let Some(pending) = session.queue.iter().find(unexplained) {
            return Err(format!("I1: {} waits for nothing", pending.id));
        }
        if let Some(pending) = session.queue.iter().find(|pending| self.is_unheard(session, pending)) {
            return Err(format!("{} is a person's and waits, though nothing happened since", pending.id));
        }
        let held = |pending: &&Pending| pending.held == Some(HeldReason::Budget);
        session.queue.iter().filter(held).try_for_each(|pending| self.check_unpaid(session.id, pending))
    }

    /// Says whether nothing more will happen to a message.
    pub(in crate::simulation) fn is_settled(&self, id: DeliveryId) -> bool {
        self.place(id) == Some(Place::Settled)
    }

    pub(in crate::simulation) fn setbacks(&self, id: DeliveryId) -> u32 {
        self.messages.get(&id).map_or(0, |message| message.setbacks)
    }

    /// Says whether a person is behind one of these messages.
    pub(in crate::simulation) fn has_person(&self, deliveries: &[DeliveryId]) -> bool {
        let mut accepted = deliveries.iter().filter_map(|id| Some(&self.messages.get(id)?.accepted));
        accepted.any(|accepted| accepted.class != Class::Passive && accepted.origin.is_human())
    }

    /// Returns how many turns were opened.
    pub(in crate::simulation) fn turns(&self) -> usize {
        self.turns
    }

    /// Returns how many messages were handed again.
    pub(in crate::simulation) fn repeats(&self) -> usize {
        self.repeats
    }

    /// Returns how often a message was held because nobody paid for it.
    pub(in crate::simulation) fn unpaid(&self) -> usize {
        self.unpaid
    }

    /// Returns how many turns there can be without another word of a person: what every cause still pays
    /// for, and every message of a person as often as it is handed, be it known already or on its way.
    pub(in crate::simulation) fn turns_left(&self, causes: usize) -> usize {
        causes * WAKES_PER_CAUSE as usize + (causes + self.messages.len()) * usize::from(ATTEMPTS)
    }

    fn accept(&mut self, session: SessionId, accepted: Accepted) -> Check {
        let id = accepted.delivery;
        let order = self.messages.len();
        let message = Message {
            accepted,
            order,
            place: Place::Waiting,
            attempts: 0,
            recorded: false,
            held_alone: false,
            jumped: false,
            unpaid: false,
            carried: false,
            setbacks: 0,
            moved: false,
        };
        self.lift_hold(session, &message.accepted);
        self.by_session.entry(session).or_default().push(id);
        match self.messages.insert(id, message) {
            Some(_) => Err(format!("I1: {id} was accepted twice")),
            None => Ok(()),
        }
    }

    fn open(&mut self, session: SessionId, turn: TurnId, cause: CauseId, deliveries: &[DeliveryId]) -> Check {
        self.turns += 1;
        self.opened_with.insert(session, deliveries.to_vec());
        for id in deliveries {
            self.attempt(*id)?;
            self.relocate(*id, &[Place::Waiting], Place::Turn)?;
            if self.message(*id)?.recorded {
                return Err(format!("I1: {id} was confirmed and is handed again"));
            }
        }
        if let Some(hold) = self.held.get(&session) {
            return Err(format!("{session} is held for {hold:?} and starts turn {turn}"));
        }
        self.check_interrupts(session, deliveries)?;
        let words = deliveries.iter().filter_map(|id| self.messages.get(id).map(|message| &message.accepted));
        let words: Vec<_> = words.filter(|accepted| accepted.class != Class::Passive).collect();
        if words.len() > 1 && words.iter().any(|accepted| accepted.waited) {
            return Err(format!("{turn} mixes a message that somebody waits for with others"));
        }
        self.check_order(session, deliveries, Verb::Queue)?;
        self.check_order(session, deliveries, Verb::Steer)?;
        self.spend(session, turn, cause, deliveries)
    }

    /// I3. Compares the messages of one verb that wake, were never held alone (for budget, for a stopped
    /// cause, after too many attempts) and so can only have waited with the whole queue: a turn takes them
    /// in the order they were accepted in, and leaves no older one behind. Passive lines are free to be
    /// overtaken by what wakes, people jump the queue by steering and when the agent waits, and the newest interrupt
    /// goes first.
    fn check_order(&self, session: SessionId, deliveries: &[DeliveryId], verb: Verb) -> Check {
        let plain = |id: &DeliveryId| {
            self.messages.get(id).filter(|message| {
                let accepted = &message.accepted;
                let jumped = verb == Verb::Queue && message.jumped;
                let waits = !message.held_alone && !message.moved && !jumped;
                accepted.verb == verb && accepted.class != Class::Passive && waits
            })
        };
        let taken: Vec<usize> = deliveries.iter().filter_map(plain).map(|message| message.order).collect();
        if !taken.is_sorted() {
            return Err(format!("I3: a turn of {session} takes its messages out of order"));
        }
        let waiting = self.at(session, Place::Waiting);
        let oldest = waiting.iter().filter_map(plain).map(|message| message.order).min();
        if let (Some(oldest), Some(newest)) = (oldest, taken.last())
            && oldest < *newest
        {
            return Err(format!("I3: a turn of {session} leaves an older message behind"));
        }
        Ok(())
    }

    /// Checks that of people's messages, too, none that queued goes into a running turn before an older one.
    fn check_words(&self, session: SessionId, delivery: DeliveryId) -> Check {
        let words = |id: &DeliveryId| {
            self.messages.get(id).filter(|message| {
                let accepted = &message.accepted;
                let queued = accepted.verb == Verb::Queue && accepted.class == Class::Message;
                queued && accepted.origin.is_human() && !message.held_alone && !message.moved
            })
        };
        let queues = |taken: &&Message| taken.accepted.verb == Verb::Queue && !taken.moved;
        let Some(taken) = self.messages.get(&delivery).filter(queues) else { return Ok(()) };
        if !taken.accepted.origin.is_human() {
            return Err(format!("{delivery} goes into a running turn, and no person sent it"));
        }
        let waiting = self.at(session, Place::Waiting);
        match waiting.iter().filter_map(words).find(|older| older.order < taken.order) {
            Some(_) => Err(format!("I3: {delivery} goes into a running turn before an older message")),
            None => Ok(()),
        }
    }

    /// Checks that a message which interrupts is next, and alone.
    fn check_interrupts(&self, session: SessionId, deliveries: &[DeliveryId]) -> Check {
        let of_interrupt = |id: &&DeliveryId| {
            self.messages.get(id).filter(|message| message.accepted.verb == Verb::Interrupt)
        };
        let interrupts =
            |id: &DeliveryId| of_interrupt(&id).is_some_and(|message| !message.held_alone && !message.moved);
        let waiting = self.at(session, Place::Waiting);
        // A person may have put something before it.
        let is_moved = |id: &DeliveryId| self.messages.get(id).is_some_and(|message| message.moved);
        let rearranged = waiting.iter().chain(deliveries).any(is_moved);
        let waits = !rearranged && waiting.iter().any(interrupts);
        // One that was held for itself and is released goes first as well.
        let alone = deliveries.len() == 1 && deliveries.iter().all(|id| of_interrupt(&id).is_some());
        if !alone && (waits || deliveries.iter().any(interrupts)) {
            return Err(format!("an interrupt of {session} is not next, or not alone"));
        }
        Ok(())
    }

    /// I7, the other way round: what is held for budget has nobody left to pay for it, and was not left
    /// behind by a person who wrote since.
    fn check_unpaid(&self, session: SessionId, pending: &Pending) -> Check {
        let by_cause = self.wakes_by_cause.get(&pending.cause).copied().unwrap_or(0);
        let by_session = self.wakes_by_session.get(&(session, pending.cause)).copied().unwrap_or(0);
        let spent = match pending.class {
            Class::Passive => false,
            Class::Completion => by_cause >= WAKES_PER_CAUSE,
            Class::Message => by_cause >= WAKES_PER_CAUSE || by_session >= WAKES_PER_SESSION,
        };
        if !spent {
            return Err(format!("{} is held for budget, of which some is left", pending.id));
        }
        let message = self.messages.get(&pending.id);
        if message.is_some_and(|message| message.carried && message.accepted.cause == pending.cause) {
            return Err(format!("{} was released by a person who did not carry it", pending.id));
        }
        Ok(())
    }

    /// Says whether a person wrote to an open session, which goes on then, and nobody stopped it since.
    fn is_unheard(&self, session: &Session, pending: &Pending) -> bool {
        let person = pending.origin.is_human() && pending.class != Class::Passive;
        let alone = matches!(pending.held, Some(HeldReason::Attempts | HeldReason::CauseStopped));
        let halted = self.halted_at.get(&session.id).copied().unwrap_or(0);
        let order = self.messages.get(&pending.id).map_or(0, |message| message.order);
        person && !alone && session.is_open() && order >= halted
    }

    /// After an error anyone who wakes goes on, after a stop only a person.
    fn lift_hold(&mut self, session: SessionId, accepted: &Accepted) {
        let wakes = accepted.class != Class::Passive;
        if wakes && (accepted.origin.is_human() || self.held.get(&session) == Some(&Hold::Error)) {
            self.held.remove(&session);
        }
    }

    /// I7. Counts turns without a person's message, by what is in them.
    fn spend(
        &mut self,
        session: SessionId,
        turn: TurnId,
        cause: CauseId,
        deliveries: &[DeliveryId],
    ) -> Check {
        let messages = deliveries.iter().filter_map(|id| self.messages.get(id));
        let waking: Vec<&Accepted> = messages
            .map(|message| &message.accepted)
            .filter(|accepted| accepted.class != Class::Passive)
            .collect();
        if waking.is_empty() {
            return Err(format!("turn {turn} was started by nothing that wakes"));
        }
        if self.has_person(deliveries) {
            return Ok(());
        }
        let of_cause = self.wakes_by_cause.entry(cause).or_default();
        *of_cause += 1;
        if *of_cause > WAKES_PER_CAUSE {
            return Err(format!("I7: turn {turn} is the {of_cause}th unattended one of {cause}"));
        }
        if waking.iter().any(|accepted| accepted.class == Class::Message) {
            let of_session = self.wakes_by_session.entry((session, cause)).or_default();
            *of_session += 1;
            if *of_session > WAKES_PER_SESSION {
                return Err(format!("I7: turn {turn} is the {of_session}th of {session} for {cause}"));
            }
        }
        Ok(())
    }

    fn give_back(&mut self, session: SessionId, id: DeliveryId, repeat: bool) -> Check {
        self.returned.entry(session).or_default().push(id);
        self.relocate(id, &[Place::Turn, Place::Steering], Place::Waiting)?;
        let message = self.message(id)?;
        if message.recorded {
            return Err(format!("I1: {id} was confirmed and goes back to the queue"));
        }
        if !repeat {
            message.attempts = message.attempts.saturating_sub(1);
        }
        message.held_alone |= message.attempts >= ATTEMPTS;
        Ok(())
    }

    /// Counts what a turn gave back, unless it is tried again by itself.
    fn set_back(&mut self, session: SessionId, counts: bool) -> Check {
        let returned = self.returned.remove(&session).unwrap_or_default();
        returned.into_iter().try_for_each(|id| self.message(id).map(|it| it.setbacks += u32::from(counts)))
    }

    fn end(&mut self, session: SessionId, outcome: Outcome) -> Check {
        if outcome == Outcome::Failed {
            self.halted_at.insert(session, self.messages.len());
            self.held.entry(session).or_insert(Hold::Error);
        }
        let opened_with = self.opened_with.remove(&session).unwrap_or_default();
        let returned = opened_with.iter().find(|id| self.place(**id) == Some(Place::Waiting));
        if let (Outcome::Completed, Some(id)) = (outcome, returned) {
            return Err(format!("I1: {id} was answered and goes back to the queue"));
        }
        if let Some(id) = self.at(session, Place::Steering).first() {
            return Err(format!("I1: {id} was on its way into a turn that ended, and is lost"));
        }
        for id in self.at(session, Place::Turn) {
            if !self.message(id)?.recorded {
                return Err(format!("I1: {id} was never confirmed, its turn ended, and it is lost"));
            }
            self.relocate(id, &[Place::Turn], Place::Settled)?;
        }
        Ok(())
    }

    /// Checks that a person changes only what waits.
    fn check_waiting(&self, id: DeliveryId) -> Check {
        match self.place(id) {
            Some(Place::Waiting) => Ok(()),
            place => Err(format!("{id} is {place:?}, and so locked, and is changed")),
        }
    }

    fn record(&mut self, id: DeliveryId) -> Check {
        if !self.taken.contains(&id) {
            return Err(format!("I1: {id} counts as handed and no harness took it"));
        }
        self.message(id)?.recorded = true;
        Ok(())
    }

    fn attempt(&mut self, id: DeliveryId) -> Check {
        let message = self.message(id)?;
        message.attempts = message.attempts.saturating_add(1);
        if message.attempts > ATTEMPTS {
            return Err(format!("I1: {id} is handed {} times and nobody looked at it", message.attempts));
        }
        Ok(())
    }

    fn relocate(&mut self, id: DeliveryId, from: &[Place], to: Place) -> Check {
        let message = self.message(id)?;
        if !from.contains(&message.place) {
            return Err(format!("I1: {id} is {:?} and becomes {to:?}", message.place));
        }
        message.place = to;
        Ok(())
    }

    fn message(&mut self, id: DeliveryId) -> Result<&mut Message, String> {
        self.messages.get_mut(&id).ok_or_else(|| format!("I1: {id} was never accepted"))
    }

    fn place(&self, id: DeliveryId) -> Option<Place> {
        self.messages.get(&id).map(|message| message.place)
    }

    fn at(&self, session: SessionId, place: Place) -> Vec<DeliveryId> {
        let of_session = self.by_session.get(&session).into_iter().flatten();
        of_session.copied().filter(|id| self.place(*id) == Some(place)).collect()
    }
}
