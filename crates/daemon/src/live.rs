//! Live frames: pieces of items that are still growing. Never stored; a reader that lags skips some.
//!
//! What has grown so far is kept, beginning and end: a new reader begins with it, and a turn that is cut off stores it.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;
use paseo_core::cut::Ends;
use paseo_core::id::{ItemId, SessionId};
use paseo_store::Seq;
use paseo_wire::stream::{Frame, LiveFrame};
use paseo_wire::words::LiveKind;

use crate::bell::Bell;
use crate::buffers::Buffers;
use crate::tail;

/// Frames and bytes that are kept for readers that lag. The stored item replaces what they miss.
const FRAMES: usize = 1024;
const BYTES: usize = 4 * 1024 * 1024;
/// Longest text of one frame, in bytes. A harness may report megabytes at once.
const TEXT_BYTES: usize = 8 * 1024;
/// How much is kept of a growing text, in bytes, and of what a command prints.
const KEPT_TEXT: usize = 1024 * 1024;
const KEPT_OUTPUT: usize = 64 * 1024;
/// How much of one growing item a new reader is given at first, in bytes.
const PAST_BYTES: usize = 64 * 1024;

/// What grows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Growth {
    AssistantText,
    Thinking,
    /// The output of this call.
    ToolOutput(String),
}

/// An item that is not finished.
#[derive(Debug, Clone)]
pub(crate) struct Growing {
    pub(crate) what: Growth,
    /// What it says so far.
    pub(crate) text: Ends,
    /// What was stored before its newest piece.
    after: Seq,
}

/// A live frame, encoded once for all readers.
#[derive(Debug, Clone)]
pub(crate) struct LiveBytes {
    pub(crate) session: SessionId,
    /// What was stored before: readers see that first.
    pub(crate) after: Seq,
    pub(crate) bytes: Bytes,
}

/// Where live frames are published. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Live {
    now: Arc<Mutex<Now>>,
    listeners: Arc<AtomicUsize>,
    bell: Bell,
    buffers: Buffers,
}

/// What is growing, and what was published of it last.
#[derive(Default)]
struct Now {
    ring: Ring,
    growing: HashMap<SessionId, BTreeMap<ItemId, Growing>>,
}

/// The newest frames. They are numbered in the order in which they were published.
#[derive(Default)]
struct Ring {
    frames: VecDeque<LiveBytes>,
    bytes: usize,
    /// The number of the next frame.
    next: u64,
}

/// A reader of live frames: it holds a number, not a queue.
pub(crate) struct Listener {
    live: Live,
    /// What had grown before it came, until that was given to it.
    past: VecDeque<(ItemId, LiveBytes)>,
    /// The number of the next frame to look at.
    next: u64,
}

impl Live {
    pub(crate) fn new(bell: Bell, buffers: Buffers) -> Self {
        Self { now: Arc::default(), listeners: Arc::default(), bell, buffers }
    }

    /// Listens to some sessions: to what grows there already, from its beginning, and to what comes from now on. The
    /// bell tells when there is more.
    pub(crate) fn listen(&self, sessions: impl IntoIterator<Item = SessionId>) -> Listener {
        let (next, growing) = {
            let now = self.now.lock();
            self.listeners.fetch_add(1, Ordering::SeqCst);
            let growing = sessions.into_iter().filter_map(|id| Some((id, now.growing.get(&id)?.clone())));
            (now.ring.next, growing.collect::<Vec<_>>())
        };
        let mut past = VecDeque::new();
        for (session, items) in growing {
            for (item, growing) in items {
                for (offset, text) in growing.text.pieces(PAST_BYTES) {
                    let frame = growing.what.frame(session, item, offset);
                    let frames = self.frames(session, growing.after, frame, text);
                    past.extend(frames.into_iter().map(|frame| (item, frame)));
                }
            }
        }
        Listener { live: self.clone(), past, next }
    }

    /// Takes in a piece of a growing item, and publishes it.
    pub(crate) fn grow(&self, session: SessionId, after: Seq, item: ItemId, what: Growth, text: &str) {
        let frame = {
            let mut now = self.now.lock();
            let items = now.growing.entry(session).or_default();
            let growing = items.entry(item).or_insert_with(|| Growing::of(what));
            let offset = growing.text.length();
            growing.text.push(text);
            growing.after = after;
            (self.listeners.load(Ordering::SeqCst) > 0).then(|| growing.what.frame(session, item, offset))
        };
        // A session has one writer, so its frames stay in order.
        let Some(frame) = frame else { return };
        let frames = self.frames(session, after, frame, text);
        let mut now = self.now.lock();
        frames.into_iter().for_each(|frame| now.ring.push(frame));
        drop(now);
        self.bell.live();
    }

    /// Takes out an item that is finished or given up.
    pub(crate) fn take(&self, session: SessionId, item: ItemId) -> Option<Growing> {
        let mut now = self.now.lock();
        let items = now.growing.get_mut(&session)?;
        let taken = items.remove(&item);
        if items.is_empty() {
            now.growing.remove(&session);
        }
        taken
    }

    /// Returns what is growing in a session.
    pub(crate) fn growing(&self, session: SessionId) -> BTreeMap<ItemId, Growing> {
        self.now.lock().growing.get(&session).cloned().unwrap_or_default()
    }

    /// Forgets what is growing in a session: it will not go on.
    pub(crate) fn forget(&self, session: SessionId) {
        self.now.lock().growing.remove(&session);
    }

    /// Encodes a text in frames that are not too long.
    fn frames(&self, session: SessionId, after: Seq, mut frame: LiveFrame, text: &str) -> Vec<LiveBytes> {
        let (mut frames, mut rest) = (Vec::new(), text);
        loop {
            let (piece, more) = rest.split_at(border(rest));
            piece.clone_into(&mut frame.text);
            let bytes = self.buffers.count(tail::sse(None, Frame::LIVE, &frame));
            frames.push(LiveBytes { session, after, bytes });
            frame.offset += piece.len() as u64;
            rest = more;
            if rest.is_empty() {
                return frames;
            }
        }
    }
}

impl Growth {
    /// Returns a frame without text.
    fn frame(&self, session: SessionId, item: ItemId, offset: u64) -> LiveFrame {
        let (kind, call) = match self {
            Self::AssistantText => (LiveKind::AssistantText, None),
            Self::Thinking => (LiveKind::Thinking, None),
            Self::ToolOutput(call) => (LiveKind::ToolOutput, Some(call.clone().into())),
        };
        LiveFrame { session: session.into(), item: item.into(), kind, offset, text: String::new(), call }
    }
}

impl Growing {
    fn of(what: Growth) -> Self {
        let kept = match what {
            Growth::AssistantText | Growth::Thinking => KEPT_TEXT,
            Growth::ToolOutput(_) => KEPT_OUTPUT,
        };
        Self { what, text: Ends::new(kept), after: 0 }
    }
}

/// Returns where the first piece of a text ends.
fn border(text: &str) -> usize {
    (0..=TEXT_BYTES.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0)
}

impl Ring {
    fn push(&mut self, frame: LiveBytes) {
        self.bytes += frame.bytes.len();
        self.frames.push_back(frame);
        self.next += 1;
        while self.frames.len() > FRAMES || self.bytes > BYTES {
            let Some(dropped) = self.frames.pop_front() else { break };
            self.bytes -= dropped.bytes.len();
        }
    }

    /// Returns a frame, or the oldest one after it that is still here.
    fn from(&self, number: u64) -> impl Iterator<Item = (u64, &LiveBytes)> {
        let first = self.next - self.frames.len() as u64;
        let skipped = usize::try_from(number.saturating_sub(first)).unwrap_or(usize::MAX);
        (first..).zip(&self.frames).skip(skipped)
    }
}

impl Listener {
    /// Misses everything that was published so far.
    pub(crate) fn skip(&mut self) {
        self.past.clear();
        self.next = self.live.now.lock().ring.next;
    }

    /// Says whether it was not given yet what had grown before it came.
    pub(crate) fn has_past(&self) -> bool {
        !self.past.is_empty()
    }

    /// Gives the frames of some sessions in order, until `take` has enough or the past of one was not seen yet.
    /// Says whether those were all.
    pub(crate) fn each(
        &mut self,
        wanted: impl Fn(SessionId) -> bool,
        seen: Seq,
        mut take: impl FnMut(&Bytes) -> Wants,
    ) -> bool {
        let now = self.live.now.lock();
        while let Some((item, frame)) = self.past.front() {
            let grows = now.growing.get(&frame.session).is_some_and(|items| items.contains_key(item));
            if grows && frame.after > seen {
                return false;
            }
            // Items stored in the meantime are sent from the log.
            let wants = if grows { take(&frame.bytes) } else { Wants::More };
            self.past.pop_front();
            if wants == Wants::Enough {
                return false;
            }
        }
        for (number, frame) in now.ring.from(self.next) {
            if !wanted(frame.session) {
                self.next = number + 1;
                continue;
            }
            if frame.after > seen {
                return false;
            }
            self.next = number + 1;
            if take(&frame.bytes) == Wants::Enough {
                return false;
            }
        }
        true
    }
}

/// Whether a reader takes another frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wants {
    More,
    Enough,
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut now = self.live.now.lock();
        if self.live.listeners.fetch_sub(1, Ordering::SeqCst) == 1 {
            now.ring = Ring { next: now.ring.next, ..Ring::default() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(number: u8) -> SessionId {
        SessionId::from_random([number; 16])
    }

    fn live() -> Live {
        Live::new(Bell::new(0), Buffers::default())
    }

    fn item() -> ItemId {
        ItemId::from_uuid(uuid::Uuid::from_u128(7))
    }

    fn say(live: &Live, session: SessionId, after: Seq, text: &str) {
        live.grow(session, after, item(), Growth::AssistantText, text);
    }

    fn print(live: &Live, text: &str) {
        live.grow(session(1), 0, item(), Growth::ToolOutput("call".to_owned()), text);
    }

    fn heard(listener: &mut Listener, seen: Seq) -> Vec<String> {
        let mut heard = Vec::new();
        listener.each(
            |of| of == session(1),
            seen,
            |bytes| {
                heard.push(String::from_utf8(bytes.to_vec()).unwrap());
                Wants::More
            },
        );
        heard
    }

    fn read(frame: &str) -> LiveFrame {
        let data = frame.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
        serde_json::from_str(data).unwrap()
    }

    /// Returns what frames say that fit together, and where that begins.
    fn words(frames: &[String]) -> (u64, String) {
        let frames: Vec<LiveFrame> = frames.iter().map(|frame| read(frame)).collect();
        let begin = frames.first().map_or(0, |frame| frame.offset);
        let said = frames.into_iter().fold(String::new(), |said, frame| {
            assert_eq!(frame.offset, begin + said.len() as u64);
            said + &frame.text
        });
        (begin, said)
    }

    #[test]
    fn who_comes_later_hears_what_has_grown_from_its_beginning_and_then_the_rest() {
        let live = live();
        say(&live, session(1), 3, "one ");
        say(&live, session(2), 3, "other");
        let mut listener = live.listen([session(1)]);
        say(&live, session(1), 3, "two");
        assert_eq!(heard(&mut listener, 2), [""; 0], "its past first");
        assert_eq!(words(&heard(&mut listener, 3)), (0, "one two".to_owned()));
        assert!(!listener.has_past());
    }

    #[test]
    fn what_was_stored_meanwhile_is_not_said_again() {
        let live = live();
        print(&live, "stored by now");
        let mut listener = live.listen([session(1)]);
        assert!(listener.has_past());
        let growing = live.take(session(1), item()).unwrap();
        assert_eq!(growing.text.text(), "stored by now");
        assert_eq!((heard(&mut listener, 0).len(), live.growing(session(1)).len()), (0, 0));
        assert!(!live.listen([session(1)]).has_past());
    }

    #[test]
    fn of_long_output_who_comes_later_hears_beginning_and_end() {
        let live = live();
        (0..100_000).for_each(|line| print(&live, &format!("line {line}\n")));
        let frames = heard(&mut live.listen([session(1)]), 0);
        let frames: Vec<LiveFrame> = frames.iter().map(|frame| read(frame)).collect();
        let sum: usize = frames.iter().map(|frame| frame.text.len()).sum();
        assert!(sum > PAST_BYTES / 2 && sum <= PAST_BYTES, "{sum}");
        assert!(frames[0].text.starts_with("line 0\n") && frames[0].offset == 0);
        let last = frames.last().unwrap();
        assert!(last.text.ends_with("line 99999\n"));
        assert_eq!(last.offset + last.text.len() as u64, live.growing(session(1))[&item()].text.length());
        assert!(frames.iter().all(|frame| frame.call.as_deref() == Some("call")));
        live.forget(session(1));
        assert!(live.growing(session(1)).is_empty());
    }

    #[test]
    fn a_listener_hears_its_own_sessions_once_the_past_was_seen() {
        let live = live();
        let mut listener = live.listen([]);
        say(&live, session(2), 9, "other");
        say(&live, session(1), 3, "a");
        assert_eq!(heard(&mut listener, 2), [""; 0]);
        assert_eq!(words(&heard(&mut listener, 3)), (0, "a".to_owned()));
        assert_eq!(heard(&mut listener, 9), [""; 0], "once");
    }

    #[test]
    fn a_long_text_comes_in_pieces_that_fit_together() {
        let live = live();
        let mut listener = live.listen([]);
        let text = "語".repeat(TEXT_BYTES);
        say(&live, session(1), 0, &text);
        let frames = heard(&mut listener, 0);
        assert!(frames.iter().all(|frame| frame.len() < TEXT_BYTES + 300) && frames.len() > 3);
        assert_eq!(words(&frames), (0, text));
    }

    #[test]
    fn frames_for_those_who_lag_are_bounded_and_go_with_the_last_of_them() {
        let live = live();
        let mut stalled = live.listen([]);
        for _ in 0..40 {
            say(&live, session(1), 0, &"x".repeat(1024 * 1024));
        }
        assert!(live.buffers.sum() <= BYTES, "{}", live.buffers.sum());
        for _ in 0..2 * FRAMES {
            say(&live, session(1), 0, "x");
        }
        assert_eq!(heard(&mut stalled, 0).len(), FRAMES, "the newest");
        drop(stalled);
        assert_eq!(live.buffers.sum(), 0);
        say(&live, session(1), 0, "nobody listens");
        assert_eq!((live.buffers.sum(), heard(&mut live.listen([]), 0).len()), (0, 0));
    }

    #[test]
    fn a_listener_that_has_enough_goes_on_where_it_was() {
        let live = live();
        let mut listener = live.listen([]);
        ["a", "b", "c"].iter().for_each(|text| say(&live, session(1), 0, text));
        let mut first = 0;
        listener.each(
            |_| true,
            0,
            |_| {
                first += 1;
                Wants::Enough
            },
        );
        assert_eq!((first, heard(&mut listener, 0).len()), (1, 2));
        say(&live, session(1), 0, "missed");
        listener.skip();
        say(&live, session(1), 0, "d");
        assert_eq!(words(&heard(&mut listener, 0)).1, "d");
    }
}
