//! One writer for each thing that has a stream of its own: read, decide, append, take in.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::Mutex;
use paseo_core::actor::Actor;
use paseo_core::content::ContentRef;
use paseo_core::time::Timestamp;
use paseo_store::{Appended, Erasure, Error, Expect, IdempotencyKey, StreamAppend, Version};
use paseo_wire::error::Code;
use serde::Serialize;
use tokio::sync::{OwnedRwLockReadGuard, RwLock};

use crate::failure::Failure;
use crate::journal::{self, Entries, Journal};
use crate::sessions::RequestKey;

/// Things that are kept in memory; more are read again.
const SLOTS: usize = 1024;

/// A thing whose state is what its events come to.
pub(crate) trait Subject: Clone + Send + Sync + 'static {
    type Id: Clone + Eq + Hash + fmt::Display + Send + Sync;
    type Event: Serialize + Send + Sync;

    /// Returns the name of its stream.
    fn stream(id: &Self::Id) -> String;

    /// Reads it from the log; `None` when there is none.
    fn read(
        journal: &Journal,
        id: &Self::Id,
    ) -> impl Future<Output = Result<Option<(Self, Version)>, Failure>> + Send;

    /// Takes an event in.
    fn take_in(&mut self, event: &Self::Event, at: Timestamp);

    /// Says that there is none.
    fn unknown(id: &Self::Id) -> Failure;

    /// Returns what other streams are told of its events, in the same batch.
    fn echoes(&self, _events: &[Self::Event]) -> Vec<StreamAppend> {
        Vec::new()
    }
}

/// The things that were written to lately. Cheap to clone.
pub(crate) struct Desk<S: Subject> {
    journal: Journal,
    slots: Slots<S>,
}

type Slots<S> = Arc<Mutex<HashMap<<S as Subject>::Id, Arc<Slot<S>>>>>;

/// A thing as it stands; `None` until it is read.
type Slot<S> = RwLock<Option<(Arc<S>, Version)>>;

/// A thing that nobody changes as long as this is there.
pub(crate) struct Held<S> {
    pub(crate) thing: Arc<S>,
    _state: OwnedRwLockReadGuard<Option<(Arc<S>, Version)>>,
}

/// What is to happen, in one batch.
pub(crate) struct Change<E> {
    pub(crate) events: Vec<E>,
    texts: Vec<(ContentRef, String)>,
    /// What happens in other streams with it.
    also: Vec<StreamAppend>,
    /// Everything that was said goes with it.
    erases: bool,
}

impl<E> Default for Change<E> {
    fn default() -> Self {
        Self { events: Vec::new(), texts: Vec::new(), also: Vec::new(), erases: false }
    }
}

impl<E> Change<E> {
    /// Adds a text, for an event to refer to.
    pub(crate) fn text(&mut self, words: &str) -> ContentRef {
        let reference = journal::reference(words);
        self.texts.push((reference.clone(), words.to_owned()));
        reference
    }

    /// Deletes everything that the thing's events refer to and hold.
    pub(crate) fn erase(&mut self) {
        self.erases = true;
    }

    /// Adds the first events of another stream.
    pub(crate) fn begin<F: Serialize>(&mut self, stream: String, events: &[F]) {
        self.also.push(journal::part(stream, Expect::Version(0), events));
    }
}

/// What came of it.
pub(crate) enum Done<S, T> {
    /// It happened, and this is the thing now.
    New(Arc<S>, T),
    /// It was asked for before, with this receipt.
    Repeat(String),
}

/// What the log says to a batch.
enum Stored {
    New(Timestamp),
    Repeat(String),
}

impl<S: Subject> Clone for Desk<S> {
    fn clone(&self) -> Self {
        Self { journal: self.journal.clone(), slots: Arc::clone(&self.slots) }
    }
}

impl<S: Subject> Desk<S> {
    pub(crate) fn new(journal: Journal) -> Self {
        Self { journal, slots: Arc::default() }
    }

    /// Makes a thing; the first event creates it.
    pub(crate) async fn open(
        &self,
        by: &Actor,
        id: &S::Id,
        mut change: Change<S::Event>,
        key: Option<(RequestKey, String)>,
    ) -> Result<Done<S, ()>, Failure> {
        match self.append(by, id, 0, &mut change, key).await? {
            Stored::Repeat(receipt) => Ok(Done::Repeat(receipt)),
            Stored::New(_) => self.get(id).await.map(|thing| Done::New(thing, ())),
        }
    }

    /// Returns a thing as it stands.
    pub(crate) async fn get(&self, id: &S::Id) -> Result<Arc<S>, Failure> {
        self.hold(id).await.map(|held| held.thing)
    }

    /// Keeps a thing as it stands. Several may; whoever changes it waits for all of them, so that none of them may ask
    /// for it again meanwhile.
    pub(crate) async fn hold(&self, id: &S::Id) -> Result<Held<S>, Failure> {
        let slot = self.slot(id);
        let mut state = Arc::clone(&slot).read_owned().await;
        if state.is_none() {
            drop(state);
            let mut empty = slot.write_owned().await;
            self.fill(&mut empty, id).await?;
            state = empty.downgrade();
        }
        let thing = state.as_ref().map(|(thing, _)| Arc::clone(thing)).ok_or_else(|| S::unknown(id))?;
        Ok(Held { thing, _state: state })
    }

    /// Returns the version of a thing.
    pub(crate) async fn version(&self, id: &S::Id) -> Result<Version, Failure> {
        let slot = self.slot(id);
        let mut state = slot.write().await;
        self.fill(&mut state, id).await?;
        state.as_ref().map(|(_, version)| *version).ok_or_else(|| S::unknown(id))
    }

    /// Decides on what a thing is now, and does it. When another writer was faster, it is decided again.
    pub(crate) async fn change<T>(
        &self,
        by: &Actor,
        id: &S::Id,
        key: Option<RequestKey>,
        decide: impl Fn(&S, &mut Change<S::Event>) -> Result<T, Failure>,
        receipt: impl Fn(&T) -> String,
    ) -> Result<Done<S, T>, Failure> {
        self.change_then(by, id, key, decide, receipt, |_, _| ()).await
    }

    /// The same; what came of it is told before anybody changes the thing again, so that nobody tells an older state
    /// after a newer one.
    pub(crate) async fn change_then<T>(
        &self,
        by: &Actor,
        id: &S::Id,
        key: Option<RequestKey>,
        decide: impl Fn(&S, &mut Change<S::Event>) -> Result<T, Failure>,
        receipt: impl Fn(&T) -> String,
        then: impl FnOnce(&S, &T),
    ) -> Result<Done<S, T>, Failure> {
        let slot = self.slot(id);
        let mut state = slot.write().await;
        // Whoever asks again is told what came of it the first time, even if it could not be done any more.
        if let Some(RequestKey { scope, key, body }) = &key
            && let Some(receipt) = self.journal.log.receipt(scope, key, *body).await?
        {
            return Ok(Done::Repeat(receipt));
        }
        loop {
            // While it is written nobody has it: whoever gives up in between leaves nothing that is out of date.
            self.fill(&mut state, id).await?;
            let (mut thing, version) = state.take().ok_or_else(|| S::unknown(id))?;
            let mut change = Change::default();
            let decided = match decide(&thing, &mut change) {
                Ok(decided) => decided,
                Err(refused) => {
                    *state = Some((thing, version));
                    return Err(refused);
                }
            };
            if change.events.is_empty() {
                *state = Some((Arc::clone(&thing), version));
                then(&thing, &decided);
                return Ok(Done::New(thing, decided));
            }
            change.also.extend(thing.echoes(&change.events));
            let sealed = key.clone().map(|key| (key, receipt(&decided)));
            match self.append(by, id, version, &mut change, sealed).await {
                Ok(Stored::New(ts)) => {
                    let changed = Arc::make_mut(&mut thing);
                    change.events.iter().for_each(|event| changed.take_in(event, ts));
                    let version = version + change.events.len() as Version;
                    *state = (!change.erases).then(|| (Arc::clone(&thing), version));
                    then(&thing, &decided);
                    return Ok(Done::New(thing, decided));
                }
                Ok(Stored::Repeat(receipt)) => {
                    *state = Some((thing, version));
                    return Ok(Done::Repeat(receipt));
                }
                Err(failure) if failure.code == Code::Conflict => {}
                // Whether it was stored is not known: it is read again.
                Err(failure) => return Err(failure),
            }
        }
    }

    async fn fill(&self, state: &mut Option<(Arc<S>, Version)>, id: &S::Id) -> Result<(), Failure> {
        if state.is_none() {
            *state = S::read(&self.journal, id).await?.map(|(thing, version)| (Arc::new(thing), version));
        }
        Ok(())
    }

    async fn append(
        &self,
        by: &Actor,
        id: &S::Id,
        version: Version,
        change: &mut Change<S::Event>,
        key: Option<(RequestKey, String)>,
    ) -> Result<Stored, Failure> {
        let mut entries = Entries::by(by).stream(S::stream(id), version, &change.events);
        for (reference, words) in change.texts.drain(..) {
            entries.text(S::stream(id), reference.id, words, None);
        }
        if change.erases {
            entries.erase(Erasure::Stream { stream: S::stream(id) });
        }
        let also = std::mem::take(&mut change.also);
        let key = key.map(|(RequestKey { scope, key, body }, receipt)| IdempotencyKey {
            scope,
            key,
            body,
            receipt,
        });
        let batch = entries.with(|batch| {
            batch.streams.extend(also);
            batch.key = key;
        });
        match self.journal.log.append(batch.into_batch()).await {
            Ok(Appended::New { ts, .. }) => Ok(Stored::New(Timestamp::from_millis(ts))),
            Ok(Appended::Repeat { receipt }) => Ok(Stored::Repeat(receipt)),
            Err(Error::Conflict { .. }) => {
                Err(Failure::new(Code::Conflict, "it was changed at the same time"))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn slot(&self, id: &S::Id) -> Arc<Slot<S>> {
        let mut slots = self.slots.lock();
        if slots.len() >= SLOTS && !slots.contains_key(id) {
            // Whoever is at one keeps it; the others are read again.
            slots.retain(|_, slot| Arc::strong_count(slot) > 1);
        }
        let slot = slots.entry(id.clone()).or_insert_with(|| Arc::new(Slot::new(None)));
        Arc::clone(slot)
    }
}
