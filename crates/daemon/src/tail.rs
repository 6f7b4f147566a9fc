//! The newest events, encoded once and shared by all readers of the stream.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;
use paseo_core::id::SessionId;
use paseo_core::session;
use paseo_core::time::Timestamp;
use paseo_store::{Body, ItemRow, Record, Seq};
use paseo_wire::session::SessionView;
use paseo_wire::stream::{EventFrame, Frame, ItemFrame};
use serde::Serialize;
use tokio::sync::watch;

use crate::directory::Directory;
use crate::failure::Failure;
use crate::journal::Journal;
use crate::view;

/// Events that are read from the log at once.
const PAGE: usize = 500;
/// Events that one reader reads from the log at once: it may stall with them in its hands.
const CATCH_UP: usize = 16;
/// Frames and bytes that are kept in memory.
const FRAMES: usize = 4096;
const BYTES: usize = 8 * 1024 * 1024;

/// A stored event, ready for readers.
#[derive(Debug)]
pub(crate) struct StoredFrame {
    pub(crate) seq: Seq,
    pub(crate) session: SessionId,
    /// A control event, as opposed to an item.
    pub(crate) control: bool,
    /// Whoever lists sessions with `ui=true` needs it.
    pub(crate) for_ui: bool,
    pub(crate) bytes: Bytes,
}

/// The shared end of the log. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Tail {
    ring: Arc<Mutex<Ring>>,
    reached: watch::Sender<Seq>,
    readers: Arc<AtomicUsize>,
    journal: Journal,
    directory: Directory,
}

#[derive(Default)]
struct Ring {
    frames: VecDeque<Arc<StoredFrame>>,
    bytes: usize,
    /// Every frame above this is in the ring.
    floor: Seq,
    /// Events up to this were looked at.
    reached: Seq,
}

/// A reader's place; counts it for as long as it lives.
pub(crate) struct Reading {
    readers: Arc<AtomicUsize>,
    pub(crate) reached: watch::Receiver<Seq>,
}

impl Tail {
    pub(crate) fn new(journal: Journal, directory: Directory) -> Self {
        let head = journal.head();
        let ring = Ring { floor: head, reached: head, ..Ring::default() };
        let readers = Arc::default();
        Self {
            ring: Arc::new(Mutex::new(ring)),
            reached: watch::Sender::new(head),
            readers,
            journal,
            directory,
        }
    }

    /// Follows the log for as long as the daemon lives.
    pub(crate) async fn follow(self) {
        let mut head = self.journal.log.watch();
        loop {
            let target = *head.borrow_and_update();
            if self.readers.load(Ordering::SeqCst) == 0 {
                self.skip_to(target);
            } else if let Err(failure) = self.read_up_to(target).await {
                tracing::error!(error = %failure.message, "cannot read the log");
            }
            if head.changed().await.is_err() {
                return;
            }
        }
    }

    /// Joins the readers.
    pub(crate) fn join(&self) -> Reading {
        self.readers.fetch_add(1, Ordering::SeqCst);
        Reading { readers: Arc::clone(&self.readers), reached: self.reached.subscribe() }
    }

    /// Returns the frames after a point and the point they reach to; from memory, or else from the log.
    pub(crate) async fn after(&self, cursor: Seq) -> Result<(Vec<Arc<StoredFrame>>, Seq), Failure> {
        if let Some(found) = self.remembered(cursor) {
            return Ok(found);
        }
        let records = self.journal.log.read(cursor, CATCH_UP).await?;
        let reached = records.last().map_or(cursor, |record| record.seq);
        Ok((self.encode(records).await?.into_iter().map(Arc::new).collect(), reached))
    }

    fn remembered(&self, cursor: Seq) -> Option<(Vec<Arc<StoredFrame>>, Seq)> {
        let ring = self.ring.lock();
        if cursor < ring.floor {
            return None;
        }
        let start = ring.frames.partition_point(|frame| frame.seq <= cursor);
        let frames: Vec<_> = ring.frames.iter().skip(start).take(PAGE).cloned().collect();
        let all = start + frames.len() == ring.frames.len();
        let reached =
            if all { ring.reached.max(cursor) } else { frames.last().map_or(cursor, |frame| frame.seq) };
        Some((frames, reached))
    }

    fn skip_to(&self, head: Seq) {
        let mut ring = self.ring.lock();
        if head > ring.reached {
            *ring = Ring { floor: head, reached: head, ..Ring::default() };
        }
        drop(ring);
        self.reached.send_replace(head);
    }

    async fn read_up_to(&self, head: Seq) -> Result<(), Failure> {
        loop {
            let from = self.ring.lock().reached;
            if from >= head {
                return Ok(());
            }
            let records = self.journal.log.read(from, PAGE).await?;
            let Some(reached) = records.last().map(|record| record.seq) else { return Ok(()) };
            let frames = self.encode(records).await?;
            self.ring.lock().push(frames, reached);
            self.reached.send_replace(reached);
        }
    }

    async fn encode(&self, records: Vec<Record>) -> Result<Vec<StoredFrame>, Failure> {
        let mut frames = Vec::with_capacity(records.len());
        for record in records {
            let Some(session) = session::from_stream(&record.stream) else { continue };
            let (seq, control) = (record.seq, matches!(record.body, Body::Control { .. }));
            let view = match record.body {
                Body::Control { version } => self.directory.view_at(session, version, &self.journal).await?,
                Body::Item { .. } => None,
            };
            let ui =
                view.as_ref().is_some_and(|view| view.labels.get("ui").is_some_and(|value| value == "true"));
            // Leaving the list is news for it, too.
            let for_ui = ui || matches!(record.kind.as_str(), "session.deleted" | "session.labelled");
            let bytes = encode(session, record, view);
            frames.push(StoredFrame { seq, session, control, for_ui, bytes });
        }
        Ok(frames)
    }
}

impl Ring {
    fn push(&mut self, frames: Vec<StoredFrame>, reached: Seq) {
        for frame in frames {
            self.bytes += frame.bytes.len();
            self.frames.push_back(Arc::new(frame));
        }
        self.reached = reached;
        while self.frames.len() > FRAMES || self.bytes > BYTES {
            let Some(dropped) = self.frames.pop_front() else { break };
            self.bytes -= dropped.bytes.len();
            self.floor = dropped.seq;
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.readers.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Encodes a server-sent event.
pub(crate) fn sse<T: Serialize>(id: Option<Seq>, name: &str, data: &T) -> Bytes {
    // What goes over the wire is plain data with string keys: it always serialises, on one line.
    let json = serde_json::to_string(data).unwrap_or_default();
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    Bytes::from(format!("{id}event: {name}\ndata: {json}\n\n"))
}

fn encode(session: SessionId, record: Record, view: Option<SessionView>) -> Bytes {
    match record.body {
        Body::Control { .. } => {
            let data =
                record.data.as_deref().and_then(|data| serde_json::from_str(data).ok()).unwrap_or_default();
            let frame = EventFrame {
                seq: record.seq,
                ts: Timestamp::from_millis(record.ts).into(),
                session: session.to_string(),
                actor: record.actor,
                kind: record.kind,
                data,
                view,
            };
            sse(Some(record.seq), Frame::EVENT, &frame)
        }
        Body::Item { ordinal, content } => {
            let row = ItemRow {
                seq: record.seq,
                id: record.id,
                ts: record.ts,
                ordinal,
                kind: record.kind,
                v: record.v,
                data: record.data,
                content,
            };
            sse(
                Some(record.seq),
                Frame::ITEM,
                &ItemFrame { session: session.to_string(), item: view::item(row) },
            )
        }
    }
}
