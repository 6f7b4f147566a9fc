//! The bridge protocol: threads in the shapes that its clients know. What they send is read leniently, except for who
//! they say they are.

use std::fmt;

use paseo_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::error::Code;
use crate::id::{Addressee, ParticipantId, PostId, ThreadId};
use crate::thread::{
    DiscussionView, Participant, PresenceList, PresenceView, ProfileView, ThreadBody, ThreadEvent,
    ThreadState, ThreadView, Toggle,
};
use crate::time::Moment;
use crate::words::{BridgeEventKind, BridgePostKind, BridgeServer, BridgeVersion, HealthStatus, PostedVia};

/// Digits of a fraction of a second that tell the time; those behind them tell the place in the thread.
const MILLI_DIGITS: usize = 3;
/// Digits of the place, at least.
const PLACE_DIGITS: usize = 9;

/// Where an event stands: its time, and behind the milliseconds its place in the thread. So no two are the same, and
/// texts sort as the events do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub at: Moment,
    pub version: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = String::from(self.at);
        write!(f, "{}{:0PLACE_DIGITS$}Z", at.trim_end_matches('Z'), self.version)
    }
}

/// From where on events are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// Behind an event.
    Version(u64),
    /// After a moment, by a clock of the client's.
    Moment(Timestamp),
}

/// Reads what a client gives as `since`: the `ts` of an event, or any time of ISO 8601; without a zone it is in UTC.
pub fn since(text: &str) -> Option<Since> {
    if let Some(version) = place(text) {
        return Some(Since::Version(version));
    }
    let without_zone = || text.parse::<jiff::civil::DateTime>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
    let time = text.parse::<jiff::Timestamp>().ok();
    let time = time.or_else(|| without_zone().map(|zoned| zoned.timestamp()))?;
    Some(Since::Moment(Timestamp::from_millis(time.as_millisecond())))
}

/// Reads the place behind the milliseconds of a `ts` of ours.
fn place(text: &str) -> Option<u64> {
    let (second, fraction) = text.strip_suffix('Z')?.rsplit_once('.')?;
    let place = fraction.get(MILLI_DIGITS..).filter(|place| place.len() >= PLACE_DIGITS)?;
    format!("{second}Z").parse::<jiff::Timestamp>().ok()?;
    place.bytes().all(|byte| byte.is_ascii_digit()).then(|| place.parse().ok())?
}

/// The answer to `GET /threads`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BridgeThreads {
    pub threads: Vec<BridgeThread>,
    /// Cursor of the next page: pass it as `after`. Left out on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A thread in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BridgeThread {
    pub id: ThreadId,
    pub name: String,
    pub created_at: Moment,
    pub updated_at: Moment,
}

impl From<ThreadView> for BridgeThread {
    fn from(thread: ThreadView) -> Self {
        let ThreadView { id, name, created_at, updated_at, .. } = thread;
        Self { id, name, created_at, updated_at }
    }
}

/// The query of `GET /threads`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BridgeThreadsQuery {
    /// The `next` of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<ThreadId>,
}

/// The body of `POST /threads`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BridgeCreate {
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub from: Option<ParticipantId>,
    /// Absolute path of the directory in which its agents work. An extension of the protocol.
    #[serde(default)]
    #[schema(pattern = "^/")]
    pub directory: Option<String>,
}

/// The answer to `POST /threads`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BridgeCreated {
    pub id: ThreadId,
    pub name: String,
}

/// An event in the protocol's envelope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BridgeEvent {
    pub id: PostId,
    /// Time of the event. The digits after the milliseconds are its position in the thread, so values are unique and sort
    /// as text.
    pub ts: String,
    pub thread: ThreadId,
    #[serde(rename = "type")]
    pub kind: BridgeEventKind,
    pub from: ParticipantId,
    pub to: Addressee,
    /// A string for a message, or for the name of a created or renamed thread. An object for a control.
    pub content: Value,
    pub meta: BridgeMeta,
}

/// Metadata of an event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BridgeMeta {
    #[serde(default)]
    pub reply_to: Option<PostId>,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<PostedVia>,
}

impl BridgeEvent {
    /// Returns an event in the protocol's envelope; `None` for what the protocol has no word for.
    pub fn of(event: ThreadEvent) -> Option<Self> {
        let place = Place { at: event.ts, version: event.version };
        let (kind, content) = match event.body {
            ThreadBody::Message(text) => (BridgeEventKind::Message, Value::String(text)),
            ThreadBody::Control(control) => (BridgeEventKind::Control, serde_json::to_value(control).ok()?),
            // In the protocol, the content of what names a thread is the name alone.
            ThreadBody::Created(created) => (BridgeEventKind::Created, Value::String(created.name)),
            ThreadBody::Renamed(renamed) => (BridgeEventKind::Renamed, Value::String(renamed.name)),
            ThreadBody::Moved(_) | ThreadBody::Other { .. } => return None,
        };
        let meta = BridgeMeta { reply_to: event.meta.reply_to, tags: event.meta.tags, via: event.meta.via };
        Some(Self {
            id: event.id,
            ts: place.to_string(),
            thread: event.thread,
            kind,
            from: event.from,
            to: event.to,
            content,
            meta,
        })
    }
}

/// The body of `POST /threads/{thread}/events`. The server sets `id`, `ts` and `thread`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BridgePost {
    /// `message` (the default) or `control`.
    #[serde(default, rename = "type")]
    pub kind: Option<BridgePostKind>,
    /// By default, the participant of the credential. Another one is refused.
    #[serde(default)]
    pub from: Option<ParticipantId>,
    /// `all` (the default), `user`, or the id, nickname or handle of a participant, with or without `@`.
    #[serde(default)]
    pub to: Option<String>,
    /// Text of a message; the changes of a control, as an object or as JSON in a string.
    #[serde(default)]
    pub content: Value,
    #[serde(default)]
    pub meta: Option<BridgePostMeta>,
}

/// Metadata of a posted event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BridgePostMeta {
    #[serde(default)]
    pub reply_to: Option<PostId>,
    /// Any strings. Other values are stored as JSON.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    pub tags: Value,
}

impl BridgePostMeta {
    /// Returns the tags. They are data: none are refused, whatever they are.
    pub fn tags(self) -> Vec<String> {
        let text = |tag: Value| match tag {
            Value::String(tag) => tag,
            other => other.to_string(),
        };
        match self.tags {
            Value::Null => Vec::new(),
            Value::Array(tags) => tags.into_iter().map(text).collect(),
            one => vec![text(one)],
        }
    }
}

/// The answer to `POST /threads/{thread}/events`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BridgeReceived {
    pub received: bool,
    pub event: BridgeEvent,
}

/// The query of `GET /threads/{thread}/events/stream`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BridgeStreamQuery {
    /// Only events after this `ts`. Without it, the stream begins now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = r"^[0-8][0-9]{3}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9}|\.[0-9]{12,15})?Z$"
    )]
    pub since: Option<String>,
}

/// The query of `GET /threads/{thread}/events`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BridgeQuery {
    /// Only events after this `ts`; empty for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = r"^([0-8][0-9]{3}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9}|\.[0-9]{12,15})?Z)?$"
    )]
    pub since: Option<String>,
    /// Maximum number of events: more than 500 counts as 500, and 0 as 1. By default all. An extension of the protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// The answer to `GET /threads/{thread}/events`, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BridgeEvents {
    pub events: Vec<BridgeEvent>,
    pub count: usize,
    /// With a `limit`: pass it as `since` to read on. Left out on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// The answer to `GET /ping`. It names the protocol and its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BridgePing {
    pub status: HealthStatus,
    pub server: BridgeServer,
    pub version: BridgeVersion,
    pub timestamp: Moment,
}

/// The answer to `GET /threads/{thread}/presence`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BridgePresenceList {
    pub thread: ThreadId,
    pub ttl_seconds: i64,
    pub participants: Vec<BridgePresenceView>,
}

/// What a participant is doing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BridgePresenceView {
    pub id: ParticipantId,
    pub state: String,
    pub updated_at: Option<Moment>,
    pub stale: bool,
    /// Details from the participant: an object or a string; null if none.
    pub details: Value,
}

impl From<PresenceList> for BridgePresenceList {
    fn from(list: PresenceList) -> Self {
        let view = |one: PresenceView| {
            let PresenceView { id, state, updated_at, stale, details } = one;
            BridgePresenceView {
                id,
                state: state.to_string(),
                updated_at,
                stale,
                details: as_details(details),
            }
        };
        let PresenceList { thread, ttl_seconds, participants, next: _ } = list;
        Self { thread, ttl_seconds, participants: participants.into_iter().map(view).collect() }
    }
}

/// Reads details as the protocol has them: an object, as it was given. Text of others stays text.
pub fn as_details(details: Option<String>) -> Value {
    let Some(text) = details.filter(|text| !text.is_empty()) else { return Value::Null };
    match serde_json::from_str(&text) {
        Ok(Value::Object(object)) => Value::Object(object),
        _ => Value::String(text),
    }
}

/// The answer to `POST /threads/{thread}/presence`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BridgePresent {
    pub received: bool,
    pub presence: BridgePresentView,
}

/// The presence that a participant just reported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BridgePresentView {
    pub thread: ThreadId,
    pub participant: ParticipantId,
    pub state: String,
    pub updated_at: Moment,
    /// Left out if none were given.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub details: Value,
}

/// The body of `POST /threads/{thread}/presence`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BridgePresence {
    #[serde(default)]
    pub from: Option<ParticipantId>,
    /// Such as `listening`, `thinking`, `typing` and `idle`; any other word is accepted.
    #[serde(default)]
    #[schema(value_type = String, required, pattern = "\\S", max_length = 200)]
    pub state: Option<String>,
    /// Unchanged if left out.
    #[serde(default)]
    pub details: Value,
}

/// The answer to `GET /threads/{thread}/state`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BridgeStateAnswer {
    pub thread: ThreadId,
    pub state: BridgeState,
}

/// The participants of a thread, and what they may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BridgeState {
    pub paused: bool,
    /// By id.
    pub muted: Vec<ParticipantId>,
    pub discussion: DiscussionView,
    pub invited_auto: Toggle,
    pub participants: BridgeParticipants,
}

/// The invited participants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BridgeParticipants {
    /// By id.
    pub invited: Vec<BridgeParticipant>,
}

/// An invited participant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BridgeParticipant {
    pub id: ParticipantId,
    pub profile: ProfileView,
    pub invited_by: ParticipantId,
    pub invited_at: Moment,
}

impl From<ThreadState> for BridgeState {
    fn from(state: ThreadState) -> Self {
        let ThreadState { paused, muted, discussion, invited_auto, participants, guests: _, held: _ } = state;
        let seat = |seat: Participant| {
            let Participant { id, profile, invited_by, invited_at, .. } = seat;
            BridgeParticipant { id, profile, invited_by, invited_at }
        };
        let invited = participants.invited.into_iter().map(seat).collect();
        Self { paused, muted, discussion, invited_auto, participants: BridgeParticipants { invited } }
    }
}

/// The body of every error of the bridge protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BridgeError {
    pub error: BridgeRefusal,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BridgeRefusal {
    pub code: Code,
    /// What went wrong.
    pub message: String,
    /// What to do next; null if there is no advice.
    #[serde(default)]
    #[schema(required)]
    pub hint: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<ThreadId>,
    /// The participant of the request, once known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub participant: Option<ParticipantId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(millis: i64, version: u64) -> Place {
        Place { at: Timestamp::from_millis(millis).into(), version }
    }

    #[test]
    fn places_sort_as_texts_and_lead_back_to_their_event() {
        let first = place(1_769_860_800_120, 41);
        assert_eq!(first.to_string(), "2026-01-31T12:00:00.120000000041Z");
        // Those of one millisecond differ, and a later one comes later in spite of its place.
        let all = [
            first,
            place(1_769_860_800_120, 42),
            place(1_769_860_800_121, 43),
            place(1_769_860_801_000, 1_000_000),
        ];
        let texts = all.map(|place| place.to_string());
        assert!(texts.is_sorted() && texts.windows(2).all(|pair| pair[0] != pair[1]), "{texts:?}");
        for place in all {
            assert_eq!(since(&place.to_string()), Some(Since::Version(place.version)));
        }
    }

    #[test]
    fn times_of_other_clocks_are_understood() {
        let noon = Some(Since::Moment(Timestamp::from_millis(1_769_860_800_000)));
        for text in [
            "2026-01-31T12:00:00Z",
            "2026-01-31T12:00:00.000Z",
            "2026-01-31T12:00:00.000999Z",
            "2026-01-31T13:00:00+01:00",
            "2026-01-31T12:00:00.000001",
            "2026-01-31 12:00:00",
        ] {
            assert_eq!(since(text), noon, "{text}");
        }
        for text in ["", "yesterday", "12", "2026-13-01T00:00:00Z", "00000000000000000000", "x.000000000041Z"]
        {
            assert_eq!(since(text), None, "{text}");
        }
    }
}
