//! The contract of the log.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;

use tokio::sync::watch;
use uuid::Uuid;

use crate::batch::{Appended, Batch};
use crate::error::Result;
use crate::file::{FilePiece, FileRow, NewFile, Unclaimed};
use crate::record::{ContentRow, Head, HeadRow, ItemRow, Record, Seq, Version};
use crate::search::{Hit, Indexing, Search};

/// A future that can be boxed behind `dyn Log`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a stream's events mean, as far as the log needs to know.
///
/// Deterministic and total over stored events: dropping all heads and folding every stream from its first
/// event gives the same bytes. It sees control events only, in pages of any size. When a stream is erased it is
/// folded again from its first event, without data, so that its state forgets what its events forget. A state
/// holds no conversation text: an engine promises to wipe contents and event data, not states that were replaced.
pub trait Fold: Send + Sync + 'static {
    /// Folds `events` (new ones, in order, at least one) onto `prior` (`None`: the stream is new).
    fn fold(&self, stream: &str, prior: Option<&[u8]>, events: &[Record]) -> Result<Folded, String>;

    /// Does the same, and may keep the state in `memory`, which spares it decoding and encoding each.
    ///
    /// `memory` is empty, or what this fold left there when it last folded this stream; then there may be no `prior`.
    fn fold_on(
        &self,
        stream: &str,
        prior: Option<&[u8]>,
        memory: &mut Memory,
        events: &[Record],
    ) -> Result<Advanced, String> {
        *memory = None;
        let Folded { state, live, epoch } = self.fold(stream, prior, events)?;
        Ok(Advanced { state: Some(state), live, epoch })
    }

    /// Returns the state that this fold keeps in a `memory`, as [`Fold::fold`] would.
    fn encode(&self, stream: &str, _memory: &Memory) -> Result<Vec<u8>, String> {
        Err(format!("the state of {stream} is not in memory"))
    }
}

/// What a [`Fold`] keeps beside a state. It may be lost at any time.
pub type Memory = Option<Box<dyn Any + Send>>;

/// What [`Fold`] returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folded {
    pub state: Vec<u8>,
    /// Loaded at boot. A closed session is not.
    pub live: bool,
    /// Ownership epoch, checked by [`crate::Fence`].
    pub epoch: u64,
}

/// What [`Fold::fold_on`] returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advanced {
    /// `None`: it is in the memory, for [`Fold::encode`].
    pub state: Option<Vec<u8>>,
    pub live: bool,
    pub epoch: u64,
}

/// Which heads to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    Live,
    All,
}

/// Items on one side of an ordinal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Above it.
    After(u64),
    /// Below it; `None`: from the end.
    Before(Option<u64>),
}

/// The durable log. See the conformance suite for this contract as tests.
///
/// - **Order.** Sequence numbers are given in commit order: a reader that has read up to `n` and reads on never
///   meets a number ≤ `n` that it has not seen. They start at 1 and have no gaps.
/// - **Atomicity.** A batch is stored whole or not at all, with the heads of its streams.
/// - **Durability.** When `append` returns `Ok`, the batch survives `kill -9` and power loss.
/// - **Writers.** There may be others, in other processes. Only [`crate::Expect::Version`] and
///   [`crate::Fence`] protect a decision; a `Conflict` means: read on, decide again.
/// - **Time** is the log's own clock, and never goes backwards within a stream. A batch has one time.
/// - **Erasure.** When an append with an [`crate::Erasure`] returns `Ok`, the text is in none of the log's files, and
///   none of its words is found any more.
/// - **Files** are written in pieces and complete once they are added. One that no batch has claimed can be forgotten;
///   one that was claimed is erased with its stream. The same bytes are stored once.
/// - **Search.** The index is filled by a follower of the log, after the append, and says how far it has come. It is
///   derived: it can be emptied and filled again.
pub trait Log: Send + Sync + 'static {
    /// Appends a batch: first its erasure, then its contents, its control events in order, its items in order.
    ///
    /// A stream may be named more than once; each part sees what the parts before it did. A part without events
    /// only checks the version. Who drops the future does not learn whether the batch was stored.
    fn append(&self, batch: Batch) -> BoxFuture<'_, Result<Appended>>;

    /// Returns the receipt stored under a key, `KeyReused` when its body differs.
    fn receipt<'a>(
        &'a self,
        scope: &'a str,
        key: &'a str,
        body: [u8; 32],
    ) -> BoxFuture<'a, Result<Option<String>>>;

    /// Returns events of all streams with a sequence number above `after`, in order, at most `limit`.
    fn read(&self, after: Seq, limit: usize) -> BoxFuture<'_, Result<Vec<Record>>>;

    /// Returns control events of one stream with a version above `after`, in order, at most `limit`.
    fn read_stream<'a>(
        &'a self,
        stream: &'a str,
        after: Version,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Record>>>;

    /// Returns items with an ordinal above `after`, oldest first, at most `limit`.
    fn items<'a>(&'a self, stream: &'a str, after: u64, limit: usize) -> BoxFuture<'a, Result<Vec<ItemRow>>>;

    /// Returns the newest items with an ordinal below `before` (`None`: from the end), oldest first, at most `limit`.
    fn items_before<'a>(
        &'a self,
        stream: &'a str,
        before: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<ItemRow>>>;

    /// Returns items of one kind on one side of an ordinal, the nearest ones, oldest first, at most `limit`.
    fn items_of<'a>(
        &'a self,
        stream: &'a str,
        kind: &'a str,
        side: Side,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<ItemRow>>>;

    /// Returns a content row, `None` when there is none by that id, or none any more. (Items go on pointing at an
    /// erased content: they carry its id, [`crate::Text::Erased`] and nothing else.)
    fn content(&self, id: Uuid) -> BoxFuture<'_, Result<Option<ContentRow>>>;

    /// Returns the whole text of a content, unpacked from its blob when it is large.
    fn text(&self, id: Uuid) -> BoxFuture<'_, Result<Option<String>>>;

    /// Stores the next piece of a file. Nothing is durable before the file is added.
    fn add_piece(&self, file: Uuid, bytes: Vec<u8>) -> BoxFuture<'_, Result<()>>;

    /// Completes a file whose pieces are stored. Durable when this returns.
    fn add_file(&self, file: NewFile) -> BoxFuture<'_, Result<()>>;

    /// Removes the pieces of a file that will not be completed.
    fn drop_pieces(&self, file: Uuid) -> BoxFuture<'_, Result<()>>;

    /// Removes files that were begun by `begun` and not completed, and those that were completed by `unclaimed` and
    /// that no batch has claimed. Returns how many.
    fn forget_files(&self, begun: i64, unclaimed: i64) -> BoxFuture<'_, Result<u64>>;

    /// Returns a complete file, `None` when there is none by that id, or none any more.
    fn file(&self, id: Uuid) -> BoxFuture<'_, Result<Option<FileRow>>>;

    /// Returns the piece of a file at a cursor (0: the first), `None` at its end.
    fn file_piece(&self, id: Uuid, cursor: u64) -> BoxFuture<'_, Result<Option<FilePiece>>>;

    /// Counts complete files that no batch has claimed, of actors whose name begins with `actors`. Bytes that several of
    /// them share count once.
    fn unclaimed_files<'a>(&'a self, actors: &'a str) -> BoxFuture<'a, Result<Unclaimed>>;

    /// Returns a stream's head.
    fn head<'a>(&'a self, stream: &'a str) -> BoxFuture<'a, Result<Option<Head>>>;

    /// Returns heads of the streams whose name starts with `prefix` and is above `after`, by name, at most `limit`.
    fn heads<'a>(
        &'a self,
        prefix: &'a str,
        which: Which,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<HeadRow>>>;

    /// Returns the names (at most `limit`) of streams that start with `prefix`, found by a range, not a pattern.
    fn names<'a>(&'a self, prefix: &'a str, limit: usize) -> BoxFuture<'a, Result<Vec<String>>>;

    /// Returns how far the index has come. One that was filled by rules of another version is emptied first.
    fn indexed(&self, version: u32) -> BoxFuture<'_, Result<Seq>>;

    /// Takes what some events bring into the index, and notes how far it has come: both or neither. `false`: it has not
    /// come to where this begins, and nothing was done. Survives a crash, but is not as durable as an append: what is
    /// lost is lost from its end, with the note.
    fn index(&self, indexing: Indexing) -> BoxFuture<'_, Result<bool>>;

    /// Returns texts that have what is asked for. Case and accents make no difference.
    fn search(&self, search: Search) -> BoxFuture<'_, Result<Vec<Hit>>>;

    /// Tells the sequence number of the last committed event, now and whenever it moves.
    fn watch(&self) -> watch::Receiver<Seq>;

    /// Ends the writer after everything accepted is stored, and leaves the database tidy.
    fn close(&self) -> BoxFuture<'_, Result<()>>;
}
