//! What readers of the stream are given: stored events, as many as go in one piece.

use std::collections::BTreeSet;
use std::fmt;

use bytes::Bytes;
use paseo_core::id::{CauseId, SessionId, ThreadId};
use paseo_core::lineage::Concerns;
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
    Cause(CauseId),
}

impl fmt::Display for Subject {
    /// Names it as a topic.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session(id) => write!(f, "session:{id}"),
            Self::Thread(id) => write!(f, "thread:{id}"),
            Self::Team(id) => write!(f, "team:{id}"),
            Self::Cause(id) => write!(f, "cause:{id}"),
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
    /// Lists of what the web app shows need it.
    pub(crate) for_ui: bool,
    /// A permission request was made, decided or withdrawn.
    pub(crate) permission: bool,
    /// It may change what needs a person.
    pub(crate) needs: bool,
    /// The requests that it is about.
    pub(crate) causes: Concerns,
    pub(crate) bytes: Bytes,
    /// What those who list sessions are told when an item changes what a list shows.
    pub(crate) listed: Option<Listed>,
}

/// A frame for lists, in two forms. A reader knows each event by its number, so an event has it once.
#[derive(Debug)]
pub(crate) struct Listed {
    /// Without its number: it goes in front of the item itself.
    beside: Bytes,
    /// With its number.
    alone: Bytes,
}

impl Listed {
    /// Makes both forms of a frame that begins with a line that numbers it.
    pub(crate) fn of(numbered: Bytes) -> Self {
        let first_line = numbered.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        Self { beside: numbered.slice(first_line..), alone: numbered }
    }
}

impl StoredFrame {
    /// An event of something other than a session: only those who follow that, or the request behind it, see it.
    pub(crate) fn other(seq: Seq, of: Subject, cause: Option<CauseId>, bytes: Bytes) -> Self {
        let causes = Concerns::These(cause.into_iter().collect());
        Self {
            seq,
            of,
            control: false,
            for_ui: false,
            permission: false,
            needs: false,
            causes,
            bytes,
            listed: None,
        }
    }

    /// Returns how long it is at most.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len() + self.listed.as_ref().map_or(0, |listed| listed.alone.len())
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
    /// What may change what needs a person, of all sessions.
    pub(crate) needs: bool,
    /// Everything of all threads.
    pub(crate) threads: bool,
    /// Everything of these.
    pub(crate) each: BTreeSet<Subject>,
}

impl Topics {
    pub(crate) fn want(&self, frame: &StoredFrame) -> bool {
        self.parts(frame).next().is_some()
    }

    /// Returns what a reader is given of an event.
    pub(crate) fn parts<'a>(&self, frame: &'a StoredFrame) -> impl Iterator<Item = &'a Bytes> + use<'a> {
        let is_listed = self.sessions && (frame.for_ui || !self.only_ui);
        let whole = self.each.contains(&frame.of)
            || self.follow_cause(&frame.causes)
            || (is_listed && frame.control)
            || (self.permissions && frame.permission)
            || (self.needs && frame.needs)
            || (self.threads && matches!(frame.of, Subject::Thread(_)));
        let listed = frame.listed.as_ref().filter(|_| is_listed);
        let listed = listed.map(|listed| if whole { &listed.beside } else { &listed.alone });
        listed.into_iter().chain(whole.then_some(&frame.bytes))
    }
}

impl Topics {
    fn follow_cause(&self, causes: &Concerns) -> bool {
        match causes {
            Concerns::These(these) => these.iter().any(|id| self.each.contains(&Subject::Cause(*id))),
            Concerns::Any => self.each.iter().any(|subject| matches!(subject, Subject::Cause(_))),
        }
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
        topics: &Topics,
        frames: impl Iterator<Item = &'a StoredFrame>,
        (after, reached): (Seq, Seq),
        appetite: usize,
        buffers: &Buffers,
    ) -> Self {
        let (mut pieces, mut told) = (Pieces::default(), None);
        for frame in frames {
            for part in topics.parts(frame) {
                pieces.push(part);
                told = Some(frame.seq);
            }
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
    fn a_reader_gets_each_number_once_and_the_item_last() {
        let subject = || Subject::Session(SessionId::from_random([1; 16]));
        let frame = StoredFrame {
            seq: 7,
            of: subject(),
            control: false,
            for_ui: false,
            permission: false,
            needs: false,
            causes: Concerns::These(BTreeSet::new()),
            bytes: Bytes::from_static(b"id: 7\nitem\n"),
            listed: Some(Listed::of(Bytes::from_static(b"id: 7\nview\n"))),
        };
        let given = |topics: &Topics| -> Vec<u8> { topics.parts(&frame).flatten().copied().collect() };
        let lists = Topics { sessions: true, ..Topics::default() };
        assert_eq!(given(&lists), b"id: 7\nview\n");
        let transcript = Topics { each: [subject()].into(), ..Topics::default() };
        assert_eq!(given(&transcript), b"id: 7\nitem\n");
        assert_eq!(given(&Topics { sessions: true, ..transcript }), b"view\nid: 7\nitem\n");
        assert!(!(Topics { only_ui: true, ..lists }).want(&frame), "the web app does not list it");
        assert!(!Topics::default().want(&frame));
    }

    #[test]
    fn who_follows_needs_sees_them_of_sessions_that_no_list_shows() {
        let subject = Subject::Session(SessionId::from_random([1; 16]));
        let plain = StoredFrame::other(7, subject, None, Bytes::from_static(b"x"));
        let needs = StoredFrame {
            control: true,
            needs: true,
            ..StoredFrame::other(8, plain.of.clone(), None, Bytes::from_static(b"y"))
        };
        let topics = Topics { sessions: true, only_ui: true, needs: true, ..Topics::default() };
        assert!(topics.want(&needs));
        assert!(!topics.want(&plain));
        assert!(!(Topics { needs: false, ..topics }).want(&needs));
    }

    #[test]
    fn who_follows_a_request_sees_what_is_about_it_and_what_may_be() {
        let id = |n: u8| CauseId::from_parts(paseo_core::time::Timestamp::default(), [n; 10]);
        let subject = Subject::Session(SessionId::from_random([1; 16]));
        let about = |causes| StoredFrame {
            causes,
            ..StoredFrame::other(7, subject.clone(), None, Bytes::from_static(b"x"))
        };
        let topics = Topics { each: [Subject::Cause(id(1))].into(), ..Topics::default() };
        assert!(topics.want(&about(Concerns::These([id(2), id(1)].into()))));
        assert!(!topics.want(&about(Concerns::These([id(2)].into()))));
        assert!(topics.want(&about(Concerns::Any)));
        assert!(!Topics::default().want(&about(Concerns::Any)));
        let own = StoredFrame::other(8, Subject::Cause(id(1)), None, Bytes::from_static(b"y"));
        assert!(topics.want(&own));
    }

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
