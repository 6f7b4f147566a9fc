//! One writer for each thread: read, decide, append, take in.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use paseo_core::actor::Actor;
use paseo_core::cause;
use paseo_core::content::ContentRef;
use paseo_core::id::{CauseId, PostId, ThreadId};
use paseo_core::thread::{self, Event, Thread};
use paseo_core::time::Timestamp;
use paseo_store::{Appended, Error, IdempotencyKey, Version};
use paseo_wire::error::Code;

use crate::failure::Failure;
use crate::journal::{self, Entries, Journal};
use crate::sessions::RequestKey;

/// Threads that are kept in memory; more are read again.
const ROOMS: usize = 1024;

/// The threads that were written to lately. Cheap to clone.
#[derive(Clone)]
pub(super) struct Rooms {
    journal: Journal,
    rooms: Arc<Mutex<HashMap<ThreadId, Arc<Room>>>>,
}

/// A thread as it stands; `None` until it is read.
#[derive(Default)]
struct Room(tokio::sync::Mutex<Option<(Thread, Version)>>);

/// What is to happen in a thread, in one batch.
#[derive(Default)]
pub(super) struct Change {
    pub(super) events: Vec<Event>,
    texts: Vec<(ContentRef, String)>,
    /// What a person begins by it.
    pub(super) begins: Option<(CauseId, PostId)>,
}

impl Change {
    /// Adds a text, for an event to refer to.
    pub(super) fn text(&mut self, words: &str) -> ContentRef {
        let reference = journal::reference(words);
        self.texts.push((reference.clone(), words.to_owned()));
        reference
    }
}

/// What came of it.
pub(super) enum Done<T> {
    /// It happened, and this is the thread now.
    New(Box<Thread>, T),
    /// It was asked for before, with this receipt.
    Repeat(String),
}

/// What the log says to a batch.
enum Stored {
    New(Timestamp),
    Repeat(String),
}

impl Rooms {
    pub(super) fn new(journal: Journal) -> Self {
        Self { journal, rooms: Arc::default() }
    }

    /// Makes a thread; the first event creates it.
    pub(super) async fn open(
        &self,
        by: &Actor,
        id: ThreadId,
        change: Change,
        key: Option<(RequestKey, String)>,
    ) -> Result<Done<()>, Failure> {
        match self.append(by, id, 0, &change, key).await? {
            Stored::Repeat(receipt) => Ok(Done::Repeat(receipt)),
            Stored::New(_) => self.get(id).await.map(|(thread, _)| Done::New(Box::new(thread), ())),
        }
    }

    /// Returns a thread as it stands.
    pub(super) async fn get(&self, id: ThreadId) -> Result<(Thread, Version), Failure> {
        let room = self.room(id);
        let mut state = room.0.lock().await;
        if state.is_none() {
            *state = self.journal.thread(id).await?;
        }
        state.clone().ok_or_else(|| unknown(id))
    }

    /// Returns the version of a thread, which costs less than the thread.
    pub(super) async fn version(&self, id: ThreadId) -> Result<Version, Failure> {
        let room = self.room(id);
        let mut state = room.0.lock().await;
        if state.is_none() {
            *state = self.journal.thread(id).await?;
        }
        state.as_ref().map(|(_, version)| *version).ok_or_else(|| unknown(id))
    }

    /// Decides on what a thread is now, and does it. When another writer was faster, it is decided again.
    pub(super) async fn change<T>(
        &self,
        by: &Actor,
        id: ThreadId,
        key: Option<RequestKey>,
        decide: impl Fn(&Thread, &mut Change) -> Result<T, Failure>,
        receipt: impl Fn(&T) -> String,
    ) -> Result<Done<T>, Failure> {
        let room = self.room(id);
        let mut state = room.0.lock().await;
        loop {
            // While it is written nobody has it: whoever gives up in between leaves nothing that is out of date.
            let (mut thread, version) = match state.take() {
                Some(known) => known,
                None => self.journal.thread(id).await?.ok_or_else(|| unknown(id))?,
            };
            let mut change = Change::default();
            let decided = match decide(&thread, &mut change) {
                Ok(decided) => decided,
                Err(refused) => {
                    *state = Some((thread, version));
                    return Err(refused);
                }
            };
            if change.events.is_empty() {
                *state = Some((thread.clone(), version));
                return Ok(Done::New(Box::new(thread), decided));
            }
            let sealed = key.clone().map(|key| (key, receipt(&decided)));
            match self.append(by, id, version, &change, sealed).await {
                Ok(Stored::New(ts)) => {
                    change.events.iter().for_each(|event| thread.apply(event, ts));
                    *state = Some((thread.clone(), version + change.events.len() as Version));
                    return Ok(Done::New(Box::new(thread), decided));
                }
                Ok(Stored::Repeat(receipt)) => {
                    *state = Some((thread, version));
                    return Ok(Done::Repeat(receipt));
                }
                Err(failure) if failure.code == Code::Conflict => {}
                // Whether it was stored is not known: it is read again.
                Err(failure) => return Err(failure),
            }
        }
    }

    async fn append(
        &self,
        by: &Actor,
        id: ThreadId,
        version: Version,
        change: &Change,
        key: Option<(RequestKey, String)>,
    ) -> Result<Stored, Failure> {
        let mut entries = Entries::by(by).stream(thread::stream(id), version, &change.events);
        if let Some((cause, post)) = change.begins {
            let begun = cause::Event::Begun { by: by.clone(), thread: id, post };
            entries = entries.stream(cause::stream(cause), 0, &[begun]);
        }
        for (reference, words) in &change.texts {
            entries.text(thread::stream(id), reference.id, words.clone(), None);
        }
        let key = key.map(|(RequestKey { scope, key, body }, receipt)| IdempotencyKey {
            scope,
            key,
            body,
            receipt,
        });
        let batch = entries.with(|batch| batch.key = key).into_batch();
        match self.journal.log.append(batch).await {
            Ok(Appended::New { ts, .. }) => Ok(Stored::New(Timestamp::from_millis(ts))),
            Ok(Appended::Repeat { receipt }) => Ok(Stored::Repeat(receipt)),
            Err(Error::Conflict { .. }) => Err(Failure::new(Code::Conflict, "the thread changed meanwhile")),
            Err(error) => Err(error.into()),
        }
    }

    fn room(&self, id: ThreadId) -> Arc<Room> {
        let mut rooms = self.rooms.lock();
        if rooms.len() >= ROOMS && !rooms.contains_key(&id) {
            // Whoever is in one keeps it; the others are read again.
            rooms.retain(|_, room| Arc::strong_count(room) > 1);
        }
        Arc::clone(rooms.entry(id).or_default())
    }
}

fn unknown(id: ThreadId) -> Failure {
    Failure::new(Code::NotFound, format!("there is no thread {id}")).hint("`paseo thread ls` lists them")
}
