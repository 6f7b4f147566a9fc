//! Threads: conversations of several participants. The events are those of the bridge protocol, with a cursor.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::id::{PostId, SessionId, TeamId, ThreadId};
use crate::time::Moment;
use crate::words::{PresenceState, Status, ThreadEventKind};

/// A thread, in a list and by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ThreadView {
    pub id: ThreadId,
    pub name: String,
    /// Where its agents work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The team that it is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamId>,
    /// What that team calls it, as `thread-0001`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// Who of the team takes part in it, in order of their ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
    pub created_by: String,
    pub created_at: Moment,
    pub updated_at: Moment,
    /// How many messages there are.
    pub messages: u64,
    /// The version of the newest event.
    pub version: u64,
    pub state: ThreadState,
}

/// Who is here, and who may do what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ThreadState {
    pub paused: bool,
    /// In order of their ids.
    pub muted: Vec<String>,
    pub discussion: DiscussionView,
    pub invited_auto: Toggle,
    pub participants: Participants,
    /// Who spoke without being invited, as far as they are remembered, in order of their ids.
    #[serde(default)]
    pub guests: Vec<String>,
    /// How many replies are kept until their authors may speak again.
    pub held: usize,
}

/// Whether agents wake others by mentioning them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiscussionView {
    pub on: bool,
    pub allow_agent_mentions: bool,
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Toggle {
    pub on: bool,
}

/// Who was invited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Participants {
    /// In order of their ids.
    pub invited: Vec<Participant>,
}

/// An invited participant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Participant {
    pub id: String,
    pub profile: ProfileView,
    pub invited_by: String,
    pub invited_at: Moment,
    /// The session behind it, once it was woken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The handle of that session, while it is open: `paseo why` takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Its status, while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// It works on an answer.
    #[serde(default)]
    pub working: bool,
}

/// What is known of a participant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProfileView {
    /// A provider, or the slug of a definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// What runs it when `client` is a definition that names no provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nickname: Option<String>,
}

/// The query of `GET /api/threads`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ThreadQuery {
    /// Pass `next` to read on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// At most 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// A page of threads, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ThreadPage {
    /// The point in the log to stream from.
    pub seq: u64,
    pub threads: Vec<ThreadView>,
    /// Pass as `after` to read on.
    pub next: Option<String>,
}

/// A thread by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ThreadAnswer {
    /// The point in the log to stream from.
    pub seq: u64,
    pub thread: ThreadView,
    /// Nothing was changed: it was so already.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unchanged: bool,
    /// Why participants follow another version of their definition than the file holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// The body of `POST /api/threads`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateThread {
    #[schema(pattern = "\\S", max_length = 120)]
    pub name: String,
    /// Where its agents work: an absolute path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub directory: Option<String>,
}

/// The body of `PATCH /api/threads/{thread}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PatchThread {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "\\S", max_length = 120)]
    pub name: Option<String>,
    /// An absolute path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub directory: Option<String>,
}

/// Something that happened in a thread, in the words of the bridge protocol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ThreadEvent {
    pub id: PostId,
    pub ts: Moment,
    pub thread: ThreadId,
    #[serde(rename = "type")]
    pub kind: ThreadEventKind,
    pub from: String,
    pub to: String,
    /// A message is a text, everything else an object.
    pub content: Value,
    pub meta: ThreadMeta,
    /// Where it stands in the thread.
    pub version: u64,
}

/// About an event of a thread.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ThreadMeta {
    #[serde(default)]
    pub reply_to: Option<PostId>,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// Whom a message woke.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wakes: Vec<String>,
}

/// The query of `GET /api/threads/{thread}/events`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ThreadEventQuery {
    /// Only events above this version, the oldest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// Only events below this version, the newest of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// Only the event with this id and what came after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// At most 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// A page of what happened in a thread, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ThreadEventPage {
    /// The point in the log to stream from.
    pub seq: u64,
    pub thread: ThreadId,
    pub events: Vec<ThreadEvent>,
    /// Pass as `after` to read on; what is not for people to see is left out.
    pub next: Option<u64>,
    /// Pass as `before` to read what came earlier.
    pub earlier: Option<u64>,
}

/// The body of `POST /api/threads/{thread}/messages`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PostMessage {
    #[schema(pattern = "\\S")]
    pub text: String,
    /// `all` (the default), `user`, or the id, nickname or handle of a participant, with or without `@`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The id of what it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// What was said, as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PostedMessage {
    /// The point in the log to stream from.
    pub seq: u64,
    pub event: ThreadEvent,
    /// Why a recipient was not woken, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unwoken: Vec<String>,
    /// Why those whom it wakes follow another version of their definition than the file holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// The body of `POST /api/threads/{thread}/controls`: what the bridge protocol calls a control.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = Object)]
pub struct ThreadControl(pub Value);

/// What people and agents are doing in a thread right now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PresenceList {
    pub thread: ThreadId,
    pub ttl_seconds: i64,
    pub participants: Vec<PresenceView>,
}

/// What a participant is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PresenceView {
    pub id: String,
    /// As `listening` or `idle`; participants may choose words of their own.
    #[schema(value_type = String)]
    pub state: PresenceState,
    pub updated_at: Option<Moment>,
    pub stale: bool,
    #[serde(default)]
    pub details: Option<String>,
}

/// The body of `POST /api/threads/{thread}/presence`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SayPresence {
    /// As `listening` or `idle`, or a word of your own.
    #[schema(value_type = String, pattern = "\\S", max_length = 200)]
    pub state: PresenceState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
}

/// The body of `POST /api/threads/{thread}/tokens`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateSeatToken {
    /// The participant that it speaks as.
    pub participant: String,
    /// The absolute path of the directory that it is for; by default the thread's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub directory: Option<String>,
}
