//! The owner of a session: decides, appends, and only then acts. The daemon's flow, step by step.

use std::collections::{BTreeMap, VecDeque};

use paseo_core::actor::Actor;
use paseo_core::cause::{self, Cause};
use paseo_core::codec::{self, Encoded};
use paseo_core::content::ContentRef;
use paseo_core::fold::{self, SessionHead};
use paseo_core::id::{CauseId, ContentId, DeliveryId, SessionId, TurnId};
use paseo_core::item::Decision as Answer;
use paseo_core::session::{
    self, Class, Draft, Event, Incoming, Opening, Outcome, Placement, Session, Source,
};
use paseo_core::time::Timestamp;

use super::Fault;
use super::log::{Append, Log};
use super::random::Random;

/// What an owner is asked to do. Lost in a crash.
#[derive(Debug, Clone)]
pub(super) enum Input {
    Send(Incoming),
    Confirmed(TurnId),
    Took(DeliveryId),
    Asked(TurnId),
    Answered(TurnId),
    Ended {
        turn: TurnId,
        outcome: Outcome,
        source: Source,
    },
    Cancel(DeliveryId),
    Stop,
    Close,
    Reopen,
    Clear,
    /// Look again: the log has grown, or the daemon was started again.
    Continue,
}

/// What an owner does once its decision is durable. Lost in a crash.
#[derive(Debug, Clone)]
pub(super) enum Effect {
    Acknowledge(DeliveryId),
    Hand(TurnId),
    Steer(DeliveryId),
    Interrupt,
    Kill,
    /// Tells a peer that what it asked for is done.
    Notify {
        peer: SessionId,
        cause: CauseId,
        hop: u32,
    },
}

/// Events that are ready for the log, and what follows from them.
#[derive(Debug)]
pub(super) struct Decision {
    pub(super) session: Session,
    /// The time that its events bear.
    pub(super) at: Timestamp,
    pub(super) appends: Vec<Append>,
    pub(super) effects: Vec<Effect>,
}

/// How far an owner is with its first input.
#[derive(Debug)]
pub(super) enum Stage {
    Free,
    Decided(Box<Decision>),
    Appended(Vec<Effect>),
}

/// The owner of one session. All of it is volatile.
#[derive(Debug)]
pub(super) struct Owner {
    pub(super) session: Session,
    pub(super) version: usize,
    pub(super) mailbox: VecDeque<Input>,
    pub(super) effects: VecDeque<Effect>,
    pub(super) stage: Stage,
    pub(super) can_steer: bool,
}

impl Owner {
    /// Takes a session over from the log.
    pub(super) fn load(id: SessionId, log: &Log, can_steer: bool) -> Self {
        let (session, version) = read(id, log);
        Self {
            session,
            version,
            mailbox: VecDeque::new(),
            effects: VecDeque::new(),
            stage: Stage::Free,
            can_steer,
        }
    }

    /// Takes in what others wrote.
    pub(super) fn reload(&mut self, log: &Log) {
        (self.session, self.version) = read(self.session.id, log);
    }

    /// Says whether there is something to do that needs nobody else.
    pub(super) fn has_work(&self) -> bool {
        !self.effects.is_empty()
            || match self.stage {
                Stage::Free => !self.mailbox.is_empty(),
                Stage::Decided(_) => true,
                Stage::Appended(_) => false,
            }
    }

    /// Decides what an input leads to. `None`: nothing is to be written.
    pub(super) fn decide(&self, input: &Input, desk: &mut Desk<'_>) -> Option<Decision> {
        let mut draft = Draft::new(self.session.clone(), desk.now);
        let mut causes = Causes { log: desk.log, touched: BTreeMap::new() };
        let mut effects = self.take_in(input, &mut draft, &mut causes);
        advance(&mut draft, &mut causes, &mut effects, desk);
        let (session, events) = spoil(&self.session, draft, desk);
        let mut appends = causes.appends();
        if !events.is_empty() {
            let events = events.iter().map(codec::encode).collect();
            appends.push(Append { stream: session::stream(session.id), version: self.version, events });
        }
        (!appends.is_empty()).then_some(Decision { session, at: desk.now, appends, effects })
    }

    fn take_in(&self, input: &Input, draft: &mut Draft, causes: &mut Causes<'_>) -> Vec<Effect> {
        let running = self.session.turn.as_ref();
        let runs = |turn: &TurnId| running.is_some_and(|running| running.id == *turn);
        match input {
            Input::Send(incoming) => return self.send(incoming, draft, causes),
            Input::Confirmed(turn) if runs(turn) => {
                draft.push(Event::TurnHanded { turn: *turn });
                return std::iter::from_fn(|| session::take_up(draft)).map(Effect::Steer).collect();
            }
            Input::Took(delivery) => draft.push(Event::Handed { delivery: *delivery }),
            Input::Asked(turn) if runs(turn) => {
                draft.push(Event::Asked { hash: "ask".into(), text: text(), tool: None, shape: None });
            }
            Input::Answered(turn) if runs(turn) => {
                draft.push(Event::Decided { hash: "ask".into(), decision: Answer::Allow });
            }
            Input::Ended { turn, outcome, source } if runs(turn) => {
                session::end(draft, session::Ending::of(*outcome, *source));
                return running.map(notices).unwrap_or_default();
            }
            Input::Cancel(delivery) if self.session.queue.iter().any(|pending| pending.id == *delivery) => {
                draft.push(Event::Cancelled { delivery: *delivery });
            }
            Input::Stop => {
                if session::hold_for_stop(draft) && running.is_some() {
                    return vec![Effect::Interrupt];
                }
            }
            Input::Close => {
                session::close(draft);
                return vec![Effect::Kill];
            }
            Input::Reopen => session::reopen(draft),
            // Refused while a turn runs, which is an answer like any other.
            Input::Clear => drop(session::clear(draft)),
            // News of a turn that is over, or of a message that has left the queue.
            Input::Confirmed(_)
            | Input::Asked(_)
            | Input::Answered(_)
            | Input::Ended { .. }
            | Input::Cancel(_)
            | Input::Continue => {}
        }
        Vec::new()
    }

    fn send(&self, incoming: &Incoming, draft: &mut Draft, causes: &mut Causes<'_>) -> Vec<Effect> {
        let delivery = incoming.delivery;
        let Ok(placement) = session::accept(draft, incoming.clone(), self.can_steer) else {
            return Vec::new();
        };
        if incoming.origin.is_human() {
            let by = incoming.origin.clone();
            causes.push(
                incoming.cause,
                cause::Event::Opened { by, session: self.session.id, delivery },
                draft,
            );
        }
        let mut effects = vec![Effect::Acknowledge(delivery)];
        match placement {
            Placement::Steer => effects.push(Effect::Steer(delivery)),
            Placement::Interrupt => effects.push(Effect::Interrupt),
            Placement::Ready | Placement::Queued | Placement::Held(_) => {}
        }
        effects
    }
}

/// What a decision may look at.
pub(super) struct Desk<'a> {
    pub(super) log: &'a Log,
    pub(super) now: Timestamp,
    pub(super) random: &'a mut Random,
    pub(super) fault: Option<Fault>,
}

/// Opens the next turn, when something may start one.
fn advance(draft: &mut Draft, causes: &mut Causes<'_>, effects: &mut Vec<Effect>, desk: &mut Desk<'_>) {
    while let Some(mut plan) = session::next(&draft.session) {
        if desk.fault == Some(Fault::Reorder) {
            plan.deliveries.reverse();
        }
        let turn = TurnId::from_parts(desk.now, desk.random.bytes());
        let cause = plan.cause;
        match session::open(draft, plan, causes.state(cause), turn) {
            Opening::Opened(spent) => {
                if let Some(event) = spent.filter(|_| desk.fault != Some(Fault::SkipSpending)) {
                    causes.push(cause, event, draft);
                }
                effects.push(Effect::Hand(turn));
                return;
            }
            Opening::Held(_) => {}
        }
    }
}

/// Breaks a decision on purpose.
fn spoil(before: &Session, draft: Draft, desk: &Desk<'_>) -> (Session, Vec<Event>) {
    let change = |event: Event| match (desk.fault, event) {
        (Some(Fault::DropReturned), Event::Returned { .. }) => None,
        (Some(Fault::ForgetRepeat), Event::Returned { delivery, .. }) => {
            Some(Event::Returned { delivery, repeat: false })
        }
        (_, event) => Some(event),
    };
    match desk.fault {
        Some(Fault::DropReturned | Fault::ForgetRepeat) => {
            let mut spoilt = Draft::new(before.clone(), desk.now);
            spoilt.extend(draft.events.into_iter().filter_map(change));
            (spoilt.session, spoilt.events)
        }
        _ => (draft.session, draft.events),
    }
}

fn notices(turn: &session::Turn) -> Vec<Effect> {
    let asked_by = |pending: &session::Pending| match pending.origin {
        Actor::Session(peer) if pending.class == Class::Message => Some(peer),
        _ => None,
    };
    let peers = turn.deliveries.iter().filter_map(asked_by);
    peers.map(|peer| Effect::Notify { peer, cause: turn.cause, hop: turn.hop + 1 }).collect()
}

/// The causes that a decision draws from, with what it adds to them.
struct Causes<'a> {
    log: &'a Log,
    touched: BTreeMap<CauseId, (Cause, Vec<Encoded>)>,
}

impl Causes<'_> {
    fn state(&mut self, id: CauseId) -> &Cause {
        &self.entry(id).0
    }

    fn push(&mut self, id: CauseId, event: cause::Event, draft: &Draft) {
        let (cause, events) = self.entry(id);
        cause.apply(&event, draft.session.updated_at);
        events.push(codec::encode(&event));
    }

    fn entry(&mut self, id: CauseId) -> &mut (Cause, Vec<Encoded>) {
        let log = self.log;
        self.touched.entry(id).or_insert_with(|| {
            let stream = cause::stream(id);
            let head = log.head(&stream).map(|head| fold::read(&stream, head).expect("a cause's head"));
            (head.unwrap_or_default(), Vec::new())
        })
    }

    fn appends(self) -> Vec<Append> {
        let written = self.touched.into_iter().filter(|(_, (_, events))| !events.is_empty());
        written
            .map(|(id, (_, events))| {
                let stream = cause::stream(id);
                Append { version: self.log.version(&stream), stream, events }
            })
            .collect()
    }
}

/// Points at no text: the simulator has none.
pub(super) fn text() -> ContentRef {
    ContentRef { id: ContentId::from_parts(Timestamp::default(), [0; 10]), len: 0, sha256: String::new() }
}

fn read(id: SessionId, log: &Log) -> (Session, usize) {
    let stream = session::stream(id);
    let head = log.head(&stream).expect("a session is created before it is owned");
    match fold::read(&stream, head).expect("a session's head") {
        SessionHead::Session(session) => (*session, log.version(&stream)),
        SessionHead::Deleted => unreachable!("nothing here deletes sessions"),
    }
}
