//! Which session a person is in: the one that they wrote to or came into last.

use serde::{Deserialize, Serialize};

use super::{Draft, Event, Session};
use crate::actor::Actor;
use crate::id::SessionId;
use crate::time::Timestamp;

/// When a session was entered by a person who came from another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entered {
    pub by: Actor,
    pub from: SessionId,
    pub at: Timestamp,
}

/// Notes where the person who is in the session came from; `None` when they go back.
pub fn enter(draft: &mut Draft, by: &Actor, from: Option<SessionId>) {
    // Coming again from the same place is news: it is later.
    if from.is_some() || draft.session.entered.is_some() {
        draft.push(Event::Entered { from, by: by.clone() });
    }
}

/// Returns the session that a person is in.
pub fn whereabouts<'a, S: AsRef<Session>>(
    sessions: impl IntoIterator<Item = &'a S>,
    person: &Actor,
) -> Option<&'a S> {
    let times = sessions.into_iter().filter_map(|session| {
        let known = session.as_ref();
        Some(((known.last_visit(person)?, known.id), session))
    });
    times.max_by_key(|(time, _)| *time).map(|(_, session)| session)
}

impl Session {
    /// Returns when a person wrote to the session or came into it, whichever was last.
    pub fn last_visit(&self, person: &Actor) -> Option<Timestamp> {
        let entered = self.entered.as_ref().filter(|entered| entered.by == *person).map(|entered| entered.at);
        let spoken = self.history.spoken.as_ref().filter(|(by, _)| by == person).map(|(_, at)| *at);
        entered.max(spoken)
    }

    /// Takes in that a person came, or went back to where they came from: then they are here no more.
    pub(super) fn visited(&mut self, from: Option<SessionId>, by: &Actor, at: Timestamp) {
        self.entered = from.map(|from| Box::new(Entered { by: by.clone(), from, at }));
        if from.is_none() {
            self.history.spoken.take_if(|(spoken, _)| spoken == by);
        }
    }
}

impl AsRef<Self> for Session {
    fn as_ref(&self) -> &Self {
        self
    }
}
