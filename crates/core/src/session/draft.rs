//! A decision in the making: events with the state that they lead to.

use super::{Event, Session};
use crate::time::Timestamp;

/// Collects events and keeps the state they lead to, so that rules can build on each other in one batch.
#[derive(Debug, Clone)]
pub struct Draft {
    pub session: Session,
    pub events: Vec<Event>,
    now: Timestamp,
}

impl Draft {
    /// Starts from a session as it stands.
    pub fn new(session: Session, now: Timestamp) -> Self {
        Self { session, events: Vec::new(), now }
    }

    /// Takes one more event in.
    pub fn push(&mut self, event: Event) {
        self.session.apply(&event, self.now);
        self.events.push(event);
    }

    /// Takes several events in.
    pub fn extend(&mut self, events: impl IntoIterator<Item = Event>) {
        events.into_iter().for_each(|event| self.push(event));
    }
}
