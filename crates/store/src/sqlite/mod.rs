//! The engine for one machine: a SQLite file, one writing thread, a few readers.
//!
//! Other processes may write to the same file: every transaction checks whether the memory of the writer is
//! still true. But [`Log::watch`] only tells of them with this process's next append, so a daemon is meant to
//! have its database for itself. The newest events are read from memory; what another process erases among them is
//! gone from there with this process's next append, too.

mod behind;
mod checkpoint;
mod connection;
mod content;
mod erase;
mod failure;
mod files;
mod filter;
mod heads;
mod index;
mod keys;
mod ledger;
mod plan;
mod prepared;
mod query;
mod reader;
mod recent;
mod rows;
mod schema;
mod submission;
mod value;
mod words;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use uuid::Uuid;

use self::keys::{Found, Waiting, Wanted};
use self::ledger::Ledger;
use self::reader::{Readers, closed};
use self::recent::Recent;
use self::writer::{Command, Writer};
use crate::batch::{Appended, Batch};
use crate::clock::{Clock, system_clock};
use crate::error::{Error, Result};
use crate::file::{FilePiece, FileRow, NewFile, Unclaimed};
use crate::log::{BoxFuture, Fold, Log, Side, Which};
use crate::record::{ContentRow, Head, HeadRow, ItemRow, Record, Seq, Version};
use crate::search::{Hit, Indexing, Search};

/// How many batches may wait for the writer before appenders wait for a place.
const QUEUE: usize = 1024;

/// How to open a [`Sqlite`].
#[derive(Clone)]
pub struct Options {
    /// The database file. Its directory must exist.
    pub path: PathBuf,
    /// What the streams' events mean.
    pub fold: Arc<dyn Fold>,
    /// Gives events their time and lets idempotency keys expire.
    pub clock: Clock,
    /// How many queries run at the same time.
    pub readers: u32,
    /// The most pages of 4 KB that the database may have, to see what happens when a disk is full.
    pub max_pages: Option<u32>,
}

impl Options {
    /// Returns the usual options.
    pub fn new(path: impl Into<PathBuf>, fold: Arc<dyn Fold>) -> Self {
        Self { path: path.into(), fold, clock: system_clock(), readers: 4, max_pages: None }
    }
}

/// A log in a SQLite file.
///
/// Text that is erased is overwritten in the file and gone from the write-ahead log before the erasure is
/// acknowledged. A backup that a migration made beside the file still has it.
pub struct Sqlite {
    commands: mpsc::Sender<Command>,
    head: watch::Sender<Seq>,
    readers: Arc<Readers>,
    recent: Arc<Recent>,
    keys: Arc<Waiting>,
    fold: Arc<dyn Fold>,
    clock: Clock,
}

impl Sqlite {
    /// Opens a database, makes it when there is none, and brings it to this program's format.
    ///
    /// Blocks; a large migration takes a while.
    pub fn open(options: Options) -> Result<Self> {
        let Options { path, fold, clock, readers, max_pages } = options;
        let explained = |failure| failure::explain(&path, &failure);
        let mut connection = connection::open_writer(&path)?;
        schema::migrate(&mut connection, &path, clock())?;
        if let Some(max_pages) = max_pages {
            connection.pragma_update(None, "max_page_count", max_pages).map_err(explained)?;
        }
        // A crash may have left text in the write-ahead log that is erased from the database.
        checkpoint::truncate(&connection, Duration::ZERO).map_err(explained)?;

        let (head, _) = watch::channel(heads::last_seq(&connection).map_err(explained)?);
        let (commands, received) = mpsc::channel(QUEUE);
        let readers = Readers::new(path.clone(), readers);
        let recent = Arc::<Recent>::default();
        let keys = Arc::<Waiting>::default();
        let writer = Writer {
            path,
            connection,
            clock: clock.clone(),
            ledger: Ledger::new(Arc::clone(&fold), Arc::clone(&keys)),
            head: head.clone(),
            recent: Arc::clone(&recent),
        };
        writer::start(writer, received)?;
        Ok(Self { commands, head, readers, recent, keys, fold, clock })
    }

    /// Empties the table of heads and folds every stream from its first event.
    pub async fn rebuild_heads(&self) -> Result<()> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(Command::RebuildHeads { reply }).await.map_err(|_| closed())?;
        answer.await.map_err(|_| stopped())?
    }

    async fn change_files<T>(
        &self,
        change: impl FnOnce(oneshot::Sender<Result<T>>) -> files::Change,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(Command::Files(change(reply))).await.map_err(|_| closed())?;
        answer.await.map_err(|_| stopped())?
    }
}

impl Log for Sqlite {
    fn append(&self, batch: Batch) -> BoxFuture<'_, Result<Appended>> {
        Box::pin(async move {
            let submission = Box::new(submission::prepare(batch).await?);
            let (reply, answer) = oneshot::channel();
            self.commands.send(Command::Append { submission, reply }).await.map_err(|_| closed())?;
            answer.await.map_err(|_| stopped())?.outcome
        })
    }

    fn receipt<'a>(
        &'a self,
        scope: &'a str,
        key: &'a str,
        body: [u8; 32],
    ) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(async move {
            let now = (self.clock)();
            let (scope, name, waiting) = (scope.to_owned(), key.to_owned(), Arc::clone(&self.keys));
            match self
                .readers
                .read(move |connection| {
                    let hash = keys::hash(&scope, &name);
                    let wanted = Wanted { scope: &scope, key: &name, hash, body: &body };
                    keys::find(connection, &waiting, wanted, now)
                })
                .await?
            {
                Found::Nothing => Ok(None),
                Found::Receipt(receipt) => Ok(Some(receipt)),
                Found::Reused => Err(Error::KeyReused { key: key.to_owned() }),
            }
        })
    }

    fn read(&self, after: Seq, limit: usize) -> BoxFuture<'_, Result<Vec<Record>>> {
        if let Some(events) = self.recent.read(after, limit).filter(|_| self.readers.is_open()) {
            return Box::pin(std::future::ready(Ok(events)));
        }
        Box::pin(self.readers.read(move |connection| query::events(connection, after, limit)))
    }

    fn read_stream<'a>(
        &'a self,
        stream: &'a str,
        after: Version,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Record>>> {
        let stream = stream.to_owned();
        Box::pin(self.readers.read(move |connection| query::stream_events(connection, &stream, after, limit)))
    }

    fn items<'a>(&'a self, stream: &'a str, after: u64, limit: usize) -> BoxFuture<'a, Result<Vec<ItemRow>>> {
        let stream = stream.to_owned();
        Box::pin(self.readers.read(move |connection| query::items(connection, &stream, after, limit)))
    }

    fn items_of<'a>(
        &'a self,
        stream: &'a str,
        kind: &'a str,
        side: Side,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<ItemRow>>> {
        let (stream, kind) = (stream.to_owned(), kind.to_owned());
        Box::pin(
            self.readers.read(move |connection| query::items_of(connection, &stream, &kind, side, limit)),
        )
    }

    fn items_before<'a>(
        &'a self,
        stream: &'a str,
        before: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<ItemRow>>> {
        let stream = stream.to_owned();
        Box::pin(self.readers.read(move |connection| query::items_before(connection, &stream, before, limit)))
    }

    fn content(&self, id: Uuid) -> BoxFuture<'_, Result<Option<ContentRow>>> {
        Box::pin(self.readers.read(move |connection| content::find(connection, id)))
    }

    fn text(&self, id: Uuid) -> BoxFuture<'_, Result<Option<String>>> {
        Box::pin(self.readers.read(move |connection| content::find_text(connection, id)))
    }

    fn add_piece(&self, file: Uuid, bytes: Vec<u8>) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.change_files(move |reply| files::Change::Piece { file, bytes, reply }))
    }

    fn add_file(&self, file: NewFile) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.change_files(move |reply| files::Change::Add { file, reply }))
    }

    fn drop_pieces(&self, file: Uuid) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.change_files(move |reply| files::Change::Drop { file, reply }))
    }

    fn forget_files(&self, begun: i64, unclaimed: i64) -> BoxFuture<'_, Result<u64>> {
        Box::pin(self.change_files(move |reply| files::Change::Forget { begun, unclaimed, reply }))
    }

    fn file(&self, id: Uuid) -> BoxFuture<'_, Result<Option<FileRow>>> {
        Box::pin(self.readers.read(move |connection| files::find(connection, id)))
    }

    fn file_piece(&self, id: Uuid, cursor: u64) -> BoxFuture<'_, Result<Option<FilePiece>>> {
        Box::pin(self.readers.read(move |connection| files::piece(connection, id, cursor)))
    }

    fn unclaimed_files<'a>(&'a self, actors: &'a str) -> BoxFuture<'a, Result<Unclaimed>> {
        let actors = actors.to_owned();
        Box::pin(self.readers.read(move |connection| files::unclaimed(connection, &actors)))
    }

    fn head<'a>(&'a self, stream: &'a str) -> BoxFuture<'a, Result<Option<Head>>> {
        let (stream, fold) = (stream.to_owned(), Arc::clone(&self.fold));
        Box::pin(self.readers.read(move |connection| query::head(connection, &*fold, &stream)))
    }

    fn heads<'a>(
        &'a self,
        prefix: &'a str,
        which: Which,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<HeadRow>>> {
        let (prefix, after) = (prefix.to_owned(), after.map(str::to_owned));
        let fold = Arc::clone(&self.fold);
        Box::pin(self.readers.read(move |connection| {
            query::heads(connection, &*fold, &prefix, which, after.as_deref(), limit)
        }))
    }

    fn names<'a>(&'a self, prefix: &'a str, limit: usize) -> BoxFuture<'a, Result<Vec<String>>> {
        let prefix = prefix.to_owned();
        Box::pin(self.readers.read(move |connection| query::names(connection, &prefix, limit)))
    }

    fn indexed(&self, version: u32) -> BoxFuture<'_, Result<Seq>> {
        Box::pin(async move {
            let (reply, answer) = oneshot::channel();
            self.commands.send(Command::Indexed { version, reply }).await.map_err(|_| closed())?;
            answer.await.map_err(|_| stopped())?
        })
    }

    fn index(&self, indexing: Indexing) -> BoxFuture<'_, Result<bool>> {
        Box::pin(async move {
            let (reply, answer) = oneshot::channel();
            let indexing = Box::new(indexing);
            self.commands.send(Command::Index { indexing, reply }).await.map_err(|_| closed())?;
            answer.await.map_err(|_| stopped())?
        })
    }

    fn search(&self, search: Search) -> BoxFuture<'_, Result<Vec<Hit>>> {
        Box::pin(self.readers.read(move |connection| words::search(connection, &search)))
    }

    fn watch(&self) -> watch::Receiver<Seq> {
        self.head.subscribe()
    }

    fn close(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            // Readers first: the file that the writer empties must not be in use.
            self.readers.close().await;
            let (reply, answer) = oneshot::channel();
            match self.commands.send(Command::Close { reply }).await {
                Ok(()) => answer.await.map_err(|_| stopped())?,
                // It was closed before.
                Err(_) => Ok(()),
            }
        })
    }
}

fn stopped() -> Error {
    Error::Unavailable("the log writer has stopped: restart paseo".into())
}
