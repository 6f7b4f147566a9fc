//! A log in memory, with a border between what is durable and what a crash takes away.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use paseo_core::cause::{self, Cause};
use paseo_core::codec::{self, Encoded};
use paseo_core::fold::{SessionHead, Stored, fold};
use paseo_core::id::{CauseId, SessionId, WatchId};
use paseo_core::inbox::{self, Place, Section};
use paseo_core::session::{self, Session};
use paseo_core::time::Timestamp;

/// Whose events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stream {
    Session(SessionId),
    Cause(CauseId),
}

/// What happened there. It is written down only when a replay is checked: that takes most of the time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    Session(session::Event),
    Cause(cause::Event),
}

/// Events for one stream, written on the assumption that it has this version.
#[derive(Debug, Clone)]
pub(super) struct Append {
    pub(super) stream: Stream,
    pub(super) version: usize,
    pub(super) events: Vec<Event>,
}

impl Append {
    /// Events of a session.
    pub(super) fn session(id: SessionId, version: usize, events: Vec<session::Event>) -> Self {
        let events = events.into_iter().map(Event::Session).collect();
        Self { stream: Stream::Session(id), version, events }
    }

    /// Events of a cause.
    pub(super) fn cause(id: CauseId, version: usize, events: Vec<cause::Event>) -> Self {
        let events = events.into_iter().map(Event::Cause).collect();
        Self { stream: Stream::Cause(id), version, events }
    }
}

/// Somebody else wrote first.
#[derive(Debug)]
pub(super) struct Conflict;

/// An event in the log.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) stream: Stream,
    pub(super) event: Rc<Event>,
    pub(super) ts: Timestamp,
    /// The number of its batch.
    pub(super) batch: u64,
    /// The idempotency key of that: news of a watch is told once.
    pub(super) key: Option<WatchId>,
}

#[derive(Default)]
pub(super) struct Log {
    streams: BTreeMap<Stream, Kept>,
    batches: u64,
    keys: BTreeSet<WatchId>,
    /// Keys mean nothing to it.
    pub(super) forgets_keys: bool,
    /// Written since the border, in order.
    volatile: Vec<Record>,
}

#[derive(Default)]
struct Kept {
    events: Vec<(Rc<Event>, Timestamp)>,
    head: Option<Head>,
    durable: usize,
    durable_head: Option<Head>,
}

/// What a stream came to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Head {
    Session(Rc<Session>),
    Cause(Rc<Cause>),
}

impl Log {
    /// Writes a batch, all or nothing. It is not durable yet. A key that is known is a conflict, too.
    pub(super) fn append(
        &mut self,
        batch: Vec<Append>,
        key: Option<WatchId>,
        ts: Timestamp,
    ) -> Result<(), Conflict> {
        let moved = batch.iter().any(|append| self.version(append.stream) != append.version);
        if moved || key.is_some_and(|key| self.knows(key)) {
            return Err(Conflict);
        }
        self.keys.extend(key);
        self.batches += 1;
        for append in batch {
            let stream = append.stream;
            let kept = self.streams.entry(stream).or_default();
            for event in append.events {
                apply(&mut kept.head, &event, ts);
                let event = Rc::new(event);
                kept.events.push((Rc::clone(&event), ts));
                self.volatile.push(Record { stream, event, ts, batch: self.batches, key });
            }
        }
        Ok(())
    }

    /// Moves the border to the end and returns what became durable, in order.
    pub(super) fn sync(&mut self) -> Vec<Record> {
        let records = std::mem::take(&mut self.volatile);
        for record in &records {
            if let Some(kept) = self.streams.get_mut(&record.stream) {
                kept.durable = kept.events.len();
                kept.durable_head.clone_from(&kept.head);
            }
        }
        records
    }

    /// Takes away everything behind the border.
    pub(super) fn crash(&mut self) {
        for record in self.volatile.drain(..) {
            if let Some(key) = record.key {
                self.keys.remove(&key);
            }
            if let Some(kept) = self.streams.get_mut(&record.stream) {
                kept.events.truncate(kept.durable);
                kept.head.clone_from(&kept.durable_head);
            }
        }
        self.streams.retain(|_, kept| kept.durable > 0);
    }

    /// Returns how many events a stream has.
    pub(super) fn version(&self, stream: Stream) -> usize {
        self.streams.get(&stream).map_or(0, |kept| kept.events.len())
    }

    /// Says whether a batch with this key was written.
    pub(super) fn knows(&self, key: WatchId) -> bool {
        !self.forgets_keys && self.keys.contains(&key)
    }

    /// Returns what a session came to, when there is one.
    pub(super) fn session(&self, id: SessionId) -> Option<&Rc<Session>> {
        match self.streams.get(&Stream::Session(id))?.head.as_ref()? {
            Head::Session(session) => Some(session),
            Head::Cause(_) => None,
        }
    }

    /// Returns what a cause came to.
    pub(super) fn cause(&self, id: CauseId) -> Cause {
        match self.streams.get(&Stream::Cause(id)).and_then(|kept| kept.head.as_ref()) {
            Some(Head::Cause(cause)) => Cause::clone(cause),
            Some(Head::Session(_)) | None => Cause::default(),
        }
    }

    /// Returns the sessions that are open, with their parents.
    pub(super) fn open(&self) -> impl Iterator<Item = (SessionId, Option<SessionId>)> {
        self.streams.values().filter_map(|kept| match kept.head.as_ref()? {
            Head::Session(session) if session.is_open() => Some((session.id, session.profile.parent)),
            Head::Session(_) | Head::Cause(_) => None,
        })
    }

    /// Says whether a crash would take something away.
    pub(super) fn is_volatile(&self) -> bool {
        !self.volatile.is_empty()
    }

    /// Checks that every stream, taken in from its first event, comes to its head.
    pub(super) fn check_replay(&self) -> Result<(), String> {
        for (stream, kept) in &self.streams {
            let mut head = None;
            kept.events.iter().for_each(|(event, ts)| apply(&mut head, event, *ts));
            if head != kept.head {
                return Err(format!("I5: {stream:?} comes to something else than its head"));
            }
        }
        Ok(())
    }

    /// Checks that every stream, written down and folded from its first event, comes to its head, byte by byte.
    pub(super) fn check_bytes(&self) -> Result<(), String> {
        for (stream, kept) in &self.streams {
            let written: Vec<(Encoded, Timestamp)> =
                kept.events.iter().map(|(event, ts)| (encode(event), *ts)).collect();
            let stored: Vec<Stored<'_>> = written
                .iter()
                .map(|(event, ts)| Stored { kind: &event.kind, v: event.v, ts: *ts, data: Some(&event.data) })
                .collect();
            let folded = fold(&name(*stream), None, &stored).map_err(|error| error.to_string())?;
            let head = match &kept.head {
                Some(Head::Session(session)) => {
                    serde_json::to_vec(&SessionHead::Session(Box::new(Session::clone(session))))
                }
                Some(Head::Cause(cause)) => serde_json::to_vec(cause.as_ref()),
                None => Ok(Vec::new()),
            };
            if head.map_err(|error| error.to_string())? != folded.state {
                return Err(format!("I5: {stream:?} folds to other bytes than its head"));
            }
        }
        Ok(())
    }
}

fn apply(head: &mut Option<Head>, event: &Event, at: Timestamp) {
    match (head, event) {
        (head @ None, Event::Session(session::Event::Created(created))) => {
            *head = Some(Head::Session(Rc::new(Session::create(created.as_ref().clone(), at))));
        }
        (Some(Head::Session(session)), Event::Session(event)) => {
            let before = needs(session);
            Rc::make_mut(session).apply(event, at);
            let told = inbox::moves(event) || needs(session) == before;
            assert!(told, "readers of the inbox are not told what {event:?} changes");
        }
        (head, Event::Cause(event)) => match head.get_or_insert_with(|| Head::Cause(Rc::default())) {
            Head::Cause(cause) => Rc::make_mut(cause).apply(event, at),
            Head::Session(_) => unreachable!("a stream has events of one kind"),
        },
        (_, Event::Session(event)) => unreachable!("{event:?} of a session that was not created"),
    }
}

/// Returns what a session needs a person for.
fn needs(session: &Session) -> Vec<Place> {
    let entries = inbox::entries(session).into_iter().map(|entry| entry.place);
    entries.filter(|place| place.section() == Section::NeedsYou).collect()
}

fn encode(event: &Event) -> Encoded {
    match event {
        Event::Session(event) => codec::encode(event),
        Event::Cause(event) => codec::encode(event),
    }
}

fn name(stream: Stream) -> String {
    match stream {
        Stream::Session(id) => session::stream(id),
        Stream::Cause(id) => cause::stream(id),
    }
}
