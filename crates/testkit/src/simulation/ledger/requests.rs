//! What was done for each human request, from the events of its cause.

use std::collections::{BTreeMap, BTreeSet};

use paseo_core::cause::Event;
use paseo_core::id::{CauseId, SessionId};
use paseo_core::time::Timestamp;

use super::Check;

const SPAWNS: usize = 64;
const SPAWNS_IN_A_MINUTE: usize = 12;
const MINUTE: i64 = 60_000;

#[derive(Default)]
pub(super) struct Requests {
    stopped: BTreeMap<CauseId, Timestamp>,
    /// When agents were started.
    spawns: BTreeMap<CauseId, Vec<Timestamp>>,
    spawned: BTreeSet<SessionId>,
}

impl Requests {
    pub(super) fn observe(&mut self, cause: CauseId, event: &Event, at: Timestamp) -> Check {
        match event {
            Event::Opened { .. } | Event::Begun { .. } => Ok(()),
            Event::Woken { .. } => self.check_going(cause),
            Event::Spawned { session, .. } => self.spawn(cause, *session, at),
            Event::Stopped {} => {
                self.stopped.entry(cause).or_insert(at);
                Ok(())
            }
        }
    }

    /// Checks that no person has ended a cause.
    pub(super) fn check_going(&self, cause: CauseId) -> Check {
        if self.stopped.contains_key(&cause) {
            return Err(format!("{cause} was stopped and goes on"));
        }
        Ok(())
    }

    /// Checks that what a person asked for was not taken back by the time its turn was decided on. Such a turn is not
    /// written into the cause, so it may still become durable later.
    pub(super) fn check_wanted(&self, cause: CauseId, decided: Timestamp) -> Check {
        match self.stopped.get(&cause) {
            Some(stopped) if *stopped < decided => {
                Err(format!("{cause} was stopped and its person is heard"))
            }
            _ => Ok(()),
        }
    }

    /// Says whether somebody paid for the start of an agent.
    pub(super) fn knows(&self, session: SessionId) -> bool {
        self.spawned.contains(&session)
    }

    fn spawn(&mut self, cause: CauseId, session: SessionId, at: Timestamp) -> Check {
        self.check_going(cause)?;
        if !self.spawned.insert(session) {
            return Err(format!("{session} was started twice"));
        }
        let spawns = self.spawns.entry(cause).or_default();
        spawns.push(at);
        if spawns.len() > SPAWNS {
            return Err(format!("{cause} has started {} agents", spawns.len()));
        }
        let earlier = spawns.len().checked_sub(1 + SPAWNS_IN_A_MINUTE).map(|place| spawns[place]);
        match earlier {
            Some(earlier) if at.as_millis() - earlier.as_millis() < MINUTE => {
                Err(format!("{cause} has started more than {SPAWNS_IN_A_MINUTE} agents in a minute"))
            }
            _ => Ok(()),
        }
    }
}
