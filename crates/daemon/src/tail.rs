//! The newest events, encoded once and shared by all readers of the stream.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use paseo_core::actor::Actor;
use paseo_core::cause;
use paseo_core::codec;
use paseo_core::id::{CauseId, SessionId, ThreadId};
use paseo_core::inbox;
use paseo_core::item::Entry;
use paseo_core::label;
use paseo_core::lineage::{self, Concerns};
use paseo_core::preview;
use paseo_core::session::{self, Session};
use paseo_core::team::{self, TeamId};
use paseo_core::thread;
use paseo_core::time::Timestamp;
use paseo_store::{Body, ItemRow, Record, Seq};
use paseo_wire::change::SessionChange;
use paseo_wire::session::SessionView;
use paseo_wire::stream::{CauseFrame, EventFrame, Frame, ItemFrame, TeamFrame, ThreadFrame};
use paseo_wire::words::{SessionField, Stage};
use serde::Serialize;
use tokio::sync::watch;

use crate::bell::{Bell, News};
use crate::buffers::Buffers;
use crate::failure::Failure;
use crate::frames::{Handful, Listed, PIECE, StoredFrame, Subject, Topics};
use crate::journal::Journal;
use crate::sessions::Context;
use crate::stop::Stop;
use crate::{threads, view};

/// Events that are read from the log at once.
const PAGE: usize = 128;
/// Events that one reader reads from the log at once, at most.
pub(crate) const CATCH_UP: usize = 16;
/// Frames and bytes that are kept in memory.
const FRAMES: usize = 4096;
const BYTES: usize = 8 * 1024 * 1024;
/// What readers were given lately, for those who come from the same point: when events come faster than they can be
/// written to all readers, these stand at a few points.
const SHARED: usize = 8;

/// The shared end of the log. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Tail {
    ring: Arc<Mutex<Ring>>,
    bell: Bell,
    readers: Arc<AtomicUsize>,
    journal: Journal,
    context: Arc<Context>,
    pub(crate) buffers: Buffers,
}

#[derive(Default)]
struct Ring {
    frames: VecDeque<StoredFrame>,
    bytes: usize,
    /// What readers were given: those that follow the same, from the same point on, are given it again.
    shared: VecDeque<(Topics, Handful)>,
    /// Every frame above this is in the ring.
    floor: Seq,
    /// Events up to this were looked at.
    reached: Seq,
}

/// A reader's place; counts it for as long as it lives.
pub(crate) struct Reading {
    readers: Arc<AtomicUsize>,
    ring: Arc<Mutex<Ring>>,
    pub(crate) news: watch::Receiver<News>,
}

impl Tail {
    pub(crate) fn new(context: Arc<Context>, bell: Bell, buffers: Buffers) -> Self {
        let journal = context.journal.clone();
        let head = journal.head();
        let ring = Ring { floor: head, reached: head, ..Ring::default() };
        Self { ring: Arc::new(Mutex::new(ring)), bell, readers: Arc::default(), journal, context, buffers }
    }

    /// Follows the log until the daemon stops.
    pub(crate) async fn follow(self, stop: Stop) {
        let mut head = self.journal.log.watch();
        tokio::spawn(self.bell.clone().go_round());
        loop {
            let target = *head.borrow_and_update();
            if let Err(failure) = self.read_up_to(target).await {
                tracing::error!(error = %failure.message, "cannot read the log");
            }
            tokio::select! {
                changed = head.changed() => if changed.is_err() { return },
                () = stop.requested() => return self.bell.over(),
            }
        }
    }

    /// Joins the readers.
    pub(crate) fn join(&self) -> Reading {
        self.readers.fetch_add(1, Ordering::SeqCst);
        let (readers, ring) = (Arc::clone(&self.readers), Arc::clone(&self.ring));
        Reading { readers, ring, news: self.bell.listen() }
    }

    /// Returns the next frames after a point that someone wants to see, from memory or else from the log: as many as
    /// go in one piece, or one that is longer. A reader may stall with them in its hands.
    pub(crate) async fn after(
        &self,
        cursor: Seq,
        topics: &Topics,
        appetite: usize,
    ) -> Result<Handful, Failure> {
        if let Some(handful) = self.ring.lock().after(cursor, topics, &self.buffers) {
            return Ok(handful);
        }
        let records = self.journal.log.read(cursor, appetite).await?;
        let (mut frames, mut bytes, mut reached) = (Vec::new(), 0, cursor);
        let (mut taken, read) = (0, records.len());
        for record in records {
            let seq = record.seq;
            if let Some(frame) = self.encode_one(record).await?
                && topics.want(&frame)
            {
                if bytes > 0 && bytes + frame.len() > PIECE {
                    break;
                }
                bytes += frame.len();
                frames.push(frame);
            }
            (reached, taken) = (seq, taken + 1);
        }
        // Long events that did not fit are not read in vain again and again.
        let appetite = if taken < read { taken } else { CATCH_UP.min(appetite * 2) };
        Ok(Handful::of(topics, frames.iter(), (cursor, reached), appetite, &self.buffers))
    }

    fn skip_to(&self, head: Seq) {
        let mut ring = self.ring.lock();
        if head > ring.reached {
            *ring = Ring { floor: head, reached: head, ..Ring::default() };
        }
        drop(ring);
        self.bell.reached(head);
    }

    async fn read_up_to(&self, head: Seq) -> Result<(), Failure> {
        loop {
            if self.readers.load(Ordering::SeqCst) == 0 {
                self.skip_to(head);
            }
            let from = self.ring.lock().reached;
            if from >= head {
                return Ok(());
            }
            let records = self.journal.log.read(from, PAGE).await?;
            let Some(reached) = records.last().map(|record| record.seq) else { return Ok(()) };
            let frames = self.encode(records).await?;
            self.ring.lock().push(frames, reached);
            self.bell.reached(reached);
        }
    }

    async fn encode(&self, records: Vec<Record>) -> Result<Vec<StoredFrame>, Failure> {
        let mut frames = Vec::with_capacity(records.len());
        for record in records {
            frames.extend(self.encode_one(record).await?);
        }
        Ok(frames)
    }

    /// Encodes an event, unless it is none that readers can follow.
    async fn encode_one(&self, record: Record) -> Result<Option<StoredFrame>, Failure> {
        if let Some(thread) = thread::from_stream(&record.stream) {
            return self.thread_frame(thread, &record).await.map(Some);
        }
        if let Some(team) = team::from_stream(&record.stream) {
            return self.team_frame(team, record).map(Some);
        }
        if let Some(cause) = cause::from_stream(&record.stream) {
            return self.cause_frame(cause, record).map(Some);
        }
        let Some(session) = session::from_stream(&record.stream) else { return Ok(None) };
        let mut causes = Concerns::These(BTreeSet::new());
        let (seq, control) = (record.seq, matches!(record.body, Body::Control { .. }));
        let event = if control { event_of(&record)? } else { None };
        let needs = event.as_ref().is_some_and(inbox::moves);
        let (view, listed, for_ui) = match record.body {
            Body::Control { version } => {
                self.context.directory.taken_in(session, version, seq).await;
                let view = match self.context.directory.at(session, version, &self.journal).await? {
                    Some(session) => {
                        causes = concerned(event.as_ref(), &session);
                        Some(self.context.view(&session).await)
                    }
                    None => None,
                };
                let shown = self.is_shown_in_ui(session, view.as_ref());
                (view, None, shown || changes_lists(&record.kind))
            }
            Body::Item { .. } => {
                let view = self.previewed(session, &record).await;
                let shown = view.is_some() && self.is_shown_in_ui(session, view.as_ref());
                (None, view.map(|view| sse(Some(seq), Frame::EVENT, &previewed(&record, view))), shown)
            }
        };
        let permission = control && record.kind.starts_with("permission.");
        let listed = listed.map(|listed| Listed::of(self.buffers.count(listed)));
        let bytes = self.buffers.count(encode(session, record, view)?);
        let of = Subject::Session(session);
        Ok(Some(StoredFrame { seq, of, control, for_ui, permission, needs, causes, bytes, listed }))
    }

    fn is_shown_in_ui(&self, session: SessionId, view: Option<&SessionView>) -> bool {
        let labelled = view.and_then(|view| view.labels.get(label::UI));
        labelled.is_some_and(|value| value == "true")
            || self.context.directory.is_shown_in_ui(session, |above| above.labels.is_ui())
    }

    /// Returns the view of an open session, if an item changes what lists show of it.
    async fn previewed(&self, id: SessionId, record: &Record) -> Option<SessionView> {
        let moves = matches!(record.kind.as_str(), "assistant_text" | "tool_call" | "tool_result");
        let entry = record.data.as_deref().filter(|_| moves);
        let entry = entry.and_then(|data| serde_json::from_str::<Entry>(data).ok());
        entry.filter(preview::is_own)?;
        self.context.directory.transcript_taken_in(&self.context.previews, id, record.seq).await;
        let session = self.context.directory.get(id)?;
        Some(self.context.view(&session).await)
    }
}

/// Tells lists of an item that changes what they show.
fn previewed(record: &Record, view: SessionView) -> EventFrame {
    EventFrame {
        seq: record.seq,
        ts: Timestamp::from_millis(record.ts).into(),
        session: view.id.clone(),
        actor: record.actor.as_str().into(),
        change: SessionChange::Updated { fields: vec![SessionField::LastSnippet, SessionField::Step] },
        view: Some(view),
    }
}

impl Tail {
    async fn thread_frame(&self, id: ThreadId, record: &Record) -> Result<StoredFrame, Failure> {
        let thread = id.to_string();
        let event = threads::view::event(&self.journal, &thread, record).await?;
        let frame = ThreadFrame {
            seq: record.seq,
            thread: thread.into(),
            event,
            deleted: record.kind == "thread.deleted",
        };
        let bytes = self.buffers.count(sse(Some(record.seq), Frame::THREAD, &frame));
        Ok(StoredFrame::other(record.seq, Subject::Thread(id), None, bytes))
    }

    /// Returns what happened in a team, and not what the team came to: that would cost too much with each of many.
    fn team_frame(&self, id: TeamId, record: Record) -> Result<StoredFrame, Failure> {
        let (change, task) = view::change::team(&record.kind, record.v, record.data.as_deref())?;
        let by = record.actor.parse::<Actor>().ok().and_then(|actor| actor.session());
        let by = by.and_then(|session| self.context.directory.get(session));
        let cause = by.and_then(|session| session.turn.as_ref().map(|turn| turn.cause));
        let frame = TeamFrame {
            seq: record.seq,
            ts: Timestamp::from_millis(record.ts).into(),
            team: (&id).into(),
            actor: record.actor.into(),
            task: task.map(Into::into),
            change,
        };
        let bytes = self.buffers.count(sse(Some(record.seq), Frame::TEAM, &frame));
        Ok(StoredFrame::other(record.seq, Subject::Team(id), cause, bytes))
    }

    fn cause_frame(&self, id: CauseId, record: Record) -> Result<StoredFrame, Failure> {
        let frame = CauseFrame {
            seq: record.seq,
            ts: Timestamp::from_millis(record.ts).into(),
            cause: id.into(),
            change: view::change::cause(&record.kind, record.v, record.data.as_deref())?,
            actor: record.actor.into(),
        };
        let bytes = self.buffers.count(sse(Some(record.seq), Frame::CAUSE, &frame));
        Ok(StoredFrame::other(record.seq, Subject::Cause(id), None, bytes))
    }
}

/// Returns the control event that is stored, unless it was erased or is of a newer version.
fn event_of(record: &Record) -> Result<Option<session::Event>, Failure> {
    match &record.data {
        Some(data) => codec::decode(&record.kind, record.v, data).map_err(Failure::internal),
        None => Ok(None),
    }
}

/// Returns the requests that a control event is about.
fn concerned(event: Option<&session::Event>, session: &Session) -> Concerns {
    event.map_or(Concerns::These(BTreeSet::new()), |event| lineage::concerns(event, session))
}

/// Says whether a kind of event matters to every list of sessions.
///
/// Once a session left a list, whether it was in it is no longer known. And when a session opens or closes, the handles
/// of those with a similar id grow or shrink.
fn changes_lists(kind: &str) -> bool {
    matches!(
        kind,
        "session.created" | "session.reopened" | "session.closed" | "session.deleted" | "session.labelled"
    )
}

impl Ring {
    /// Returns the next frames after a point that someone wants to see, unless some are not here any more.
    fn after(&mut self, cursor: Seq, topics: &Topics, buffers: &Buffers) -> Option<Handful> {
        if cursor < self.floor {
            return None;
        }
        let same = |(same, handful): &&(Topics, Handful)| handful.after == cursor && same == topics;
        if let Some((_, handful)) = self.shared.iter().find(same) {
            return Some(handful.clone());
        }
        let start = self.frames.partition_point(|frame| frame.seq <= cursor);
        let (mut bytes, mut reached) = (0, self.reached.max(cursor));
        let mut end = self.frames.len();
        for (index, frame) in self.frames.iter().enumerate().skip(start) {
            if bytes > 0 && bytes + frame.len() > PIECE {
                (end, reached) = (index, frame.seq - 1);
                break;
            }
            bytes += frame.len();
        }
        let frames = self.frames.range(start..end);
        let handful = Handful::of(topics, frames, (cursor, reached), CATCH_UP, buffers);
        self.shared.truncate(SHARED - 1);
        self.shared.push_front((topics.clone(), handful.clone()));
        Some(handful)
    }

    /// Forgets all frames.
    fn forget(&mut self) {
        *self = Self { floor: self.reached, reached: self.reached, ..Self::default() };
    }

    fn push(&mut self, frames: Vec<StoredFrame>, reached: Seq) {
        // There is more to give now.
        self.shared.clear();
        for frame in frames {
            self.bytes += frame.len();
            self.frames.push_back(frame);
        }
        self.reached = reached;
        while self.frames.len() > FRAMES || self.bytes > BYTES {
            let Some(dropped) = self.frames.pop_front() else { break };
            self.bytes -= dropped.len();
            self.floor = dropped.seq;
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        let mut ring = self.ring.lock();
        if self.readers.fetch_sub(1, Ordering::SeqCst) == 1 {
            // Whoever comes next reads from the log what is not here.
            ring.forget();
        }
    }
}

/// Encodes a server-sent event.
pub(crate) fn sse<T: Serialize>(id: Option<Seq>, name: &str, data: &T) -> Vec<u8> {
    // What goes over the wire is plain data with string keys: it always serialises, on one line.
    let json = serde_json::to_string(data).unwrap_or_default();
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    format!("{id}event: {name}\ndata: {json}\n\n").into_bytes()
}

fn encode(session: SessionId, record: Record, view: Option<SessionView>) -> Result<Vec<u8>, Failure> {
    Ok(match record.body {
        Body::Control { .. } => {
            let change = view::change::session(&record.kind, record.v, record.data.as_deref())?;
            let frame = EventFrame {
                seq: record.seq,
                ts: Timestamp::from_millis(record.ts).into(),
                session: session.into(),
                actor: record.actor.into(),
                change,
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
            let mut item = view::item(row);
            // It is stored once the agent has it; what became of it then is told by the end of its turn.
            item.settle(Stage::Handed);
            sse(Some(record.seq), Frame::ITEM, &ItemFrame { session: session.into(), item })
        }
    })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use paseo_core::label::Labels;
    use paseo_wire::message::CreatedSession;

    use super::*;
    use crate::http::tests::House;
    use crate::sessions::{Command, Patch};

    fn everything() -> Topics {
        Topics { sessions: true, ..Topics::default() }
    }

    fn ring(frames: Seq, length: usize) -> Ring {
        let mut ring = Ring::default();
        let frame = |seq| StoredFrame {
            seq,
            of: Subject::Session(SessionId::from_random([1; 16])),
            control: true,
            for_ui: false,
            permission: false,
            needs: false,
            causes: Concerns::These(BTreeSet::new()),
            bytes: Bytes::from(vec![b'x'; length]),
            listed: None,
        };
        ring.push((1..=frames).map(|number| frame(number * 2)).collect(), frames * 2 + 1);
        ring
    }

    #[test]
    fn a_reader_gets_a_handful_at_a_time_and_misses_nothing() {
        let mut ring = ring(10, PIECE / 2);
        let (mut seen, mut cursor, mut pieces) = (0, 0, 0);
        while cursor < ring.reached {
            let handful = ring.after(cursor, &everything(), &Buffers::default()).unwrap();
            let length = handful.bytes.map_or(0, |bytes| bytes.len());
            assert!(length <= PIECE);
            (seen, cursor, pieces) = (seen + length, handful.reached, pieces + 1);
        }
        assert_eq!((seen, pieces), (10 * PIECE / 2, 5));
    }

    #[test]
    fn who_follows_the_same_from_the_same_point_on_is_given_the_same_bytes() {
        let mut ring = ring(4, 10);
        let address = |handful: &Handful| handful.bytes.as_ref().map(|bytes| bytes.as_ptr());
        let first = ring.after(2, &everything(), &Buffers::default()).unwrap();
        assert_eq!((first.told, first.bytes.as_ref().map(Bytes::len)), (Some(8), Some(30)));
        assert_eq!(address(&ring.after(2, &everything(), &Buffers::default()).unwrap()), address(&first));
        // Another point, other topics, something new: each is looked for anew, and the first is still there.
        assert_eq!(ring.after(4, &everything(), &Buffers::default()).unwrap().bytes.unwrap().len(), 20);
        assert_eq!(ring.after(2, &Topics::default(), &Buffers::default()).unwrap().bytes, None);
        assert_eq!(address(&ring.after(2, &everything(), &Buffers::default()).unwrap()), address(&first));
        let mut more = self::ring(1, 10).frames.pop_front().unwrap();
        more.seq = 12;
        ring.push(vec![more], 12);
        let newer = ring.after(2, &everything(), &Buffers::default()).unwrap();
        assert_eq!((newer.told, newer.bytes.unwrap().len()), (Some(12), 40));
    }

    #[test]
    fn who_is_behind_the_oldest_frame_reads_the_log() {
        let mut ring = ring(FRAMES as Seq + 1, 1);
        assert!(ring.after(1, &everything(), &Buffers::default()).is_none());
        assert_eq!(
            ring.after(2, &everything(), &Buffers::default()).map(|handful| handful.reached),
            Some(ring.reached)
        );
    }

    #[tokio::test]
    async fn frames_go_with_the_last_reader() {
        let house = House::new().await;
        let tail = &house.app.tail;
        tokio::spawn(tail.clone().follow(house.app.stop.clone()));
        let (mut one, other) = (tail.join(), tail.join());
        let before = one.news.borrow_and_update().reached;
        house.session().await;
        one.news.wait_for(|news| news.reached > before).await.unwrap();
        drop(one);
        assert_ne!(tail.buffers.sum(), 0);
        drop(other);
        assert_eq!(tail.buffers.sum(), 0);
        // Whoever comes back finds them in the log.
        let handful = tail.after(before, &everything(), CATCH_UP).await.unwrap();
        assert!(handful.reached > before && handful.bytes.is_some());
    }

    #[tokio::test]
    async fn the_web_app_hears_of_whole_families() {
        let house = House::new().await;
        let shown = house.labelled(Labels::from_flags([], true).unwrap()).await;
        let child = house.child(&shown).await;
        let grandchild = house.child(&child).await;
        let background = house.session().await;
        let below = house.child(&background).await;
        let made = [&shown, &child, &grandchild, &background, &below];
        let of_kind = async |kind: &str| {
            let records = house.app.sessions.context.journal.log.read(0, PAGE).await.unwrap();
            let records = records.into_iter().filter(|record| record.kind == kind).collect();
            let frames = house.app.tail.encode(records).await.unwrap();
            made.map(|made: &CreatedSession| {
                let wanted = Subject::Session(made.session.id.parse().unwrap());
                let newest = frames.iter().rfind(|frame| frame.of == wanted);
                newest.map(|frame| frame.for_ui)
            })
        };
        for made in made {
            let id = made.session.id.parse().unwrap();
            let by = Actor::Human("cli".into());
            let patch = Patch { name: Some(Some("x".to_owned())), ..Patch::by(by) };
            house.app.sessions.ask(id, |reply| Command::Patch(patch, reply)).await.unwrap();
        }
        assert_eq!(of_kind("session.renamed").await, [true, true, true, false, false].map(Some));

        // With each that opens or closes, the handles of others may change. Where a session was listed is not known
        // once it is closed.
        assert_eq!(of_kind("session.created").await, [Some(true); 5]);
        for root in [&shown, &background] {
            let id = root.session.id.parse().unwrap();
            house.app.sessions.close(id, &Actor::Human("cli".into())).await.unwrap();
        }
        assert_eq!(of_kind("session.closed").await, [Some(true); 5]);
    }

    #[test]
    fn permission_requests_of_all_sessions_are_a_topic() {
        let frame = |permission| StoredFrame { permission, ..ring(1, 1).frames.pop_front().unwrap() };
        let app = Topics { sessions: true, only_ui: true, permissions: true, ..Topics::default() };
        assert!(app.want(&frame(true)));
        assert!(!app.want(&frame(false)));
        assert!(!Topics { permissions: false, ..app }.want(&frame(true)));
    }
}
