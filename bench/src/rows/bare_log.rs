//! Bare group commit: what SQLite and the disk can do at most, without any contract.
//!
//! One table without any other index, one thread that drains a channel into one transaction of single-row inserts,
//! and an acknowledgement for each. The rows, the pragmas and the hand-over are those of the real log.

use std::path::Path;
use std::thread::{self, JoinHandle};

use paseo_store::NewEvent;
use rusqlite::{Connection, params};
use tokio::sync::{mpsc, oneshot};

/// The most rows that share a transaction, as in the real log.
const GROUP: usize = 512;
const QUEUE: usize = 1024;

/// A row on its way.
struct Command {
    stream: i64,
    version: i64,
    actor: String,
    event: NewEvent,
    reply: oneshot::Sender<i64>,
}

/// The yardstick.
pub(crate) struct BareLog {
    commands: mpsc::Sender<Command>,
    writer: JoinHandle<()>,
}

impl BareLog {
    pub(crate) fn open(path: &Path) -> Self {
        let connection = Connection::open(path).expect("a database");
        for (pragma, value) in
            [("journal_mode", "WAL"), ("synchronous", "FULL"), ("wal_autocheckpoint", "4000")]
        {
            connection.pragma_update(None, pragma, value).expect("a pragma");
        }
        connection
            .execute_batch(
                "CREATE TABLE log (
                     seq INTEGER PRIMARY KEY, stream INTEGER NOT NULL, version INTEGER NOT NULL, id BLOB NOT NULL,
                     ts INTEGER NOT NULL, actor TEXT NOT NULL, kind TEXT NOT NULL, v INTEGER NOT NULL, data TEXT
                 ) STRICT",
            )
            .expect("a table");
        let (commands, received) = mpsc::channel(QUEUE);
        let writer = thread::Builder::new()
            .name("bare-log".into())
            .spawn(move || run(&connection, received))
            .expect("a thread");
        Self { commands, writer }
    }

    /// Stores an event and returns its number once it is synced.
    pub(crate) async fn append(&self, stream: i64, version: i64, actor: String, event: NewEvent) -> i64 {
        let (reply, answer) = oneshot::channel();
        let command = Command { stream, version, actor, event, reply };
        assert!(self.commands.send(command).await.is_ok(), "the writer is gone");
        answer.await.expect("an acknowledgement")
    }

    pub(crate) fn close(self) {
        drop(self.commands);
        self.writer.join().expect("a writer that ends");
    }
}

fn run(connection: &Connection, mut commands: mpsc::Receiver<Command>) {
    let mut insert =
        connection.prepare("INSERT INTO log VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)").expect("an insert");
    let mut begin = connection.prepare("BEGIN IMMEDIATE").expect("a statement");
    let mut commit = connection.prepare("COMMIT").expect("a statement");
    let mut group = Vec::with_capacity(GROUP);
    let mut seq = 0;
    while commands.blocking_recv_many(&mut group, GROUP) > 0 {
        let now = paseo_store::system_clock()();
        begin.execute([]).expect("a transaction");
        let first = seq;
        for Command { stream, version, actor, event, .. } in &group {
            seq += 1;
            insert
                .execute(params![
                    seq,
                    stream,
                    version,
                    event.id.as_bytes(),
                    now,
                    actor,
                    event.kind,
                    event.v,
                    event.data
                ])
                .expect("a row");
        }
        commit.execute([]).expect("a commit");
        for (number, command) in (first + 1..).zip(group.drain(..)) {
            command.reply.send(number).ok();
        }
    }
}
