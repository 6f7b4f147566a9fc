//! What is read back from the log.

use std::sync::Arc;

use uuid::Uuid;

/// The global sequence number of an event. The first is 1; 0 is "before everything".
pub type Seq = u64;

/// How many control events a stream holds.
pub type Version = u64;

/// One event, as it stands in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub seq: Seq,
    /// `session/<uuid>`, `cause/<uuid>`, `settings`, …
    pub stream: Arc<str>,
    pub id: Uuid,
    /// Milliseconds since the Unix epoch; never goes backwards within a stream.
    pub ts: i64,
    pub actor: String,
    pub kind: String,
    /// Version of the kind's format.
    pub v: u16,
    /// JSON. `None` once the stream was erased.
    pub data: Option<String>,
    pub body: Body,
}

/// What sets the two classes of event apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// A control event takes its stream's next version.
    Control { version: Version },
    /// An item event takes the stream's next ordinal and no version.
    Item { ordinal: u64, content: Option<ContentRow> },
}

/// An item event by itself, for transcript pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemRow {
    pub seq: Seq,
    pub id: Uuid,
    pub ts: i64,
    pub ordinal: u64,
    pub kind: String,
    pub v: u16,
    pub data: Option<String>,
    pub content: Option<ContentRow>,
}

/// Conversation text that an event points at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentRow {
    pub id: Uuid,
    /// Length in bytes of the whole text, as it is stored. This and the hash are zero once it is erased.
    pub len: u64,
    pub sha256: [u8; 32],
    pub text: Text,
    /// Side information, JSON.
    pub extra: Option<String>,
}

/// Text of a content row, as pages carry it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text {
    /// All of it (at most [`crate::MAX_INLINE`] bytes).
    Inline(String),
    /// The whole is a blob: its first and last two kilobytes, cut at character borders.
    Large { head: String, tail: String },
    /// It was cleared.
    Erased,
}

/// Where a stream stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub version: Version,
    /// What [`crate::Fold`] made of the events.
    pub state: Vec<u8>,
    /// How many items the stream has taken.
    pub items: u64,
    /// Time of the newest event.
    pub ts: i64,
}

/// A head with the name of its stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadRow {
    pub stream: Arc<str>,
    pub head: Head,
}
