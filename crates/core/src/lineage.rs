//! What descends from one human request: agents, turns, messages and tasks, read from the events of its streams.

use std::collections::{BTreeMap, BTreeSet};

use crate::actor::Actor;
use crate::cause;
use crate::content::ContentRef;
use crate::id::{CauseId, DeliveryId, SessionId, TurnId};
use crate::item::Usage;
use crate::session::{Class, Event, Outcome, Receipt, Session, Verdict};
use crate::team::{self, TaskId, TeamId};
use crate::time::Timestamp;

/// Everything that is known of what a request led to. Events are taken in stream by stream, each in its order.
#[derive(Debug, Clone)]
pub struct Lineage {
    cause: CauseId,
    /// Those that were asked come first, then in the order in which they joined.
    pub members: Vec<Member>,
    /// In the order of time.
    pub turns: BTreeMap<TurnId, Worked>,
    /// In the order of time.
    pub messages: BTreeMap<DeliveryId, Sent>,
    /// In the order of their teams and numbers.
    pub tasks: BTreeMap<(TeamId, TaskId), Touched>,
    woken: BTreeSet<TurnId>,
    /// Which of the messages are in an open turn, whatever that descends from.
    under_way: BTreeMap<TurnId, Vec<DeliveryId>>,
}

/// An agent that takes part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub session: SessionId,
    /// The session that started it or wrote to it first; nothing for one that a person asked.
    pub by: Option<SessionId>,
    /// A person asked it.
    pub asked: bool,
    /// It was started for this request.
    pub spawned: bool,
    /// Its turns without a human message.
    pub wakes: u32,
}

/// A turn that descends from the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worked {
    pub session: SessionId,
    pub hop: u32,
    pub woken: bool,
    pub opened_at: Timestamp,
    pub ended: Option<(Timestamp, Outcome)>,
    pub usage: Usage,
}

/// A message that descends from the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    pub to: SessionId,
    pub origin: Actor,
    pub class: Class,
    pub hop: u32,
    pub at: Timestamp,
    pub text: ContentRef,
    /// The turn that it went into last.
    pub turn: Option<TurnId>,
    /// Its outcome, and when that was known; nothing while it waits or is worked on.
    pub settled: Option<(Receipt, Timestamp)>,
}

/// A task that an agent created or claimed in a turn of the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    pub created_by: Option<SessionId>,
    pub claimed_by: Option<SessionId>,
    /// When that happened last.
    pub at: Timestamp,
}

/// The requests that an event of a session is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Concerns {
    These(BTreeSet<CauseId>),
    /// It settles messages, and the session has forgotten what those descend from.
    Any,
}

impl Concerns {
    /// Says whether it is about none.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::These(these) if these.is_empty())
    }
}

/// Returns the requests that an event is about, with the session as it was afterwards.
pub fn concerns(event: &Event, after: &Session) -> Concerns {
    let turn = || after.turn.as_ref().into_iter();
    let riding = || turn().flat_map(|turn| turn.deliveries.iter().chain(&turn.steering));
    let these = match event {
        Event::Accepted(accepted) => BTreeSet::from([accepted.cause]),
        Event::TurnOpened { cause, .. } => riding().map(|pending| pending.cause).chain([*cause]).collect(),
        Event::TurnHanded { .. } | Event::Handing { .. } | Event::Handed { .. } => {
            riding().map(|pending| pending.cause).chain(after.last_cause()).collect()
        }
        Event::TurnRetried { .. }
        | Event::TurnEnded { .. }
        | Event::UsageAdded { .. }
        | Event::Asked { .. }
        | Event::Decided { .. } => after.last_cause().into_iter().collect(),
        Event::DeliveriesHeld { .. }
        | Event::DeliveriesReleased { .. }
        | Event::Released {}
        | Event::Held { .. } => after.queue.iter().map(|pending| pending.cause).collect(),
        Event::Cancelled { .. }
        | Event::Returned { .. }
        | Event::Edited { .. }
        | Event::AnswerChecked { .. }
        | Event::AnswerAbandoned { .. } => return Concerns::Any,
        _ => BTreeSet::new(),
    };
    Concerns::These(these)
}

/// An agent and how far it stands from one that a person asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Branch<'a> {
    pub depth: usize,
    pub member: &'a Member,
}

impl Lineage {
    /// Begins with the events of the cause itself.
    pub fn of<'a>(cause: CauseId, events: impl IntoIterator<Item = &'a cause::Event> + Clone) -> Self {
        let mut lineage = Self {
            cause,
            members: Vec::new(),
            turns: BTreeMap::new(),
            messages: BTreeMap::new(),
            tasks: BTreeMap::new(),
            woken: BTreeSet::new(),
            under_way: BTreeMap::new(),
        };
        for event in events.clone() {
            if let cause::Event::Opened { session, .. } = event {
                lineage.member(*session).asked = true;
            }
        }
        for event in events {
            match event {
                cause::Event::Woken { session, turn, .. } => {
                    lineage.woken.insert(*turn);
                    lineage.member(*session).wakes += 1;
                }
                cause::Event::Spawned { by, session } => {
                    let member = lineage.member(*session);
                    member.spawned = true;
                    member.by.get_or_insert(*by);
                }
                cause::Event::Opened { .. } | cause::Event::Begun { .. } | cause::Event::Stopped {} => {}
            }
        }
        lineage
    }

    /// Adds an agent for which something waits, if it does not take part yet.
    pub fn join(&mut self, session: SessionId) {
        self.member(session);
    }

    /// Takes in an event of an agent that takes part.
    pub fn take(&mut self, session: SessionId, at: Timestamp, event: &Event) {
        match event {
            Event::Accepted(accepted) if accepted.cause == self.cause => {
                let member = self.member(session);
                if !member.asked && member.by.is_none() {
                    member.by = accepted.origin.session();
                }
                let sent = Sent {
                    to: session,
                    origin: accepted.origin.clone(),
                    class: accepted.class,
                    hop: accepted.hop,
                    at,
                    text: accepted.text.clone(),
                    turn: None,
                    settled: None,
                };
                self.messages.insert(accepted.delivery, sent);
            }
            Event::Edited { delivery, text } => {
                if let Some(sent) = self.messages.get_mut(delivery) {
                    sent.text = text.clone();
                }
            }
            Event::TurnOpened { turn, cause, hop, deliveries } => {
                if *cause == self.cause {
                    let (hop, woken) = (*hop, self.woken.contains(turn));
                    let (opened_at, ended, usage) = (at, None, Usage::default());
                    self.turns.insert(*turn, Worked { session, hop, woken, opened_at, ended, usage });
                }
                deliveries.iter().for_each(|delivery| self.enter(*delivery, *turn));
            }
            Event::Handing { delivery, turn } => self.enter(*delivery, *turn),
            Event::Returned { delivery, .. } => {
                if let Some(turn) = self.messages.get_mut(delivery).and_then(|sent| sent.turn.take())
                    && let Some(inside) = self.under_way.get_mut(&turn)
                {
                    inside.retain(|other| other != delivery);
                }
            }
            Event::Cancelled { delivery } => self.settle(*delivery, Receipt::Cancelled, at),
            Event::TurnEnded { turn, outcome, .. } => {
                if let Some(worked) = self.turns.get_mut(turn) {
                    worked.ended = Some((at, *outcome));
                }
                let receipt = match outcome {
                    Outcome::Completed => Receipt::Answered,
                    Outcome::Failed => Receipt::Failed,
                    Outcome::Interrupted => Receipt::Interrupted,
                };
                for delivery in self.under_way.remove(turn).unwrap_or_default() {
                    self.settle(delivery, receipt, at);
                }
            }
            Event::AnswerChecked { delivery, verdict, .. } => match verdict {
                Verdict::Correct => {}
                Verdict::Valid => self.settle(*delivery, Receipt::Answered, at),
                Verdict::Invalid | Verdict::Unchecked => self.settle(*delivery, Receipt::Failed, at),
            },
            Event::AnswerAbandoned { delivery, reason } => self.settle(*delivery, reason.receipt(), at),
            Event::UsageAdded { turn, usage } => {
                if let Some(worked) = self.turns.get_mut(turn) {
                    worked.usage = worked.usage.plus(*usage);
                }
            }
            _ => {}
        }
    }

    /// Takes in an event of a team, by an agent that takes part. What it did between turns of the request does not count.
    pub fn take_task(&mut self, team: &TeamId, by: SessionId, at: Timestamp, event: &team::Event) {
        let task = match event {
            team::Event::TaskCreated(created) => created.task,
            team::Event::Claimed { task, .. } => *task,
            _ => return,
        };
        let within = |worked: &Worked| {
            worked.session == by
                && worked.opened_at <= at
                && worked.ended.is_none_or(|(ended, _)| at <= ended)
        };
        if !self.turns.values().any(within) {
            return;
        }
        let fresh = Touched { created_by: None, claimed_by: None, at };
        let touched = self.tasks.entry((team.clone(), task)).or_insert(fresh);
        touched.at = at;
        match event {
            team::Event::TaskCreated(_) => touched.created_by = Some(by),
            _ => touched.claimed_by = Some(by),
        }
    }

    /// Returns every agent below the one that brought it in, in the order of a tree.
    pub fn tree(&self) -> Vec<Branch<'_>> {
        let known: BTreeSet<SessionId> = self.members.iter().map(|member| member.session).collect();
        let mut below: BTreeMap<SessionId, Vec<&Member>> = BTreeMap::new();
        let mut next = Vec::new();
        for member in self.members.iter().rev() {
            match member.by.filter(|by| known.contains(by) && *by != member.session) {
                Some(by) => below.entry(by).or_default().push(member),
                None => next.push(Branch { depth: 0, member }),
            }
        }
        let mut placed = Vec::with_capacity(self.members.len());
        while let Some(branch) = next.pop() {
            placed.push(branch);
            let children = below.remove(&branch.member.session).unwrap_or_default();
            next.extend(children.into_iter().map(|member| Branch { depth: branch.depth + 1, member }));
        }
        // Agents that wrote to each other first have no parent here.
        let seen: BTreeSet<SessionId> = placed.iter().map(|branch| branch.member.session).collect();
        let rest = self.members.iter().filter(|member| !seen.contains(&member.session));
        placed.extend(rest.map(|member| Branch { depth: 0, member }));
        placed
    }

    fn member(&mut self, session: SessionId) -> &mut Member {
        let at = self.members.iter().position(|member| member.session == session);
        let at = at.unwrap_or_else(|| {
            self.members.push(Member { session, by: None, asked: false, spawned: false, wakes: 0 });
            self.members.len() - 1
        });
        &mut self.members[at]
    }

    fn enter(&mut self, delivery: DeliveryId, turn: TurnId) {
        if let Some(sent) = self.messages.get_mut(&delivery) {
            sent.turn = Some(turn);
            self.under_way.entry(turn).or_default().push(delivery);
        }
    }

    fn settle(&mut self, delivery: DeliveryId, receipt: Receipt, at: Timestamp) {
        if let Some(sent) = self.messages.get_mut(&delivery) {
            sent.settled = Some((receipt, at));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cause::Charge;
    use crate::id::ContentId;
    use crate::session::{Accepted, Source, Verb};

    fn session(n: u8) -> SessionId {
        SessionId::from_random([n; 16])
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn turn(n: u8) -> TurnId {
        TurnId::from_parts(at(i64::from(n)), [n; 10])
    }

    fn delivery(n: u8) -> DeliveryId {
        DeliveryId::from_parts(at(i64::from(n)), [n; 10])
    }

    fn cause(n: u8) -> CauseId {
        CauseId::from_parts(at(0), [n; 10])
    }

    fn accepted(n: u8, origin: Actor, cause: CauseId) -> Event {
        Event::Accepted(Accepted {
            delivery: delivery(n),
            origin,
            verb: Verb::Queue,
            cause,
            hop: 1,
            text: ContentRef { id: ContentId::from_parts(at(0), [0; 10]), len: 0, sha256: String::new() },
            class: Class::Message,
            waited: false,
            aside: false,
            attachments: Vec::new(),
            schema: None,
            corrects: None,
        })
    }

    fn opened(n: u8, cause: CauseId, deliveries: &[u8]) -> Event {
        let deliveries = deliveries.iter().map(|n| delivery(*n)).collect();
        Event::TurnOpened { turn: turn(n), cause, hop: 1, deliveries }
    }

    fn ended(n: u8, outcome: Outcome) -> Event {
        Event::TurnEnded { turn: turn(n), outcome, source: Source::Protocol, code: None, until: None }
    }

    fn person() -> Actor {
        Actor::Human("cli".into())
    }

    fn asked(of: u8) -> cause::Event {
        cause::Event::Opened { by: person(), session: session(of), delivery: delivery(of) }
    }

    fn shape(lineage: &Lineage) -> Vec<(usize, SessionId)> {
        lineage.tree().iter().map(|branch| (branch.depth, branch.member.session)).collect()
    }

    #[test]
    fn everyone_stands_below_the_agent_that_brought_it_in() {
        let events = [
            cause::Event::Spawned { by: session(1), session: session(2) },
            asked(1),
            cause::Event::Woken { session: session(3), turn: turn(3), charge: Charge::Session },
            cause::Event::Spawned { by: session(1), session: session(4) },
        ];
        let mut lineage = Lineage::of(cause(1), &events);
        lineage.take(session(3), at(3), &accepted(3, Actor::Session(session(2)), cause(1)));
        lineage.join(session(5));
        let tree = [(0, 1), (1, 2), (2, 3), (1, 4), (0, 5)].map(|(depth, n)| (depth, session(n)));
        assert_eq!(shape(&lineage), tree);
        let woken: Vec<u32> = lineage.members.iter().map(|member| member.wakes).collect();
        assert_eq!(woken.iter().sum::<u32>(), 1);
    }

    #[test]
    fn agents_that_wrote_to_each_other_first_are_all_shown_once() {
        let mut lineage = Lineage::of(cause(1), &[]);
        lineage.take(session(1), at(1), &accepted(1, Actor::Session(session(2)), cause(1)));
        lineage.take(session(2), at(2), &accepted(2, Actor::Session(session(1)), cause(1)));
        lineage.take(session(3), at(3), &accepted(3, Actor::Session(session(3)), cause(1)));
        let mut seen: Vec<SessionId> = shape(&lineage).into_iter().map(|(_, session)| session).collect();
        seen.sort();
        let mut all = [session(1), session(2), session(3)];
        all.sort();
        assert_eq!(seen, all);
    }

    #[test]
    fn a_message_is_settled_by_the_turn_that_took_it_whatever_that_descends_from() {
        let mut lineage = Lineage::of(cause(1), &[asked(1)]);
        let of = session(1);
        lineage.take(of, at(1), &accepted(1, person(), cause(1)));
        lineage.take(of, at(2), &accepted(2, person(), cause(2)));
        lineage.take(of, at(3), &opened(3, cause(2), &[1, 2]));
        lineage.take(of, at(9), &ended(3, Outcome::Failed));
        assert!(lineage.turns.is_empty(), "the turn is of another request");
        assert_eq!(lineage.messages.len(), 1);
        let sent = &lineage.messages[&delivery(1)];
        assert_eq!((sent.turn, sent.settled), (Some(turn(3)), Some((Receipt::Failed, at(9)))));
    }

    #[test]
    fn a_message_that_came_back_is_not_settled_by_the_turn_that_lost_it() {
        let mut lineage = Lineage::of(cause(1), &[asked(1)]);
        let of = session(1);
        lineage.take(of, at(1), &accepted(1, person(), cause(1)));
        lineage.take(of, at(2), &opened(2, cause(1), &[1]));
        lineage.take(of, at(3), &Event::Returned { delivery: delivery(1), repeat: true });
        lineage.take(of, at(4), &ended(2, Outcome::Interrupted));
        assert_eq!(lineage.messages[&delivery(1)].settled, None);
        lineage.take(of, at(5), &opened(5, cause(1), &[1]));
        lineage.take(of, at(6), &ended(5, Outcome::Completed));
        assert_eq!(lineage.messages[&delivery(1)].settled, Some((Receipt::Answered, at(6))));
        assert_eq!(lineage.turns[&turn(2)].ended, Some((at(4), Outcome::Interrupted)));
    }

    #[test]
    fn tasks_count_that_were_claimed_in_a_turn_of_the_request() {
        let mut lineage = Lineage::of(cause(1), &[asked(1)]);
        let (of, team) = (session(1), "red".parse::<TeamId>().unwrap());
        lineage.take(of, at(10), &opened(1, cause(1), &[]));
        lineage.take(of, at(20), &ended(1, Outcome::Completed));
        let claim = |number: u32| team::Event::Claimed {
            task: TaskId(number),
            holder: "ann".into(),
            epoch: 1,
            ttl_ms: 1,
            expires_at: at(99),
        };
        lineage.take_task(&team, of, at(9), &claim(1));
        lineage.take_task(&team, of, at(15), &claim(2));
        lineage.take_task(&team, session(2), at(15), &claim(3));
        lineage.take_task(&team, of, at(21), &claim(4));
        let touched: Vec<_> =
            lineage.tasks.iter().map(|((_, task), work)| (*task, work.claimed_by)).collect();
        assert_eq!(touched, [(TaskId(2), Some(of))]);
    }
}
