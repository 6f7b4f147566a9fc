//! The one thread that writes: many batches, one transaction, one fsync.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot, watch};

use super::connection::BUSY_TIMEOUT;
use super::failure::explain;
use super::heads::Unfolded;
use super::ledger::Ledger;
use super::plan::Failure;
use super::prepared::Prepared;
use super::recent::Recent;
use super::submission::Submission;
use super::{checkpoint, files, words};
use crate::batch::Appended;
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::record::Seq;
use crate::search::Indexing;

/// The most batches that share a transaction: enough to hide the fsync, few enough to answer soon.
const GROUP: usize = 512;
/// How long one attempt to empty the write-ahead log may keep the next batches waiting.
const PATIENCE: Duration = Duration::from_millis(100);

/// What the writer can be asked to do.
pub(super) enum Command {
    Append { submission: Box<Submission>, reply: oneshot::Sender<Answer> },
    RebuildHeads { reply: oneshot::Sender<Result<()>> },
    Indexed { version: u32, reply: oneshot::Sender<Result<Seq>> },
    Index { indexing: Box<Indexing>, reply: oneshot::Sender<Result<bool>> },
    Files(files::Change),
    Close { reply: oneshot::Sender<Result<()>> },
}

/// How an append went.
pub(super) struct Answer {
    pub(super) outcome: Result<Appended>,
    /// What is left of it, to be dropped by its sender and not by the writer, for whom all others wait.
    pub(super) _spent: Option<Box<Submission>>,
}

/// All that the thread owns.
pub(super) struct Writer {
    pub(super) path: PathBuf,
    pub(super) connection: Connection,
    pub(super) clock: Clock,
    pub(super) ledger: Ledger,
    pub(super) head: watch::Sender<Seq>,
    pub(super) recent: Arc<Recent>,
}

/// A batch and its waiting sender.
struct Waiting {
    submission: Box<Submission>,
    reply: oneshot::Sender<Answer>,
}

/// An erasure that is committed, but not acknowledged before the text is gone from the write-ahead log too.
struct Erased {
    appended: Appended,
    reply: oneshot::Sender<Answer>,
}

/// Starts the thread. It ends on [`Command::Close`], or when no sender is left.
pub(super) fn start(writer: Writer, commands: mpsc::Receiver<Command>) -> Result<()> {
    thread::Builder::new()
        .name("paseo-log".into())
        .spawn(move || run(writer, commands))
        .map(drop)
        .map_err(|failure| Error::Unavailable(format!("cannot start the log writer: {failure}")))
}

fn run(mut writer: Writer, mut commands: mpsc::Receiver<Command>) {
    let mut received = Vec::with_capacity(GROUP);
    let mut erased = Vec::new();
    let mut closers = Vec::new();
    while receive(&mut commands, &mut received, erased.is_empty()) {
        let mut group = Vec::with_capacity(received.len());
        let mut derived = Vec::new();
        for command in received.drain(..) {
            match command {
                Command::Append { submission, reply } => group.push(Waiting { submission, reply }),
                Command::RebuildHeads { reply } => {
                    writer.commit(std::mem::take(&mut group), &mut erased);
                    // The caller may be gone; the heads are rebuilt all the same. So below, too.
                    let _ = reply.send(writer.rebuild_heads());
                }
                // After the appends of the group, so that these share their transaction all the same.
                Command::Indexed { .. } | Command::Index { .. } | Command::Files(_) => derived.push(command),
                Command::Close { reply } => {
                    commands.close();
                    closers.push(reply);
                }
            }
        }
        writer.commit(group, &mut erased);
        derived.into_iter().for_each(|command| writer.derive(command));
        if !erased.is_empty() {
            writer.scrub(&mut erased);
        } else if commands.is_empty() {
            writer.tidy();
        }
    }
    let closed = writer.close(erased);
    for reply in closers {
        let _ = reply.send(closed.clone());
    }
}

/// Waits for commands and takes all that are there; `false` when there will never be any more.
///
/// While something is still to be done (`idle` is false) it takes what there is and does not wait.
fn receive(commands: &mut mpsc::Receiver<Command>, received: &mut Vec<Command>, idle: bool) -> bool {
    if idle {
        return commands.blocking_recv_many(received, GROUP) > 0;
    }
    while received.len() < GROUP {
        match commands.try_recv() {
            Ok(command) => received.push(command),
            Err(mpsc::error::TryRecvError::Empty) => return true,
            Err(mpsc::error::TryRecvError::Disconnected) => return !received.is_empty(),
        }
    }
    true
}

impl Writer {
    /// Writes a group in one transaction and tells everyone how it went.
    fn commit(&mut self, mut group: Vec<Waiting>, erased: &mut Vec<Erased>) {
        if group.is_empty() {
            return;
        }
        match self.transact(|writer| writer.append_all(&mut group)) {
            Ok(outcomes) => {
                self.recent.take_in(self.ledger.committed(), self.ledger.last());
                self.head.send_if_modified(|head| {
                    let moved = *head != self.ledger.last();
                    *head = self.ledger.last();
                    moved
                });
                for (outcome, Waiting { submission, reply }) in outcomes.into_iter().zip(group) {
                    match outcome {
                        Ok(appended @ Appended::New { .. }) if submission.erase.is_some() => {
                            erased.push(Erased { appended, reply })
                        }
                        // The caller may be gone; the batch is stored all the same.
                        outcome => drop(reply.send(Answer { outcome, _spent: Some(submission) })),
                    }
                }
            }
            Err(failure) => {
                let failure = explain(&self.path, &failure);
                tracing::error!(%failure, batches = group.len(), "cannot store a group of batches");
                for Waiting { submission, reply } in group {
                    let outcome = Err(failure.clone());
                    let _ = reply.send(Answer { outcome, _spent: Some(submission) });
                }
            }
        }
    }

    fn append_all(&mut self, group: &mut [Waiting]) -> rusqlite::Result<Vec<Result<Appended>>> {
        let now = (self.clock)();
        let Self { connection, ledger, .. } = self;
        ledger.refresh(connection)?;
        ledger.begin(connection, group.len(), now)?;
        let mut prepared = Prepared::new(connection)?;
        let mut outcomes = Vec::with_capacity(group.len());
        for Waiting { submission, .. } in group {
            outcomes.push(match ledger.append(&mut prepared, submission, now) {
                Ok(appended) => Ok(appended),
                Err(Failure::Refused(refusal)) => Err(refusal),
                Err(Failure::Broken(failure)) => return Err(failure),
            });
        }
        ledger.maintain(&mut prepared, now)?;
        Ok(outcomes)
    }

    fn rebuild_heads(&mut self) -> Result<()> {
        let rebuilt = self.transact(|writer| match writer.ledger.rebuild_heads(&writer.connection) {
            Ok(()) => Ok(Ok(())),
            Err(Unfolded::Refused(reason)) => Ok(Err(reason)),
            Err(Unfolded::Broken(failure)) => Err(failure),
        });
        match rebuilt {
            Ok(Ok(())) => Ok(()),
            Ok(Err(reason)) => Err(Error::Unusable(format!("cannot rebuild the heads: {reason}"))),
            Err(failure) => Err(explain(&self.path, &failure)),
        }
    }

    /// Answers requests that are not appends. The requester may be gone; the work is done all the same.
    fn derive(&mut self, command: Command) {
        match command {
            Command::Indexed { version, reply } => {
                let _ = reply.send(self.index(|connection| words::begin(connection, version)));
            }
            Command::Index { indexing, reply } => {
                let _ = reply.send(self.index(|connection| words::index(connection, &indexing)));
            }
            Command::Files(change) => self.change_files(change),
            Command::Append { .. } | Command::RebuildHeads { .. } | Command::Close { .. } => {}
        }
    }

    /// Changes what need not reach the disk before the next append does, so that no append waits for its fsync: the
    /// index of words, which is derived and says how far it has come, and pieces of files that are not complete.
    fn index<T>(&mut self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        let outcome = self.connection.execute_batch("PRAGMA synchronous = NORMAL").and_then(|()| {
            let done = self.transact(|writer| work(&writer.connection));
            self.connection.execute_batch("PRAGMA synchronous = FULL").and(done)
        });
        outcome.map_err(|failure| explain(&self.path, &failure))
    }

    fn change_files(&mut self, change: files::Change) {
        let now = (self.clock)();
        match change {
            // Pieces need no fsync of their own: the one of `Add` covers them.
            files::Change::Piece { file, bytes, reply } => {
                let _ = reply.send(self.index(|connection| files::add_piece(connection, file, &bytes, now)));
            }
            files::Change::Add { file, reply } => {
                let added = self.transact(|writer| files::add(&writer.connection, &file, now));
                let _ = reply.send(added.map_err(|failure| explain(&self.path, &failure)));
            }
            files::Change::Drop { file, reply } => {
                let dropped = self.index(|connection| files::drop_pieces(connection, file));
                self.empty_wal();
                let _ = reply.send(dropped);
            }
            files::Change::Forget { begun, unclaimed, reply } => {
                let forgotten = self.index(|connection| files::forget(connection, begun, unclaimed));
                if !matches!(forgotten, Ok(0)) {
                    self.empty_wal();
                }
                let _ = reply.send(forgotten);
            }
        }
    }

    /// Takes bytes that no message ever had out of the write-ahead log, now or with one of the next checkpoints.
    fn empty_wal(&self) {
        if let Err(failure) = checkpoint::truncate(&self.connection, PATIENCE) {
            tracing::warn!(%failure, "cannot truncate the write-ahead log; will retry");
        }
    }

    /// Does something in a transaction that is rolled back, and forgotten, when it fails.
    fn transact<T>(&mut self, work: impl FnOnce(&mut Self) -> rusqlite::Result<T>) -> rusqlite::Result<T> {
        let outcome = self
            .execute("BEGIN IMMEDIATE")
            .and_then(|()| work(self))
            .and_then(|done| self.execute("COMMIT").map(|()| done));
        if outcome.is_err() {
            self.ledger.forget();
            // SQLite has rolled back by itself after some errors.
            if !self.connection.is_autocommit()
                && let Err(failure) = self.execute("ROLLBACK")
            {
                tracing::error!(%failure, "cannot roll back a transaction");
            }
        }
        outcome
    }

    fn execute(&self, sql: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute([]).map(drop)
    }

    /// Tries to empty the write-ahead log, and acknowledges the erasures when that is done.
    fn scrub(&self, erased: &mut Vec<Erased>) {
        match checkpoint::truncate(&self.connection, PATIENCE) {
            Ok(true) => acknowledge(erased),
            Ok(false) => {
                tracing::debug!("a reader still holds the write-ahead log, which contains erased text")
            }
            Err(failure) => {
                tracing::warn!(%failure, "cannot truncate the write-ahead log; will retry");
                // A disk that fails is not asked again at once.
                thread::sleep(PATIENCE);
            }
        }
    }

    fn tidy(&mut self) {
        if let Err(failure) = self.ledger.rest(&self.connection) {
            tracing::warn!(%failure, "cannot read the key index; will retry");
        }
        if let Err(failure) = checkpoint::when_large(&self.connection, self.ledger.is_busy()) {
            tracing::warn!(%failure, "cannot checkpoint the write-ahead log; will retry");
        }
    }

    fn close(mut self, mut erased: Vec<Erased>) -> Result<()> {
        if self.ledger.is_behind()
            && let Err(failure) = self.transact(|writer| writer.ledger.finish(&writer.connection))
        {
            tracing::warn!(%failure, "cannot write some heads; they will be folded when read");
        }
        let Self { path, connection, .. } = self;
        let truncated = checkpoint::truncate(&connection, BUSY_TIMEOUT);
        if !matches!(truncated, Ok(true)) && !erased.is_empty() {
            tracing::warn!(
                "another program holds the write-ahead log; erased text is removed when the log is next \
                 opened"
            );
        }
        acknowledge(&mut erased);
        connection.close().map_err(|(_, failure)| explain(&path, &failure))?;
        truncated.map(drop).map_err(|failure| explain(&path, &failure))
    }
}

fn acknowledge(erased: &mut Vec<Erased>) {
    for Erased { appended, reply } in erased.drain(..) {
        let _ = reply.send(Answer { outcome: Ok(appended), _spent: None });
    }
}
