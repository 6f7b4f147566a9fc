//! What readers of the stream are given: stored events, as many as go in one piece.

use std::collections::BTreeSet;
use std::fmt;

use bytes::Bytes;
use paseo_core::id::{SessionId, ThreadId};
use paseo_core::team::TeamId;
use paseo_store::Seq;

use crate::buffers::Buffers;

/// Bytes of a response that are handed to a connection at once. With what may be waiting before it, and what HTTP puts
/// around it, it fits into the buffer of 8 KB that every connection has anyway.
pub(crate) const PIECE: usize = 6 * 1024;

/// What an event is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    Session(SessionId),
    Thread(ThreadId),
    Team(TeamId),
}

impl fmt::Display for Subject {
    /// Names it as a topic.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session(id) => write!(f, "session:{id}"),
            Self::Thread(id) => write!(f, "thread:{id}"),
            Self::Team(id) => write!(f, "team:{id}"),
        }
    }
}

/// A stored event, ready for readers.
#[derive(Debug)]
pub(crate) struct StoredFrame {
    pub(crate) seq: Seq,
    pub(crate) of: Subject,
    /// A control event, as opposed to an item.
    pub(crate) control: bool,
    /// Whoever lists what the web app shows needs it.
    pub(crate) for_ui: bool,
    /// A permission request was made, decided or withdrawn.
    pub(crate) permission: bool,
    pub(crate) bytes: Bytes,
}

impl StoredFrame {
    /// An event of something other than a session: only those who follow that see it.
    pub(crate) fn other(seq: Seq, of: Subject, bytes: Bytes) -> Self {
        Self { seq, of, control: false, for_ui: false, permission: false, bytes }
    }
}

/// What someone wants to see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Topics {
    /// Control events of all sessions.
    pub(crate) sessions: bool,
    /// Of those, only what the web app lists.
    pub(crate) only_ui: bool,
    /// Permission requests of all sessions, whether or not the web app lists them.
    pub(crate) permissions: bool,
    /// Everything of these.
    pub(crate) each: BTreeSet<Subject>,
}

impl Topics {
    pub(crate) fn want(&self, frame: &StoredFrame) -> bool {
        self.each.contains(&frame.of)
            || (self.sessions && frame.control && (frame.for_ui || !self.only_ui))
            || (self.permissions && frame.permission)
    }
}

/// The next frames for a reader.
#[derive(Debug, Clone)]
pub(crate) struct Handful {
    pub(crate) after: Seq,
    /// The point they reach to.
    pub(crate) reached: Seq,
    /// The last of them.
    pub(crate) told: Option<Seq>,
    /// All of them in one piece; `None` when there is none to see.
    pub(crate) bytes: Option<Bytes>,
    /// How many events the reader is to read from the log next, should they not be in memory.
    pub(crate) appetite: usize,
}

impl Handful {
    /// Puts frames together that come after one point and reach to another.
    pub(crate) fn of<'a>(
        frames: impl Iterator<Item = &'a StoredFrame>,
        (after, reached): (Seq, Seq),
        appetite: usize,
        buffers: &Buffers,
    ) -> Self {
        let (mut pieces, mut told) = (Pieces::default(), None);
        for frame in frames {
            pieces.push(&frame.bytes);
            told = Some(frame.seq);
        }
        Self { after, reached, told, bytes: pieces.take(buffers), appetite }
    }
}

/// Frames in one piece: each piece is written by itself.
#[derive(Debug, Default)]
pub(crate) enum Pieces {
    #[default]
    Nothing,
    /// One, which all readers share.
    One(Bytes),
    Several(Vec<u8>),
}

impl Pieces {
    pub(crate) fn push(&mut self, frame: &Bytes) {
        match self {
            Self::Nothing => *self = Self::One(frame.clone()),
            Self::One(first) => {
                *self = Self::Several([first.as_ref(), frame].concat());
            }
            Self::Several(several) => several.extend_from_slice(frame),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::One(frame) => frame.len(),
            Self::Several(several) => several.len(),
        }
    }

    pub(crate) fn take(&mut self, buffers: &Buffers) -> Option<Bytes> {
        match std::mem::take(self) {
            Self::Nothing => None,
            Self::One(frame) => Some(frame),
            Self::Several(several) => Some(buffers.count(several)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_that_are_ready_together_go_in_one_piece() {
        let buffers = Buffers::default();
        let mut pieces = Pieces::default();
        assert_eq!(pieces.take(&buffers), None);
        pieces.push(&Bytes::from_static(b"a\n"));
        assert_eq!(pieces.take(&buffers).as_deref(), Some(&b"a\n"[..]));
        for frame in [&b"a\n"[..], b"b\n", b"c\n"] {
            pieces.push(&Bytes::from_static(frame));
        }
        assert_eq!(pieces.take(&buffers).as_deref(), Some(&b"a\nb\nc\n"[..]));
        assert_eq!(pieces.take(&buffers), None);
    }
}
