//! What is appended to the log.

use uuid::Uuid;

use crate::file::Claim;
use crate::record::{Seq, Version};

/// All or nothing: every part is stored, in one transaction, or none is.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// Who appends; recorded on every event.
    pub actor: String,
    pub streams: Vec<StreamAppend>,
    pub items: Vec<NewItem>,
    /// Text that the events point at. Inserted before the events; owned by a stream.
    pub contents: Vec<NewContent>,
    /// Files that become the property of a stream. One that is not there, or has an owner, refuses the batch.
    pub claims: Vec<Claim>,
    pub key: Option<IdempotencyKey>,
    /// Ownership that must still hold.
    pub fence: Option<Fence>,
    pub erase: Option<Erasure>,
}

/// Control events for one stream.
#[derive(Debug, Clone)]
pub struct StreamAppend {
    pub stream: String,
    pub expect: Expect,
    pub events: Vec<NewEvent>,
}

/// What the writer believes about a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// The stream is exactly this long (0: it does not exist).
    Version(Version),
    /// Anything goes.
    Any,
}

/// A control event; the log gives it everything else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    pub id: Uuid,
    pub kind: String,
    pub v: u16,
    /// JSON, at most 16 KB, without conversation text.
    pub data: String,
}

/// An item event; the log gives it its ordinal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewItem {
    pub stream: String,
    pub id: Uuid,
    pub kind: String,
    pub v: u16,
    /// JSON, at most 16 KB, without conversation text.
    pub data: String,
    /// A content of this batch, or one stored before (also one that has been erased since).
    pub content: Option<Uuid>,
}

/// Text for [`Batch::contents`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewContent {
    pub id: Uuid,
    /// The stream whose erasure takes this text with it.
    pub owner: String,
    pub text: String,
    pub extra: Option<String>,
}

/// Makes an append happen once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// Actor and route: keys of different scopes never meet.
    pub scope: String,
    pub key: String,
    /// sha256 of the request's body: the same key with another body is an error.
    pub body: [u8; 32],
    /// What to answer now and on every repeat.
    pub receipt: String,
}

/// The stream's owner epoch must be exactly this, so that a daemon that lost a session writes nothing more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    pub stream: String,
    pub epoch: u64,
}

/// Removal of text, in the same transaction as the event that says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Erasure {
    /// Removes a stream's contents, blobs and files, but for those in `keep`. Item rows stay, without text.
    Contents { stream: String, keep: Vec<Uuid> },
    /// Removes all contents, blobs and files, and nulls the data of all the stream's earlier events. Rows and
    /// sequence numbers stay.
    Stream { stream: String },
}

/// What an append did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Appended {
    /// It is stored and fsynced.
    New {
        /// Sequence number of the batch's last event (or the log's head when it had none).
        seq: Seq,
        /// Time that the events carry.
        ts: i64,
        /// New version of each stream, in the order of [`Batch::streams`].
        versions: Vec<Version>,
        /// Ordinal of each item, in the order of [`Batch::items`].
        ordinals: Vec<u64>,
    },
    /// The key was used before with the same body: this is the first receipt. Nothing was stored.
    Repeat { receipt: String },
}
