//! Moves the write-ahead log into the database.

use std::time::Duration;

use rusqlite::Connection;

use super::connection::BUSY_TIMEOUT;

/// The size, in pages of 4 KB, from which an idle writer checkpoints,
const LARGE: i64 = 1024;
/// and one that has only just written much: the next will come at once, and the same pages need not be moved as often.
const LARGE_WHEN_BUSY: i64 = 3000;

/// Checkpoints without waiting for readers, when it is worth it.
pub(super) fn when_large(connection: &Connection, busy: bool) -> rusqlite::Result<()> {
    let wal = checkpoint(connection, "PRAGMA wal_checkpoint(NOOP)")?;
    if wal.pages - wal.moved > if busy { LARGE_WHEN_BUSY } else { LARGE } {
        // The file keeps its length and is written from its start again, which syncs faster than a growing one.
        checkpoint(connection, "PRAGMA wal_checkpoint(PASSIVE)")?;
    }
    Ok(())
}

/// Checkpoints and empties the write-ahead log's file; `false` when a reader holds it longer than `patience`.
pub(super) fn truncate(connection: &Connection, patience: Duration) -> rusqlite::Result<bool> {
    connection.busy_timeout(patience)?;
    let outcome = checkpoint(connection, "PRAGMA wal_checkpoint(TRUNCATE)");
    connection.busy_timeout(BUSY_TIMEOUT)?;
    outcome.map(|wal| !wal.busy)
}

struct Wal {
    busy: bool,
    pages: i64,
    moved: i64,
}

fn checkpoint(connection: &Connection, sql: &str) -> rusqlite::Result<Wal> {
    connection
        .prepare_cached(sql)?
        .query_row([], |row| Ok(Wal { busy: row.get(0)?, pages: row.get(1)?, moved: row.get(2)? }))
}
