//! The event stream on the wire: server-sent events, each named by [`Frame::event`].
//!
//! `GET /api/stream?after=<seq>&topics=sessions,session:<id>,thread:<id>,team:<id>`; `Last-Event-ID` wins over
//! `after`. Stored frames carry their sequence number as `id`; a frame with an id and no data only moves the cursor.
//! [`Frame::ENDED`] is the last frame of a reader that lost access, and has the reason as an
//! [`ErrorBody`](crate::error::ErrorBody).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::change::{SessionChange, TeamChange};
use crate::id::{ItemId, SessionId, TaskId, TeamId, ThreadId};
use crate::item::ItemView;
use crate::session::SessionView;
use crate::thread::ThreadEvent;
use crate::time::Moment;
use crate::words::LiveKind;

/// One frame of the stream.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame {
    /// Something happened to a session.
    Event(Box<EventFrame>),
    /// A transcript grew.
    Item(Box<ItemFrame>),
    /// An item is growing; never stored, replaced by the item with the same id.
    Live(LiveFrame),
    /// Something happened in a thread.
    Thread(Box<ThreadFrame>),
    /// Something happened in a team.
    Team(Box<TeamFrame>),
    /// The reader was too slow: connect again from here.
    Resume(ResumeFrame),
    /// Nothing for these topics up to this point.
    Cursor(u64),
}

impl Frame {
    /// Names of the server-sent events.
    pub const EVENT: &'static str = "event";
    pub const ITEM: &'static str = "item";
    pub const LIVE: &'static str = "live";
    pub const THREAD: &'static str = "thread";
    pub const TEAM: &'static str = "team";
    pub const RESUME: &'static str = "resume";
    pub const ENDED: &'static str = "ended";
}

/// Something that happened to a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EventFrame {
    pub seq: u64,
    pub ts: Moment,
    /// The session.
    pub session: SessionId,
    pub actor: String,
    pub change: SessionChange,
    /// The session as it is now; `None` once it is deleted.
    pub view: Option<SessionView>,
}

/// A stored item of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ItemFrame {
    pub session: SessionId,
    pub item: ItemView,
}

/// A piece of an item that is still growing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LiveFrame {
    pub session: SessionId,
    pub item: ItemId,
    pub kind: LiveKind,
    /// Where `text` begins in the item, in bytes.
    pub offset: u64,
    pub text: String,
}

/// An event of a thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ThreadFrame {
    pub seq: u64,
    pub thread: ThreadId,
    /// `None` when only the state of a participant changed.
    pub event: Option<ThreadEvent>,
    /// The thread is no more, and neither is what was said in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
}

/// Something that happened in a team.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TeamFrame {
    pub seq: u64,
    pub ts: Moment,
    pub team: TeamId,
    pub actor: String,
    /// The task that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    pub change: TeamChange,
}

/// Tells a slow reader where to go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ResumeFrame {
    pub after: u64,
}

/// The query of the stream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StreamQuery {
    /// The `seq` of the last event that was seen. Without it the stream begins now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// `sessions` (the default), `session:<id>`, `thread:<id>` or `team:<id>`; several with commas between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topics: Option<String>,
    /// `true`: of the topic `sessions`, only those with `ui=true` and those below them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ui: bool,
}
