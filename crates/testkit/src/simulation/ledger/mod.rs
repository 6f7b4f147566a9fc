//! The checker: what the durable log and the harnesses say, kept apart from the rules under test.

mod kin;
mod messages;
mod news;
mod requests;

use paseo_core::id::{DeliveryId, SessionId, WatchId};
use paseo_core::session::{Event, Session};

use self::kin::Kin;
pub(in crate::simulation) use self::messages::Messages;
use self::news::News;
use self::requests::Requests;
use super::log::{self, Record, Stream};

/// How a check ends: with the words of the violation, or well.
pub(super) type Check = Result<(), String>;

/// What is known, from the log's events, the harnesses and those who wait.
#[derive(Default)]
pub(super) struct Ledger {
    pub(super) messages: Messages,
    kin: Kin,
    pub(super) news: News,
    requests: Requests,
}

impl Ledger {
    /// Takes in an event that became durable.
    pub(super) fn observe(&mut self, record: &Record) -> Check {
        match (record.stream, record.event.as_ref()) {
            (Stream::Session(id), log::Event::Session(event)) => {
                self.session(id, event, record)?;
                match (record.key, event) {
                    (Some(notice), Event::Accepted(_)) => {
                        self.news.tell(notice, id, &self.messages, &self.kin)
                    }
                    _ => Ok(()),
                }
            }
            (Stream::Cause(id), log::Event::Cause(event)) => self.requests.observe(id, event, record.ts),
            (stream, event) => Err(format!("{event:?} stands in {stream:?}")),
        }
    }

    fn session(&mut self, id: SessionId, event: &Event, record: &Record) -> Check {
        match event {
            Event::Created(created) => self.kin.create(created)?,
            Event::Closed { .. } => self.kin.close(id)?,
            Event::Reopened {} => self.kin.reopen(id, record.batch),
            Event::Accepted(accepted) => self.kin.accept(id, &accepted.origin, record.batch)?,
            Event::WatchArmed(watch) => self.news.arm(id, watch, &self.messages, &self.kin)?,
            Event::WatchEnded { watch } => self.news.end(*watch, &self.kin)?,
            Event::WatchesGathered { watches } => self.news.gather(watches, &self.messages)?,
            Event::Promoted { from, watches } => {
                self.kin.promote(id, *from)?;
                self.news.promote(id, *from, watches);
            }
            Event::Returned { delivery, .. } => self.news.give_back(*delivery),
            Event::TurnOpened { turn, cause, deliveries, .. } => {
                self.news.take_up(*turn, deliveries);
                if self.messages.has_person(deliveries) {
                    self.requests.check_wanted(*cause, record.ts)?;
                } else {
                    self.requests.check_going(*cause)?;
                }
            }
            Event::Handing { turn, delivery } => self.news.take_up(*turn, &[*delivery]),
            _ => {}
        }
        self.messages.observe(id, event)
    }

    /// Remembers that a sender was told that its message is safe.
    pub(super) fn acknowledge(&mut self, id: DeliveryId) {
        self.messages.acknowledge(id);
    }

    /// Takes in that a caller got what it waited for.
    pub(super) fn answer(&mut self, watch: WatchId) -> Check {
        self.news.answer(watch, &self.messages, &self.kin)
    }

    /// Checks what a harness is given to use.
    pub(super) fn grant(&self, session: SessionId, tools: &[&str]) -> Check {
        self.kin.grant(session, tools)
    }

    /// Checks that nothing was acknowledged that the log does not hold; those who were told in words are gone.
    pub(super) fn crash(&mut self) -> Check {
        self.news.crash();
        self.messages.check_acknowledged()
    }

    /// Checks everything when nothing moves any more.
    pub(super) fn check_rest<'a>(&self, sessions: impl Iterator<Item = &'a Session>) -> Check {
        self.messages.check_acknowledged()?;
        self.kin.check_rest(&self.requests)?;
        self.news.check_rest(&self.messages, &self.kin)?;
        for session in sessions {
            self.messages.check(session)?;
            self.messages.check_rest(session)?;
        }
        Ok(())
    }
}
