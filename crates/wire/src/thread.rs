//! Threads: conversations of several participants. The events are those of the bridge protocol, with a cursor.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use crate::id::{
    ActorName, Addressee, MemberId, ParticipantId, PostId, SessionId, TeamId, TeamThreadId, ThreadId,
};
use crate::time::Moment;
use crate::words::{
    MuteMode, NotWokenReason, PostedVia, PresenceState, SilencedReason, Status, ThreadEventKind,
};

/// A thread, in a list and by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ThreadView {
    pub id: ThreadId,
    pub name: String,
    /// Where its agents work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The team that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamId>,
    /// Its id in that team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<TeamThreadId>,
    /// Members of the team that take part in it, by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<MemberId>,
    pub created_by: ActorName,
    pub created_at: Moment,
    pub updated_at: Moment,
    /// Number of messages.
    pub messages: u64,
    /// Number of messages that no person has looked at.
    #[serde(default)]
    pub unread: u64,
    /// The newest message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<LastMessage>,
    /// The version of the newest event.
    pub version: u64,
    pub state: ThreadState,
}

/// The newest message of a thread, in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LastMessage {
    pub id: PostId,
    pub ts: Moment,
    pub from: ParticipantId,
    /// The beginning of its text.
    pub text: String,
}

/// The participants of a thread, and what they may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ThreadState {
    pub paused: bool,
    /// By id.
    pub muted: Vec<ParticipantId>,
    pub discussion: DiscussionView,
    pub invited_auto: Toggle,
    pub participants: Participants,
    /// Participants that posted without an invitation, by id. Old ones are forgotten.
    #[serde(default)]
    pub guests: Vec<ParticipantId>,
    /// Number of replies held until their authors are unmuted.
    pub held: usize,
}

/// Whether agents can wake others by mentioning them.
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

/// The invited participants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Participants {
    /// By id.
    pub invited: Vec<Participant>,
}

/// An invited participant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Participant {
    pub id: ParticipantId,
    pub profile: ProfileView,
    pub invited_by: ParticipantId,
    pub invited_at: Moment,
    /// Its agent, once it was woken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Handle of its agent, while that is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Status of its agent, while that is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// It is working on a reply.
    #[serde(default)]
    pub working: bool,
}

/// The profile of a participant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProfileView {
    /// A provider, or the slug of a definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The provider, if `client` is a definition that names none.
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
    /// The `next` of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<ThreadId>,
    /// Default 100, at most 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 100)]
    pub limit: Option<usize>,
}

/// A page of threads, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ThreadPage {
    /// The point in the log to stream from.
    pub seq: u64,
    pub threads: Vec<ThreadView>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[schema(required)]
    pub next: Option<String>,
}

/// A thread by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ThreadAnswer {
    /// The point in the log to stream from.
    pub seq: u64,
    pub thread: ThreadView,
    /// The request changed nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unchanged: bool,
    /// Why participants follow another version of their definition than the file has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// The body of `POST /api/threads`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateThread {
    #[schema(pattern = "[^\\s\\x00-\\x1f\\x7f-\\x9f]", max_length = 120)]
    pub name: String,
    /// Absolute path of the directory in which its agents work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub directory: Option<String>,
}

/// The body of `PATCH /api/threads/{thread}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PatchThread {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "[^\\s\\x00-\\x1f\\x7f-\\x9f]", max_length = 120)]
    pub name: Option<String>,
    /// An absolute path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub directory: Option<String>,
}

/// An event of a thread, as in the bridge protocol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ThreadEvent {
    pub id: PostId,
    pub ts: Moment,
    pub thread: ThreadId,
    pub from: ParticipantId,
    pub to: Addressee,
    #[serde(flatten)]
    #[schema(inline)]
    pub body: ThreadBody,
    pub meta: ThreadMeta,
    /// Position in the thread.
    pub version: u64,
}

impl ThreadEvent {
    /// Returns the text of a message; nothing of anything else.
    pub fn text(&self) -> &str {
        match &self.body {
            ThreadBody::Message(text) => text,
            _ => "",
        }
    }
}

/// Makes the union of what happens in threads. The schema has the types of this version, and not what is read of others.
macro_rules! bodies {
    ($(#[doc = $about:literal] $kind:ident($content:ty) = $word:tt,)+) => {
        /// The type of an event of a thread, and its content.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "type", content = "content")]
        pub enum ThreadBody {
            $(#[doc = $about] #[serde(rename = $word)] $kind($content),)+
            /// A type of a newer version.
            #[serde(untagged)]
            Other {
                #[serde(rename = "type")]
                kind: ThreadEventKind,
                content: Value,
            },
        }

        impl ThreadBody {
            /// Returns the word for it.
            pub fn kind(&self) -> ThreadEventKind {
                match self {
                    $(Self::$kind(_) => ThreadEventKind::$kind,)+
                    Self::Other { kind, .. } => kind.clone(),
                }
            }
        }

        #[derive(ToSchema)]
        #[serde(tag = "type", content = "content")]
        #[allow(dead_code)] // Only its shape is wanted.
        enum Shape {
            $(#[doc = $about] #[serde(rename = $word)] $kind($content),)+
        }
    };
}

bodies! {
    /// A message. The content is its text.
    Message(String) = "message",
    /// A change to the participants, or to what they may do.
    Control(Box<ControlContent>) = "control",
    /// The thread was created.
    Created(CreatedContent) = "thread.created",
    /// The thread was renamed.
    Renamed(RenamedContent) = "thread.renamed",
    /// The agents of the thread work in another directory.
    Moved(MovedContent) = "thread.moved",
}

impl utoipa::PartialSchema for ThreadBody {
    fn schema() -> RefOr<Schema> {
        <Shape as utoipa::PartialSchema>::schema()
    }
}

impl ToSchema for ThreadBody {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Shape::schemas(schemas);
    }
}

/// A created thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CreatedContent {
    pub name: String,
    /// Where its agents work.
    #[serde(default)]
    pub directory: Option<String>,
}

/// The new name of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RenamedContent {
    pub name: String,
}

/// The new directory of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MovedContent {
    pub directory: String,
}

/// What a control changed; what it did not change is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ControlContent {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invite: Option<InviteContent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uninvite: Option<UninviteContent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mute: Option<MuteContent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmute: Option<UnmuteContent>,
    /// Whether only people can post.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<Toggle>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discussion: Option<DiscussionView>,
    /// Whether what people say to all wakes every participant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invited_auto: Option<Toggle>,
    /// The participants asked to continue. Has no effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prod: Vec<String>,
    /// Has no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<bool>,
    /// Has no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_seconds: Option<u64>,
}

/// An invited participant, with its whole profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InviteContent {
    pub participant_id: ParticipantId,
    pub profile: ProfileView,
}

/// A participant that was uninvited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UninviteContent {
    pub participant_id: ParticipantId,
}

/// Participants whose replies are held until they are unmuted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MuteContent {
    pub targets: Vec<ParticipantId>,
    pub mode: MuteMode,
}

/// Participants that were unmuted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnmuteContent {
    pub targets: Vec<ParticipantId>,
}

/// Metadata of an event of a thread.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ThreadMeta {
    #[serde(default)]
    pub reply_to: Option<PostId>,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<PostedVia>,
    /// Participants that the message woke.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wakes: Vec<ParticipantId>,
}

/// The query of `GET /api/threads/{thread}/events`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ThreadEventQuery {
    /// Only events above this version, oldest first; with `before`, those between.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// Only events below this version; without `after` and `from`, the newest of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// Only the event with this id and those after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<PostId>,
    /// Default 100, at most 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 100)]
    pub limit: Option<usize>,
}

/// A page of events of a thread, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ThreadEventPage {
    /// The point in the log to stream from.
    pub seq: u64,
    pub thread: ThreadId,
    pub events: Vec<ThreadEvent>,
    /// Cursor of the next page: pass it as `after`. Null on the last page. Internal events are left out.
    #[schema(required)]
    pub next: Option<u64>,
    /// Pass as `before` to read earlier events; null if these are the first.
    #[schema(required)]
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
    /// Id of the message that it replies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<PostId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// A posted message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PostedMessage {
    /// The point in the log to stream from.
    pub seq: u64,
    pub event: ThreadEvent,
    /// Why a recipient was not woken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unwoken: Vec<String>,
    /// Why participants that it wakes follow another version of their definition than the file has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// Whom a message would wake: the answer of a dry run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WakePreview {
    pub thread: ThreadId,
    /// The recipient as resolved: `all`, `user`, the id of a participant, or the name as given if none has it.
    pub to: String,
    /// Participants that it would wake, by id.
    pub wakes: Vec<ParticipantId>,
    /// All other participants.
    pub not_woken: Vec<NotWoken>,
    /// What the coordinator would post about it.
    pub remarks: Vec<String>,
    /// Why participants that it would wake follow another version of their definition than the file has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// A participant that a message would not wake.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NotWoken {
    pub participant: ParticipantId,
    pub reason: NotWokenReason,
}

/// The body of `POST /api/threads/{thread}/looked`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SeenMessages {
    /// How many messages were looked at, from the first one on. Default: all.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::whole::optional_natural"
    )]
    pub messages: Option<u64>,
}

/// Replies that are held until their authors may post again, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HeldList {
    pub thread: ThreadId,
    pub replies: Vec<HeldReply>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[serde(default)]
    #[schema(required)]
    pub next: Option<String>,
}

/// A reply that is held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HeldReply {
    pub participant: ParticipantId,
    /// The message that it replies to.
    pub reply_to: PostId,
    /// Why it was held.
    pub reason: SilencedReason,
    pub text: String,
}

/// The query of `GET /api/threads/{thread}/participant-id`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ParticipantIdQuery {
    /// The client to invite: a provider, or the slug of a definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
}

/// An id that a new participant could have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SuggestedParticipantId {
    pub id: ParticipantId,
}

/// The body of `POST /api/threads/{thread}/controls`: a control event of the bridge protocol.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = Object)]
pub struct ThreadControl(pub Value);

/// The presence of the participants of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PresenceList {
    pub thread: ThreadId,
    pub ttl_seconds: i64,
    pub participants: Vec<PresenceView>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[serde(default)]
    #[schema(required)]
    pub next: Option<String>,
}

/// What a participant is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PresenceView {
    pub id: ParticipantId,
    /// Such as `listening` or `idle`; participants may choose other words.
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
    /// Such as `listening` or `idle`, or any other word.
    #[schema(value_type = String, pattern = "\\S", max_length = 200)]
    pub state: PresenceState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
}

/// The body of `POST /api/threads/{thread}/tokens`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateParticipantToken {
    /// The participant that it is for.
    pub participant: ParticipantId,
    /// Absolute path of the directory for threads that are created with it. By default, the thread's directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub directory: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_happens_in_a_thread_has_the_content_of_its_type() {
        let event = |kind: &str, content: Value| {
            json!({
                "id": "i", "ts": "2026-01-31T12:00:00.000Z", "thread": "t", "from": "user", "to": "all",
                "type": kind, "content": content, "meta": { "reply_to": null, "tags": [] }, "version": 1,
            })
        };
        for (kind, content) in [
            ("message", json!("hello")),
            ("control", json!({ "mute": { "targets": ["ann"], "mode": "hard" } })),
            ("control", json!({ "discussion": { "on": true, "allow_agent_mentions": false }, "done": true })),
            ("thread.created", json!({ "name": "plans", "directory": null })),
            ("thread.renamed", json!({ "name": "plans" })),
            ("thread.moved", json!({ "directory": "/p" })),
            // Of a newer version.
            ("thread.archived", json!({ "by": "ann" })),
        ] {
            let told = event(kind, content);
            let read: ThreadEvent = serde_json::from_value(told.clone()).unwrap();
            assert_eq!(read.body.kind().as_str(), kind);
            assert_eq!(matches!(read.body, ThreadBody::Other { .. }), kind == "thread.archived", "{read:?}");
            assert_eq!(serde_json::to_value(&read).unwrap(), told);
        }
    }
}
