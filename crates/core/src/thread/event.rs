//! What happens in a thread.

use serde::{Deserialize, Serialize};

use super::{Control, Silence};
use crate::actor::Actor;
use crate::content::ContentRef;
use crate::id::{CauseId, DeliveryId, PostId, SessionId, ThreadId};
use crate::team::TeamId;

/// An event of the stream `thread/<uuid>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "data")]
pub enum Event {
    #[serde(rename = "thread.created")]
    Created {
        thread: ThreadId,
        post: PostId,
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        directory: Option<String>,
        by: Actor,
        /// What descends from a person's making it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<CauseId>,
        /// The team that it belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        team: Option<TeamId>,
    },
    #[serde(rename = "thread.renamed")]
    Renamed { post: PostId, from: String, name: String },
    /// Its agents work elsewhere from now on.
    #[serde(rename = "thread.moved")]
    Moved { post: PostId, from: String, directory: String },
    /// A message was posted.
    #[serde(rename = "thread.posted")]
    Posted(Box<Posted>),
    /// The participants, or what they may do, changed.
    #[serde(rename = "thread.controlled")]
    Controlled {
        post: PostId,
        from: String,
        control: Box<Control>,
        /// Who did it, unless that was a person.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Actor>,
        /// What descends from it, when a person did it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<CauseId>,
    },
    /// A participant was told of a message, by a session of its own.
    #[serde(rename = "thread.woken")]
    Woken { post: PostId, seat: String, session: SessionId, delivery: DeliveryId },
    /// What a participant was woken for is over, or never came to anything.
    #[serde(rename = "thread.settled")]
    Settled { post: PostId, seat: String },
    /// A reply that its author may not post now: it is kept.
    #[serde(rename = "thread.held")]
    Held(Held),
    /// People have looked at the first messages.
    #[serde(rename = "thread.looked")]
    Looked { messages: u64 },
    /// The session of a participant that left is dealt with.
    #[serde(rename = "thread.dismissed")]
    Dismissed {
        seat: String,
        session: SessionId,
        /// It was open, and is closed now.
        closed: bool,
    },
    #[serde(rename = "thread.deleted")]
    Deleted {},
    /// What belonged to a deleted thread is closed and revoked.
    #[serde(rename = "thread.ended")]
    Ended {},
}

impl Event {
    /// Returns the id that people know it by, if it is something that people see.
    pub fn post(&self) -> Option<PostId> {
        match self {
            Self::Created { post, .. }
            | Self::Renamed { post, .. }
            | Self::Moved { post, .. }
            | Self::Controlled { post, .. } => Some(*post),
            Self::Posted(posted) => Some(posted.post),
            Self::Woken { .. }
            | Self::Settled { .. }
            | Self::Held(_)
            | Self::Looked { .. }
            | Self::Dismissed { .. }
            | Self::Deleted {}
            | Self::Ended {} => None,
        }
    }
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posted {
    pub post: PostId,
    /// `user`, the id of a participant, or the coordinator's.
    pub from: String,
    /// `all`, `user`, or the id of a participant.
    pub to: String,
    pub text: ContentRef,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<PostId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// Whom it wakes: decided when it was said, so that nothing that happens later changes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wakes: Vec<String>,
    /// What it descends from.
    pub cause: CauseId,
    pub hop: u32,
}

/// A reply that is kept until its author may speak again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    pub seat: String,
    pub reply_to: PostId,
    pub text: ContentRef,
    pub why: Silence,
    pub cause: CauseId,
    pub hop: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}
