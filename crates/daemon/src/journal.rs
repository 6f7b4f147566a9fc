//! The log in the words of the domain.

use std::sync::Arc;

use paseo_core::actor::Actor;
use paseo_core::cause::{self, Cause};
use paseo_core::codec;
use paseo_core::content::ContentRef;
use paseo_core::fold::{self, SessionHead, TeamHead, ThreadHead};
use paseo_core::id::{CauseId, ContentId, FileId, ItemId, SessionId, ThreadId};
use paseo_core::item::{Draft, Entry, Place};
use paseo_core::session::{self, Session};
use paseo_core::settings::{self, Settings};
use paseo_core::team::{self, Team, TeamId};
use paseo_core::thread::{self, Thread};
use paseo_core::time::Timestamp;
use paseo_store::{
    Batch, Claim, Erasure, Expect, Log, NewContent, NewEvent, NewItem, Seq, StreamAppend, Version,
};
use serde::Serialize;

use crate::failure::Failure;
use crate::mint;

/// Clocks of several writers may disagree by this much, in milliseconds.
pub(crate) const SKEW_MS: i64 = 10_000;

/// Reads and writes the log.
#[derive(Clone)]
pub(crate) struct Journal {
    pub(crate) log: Arc<dyn Log>,
}

impl Journal {
    /// Returns the point that the log has reached.
    pub(crate) fn head(&self) -> Seq {
        *self.log.watch().borrow()
    }

    /// Returns the number of the last event that is older than a moment, give or take how far clocks disagree.
    pub(crate) async fn before(&self, moment: Timestamp) -> Result<Seq, Failure> {
        let (mut low, mut high): (Seq, Seq) = (0, self.head());
        while low < high {
            let middle = low + (high - low) / 2;
            let event = self.log.read(middle, 1).await?;
            let is_older = event.first().is_some_and(|record| record.ts < moment.as_millis() - SKEW_MS);
            if is_older { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }

    /// Returns the version of a stream at which it was older than a moment: events since then come after it.
    pub(crate) async fn version_before(&self, stream: &str, moment: Timestamp) -> Result<Version, Failure> {
        // Time never goes backwards within a stream, and its versions have no gaps.
        let version = self.log.head(stream).await?.map_or(0, |head| head.version);
        let (mut low, mut high): (Version, Version) = (0, version);
        while low < high {
            let middle = low + (high - low) / 2;
            let event = self.log.read_stream(stream, middle, 1).await?;
            let is_older = event.first().is_some_and(|record| record.ts < moment.as_millis());
            if is_older { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }

    /// Returns a session, open or closed; `None` when it never was or is deleted.
    pub(crate) async fn session(&self, id: SessionId) -> Result<Option<(Session, Version)>, Failure> {
        let stream = session::stream(id);
        let Some(head) = self.log.head(&stream).await? else { return Ok(None) };
        match fold::read(&stream, &head.state).map_err(Failure::internal)? {
            SessionHead::Session(session) => Ok(Some((*session, head.version))),
            SessionHead::Deleted => Ok(None),
        }
    }

    /// Returns a cause; an unknown one has spent nothing.
    pub(crate) async fn cause(&self, id: CauseId) -> Result<(Cause, Version), Failure> {
        let stream = cause::stream(id);
        match self.log.head(&stream).await? {
            Some(head) => Ok((fold::read(&stream, &head.state).map_err(Failure::internal)?, head.version)),
            None => Ok((Cause::default(), 0)),
        }
    }

    /// Returns a thread; `None` when it never was or is deleted.
    pub(crate) async fn thread(&self, id: ThreadId) -> Result<Option<(Thread, Version)>, Failure> {
        let stream = thread::stream(id);
        let Some(head) = self.log.head(&stream).await? else { return Ok(None) };
        match fold::read(&stream, &head.state).map_err(Failure::internal)? {
            ThreadHead::Thread(thread) => Ok(Some((*thread, head.version))),
            ThreadHead::Deleted => Ok(None),
        }
    }

    /// Returns a team; `None` when it never was.
    pub(crate) async fn team(&self, id: &TeamId) -> Result<Option<(Team, Version)>, Failure> {
        let stream = team::stream(id);
        let Some(head) = self.log.head(&stream).await? else { return Ok(None) };
        match fold::read(&stream, &head.state).map_err(Failure::internal)? {
            TeamHead::Team(team) => Ok(Some((*team, head.version))),
            TeamHead::Never => Ok(None),
        }
    }

    /// Returns the settings.
    pub(crate) async fn settings(&self) -> Result<(Settings, Version), Failure> {
        match self.log.head(settings::STREAM).await? {
            Some(head) => {
                Ok((fold::read(settings::STREAM, &head.state).map_err(Failure::internal)?, head.version))
            }
            None => Ok((Settings::default(), 0)),
        }
    }
}

/// A batch in the making.
pub(crate) struct Entries {
    batch: Batch,
}

impl Entries {
    /// Starts a batch for someone.
    pub(crate) fn by(actor: &Actor) -> Self {
        Self { batch: Batch { actor: actor.to_string(), ..Batch::default() } }
    }

    /// Adds events of a session.
    pub(crate) fn session(self, id: SessionId, version: Version, events: &[session::Event]) -> Self {
        self.stream(session::stream(id), version, events)
    }

    /// Adds events of a stream that must stand at a version.
    pub(crate) fn stream<E: Serialize>(mut self, stream: String, version: Version, events: &[E]) -> Self {
        if !events.is_empty() {
            self.batch.streams.push(part(stream, Expect::Version(version), events));
        }
        self
    }

    /// Adds a text that an event of the batch refers to.
    pub(crate) fn content(&mut self, owner: SessionId, id: ContentId, text: String, extra: Option<String>) {
        self.text(session::stream(owner), id, text, extra);
    }

    /// Adds a text of any stream.
    pub(crate) fn text(&mut self, owner: String, id: ContentId, text: String, extra: Option<String>) {
        self.batch.contents.push(NewContent { id: id.uuid(), owner, text, extra });
    }

    /// Gives a file to a session.
    pub(crate) fn claim(&mut self, owner: SessionId, file: FileId) {
        self.batch.claims.push(Claim { file: file.uuid(), stream: session::stream(owner) });
    }

    /// Adds an item with its text.
    pub(crate) fn item(&mut self, session: SessionId, id: ItemId, place: Place, draft: Draft) {
        let content = (draft.text.is_some() || draft.extra.is_some()).then(|| {
            let content = mint::content();
            self.content(session, content, draft.text.unwrap_or_default(), draft.extra);
            content
        });
        self.item_with(session, id, Entry { place, kind: draft.kind }, content);
    }

    /// Adds an item whose text is stored already.
    pub(crate) fn item_with(
        &mut self,
        session: SessionId,
        id: ItemId,
        entry: Entry,
        content: Option<ContentId>,
    ) {
        // An entry is plain data with string keys: it always serialises.
        let data = serde_json::to_string(&entry).unwrap_or_default();
        self.batch.items.push(NewItem {
            stream: session::stream(session),
            id: id.uuid(),
            kind: entry.kind.word().to_owned(),
            v: 1,
            data,
            content: content.map(ContentId::uuid),
        });
    }

    /// Removes text in the same transaction.
    pub(crate) fn erase(&mut self, erasure: Erasure) {
        self.batch.erase = Some(erasure);
    }

    /// Gives the batch the parts that only some have.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Batch)) -> Self {
        change(&mut self.batch);
        self
    }

    /// Says whether there is anything to append.
    pub(crate) fn is_empty(&self) -> bool {
        self.batch.streams.is_empty() && self.batch.items.is_empty() && self.batch.erase.is_none()
    }

    /// Returns the batch.
    pub(crate) fn into_batch(self) -> Batch {
        self.batch
    }
}

/// Makes a part of a batch.
pub(crate) fn part<E: Serialize>(stream: String, expect: Expect, events: &[E]) -> StreamAppend {
    StreamAppend { stream, expect, events: events.iter().map(encoded).collect() }
}

/// Makes a reference for a text that is yet to be stored.
pub(crate) fn reference(text: &str) -> ContentRef {
    ContentRef {
        id: mint::content(),
        len: text.len() as u64,
        sha256: mint::hex(&mint::sha256(text.as_bytes())),
    }
}

fn encoded<E: Serialize>(event: &E) -> NewEvent {
    let codec::Encoded { kind, v, data } = codec::encode(event);
    NewEvent { id: mint::event(), kind, v, data }
}
