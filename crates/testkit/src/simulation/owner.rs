//! The owner of a session: decides, appends, and only then acts. The daemon's flow, step by step.

use std::collections::{BTreeSet, VecDeque};

use paseo_core::actor::Actor;
use paseo_core::cause;
use paseo_core::content::ContentRef;
use paseo_core::id::{CauseId, ContentId, DeliveryId, SessionId, TurnId, WatchId};
use paseo_core::item::Decision as Answer;
use paseo_core::session::{
    self, Class, Draft, Event, Farewell, Incoming, Notice, On, Opening, Outcome, Pending, Placement,
    Position, Session, Source, Watch,
};
use paseo_core::time::Timestamp;

use super::Fault;
use super::causes::Causes;
use super::log::{Append, Log, Stream};
use super::random::Random;

/// What an owner is asked to do. Lost in a crash.
#[derive(Debug, Clone)]
pub(super) enum Input {
    Send(Mail),
    Confirmed(TurnId),
    Took(DeliveryId),
    Asked(TurnId),
    Answered(TurnId),
    Ended {
        turn: TurnId,
        outcome: Outcome,
        source: Source,
    },
    /// A person does something to a message that waits.
    Rearrange(DeliveryId, Rearrangement),
    /// A person makes it an independent agent. The parent is told by this watch.
    Promote(WatchId),
    /// An agent that waits is to get a person's words at once.
    Words(WatchId),
    Arm(Watch),
    /// The answer of a call made the watch needless.
    Disarm(WatchId),
    /// A notice is safe with its watcher.
    Noticed(WatchId),
    Stop,
    /// A person ended a cause: a turn of it ends, too.
    StopCause(CauseId),
    Close,
    Reopen,
    Clear,
    /// Look again: the log has grown, or the daemon was started again.
    Continue,
}

/// What a person does to a message that waits.
#[derive(Debug, Clone)]
pub(super) enum Rearrangement {
    /// Its sender is told by this watch.
    Cancel(WatchId),
    Edit(ContentRef),
    Move(Position),
    /// Whoever releases it pays by this cause, if nobody else does.
    Release(CauseId),
}

/// A message on its way.
#[derive(Debug, Clone)]
pub(super) struct Mail {
    pub(super) incoming: Incoming,
    /// The sender is to be told what becomes of it.
    pub(super) watch: Option<WatchId>,
    /// It is a notice, whose watches end at the session that it comes from.
    pub(super) news: Option<News>,
}

/// What a message of the daemon tells of.
#[derive(Debug, Clone, Copy)]
pub(super) struct News {
    pub(super) notice: WatchId,
    pub(super) from: SessionId,
}

impl From<Incoming> for Mail {
    fn from(incoming: Incoming) -> Self {
        Self { incoming, watch: None, news: None }
    }
}

/// What an owner does once its decision is durable. Lost in a crash.
#[derive(Debug, Clone)]
pub(super) enum Effect {
    Acknowledge(DeliveryId),
    Hand(TurnId),
    Steer(DeliveryId),
    Interrupt,
    Kill,
    /// An agent that waits gets a person's words, if there were any.
    Words(WatchId, Option<Pending>),
    /// The message that somebody may wait for is safe, and so is the watch.
    Sent(WatchId),
    /// It is not: nothing was written.
    Unsent(WatchId),
    /// Sends a notice.
    Tell(WatchId),
    /// The notice is safe: its watches are over.
    Told(News),
    /// Nobody takes the notice: its watches are over, too.
    Untold(News),
}

/// Events that are ready for the log, and what follows from them.
#[derive(Debug)]
pub(super) struct Decision {
    pub(super) session: Session,
    /// The time that its events bear.
    pub(super) at: Timestamp,
    pub(super) appends: Vec<Append>,
    pub(super) key: Option<WatchId>,
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
    /// Notices that are on their way.
    pub(super) telling: BTreeSet<WatchId>,
    /// Watches that calls have answered.
    pub(super) answered: BTreeSet<WatchId>,
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
            telling: BTreeSet::new(),
            answered: BTreeSet::new(),
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

    /// Says whether what it remembers may still be taken away.
    pub(super) fn is_volatile(&self) -> bool {
        matches!(self.stage, Stage::Appended(_))
    }

    /// Decides what an input leads to. Without appends nothing is to be written, and the effects follow at once.
    pub(super) fn decide(&self, input: &Input, desk: &mut Desk<'_>) -> Decision {
        let mut draft = Draft::new(self.session.clone(), desk.now);
        let mut causes = Causes::new(desk.log, desk.now);
        let mut effects = match self.take_in(input, &mut draft, &mut causes, desk) {
            Ok(effects) => effects,
            Err(effects) => {
                return Decision {
                    session: self.session.clone(),
                    at: desk.now,
                    appends: Vec::new(),
                    key: None,
                    effects,
                };
            }
        };
        advance(&mut draft, &mut causes, &mut effects, desk);
        self.gather(&mut draft, desk);
        let (session, events) = spoil(&self.session, draft, desk);
        let notices = session::notices(&session).into_iter().map(|notice| notice.id);
        effects.extend(notices.filter(|notice| !self.telling.contains(notice)).map(Effect::Tell));
        let mut appends = causes.appends();
        if !events.is_empty() {
            appends.push(Append::session(session.id, self.version, events));
        }
        let key = match input {
            Input::Send(mail) => mail.news.map(|news| news.notice),
            _ => None,
        };
        Decision { session, at: desk.now, appends, key, effects }
    }

    /// Puts what became known together into one notice for each watcher.
    fn gather(&self, draft: &mut Draft, desk: &Desk<'_>) {
        let waited = |watch: WatchId| desk.waited.contains(&watch) || self.answered.contains(&watch);
        if desk.fault == Some(Fault::TellApart) {
            let ids: Vec<WatchId> = draft.session.watches.iter().map(|watch| watch.id).collect();
            ids.iter().for_each(|one| session::gather(draft, |watch| watch != *one || waited(watch)));
        }
        session::gather(draft, waited);
    }

    /// Returns a notice that can be sent now: no call waits for what it tells.
    pub(super) fn ready(&self, notice: WatchId, waited: &BTreeSet<WatchId>) -> Option<Notice> {
        let notice = session::notices(&self.session).into_iter().find(|known| known.id == notice)?;
        let told = |watch: &Watch| waited.contains(&watch.id) || self.answered.contains(&watch.id);
        (!notice.watches.iter().any(told)).then_some(notice)
    }

    /// Drafts what an input leads to; or leads to nothing but effects.
    fn take_in(
        &self,
        input: &Input,
        draft: &mut Draft,
        causes: &mut Causes<'_>,
        desk: &Desk<'_>,
    ) -> Result<Vec<Effect>, Vec<Effect>> {
        let running = self.session.turn.as_ref();
        let runs = |turn: &TurnId| running.is_some_and(|running| running.id == *turn);
        match input {
            Input::Send(mail) => return self.send(mail, draft, causes, desk),
            Input::Confirmed(turn) if runs(turn) => {
                draft.push(Event::TurnHanded { turn: *turn });
                return Ok(std::iter::from_fn(|| session::take_up(draft)).map(Effect::Steer).collect());
            }
            Input::Took(delivery) => draft.push(Event::Handed { delivery: *delivery }),
            Input::Asked(turn) if runs(turn) => {
                draft.push(Event::Asked {
                    hash: "ask".into(),
                    text: text(),
                    tool: None,
                    shape: None,
                    question: false,
                    destructive: false,
                });
            }
            Input::Answered(turn) if runs(turn) => {
                draft.push(Event::Decided { hash: "ask".into(), decision: Answer::Allow });
            }
            Input::Ended { turn, outcome, source } if runs(turn) => {
                session::end(draft, session::Ending::of(*outcome, *source));
            }
            Input::Rearrange(delivery, how) => rearrange(draft, causes, *delivery, how),
            Input::Promote(watch) => {
                let parent = self.session.profile.parent;
                let waits = |watch: &&Watch| {
                    Some(watch.watcher) == parent
                        && desk.waited.contains(&watch.id)
                        && !self.answered.contains(&watch.id)
                };
                let waited = self.session.watches.iter().filter(waits).map(|watch| watch.id).collect();
                let cause = CauseId::from_uuid(watch.uuid());
                let farewell = Farewell { waited, watch: *watch, cause };
                // Refused when it is closed or no child, which is an answer like any other.
                drop(session::promote(draft, &person(), &farewell));
            }
            Input::Words(watch) => {
                let words = session::take_words(draft);
                return Ok(vec![Effect::Words(*watch, words)]);
            }
            // Refused when it is closed, which is an answer like any other.
            Input::Arm(watch) => drop(session::arm(draft, watch.clone())),
            Input::Disarm(watch) => session::disarm(draft, *watch),
            Input::Noticed(notice) => session::disarm_notice(draft, *notice),
            Input::Stop => {
                if session::hold_for_stop(draft) && running.is_some() {
                    return Ok(vec![Effect::Interrupt]);
                }
            }
            Input::StopCause(cause) if running.is_some_and(|turn| turn.cause == *cause) => {
                return Ok(vec![Effect::Interrupt]);
            }
            Input::Close => {
                session::close(draft, Source::Person);
                return Ok(vec![Effect::Kill]);
            }
            Input::Reopen => session::reopen(draft),
            // Refused while a turn runs.
            Input::Clear => drop(session::clear(draft)),
            // News of a turn that is over, or of a message that has left the queue.
            Input::Confirmed(_)
            | Input::Asked(_)
            | Input::Answered(_)
            | Input::Ended { .. }
            | Input::StopCause(_)
            | Input::Continue => {}
        }
        Ok(Vec::new())
    }

    fn send(
        &self,
        mail: &Mail,
        draft: &mut Draft,
        causes: &mut Causes<'_>,
        desk: &Desk<'_>,
    ) -> Result<Vec<Effect>, Vec<Effect>> {
        let incoming = &mail.incoming;
        let delivery = incoming.delivery;
        if let Some(news) = mail.news
            && desk.log.knows(news.notice)
        {
            return Err(vec![Effect::Told(news)]);
        }
        let refused = || {
            let unsent = mail.watch.map(Effect::Unsent);
            unsent.into_iter().chain(mail.news.map(Effect::Untold)).collect::<Vec<_>>()
        };
        let placement = session::accept(draft, incoming.clone(), self.can_steer).map_err(|_| refused())?;
        if let Some(watch) = watch_of(mail) {
            session::arm(draft, watch).map_err(|_| refused())?;
        }
        if incoming.origin.is_human() {
            let by = incoming.origin.clone();
            causes.push(incoming.cause, cause::Event::Opened { by, session: self.session.id, delivery });
        }
        let mut effects = vec![Effect::Acknowledge(delivery)];
        effects.extend(mail.watch.map(Effect::Sent));
        effects.extend(mail.news.map(Effect::Told));
        match placement {
            Placement::Steer => effects.push(Effect::Steer(delivery)),
            Placement::Interrupt => effects.push(Effect::Interrupt),
            Placement::Ready | Placement::Queued | Placement::Held(_) => {}
        }
        Ok(effects)
    }
}

/// Drafts what a person does to a message that waits. What has left the queue is locked.
fn rearrange(draft: &mut Draft, causes: &mut Causes<'_>, delivery: DeliveryId, how: &Rearrangement) {
    let by = person();
    match how {
        Rearrangement::Cancel(watch) => drop(session::cancel(draft, &by, delivery, *watch)),
        Rearrangement::Edit(text) => drop(session::edit(draft, &by, delivery, text.clone())),
        Rearrangement::Move(position) => drop(session::move_to(draft, &by, delivery, *position)),
        Rearrangement::Release(fresh) => {
            let waiting = draft.session.queue.iter().find(|pending| pending.id == delivery);
            let is_stopped = waiting.is_some_and(|pending| causes.state(pending.cause).stopped);
            let released = session::release(draft, &by, &[delivery], |_| is_stopped, *fresh);
            if let Some(delivery) = released.ok().and_then(|released| released.opens) {
                let session = draft.session.id;
                causes.push(*fresh, cause::Event::Opened { by, session, delivery });
            }
        }
    }
}

/// What a decision may look at.
pub(super) struct Desk<'a> {
    pub(super) log: &'a Log,
    pub(super) now: Timestamp,
    pub(super) random: &'a mut Random,
    pub(super) fault: Option<Fault>,
    /// Watches that calls wait for.
    pub(super) waited: BTreeSet<WatchId>,
}

/// Opens the next turn, when something may start one.
pub(super) fn advance(
    draft: &mut Draft,
    causes: &mut Causes<'_>,
    effects: &mut Vec<Effect>,
    desk: &mut Desk<'_>,
) {
    while let Some(mut plan) = session::next(&draft.session) {
        if desk.fault == Some(Fault::Reorder) {
            plan.deliveries.reverse();
        }
        let turn = TurnId::from_parts(desk.now, desk.random.bytes());
        let cause = plan.cause;
        match session::open(draft, plan, causes.state(cause), turn) {
            Opening::Opened(spent) => {
                if let Some(event) = spent.filter(|_| desk.fault != Some(Fault::SkipSpending)) {
                    causes.push(cause, event);
                }
                effects.push(Effect::Hand(turn));
                return;
            }
            Opening::Held(_) | Opening::Abandoned(_) => {}
        }
    }
}

/// Makes the watch that a sender wants on its message.
pub(super) fn watch_of(mail: &Mail) -> Option<Watch> {
    let Incoming { delivery, cause, hop, ref origin, .. } = mail.incoming;
    let (id, watcher) = mail.watch.zip(origin.session())?;
    let (on, class) = (On::Delivery(delivery), Class::Completion);
    Some(Watch { id, watcher, on, cause, hop: hop + 1, class, due: None, request: None, notice: None })
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

/// Returns who people are here.
pub(super) fn person() -> Actor {
    Actor::Human("cli".into())
}

/// Points at no text: the simulator has none.
pub(super) fn text() -> ContentRef {
    ContentRef { id: ContentId::from_parts(Timestamp::default(), [0; 10]), len: 0, sha256: String::new() }
}

fn read(id: SessionId, log: &Log) -> (Session, usize) {
    let session = log.session(id).expect("a session is created before it is owned");
    (Session::clone(session), log.version(Stream::Session(id)))
}
