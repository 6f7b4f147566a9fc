//! Causes: every unattended turn is paid for by the human request it descends from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::actor::Actor;
use crate::id::{CauseId, DeliveryId, PostId, SessionId, ThreadId, TurnId};
use crate::limits::{SPAWNS_PER_CAUSE, SPAWNS_PER_MINUTE, WAKES_PER_CAUSE, WAKES_PER_SESSION};
use crate::time::Timestamp;

/// What happens to a cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "data")]
pub enum Event {
    /// A person asked an agent for something: one, or each of those whom a message in a thread woke.
    #[serde(rename = "cause.opened")]
    Opened { by: Actor, session: SessionId, delivery: DeliveryId },
    /// A person did something in a thread.
    #[serde(rename = "cause.begun")]
    Begun { by: Actor, thread: ThreadId, post: PostId },
    /// A turn without a human message started.
    #[serde(rename = "cause.woken")]
    Woken { session: SessionId, turn: TurnId, charge: Charge },
    /// An agent started another one.
    #[serde(rename = "cause.spawned")]
    Spawned { by: SessionId, session: SessionId },
    /// A person ended all of it.
    #[serde(rename = "cause.stopped")]
    Stopped {},
}

/// What an unattended turn spends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Charge {
    /// One of the session's wakes and one of the cause's.
    Session,
    /// One of the cause's only: the receiver is told of work it started itself.
    Cause,
}

/// Why no wake is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exhausted {
    Session,
    Cause,
    Stopped,
}

/// Why no agent may be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TooManySpawns {
    #[error("limit reached: {max} agents were started for this request", max = SPAWNS_PER_CAUSE)]
    Cause,
    #[error("limit reached: {max} agents were started within a minute; wait a minute before starting more", max = SPAWNS_PER_MINUTE)]
    Rate,
    #[error("a person stopped this request and everything that descends from it")]
    Stopped,
}

/// The state of a cause.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<Opened>,
    /// The thread that it began in, when it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<Begun>,
    /// Wakes spent in total.
    pub woken: u32,
    /// Wakes spent by each session.
    pub by_session: BTreeMap<SessionId, u32>,
    /// Agents started, in total.
    #[serde(default)]
    pub spawned: u32,
    /// When the newest of them were, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spawned_at: Vec<Timestamp>,
    pub stopped: bool,
}

/// Where a cause began: with whom, if several were asked, first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    pub by: Actor,
    pub session: SessionId,
    pub delivery: DeliveryId,
    pub at: Timestamp,
}

/// Where a cause began that was opened in a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    pub by: Actor,
    pub thread: ThreadId,
    pub post: PostId,
    pub at: Timestamp,
}

impl Cause {
    /// Takes an event in.
    pub fn apply(&mut self, event: &Event, at: Timestamp) {
        match event {
            Event::Begun { by, thread, post } => {
                self.begun = Some(Begun { by: by.clone(), thread: *thread, post: *post, at });
            }
            Event::Opened { by, session, delivery } => {
                let (by, session, delivery) = (by.clone(), *session, *delivery);
                self.opened.get_or_insert(Opened { by, session, delivery, at });
            }
            Event::Woken { session, charge, .. } => {
                self.woken += 1;
                if *charge == Charge::Session {
                    *self.by_session.entry(*session).or_default() += 1;
                }
            }
            Event::Spawned { .. } => {
                self.spawned += 1;
                if self.spawned_at.len() >= SPAWNS_PER_MINUTE {
                    self.spawned_at.remove(0);
                }
                self.spawned_at.push(at);
            }
            Event::Stopped {} => self.stopped = true,
        }
    }

    /// Decides whether an unattended turn may start.
    pub fn spend(&self, session: SessionId, turn: TurnId, charge: Charge) -> Result<Event, Exhausted> {
        if self.stopped {
            return Err(Exhausted::Stopped);
        }
        if self.woken >= WAKES_PER_CAUSE {
            return Err(Exhausted::Cause);
        }
        let spent = self.by_session.get(&session).copied().unwrap_or(0);
        if charge == Charge::Session && spent >= WAKES_PER_SESSION {
            return Err(Exhausted::Session);
        }
        Ok(Event::Woken { session, turn, charge })
    }

    /// Returns how many more turns of all agents may start without a human message.
    pub fn wakes_left(&self) -> u32 {
        if self.stopped { 0 } else { WAKES_PER_CAUSE.saturating_sub(self.woken) }
    }

    /// Returns how many more turns of one agent may start for a message of another.
    pub fn wakes_left_of(&self, session: SessionId) -> u32 {
        let spent = self.by_session.get(&session).copied().unwrap_or(0);
        WAKES_PER_SESSION.saturating_sub(spent).min(self.wakes_left())
    }

    /// Returns when a person asked for it; nothing when it stands for an agent elsewhere.
    pub fn began(&self) -> Option<Timestamp> {
        let begun = self.begun.as_ref().map(|begun| begun.at);
        begun.into_iter().chain(self.opened.as_ref().map(|opened| opened.at)).min()
    }

    /// Decides whether an agent may start another one.
    pub fn spawn(&self, by: SessionId, session: SessionId, now: Timestamp) -> Result<Event, TooManySpawns> {
        let recent = self.spawned_at.first().is_some_and(|first| {
            self.spawned_at.len() >= SPAWNS_PER_MINUTE && now.as_millis() - first.as_millis() < 60_000
        });
        match () {
            () if self.stopped => Err(TooManySpawns::Stopped),
            () if self.spawned >= SPAWNS_PER_CAUSE => Err(TooManySpawns::Cause),
            () if recent => Err(TooManySpawns::Rate),
            () => Ok(Event::Spawned { by, session }),
        }
    }
}

/// Names the stream of a cause.
pub fn stream(id: CauseId) -> String {
    format!("cause/{id}")
}

/// Returns the cause that a stream belongs to.
pub fn from_stream(stream: &str) -> Option<CauseId> {
    stream.strip_prefix("cause/")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_and_fresh_sessions_launder_nothing() {
        let mut cause = Cause::default();
        let turn = TurnId::from_parts(Timestamp::default(), [0; 10]);
        let mut spent = 0;
        for n in 0..=255u8 {
            let session = SessionId::from_random([n; 16]);
            let mut of_one = 0;
            while let Ok(event) = cause.spend(session, turn, Charge::Session) {
                cause.apply(&event, Timestamp::default());
                of_one += 1;
            }
            assert!(of_one <= WAKES_PER_SESSION);
            assert_eq!(cause.wakes_left_of(session), 0);
            spent += of_one;
            assert_eq!(cause.wakes_left(), WAKES_PER_CAUSE - spent);
        }
        assert_eq!(spent, WAKES_PER_CAUSE);
    }

    #[test]
    fn whoever_starts_too_many_at_once_is_told_how_long_to_wait() {
        let (mut cause, session) = (Cause::default(), SessionId::from_random([1; 16]));
        let at = |millis| Timestamp::from_millis(millis);
        for _ in 0..SPAWNS_PER_MINUTE {
            let event = cause.spawn(session, session, at(0)).unwrap();
            cause.apply(&event, at(0));
        }
        let refused = cause.spawn(session, session, at(59_999)).unwrap_err();
        assert!(refused.to_string().ends_with("wait a minute before starting more"), "{refused}");
        assert!(cause.spawn(session, session, at(60_000)).is_ok());
    }

    #[test]
    fn news_of_ones_own_work_spends_from_the_cause_only() {
        let mut cause = Cause::default();
        let session = SessionId::from_random([1; 16]);
        let turn = TurnId::from_parts(Timestamp::default(), [0; 10]);
        for _ in 0..WAKES_PER_SESSION {
            cause.apply(&cause.spend(session, turn, Charge::Session).unwrap(), Timestamp::default());
        }
        assert_eq!(cause.spend(session, turn, Charge::Session), Err(Exhausted::Session));
        assert!(cause.spend(session, turn, Charge::Cause).is_ok());
        cause.apply(&Event::Stopped {}, Timestamp::default());
        assert_eq!(cause.spend(session, turn, Charge::Cause), Err(Exhausted::Stopped));
        assert_eq!((cause.wakes_left(), cause.wakes_left_of(SessionId::from_random([2; 16]))), (0, 0));
    }
}
