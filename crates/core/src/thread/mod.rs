//! Threads: conversations of several participants, human and agent. What was said is in the log; this is what it comes
//! to, and who is to be woken by it.

mod apply;
mod briefing;
mod control;
mod event;
mod look;
mod mention;
mod pace;
mod post;
mod presence;
mod seat;
mod visible;
mod wake;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use briefing::{Line, before, call, recall};
pub use control::{Control, Discussion, Invite, Malformed, Switch, control};
pub use event::{Event, Held, Posted};
pub use look::{Last, Unseen, look};
pub use mention::{Address, Reading, address, read};
pub use pace::{Pace, TooFast};
pub use post::{Denied, Incoming, can_hold, late, post, released, reply, unwoken};
pub use presence::{Presence, Shown, TTL, is_late, seen, shown};
pub use seat::{
    COORDINATOR, Mismatch, Others, Profile, RESERVED, Refused, USER, check_speaker, free_id, invite, is_name,
    is_reserved, speaks_for, speaks_in,
};
pub use visible::{BadName, is_visible, title};
pub use wake::{Asleep, Elsewhere, Woken};

use crate::actor::Actor;
use crate::id::{CauseId, DeliveryId, PostId, SessionId, ThreadId};
use crate::team::TeamId;
use crate::time::Timestamp;

/// Returns the name of a thread's stream.
pub fn stream(id: ThreadId) -> String {
    format!("thread/{id}")
}

/// Returns the thread that a stream belongs to.
pub fn from_stream(stream: &str) -> Option<ThreadId> {
    stream.strip_prefix("thread/")?.parse().ok()
}

/// The state of a thread. It costs the same however much was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    pub id: ThreadId,
    pub name: String,
    /// Where its agents work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    pub created_by: Actor,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    #[serde(default)]
    pub paused: bool,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub muted: BTreeSet<String>,
    /// Agents wake others by mentioning them.
    #[serde(default)]
    pub discussion: Discussion,
    /// A person's message that addresses no participant wakes all invited ones.
    #[serde(default)]
    pub invited_auto: bool,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub invited: BTreeMap<String, Seat>,
    /// Seats that were invited before: invited again as they were they go on where they were.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left: BTreeMap<String, Seat>,
    /// Sessions that were behind a seat and will not be again: they finish what they were told, and are closed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub former: Vec<Former>,
    /// Who has spoken without being invited, as far as they are remembered: they can be muted, too.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub guests: BTreeSet<String>,
    /// Who is still to be told of what was said, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub due: Vec<Due>,
    /// Replies that came while their author was muted or the thread paused, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<Held>,
    /// How many events there are.
    #[serde(default)]
    pub version: u64,
    /// How many messages there are.
    #[serde(default)]
    pub messages: u64,
    /// How many of them people have looked at.
    #[serde(default)]
    pub looked: u64,
    /// The newest message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Last>,
    /// The last act of a person here: the cause for participants without a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<CauseId>,
    /// The team that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamId>,
}

/// An invited participant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    pub profile: Profile,
    pub invited_by: String,
    pub invited_at: Timestamp,
    /// Its inviter, unless that was a person: it may do what the inviter may pass on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inviter: Option<Actor>,
    /// The session behind it, once it was woken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Up to which version of the thread it was told what was said.
    #[serde(default)]
    pub told: u64,
    /// What it was told of and has not answered yet, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub working_on: Vec<Work>,
    /// It left, and its session is seen to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dismissed: bool,
    /// Its session was closed because it left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub closed: bool,
}

impl Seat {
    /// Says whether something is still to be answered by it.
    pub fn is_working(&self) -> bool {
        !self.working_on.is_empty()
    }
}

/// A session that was behind a seat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Former {
    pub seat: String,
    pub session: SessionId,
    /// What it was told of and has not answered yet, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub working_on: Vec<Work>,
}

/// What a participant works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    pub post: PostId,
    /// The version of the thread with that message.
    pub at: u64,
    /// The message to its session.
    pub delivery: DeliveryId,
}

/// A participant that a message wakes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Due {
    pub post: PostId,
    /// The version of the thread with that message.
    pub at: u64,
    pub seat: String,
}

impl Thread {
    /// Says whether something is still to be done in it.
    pub fn is_busy(&self) -> bool {
        !self.due.is_empty() || self.works().next().is_some() || !released(self).is_empty()
    }

    /// Says whether the daemon still has something to do for it without a new message.
    pub fn is_live(&self) -> bool {
        let open = |seat: &Seat| seat.session.is_some() && !seat.dismissed;
        self.is_busy() || !self.former.is_empty() || self.left.values().any(open)
    }

    /// Returns everything that is still to be answered: by which seat, in which session.
    pub fn works(&self) -> impl Iterator<Item = (&str, SessionId, Work)> {
        let seats = self.invited.iter().chain(&self.left);
        let seats = seats.filter_map(|(id, seat)| Some((id.as_str(), seat.session?, &seat.working_on)));
        let former =
            self.former.iter().map(|former| (former.seat.as_str(), former.session, &former.working_on));
        seats
            .chain(former)
            .flat_map(|(id, session, works)| works.iter().map(move |work| (id, session, *work)))
    }

    /// Returns the sessions of those who left and have nothing more to answer: they are to be closed.
    pub fn leaving(&self) -> Vec<(String, SessionId)> {
        let left = self.left.iter().filter(|(_, seat)| !seat.is_working() && !seat.dismissed);
        let left = left.filter_map(|(id, seat)| Some((id.clone(), seat.session?)));
        let former = self.former.iter().filter(|former| former.working_on.is_empty());
        left.chain(former.map(|former| (former.seat.clone(), former.session))).collect()
    }

    /// Says whether a session is or was behind one of its seats, as far as it remembers.
    pub fn knows(&self, session: SessionId) -> bool {
        let mut seats = self.invited.values().chain(self.left.values());
        seats.any(|seat| seat.session == Some(session))
            || self.former.iter().any(|former| former.session == session)
    }

    /// Says why a participant may not speak now.
    pub fn silenced(&self, author: &str) -> Option<Silence> {
        if author == USER || author == COORDINATOR {
            None
        } else if self.muted.contains(author) {
            Some(Silence::Muted)
        } else if self.paused {
            Some(Silence::Paused)
        } else {
            None
        }
    }

    /// Returns the seat that a session is behind.
    pub fn seat_of(&self, session: SessionId) -> Option<&str> {
        self.invited.iter().find(|(_, seat)| seat.session == Some(session)).map(|(id, _)| id.as_str())
    }
}

/// Why a participant may not speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Silence {
    Muted,
    Paused,
}

#[cfg(test)]
mod tests;
