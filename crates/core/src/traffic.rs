//! Who talked to whom in the last hour, and what that cost: counted by the minute, within bounds.

use std::collections::BTreeMap;

use crate::actor::Actor;
use crate::cause;
use crate::id::{CauseId, SessionId, ThreadId, TurnId};
use crate::item::Usage;
use crate::limits::TRAFFIC_ROWS;
use crate::session::{self, Accepted, Class};
use crate::thread;
use crate::time::Timestamp;

/// How far back traffic is counted, in milliseconds.
pub const WINDOW_MS: i64 = 3_600_000;
const MINUTE_MS: i64 = 60_000;

/// The traffic of the last hour. Events are taken in by the order of the log.
#[derive(Debug, Default)]
pub struct Traffic {
    /// By the minute since the epoch.
    minutes: BTreeMap<i64, Counts>,
    /// The newest turn of each agent: usage names a turn, not a cause.
    turns: BTreeMap<SessionId, OfTurn>,
}

/// What is counted. Each table has at most [`TRAFFIC_ROWS`] rows; what does not fit is only counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    pub links: BTreeMap<(SessionId, SessionId), Link>,
    pub posts: BTreeMap<(SessionId, ThreadId), Posts>,
    /// By agent and by the request that pays for it, when that is known.
    pub spent: BTreeMap<(SessionId, Option<CauseId>), Spending>,
    /// Messages of people.
    pub asked: BTreeMap<SessionId, u32>,
    /// Who received something that descends from a request, however it was taken up.
    pub received: BTreeMap<(CauseId, SessionId), u32>,
    /// Events that are in no table.
    pub left_out: u64,
}

/// What went from one agent to another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Link {
    pub messages: u32,
    /// Notices of an outcome that the receiver had asked for.
    pub answers: u32,
    pub spawns: u32,
    pub last: Timestamp,
}

/// What went between an agent and a thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Posts {
    /// Messages that the agent posted.
    pub posts: u32,
    /// Messages that woke it.
    pub wakes: u32,
    pub last: Timestamp,
}

/// What was spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spending {
    pub wakes: u32,
    pub usage: Usage,
    pub last: Timestamp,
}

#[derive(Debug, Clone, Copy)]
struct OfTurn {
    turn: TurnId,
    cause: CauseId,
    /// When it ended.
    ended: Option<Timestamp>,
}

impl Traffic {
    /// Notes the turn that an agent is in, if it began before anything was counted.
    pub fn working(&mut self, session: SessionId, turn: TurnId, cause: CauseId) {
        self.turns.entry(session).or_insert(OfTurn { turn, cause, ended: None });
    }

    /// Takes in an event of a session.
    pub fn session(&mut self, of: SessionId, at: Timestamp, event: &session::Event) {
        match event {
            session::Event::Accepted(accepted) => {
                self.count(at, |counts| {
                    let received = slot(&mut counts.received, (accepted.cause, of));
                    received.map(|received| *received += 1).is_some()
                });
                self.sent(of, at, accepted);
            }
            session::Event::TurnOpened { turn, cause, .. } => {
                self.turns.insert(of, OfTurn { turn: *turn, cause: *cause, ended: None });
            }
            session::Event::TurnEnded { turn, .. } => {
                if let Some(known) = self.turns.get_mut(&of).filter(|known| known.turn == *turn) {
                    known.ended = Some(at);
                }
            }
            session::Event::UsageAdded { turn, usage } => {
                let cause = self.turns.get(&of).filter(|known| known.turn == *turn).map(|known| known.cause);
                self.spend(at, (of, cause), |spending| spending.usage = spending.usage.plus(*usage));
            }
            _ => {}
        }
    }

    /// Takes in an event of a cause.
    pub fn cause(&mut self, of: CauseId, at: Timestamp, event: &cause::Event) {
        match event {
            cause::Event::Woken { session, .. } => {
                self.spend(at, (*session, Some(of)), |spending| spending.wakes += 1);
            }
            cause::Event::Spawned { by, session } => self.count(at, |counts| {
                let Some(link) = slot(&mut counts.links, (*by, *session)) else { return false };
                (link.spawns, link.last) = (link.spawns + 1, at);
                true
            }),
            cause::Event::Opened { .. } | cause::Event::Begun { .. } | cause::Event::Stopped {} => {}
        }
    }

    /// Takes in an event of a thread.
    pub fn thread(&mut self, of: ThreadId, at: Timestamp, by: &Actor, event: &thread::Event) {
        let (session, woken) = match (event, by) {
            (thread::Event::Posted(_), Actor::Session(session)) => (*session, false),
            (thread::Event::Woken { session, .. }, _) => (*session, true),
            _ => return,
        };
        self.count(at, |counts| {
            let Some(posts) = slot(&mut counts.posts, (session, of)) else { return false };
            if woken {
                posts.wakes += 1
            } else {
                posts.posts += 1
            }
            posts.last = at;
            true
        });
    }

    /// Returns what was counted in the hour before `now`.
    pub fn until(&mut self, now: Timestamp) -> Counts {
        self.forget(now);
        let mut sum = Counts::default();
        for minute in self.minutes.values() {
            for (key, link) in &minute.links {
                let known = sum.links.entry(*key).or_default();
                known.messages += link.messages;
                known.answers += link.answers;
                known.spawns += link.spawns;
                known.last = known.last.max(link.last);
            }
            for (key, posts) in &minute.posts {
                let known = sum.posts.entry(*key).or_default();
                known.posts += posts.posts;
                known.wakes += posts.wakes;
                known.last = known.last.max(posts.last);
            }
            for (key, spending) in &minute.spent {
                let known = sum.spent.entry(*key).or_default();
                known.wakes += spending.wakes;
                known.usage = known.usage.plus(spending.usage);
                known.last = known.last.max(spending.last);
            }
            for (session, asked) in &minute.asked {
                *sum.asked.entry(*session).or_default() += asked;
            }
            for (key, received) in &minute.received {
                *sum.received.entry(*key).or_default() += received;
            }
            sum.left_out += minute.left_out;
        }
        sum
    }

    fn sent(&mut self, of: SessionId, at: Timestamp, accepted: &Accepted) {
        match &accepted.origin {
            Actor::Session(from) if *from != of => {
                let (from, class) = (*from, accepted.class);
                self.count(at, |counts| {
                    let Some(link) = slot(&mut counts.links, (from, of)) else { return false };
                    match class {
                        Class::Message | Class::Passive => link.messages += 1,
                        Class::Completion => link.answers += 1,
                    }
                    link.last = at;
                    true
                });
            }
            Actor::Human(_) => self.count(at, |counts| {
                let asked = slot(&mut counts.asked, of);
                asked.map(|asked| *asked += 1).is_some()
            }),
            Actor::Session(_) | Actor::Seat(_) | Actor::Agent(_) | Actor::Daemon => {}
        }
    }

    fn spend(&mut self, at: Timestamp, of: (SessionId, Option<CauseId>), add: impl FnOnce(&mut Spending)) {
        self.count(at, |counts| {
            let Some(spending) = slot(&mut counts.spent, of) else { return false };
            add(spending);
            spending.last = at;
            true
        });
    }

    /// Counts something in its minute; `count` says whether there was a row for it.
    fn count(&mut self, at: Timestamp, count: impl FnOnce(&mut Counts) -> bool) {
        self.forget(at);
        let minute = self.minutes.entry(at.as_millis().div_euclid(MINUTE_MS)).or_default();
        if !count(minute) {
            minute.left_out += 1;
        }
    }

    /// Forgets what is older than the window.
    fn forget(&mut self, now: Timestamp) {
        let oldest = now.as_millis() - WINDOW_MS;
        let first = oldest.div_euclid(MINUTE_MS);
        if self.minutes.first_key_value().is_some_and(|(minute, _)| *minute < first) {
            self.minutes = self.minutes.split_off(&first);
            self.turns.retain(|_, known| known.ended.is_none_or(|ended| ended.as_millis() >= oldest));
        }
    }
}

/// Returns the row of a key, unless the table is full without it.
fn slot<K: Ord, V: Default>(table: &mut BTreeMap<K, V>, key: K) -> Option<&mut V> {
    if table.len() >= TRAFFIC_ROWS && !table.contains_key(&key) {
        return None;
    }
    Some(table.entry(key).or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cause::Charge;
    use crate::content::ContentRef;
    use crate::id::{ContentId, DeliveryId};
    use crate::session::{Outcome, Source, Verb};

    fn session(n: u8) -> SessionId {
        SessionId::from_random([n; 16])
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    fn turn(n: u8) -> TurnId {
        TurnId::from_parts(at(0), [n; 10])
    }

    fn cause(n: u8) -> CauseId {
        CauseId::from_parts(at(0), [n; 10])
    }

    fn message(origin: Actor, class: Class) -> session::Event {
        session::Event::Accepted(Accepted {
            delivery: DeliveryId::from_parts(at(0), [1; 10]),
            origin,
            verb: Verb::Queue,
            cause: cause(1),
            hop: 1,
            text: ContentRef { id: ContentId::from_parts(at(0), [0; 10]), len: 0, sha256: String::new() },
            class,
            waited: false,
            aside: false,
            attachments: Vec::new(),
            schema: None,
            corrects: None,
        })
    }

    fn used(turn: TurnId, input_tokens: u64) -> session::Event {
        session::Event::UsageAdded { turn, usage: Usage { input_tokens, ..Usage::default() } }
    }

    #[test]
    fn messages_answers_and_spawns_are_counted_by_direction_for_an_hour() {
        let mut traffic = Traffic::default();
        let (one, two) = (session(1), session(2));
        traffic.session(two, at(0), &message(Actor::Session(one), Class::Message));
        traffic.session(two, at(70), &message(Actor::Session(one), Class::Message));
        traffic.session(one, at(80), &message(Actor::Session(two), Class::Completion));
        traffic.session(one, at(80), &message(Actor::Human("cli".into()), Class::Message));
        traffic.cause(cause(1), at(90), &cause::Event::Spawned { by: one, session: two });
        let counts = traffic.until(at(100));
        let there = Link { messages: 2, answers: 0, spawns: 1, last: at(90) };
        let back = Link { messages: 0, answers: 1, spawns: 0, last: at(80) };
        assert_eq!(counts.links, BTreeMap::from([((one, two), there), ((two, one), back)]));
        assert_eq!(counts.asked, BTreeMap::from([(one, 1)]));
        // A minute leaves as a whole.
        assert_eq!(traffic.until(at(3661)).links[&(one, two)].messages, 1);
        assert_eq!(traffic.until(at(3721)), Counts::default());
    }

    #[test]
    fn usage_is_charged_to_the_request_of_its_turn() {
        let mut traffic = Traffic::default();
        let one = session(1);
        traffic.working(one, turn(1), cause(1));
        traffic.session(one, at(1), &used(turn(1), 5));
        let deliveries = Vec::new();
        let opened = session::Event::TurnOpened { turn: turn(2), cause: cause(2), hop: 0, deliveries };
        traffic.session(one, at(2), &opened);
        // What began meanwhile is not overwritten by what was known before.
        traffic.working(one, turn(1), cause(1));
        let charge = Charge::Session;
        traffic.cause(cause(2), at(2), &cause::Event::Woken { session: one, turn: turn(2), charge });
        traffic.session(one, at(3), &used(turn(2), 7));
        traffic.session(one, at(4), &used(turn(9), 1));
        let counts = traffic.until(at(5));
        let spent: Vec<_> = counts
            .spent
            .iter()
            .map(|((_, cause), spending)| (*cause, spending.wakes, spending.usage.input_tokens))
            .collect();
        assert_eq!(spent, [(None, 0, 1), (Some(cause(1)), 0, 5), (Some(cause(2)), 1, 7)]);
    }

    #[test]
    fn a_turn_that_runs_for_hours_is_still_charged_and_one_that_ended_is_forgotten() {
        let mut traffic = Traffic::default();
        let (one, two) = (session(1), session(2));
        traffic.working(one, turn(1), cause(1));
        traffic.working(two, turn(2), cause(1));
        let ended = session::Event::TurnEnded {
            turn: turn(2),
            outcome: Outcome::Completed,
            source: Source::Protocol,
            code: None,
            until: None,
        };
        traffic.session(two, at(1), &ended);
        traffic.session(two, at(1), &used(turn(2), 1));
        traffic.session(one, at(9000), &used(turn(1), 5));
        traffic.session(two, at(9000), &used(turn(2), 5));
        let causes: Vec<_> = traffic.until(at(9000)).spent.into_keys().map(|(_, cause)| cause).collect();
        assert_eq!(causes.iter().filter(|cause| cause.is_some()).count(), 1);
    }

    #[test]
    fn a_minute_holds_so_many_rows_and_counts_the_rest() {
        let mut traffic = Traffic::default();
        for n in 0..TRAFFIC_ROWS + 5 {
            let mut bytes = [0; 16];
            bytes[..4].copy_from_slice(&u32::try_from(n).unwrap().to_be_bytes());
            let from = SessionId::from_random(bytes);
            traffic.session(session(9), at(1), &message(Actor::Session(from), Class::Message));
        }
        let counts = traffic.until(at(2));
        assert_eq!((counts.links.len(), counts.left_out), (TRAFFIC_ROWS, 5));
    }
}
