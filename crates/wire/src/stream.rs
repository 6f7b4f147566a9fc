//! The event stream on the wire: server-sent events, each named by [`Frame::event`].
//!
//! `GET /api/stream?after=<seq>&topics=sessions,session:<id>,thread:<id>,team:<id>,cause:<id>`; `Last-Event-ID` wins over
//! `after`. Stored frames carry their sequence number as `id`; a frame with an id and no data only moves the cursor.
//! [`Frame::ENDED`] is the last frame of a reader that lost access, and has the reason as an
//! [`ErrorBody`](crate::error::ErrorBody).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::change::{CauseChange, SessionChange, TeamChange};
use crate::id::{ActorName, CallId, CauseId, ItemId, SessionId, TaskId, TeamId, ThreadId};
use crate::item::ItemView;
use crate::session::SessionView;
use crate::thread::ThreadEvent;
use crate::time::Moment;
use crate::words::LiveKind;

/// One frame of the stream.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame {
    /// Something happened to an agent.
    Event(Box<EventFrame>),
    /// A transcript grew.
    Item(Box<ItemFrame>),
    /// An item is growing; never stored, replaced by the item with the same id.
    Live(LiveFrame),
    /// Something happened in a thread.
    Thread(Box<ThreadFrame>),
    /// Something happened in a team.
    Team(Box<TeamFrame>),
    /// Something happened to a cause.
    Cause(CauseFrame),
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
    pub const CAUSE: &'static str = "cause";
    pub const RESUME: &'static str = "resume";
    pub const ENDED: &'static str = "ended";
}

/// Something that happened to an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EventFrame {
    pub seq: u64,
    pub ts: Moment,
    /// The agent.
    pub session: SessionId,
    pub actor: ActorName,
    pub change: SessionChange,
    /// The current state of the agent; null if it was deleted.
    pub view: Option<SessionView>,
}

/// A stored item of an agent.
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
    /// For `tool_output`: the tool call whose output this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
}

/// An event of a thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ThreadFrame {
    pub seq: u64,
    pub thread: ThreadId,
    /// Null if only the state of a participant changed.
    pub event: Option<ThreadEvent>,
    /// The thread was deleted, with its messages.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
}

/// Something that happened in a team.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TeamFrame {
    pub seq: u64,
    pub ts: Moment,
    pub team: TeamId,
    pub actor: ActorName,
    /// The task, if the change is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    pub change: TeamChange,
}

/// Something that happened to a cause. Its turns and messages come as events of the agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CauseFrame {
    pub seq: u64,
    pub ts: Moment,
    pub cause: CauseId,
    pub actor: ActorName,
    pub change: CauseChange,
}

/// Tells a slow reader where to resume.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ResumeFrame {
    pub after: u64,
}

/// The query of the stream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StreamQuery {
    /// The `seq` of the last event seen. Without it, the stream begins now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// Comma-separated topics: `sessions` (the default), `permissions`, `inbox`, `threads`, `session:<id>`, `thread:<id>`, `team:<id>`
    /// and `cause:<id>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^((sessions|permissions|inbox|threads|(session|thread|team|cause):[^,]+)(,(sessions|permissions|inbox|threads|(session|thread|team|cause):[^,]+))*)?$"
    )]
    pub topics: Option<String>,
    /// Restrict the topic `sessions` to those with `ui=true` and their descendants.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ui: bool,
}
