//! One log under test, and short ways to write batches.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use uuid::Uuid;

use super::Engine;
use crate::{
    Appended, Batch, Body, Error, Expect, Fold, Folded, IdempotencyKey, Log, NewContent, NewEvent, NewItem,
    Record, Seq, StreamAppend, Version,
};

/// Where the clock of every case starts.
pub(super) const START: i64 = 1_800_000_000_000;

/// The suite's fold. Its state is readable: events, bytes of data, then all kinds.
///
/// A stream is live unless its last event is `closed`; each `owned` raises its epoch; `impossible` is refused.
pub struct SuiteFold;

impl Fold for SuiteFold {
    fn fold(&self, _stream: &str, prior: Option<&[u8]>, events: &[Record]) -> Result<Folded, String> {
        assert!(!events.is_empty(), "the fold gets at least one event");
        let prior = prior.map_or("0 0 ", |state| std::str::from_utf8(state).unwrap());
        let mut parts = prior.splitn(3, ' ');
        let mut number = || parts.next().unwrap().parse::<usize>().unwrap();
        let (mut count, mut bytes) = (number(), number());
        let mut kinds = parts.next().unwrap().to_owned();
        for event in events {
            assert!(matches!(event.body, Body::Control { .. }), "the fold gets control events only");
            if event.kind == "impossible" {
                return Err("this cannot happen".into());
            }
            count += 1;
            bytes += event.data.as_ref().map_or(0, String::len);
            kinds.push_str(&event.kind);
            kinds.push(',');
        }
        let live = !kinds.ends_with("closed,");
        let epoch = kinds.split(',').filter(|kind| *kind == "owned").count() as u64;
        Ok(Folded { state: format!("{count} {bytes} {kinds}").into_bytes(), live, epoch })
    }
}

/// A log in a place of its own, with a clock that the case sets.
pub(super) struct Subject<'a, E: Engine> {
    pub(super) engine: &'a E,
    pub(super) place: E::Place,
    pub(super) clock: Arc<AtomicI64>,
    pub(super) log: Arc<dyn Log>,
}

impl<'a, E: Engine> Subject<'a, E> {
    pub(super) fn new(engine: &'a E) -> Self {
        let place = engine.place();
        let clock = Arc::new(AtomicI64::new(START));
        let log = open(engine, &place, &clock);
        Self { engine, place, clock, log }
    }

    pub(super) async fn reopen(&mut self) {
        self.log.close().await.unwrap();
        self.log = open(self.engine, &self.place, &self.clock);
    }

    pub(super) fn set_clock(&self, now: i64) {
        self.clock.store(now, Ordering::SeqCst);
    }

    /// Appends a batch that must be stored.
    pub(super) async fn append(&self, batch: Batch) -> Stored {
        match self.log.append(batch).await.unwrap() {
            Appended::New { seq, ts, versions, ordinals } => Stored { seq, ts, versions, ordinals },
            Appended::Repeat { receipt } => panic!("the batch was taken for a repeat: {receipt}"),
        }
    }

    /// Appends a batch that must be refused.
    pub(super) async fn refusal(&self, batch: Batch) -> Error {
        self.log.append(batch).await.expect_err("the batch should be refused")
    }

    /// Returns everything in the log.
    pub(super) async fn everything(&self) -> Vec<Record> {
        self.log.read(0, usize::MAX).await.unwrap()
    }

    /// Returns whether some file of the log has these bytes; `None` when there are no files to look at.
    pub(super) fn holds(&self, needle: &str) -> Option<bool> {
        let files = self.engine.files(&self.place);
        let holds = |path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).contains(needle);
        if files.is_empty() { None } else { Some(files.iter().any(holds)) }
    }
}

/// What [`Appended::New`] says.
pub(super) struct Stored {
    pub(super) seq: Seq,
    pub(super) ts: i64,
    pub(super) versions: Vec<Version>,
    pub(super) ordinals: Vec<u64>,
}

/// Returns an empty batch.
pub(super) fn batch() -> Batch {
    Batch { actor: "tester".into(), ..Batch::default() }
}

/// Returns a batch with control events of these kinds for one stream.
pub(super) fn control(stream: &str, expect: Expect, kinds: &[&str]) -> Batch {
    batch().and_control(stream, expect, kinds)
}

/// Adds parts to a batch.
pub(super) trait Build {
    fn and_control(self, stream: &str, expect: Expect, kinds: &[&str]) -> Self;
    fn and_item(self, stream: &str, content: Option<Uuid>) -> Self;
    fn and_content(self, id: Uuid, owner: &str, text: &str) -> Self;
    fn and_key(self, scope: &str, key: &str, body: u8) -> Self;
}

impl Build for Batch {
    fn and_control(mut self, stream: &str, expect: Expect, kinds: &[&str]) -> Self {
        let events = kinds.iter().map(|kind| event(kind, "{}")).collect();
        self.streams.push(StreamAppend { stream: stream.into(), expect, events });
        self
    }

    fn and_item(mut self, stream: &str, content: Option<Uuid>) -> Self {
        let (kind, data) = ("said".into(), "{\"item\":1}".into());
        self.items.push(NewItem { stream: stream.into(), id: fresh_id(), kind, v: 1, data, content });
        self
    }

    fn and_content(mut self, id: Uuid, owner: &str, text: &str) -> Self {
        self.contents.push(NewContent { id, owner: owner.into(), text: text.into(), extra: None });
        self
    }

    fn and_key(mut self, scope: &str, key: &str, body: u8) -> Self {
        let receipt = format!("receipt of {key} in {scope}");
        self.key = Some(IdempotencyKey { scope: scope.into(), key: key.into(), body: [body; 32], receipt });
        self
    }
}

/// Returns a control event.
pub(super) fn event(kind: &str, data: &str) -> NewEvent {
    NewEvent { id: fresh_id(), kind: kind.into(), v: 1, data: data.into() }
}

/// Returns an id that no other call returns.
pub(super) fn fresh_id() -> Uuid {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    Uuid::from_u128(u128::from(NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// Returns a text of about `len` bytes with a needle at its start, in its middle and at its end.
pub(super) fn text_with(needle: &str, len: usize) -> String {
    let filler = "-".repeat(len.saturating_sub(3 * needle.len()) / 2);
    format!("{needle}{filler}{needle}{filler}{needle}")
}

fn open<E: Engine>(engine: &E, place: &E::Place, clock: &Arc<AtomicI64>) -> Arc<dyn Log> {
    let clock = clock.clone();
    engine.open(place, Arc::new(move || clock.load(Ordering::SeqCst)), Arc::new(SuiteFold))
}
