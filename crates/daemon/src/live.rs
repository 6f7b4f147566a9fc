//! Live frames: pieces of items that are still growing. Never stored; a reader that lags skips some.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;
use paseo_core::id::SessionId;
use paseo_store::Seq;
use paseo_wire::stream::{Frame, LiveFrame};

use crate::bell::Bell;
use crate::buffers::Buffers;
use crate::tail;

/// Frames and bytes that are kept for readers that lag. The stored item replaces what they miss.
const FRAMES: usize = 1024;
const BYTES: usize = 4 * 1024 * 1024;
/// Longest text of one frame, in bytes. A harness may report megabytes at once.
const TEXT_BYTES: usize = 8 * 1024;

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
    ring: Arc<Mutex<Ring>>,
    listeners: Arc<AtomicUsize>,
    bell: Bell,
    buffers: Buffers,
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
    /// The number of the next frame to look at.
    next: u64,
}

impl Live {
    pub(crate) fn new(bell: Bell, buffers: Buffers) -> Self {
        Self { ring: Arc::default(), listeners: Arc::default(), bell, buffers }
    }

    /// Listens from now on; the bell tells when there is something.
    pub(crate) fn listen(&self) -> Listener {
        let ring = self.ring.lock();
        self.listeners.fetch_add(1, Ordering::SeqCst);
        Listener { live: self.clone(), next: ring.next }
    }

    /// Publishes a piece of growing text; costs nothing when nobody listens.
    pub(crate) fn publish(&self, session: SessionId, after: Seq, frame: impl FnOnce() -> LiveFrame) {
        if self.listeners.load(Ordering::SeqCst) == 0 {
            return;
        }
        let mut frame = frame();
        let text = std::mem::take(&mut frame.text);
        let mut rest = text.as_str();
        loop {
            let (piece, more) = rest.split_at(border(rest));
            piece.clone_into(&mut frame.text);
            let bytes = self.buffers.count(tail::sse(None, Frame::LIVE, &frame));
            self.ring.lock().push(LiveBytes { session, after, bytes });
            frame.offset += piece.len() as u64;
            rest = more;
            if rest.is_empty() {
                break;
            }
        }
        self.bell.live();
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
        self.next = self.live.ring.lock().next;
    }

    /// Gives the frames of some sessions in order, until `take` has enough or the past of one was not seen yet.
    /// Says whether those were all.
    pub(crate) fn each(
        &mut self,
        wanted: impl Fn(SessionId) -> bool,
        seen: Seq,
        mut take: impl FnMut(&Bytes) -> Wants,
    ) -> bool {
        let ring = self.live.ring.lock();
        for (number, frame) in ring.from(self.next) {
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
        let mut ring = self.live.ring.lock();
        if self.live.listeners.fetch_sub(1, Ordering::SeqCst) == 1 {
            *ring = Ring { next: ring.next, ..Ring::default() };
        }
    }
}

#[cfg(test)]
mod tests {
    use paseo_wire::words::LiveKind;

    use super::*;

    fn session(number: u8) -> SessionId {
        SessionId::from_random([number; 16])
    }

    fn live() -> Live {
        Live::new(Bell::new(0), Buffers::default())
    }

    fn say(live: &Live, session: SessionId, after: Seq, text: &str) {
        let (session_name, item, kind) = (session.to_string(), "i".to_owned(), LiveKind::AssistantText);
        let frame = LiveFrame {
            session: session_name.into(),
            item: item.into(),
            kind,
            offset: 0,
            text: text.to_owned(),
        };
        live.publish(session, after, || frame);
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

    fn words(frames: &[String]) -> String {
        let text = |frame: &String| {
            let data = frame.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
            let frame: LiveFrame = serde_json::from_str(data).unwrap();
            (frame.offset, frame.text)
        };
        frames.iter().map(text).fold(String::new(), |said, (offset, text)| {
            assert_eq!(offset, said.len() as u64);
            said + &text
        })
    }

    #[test]
    fn a_listener_hears_its_own_sessions_once_the_past_was_seen() {
        let live = live();
        let mut listener = live.listen();
        say(&live, session(2), 9, "other");
        say(&live, session(1), 3, "a");
        assert_eq!(heard(&mut listener, 2), [""; 0]);
        assert_eq!(words(&heard(&mut listener, 3)), "a");
        assert_eq!(heard(&mut listener, 9), [""; 0], "once");
    }

    #[test]
    fn a_long_text_comes_in_pieces_that_fit_together() {
        let live = live();
        let mut listener = live.listen();
        let text = "語".repeat(TEXT_BYTES);
        say(&live, session(1), 0, &text);
        let frames = heard(&mut listener, 0);
        assert!(frames.iter().all(|frame| frame.len() < TEXT_BYTES + 300) && frames.len() > 3);
        assert_eq!(words(&frames), text);
    }

    #[test]
    fn frames_for_those_who_lag_are_bounded_and_go_with_the_last_of_them() {
        let live = live();
        let mut stalled = live.listen();
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
        assert_eq!((live.buffers.sum(), heard(&mut live.listen(), 0).len()), (0, 0));
    }

    #[test]
    fn a_listener_that_has_enough_goes_on_where_it_was() {
        let live = live();
        let mut listener = live.listen();
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
        assert_eq!(words(&heard(&mut listener, 0)), "d");
    }
}
