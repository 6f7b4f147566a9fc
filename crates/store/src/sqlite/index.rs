//! The indexes that are filled in bulk: see the notes in the schema.

use rusqlite::Connection;

use super::value::{integer, unsigned};
use crate::record::Seq;

/// How many events may wait for their place in an index. More make appends cheaper, as more entries of a page are
/// written at once; but each read of a stream looks at all of them.
pub(super) const WAITING: u64 = 4096;
/// How many keys may wait. Reads do not look at those, but the writer remembers a hash of each; and as keys come in no
/// order, it takes many until some of them share a page.
pub(super) const KEYS_WAITING: u64 = 32_768;
/// How many may wait when the log is closed: opening it reads them all.
pub(super) const KEYS_LEFT: u64 = 1024;

/// How far the indexes are filled.
#[derive(Clone, Copy, Default)]
pub(super) struct Filled {
    pub(super) event: Seq,
    /// A row of `idempotency`.
    pub(super) key: i64,
    /// The heads of streams with events above this may be behind; `None`: none is.
    pub(super) heads: Option<Seq>,
}

/// Reads how far the indexes are filled.
pub(super) fn filled(connection: &Connection) -> rusqlite::Result<Filled> {
    connection.prepare_cached("SELECT event, key, heads FROM indexed")?.query_row([], |row| {
        let heads = row.get::<_, Option<i64>>(2)?.map(unsigned);
        Ok(Filled { event: unsigned(row.get(0)?), key: row.get(1)?, heads })
    })
}

/// Notes from where on heads may be behind.
pub(super) fn mark_heads(connection: &Connection, heads: Option<Seq>) -> rusqlite::Result<()> {
    connection.prepare_cached("UPDATE indexed SET heads = ?1")?.execute([heads.map(integer)]).map(drop)
}

/// Fills the index of keys with all that are not in it yet.
pub(super) fn fill_keys(connection: &Connection) -> rusqlite::Result<Filled> {
    for sql in [
        "INSERT INTO idempotency_hash (hash, row)
         SELECT hash, row FROM idempotency WHERE row > (SELECT key FROM indexed) ORDER BY hash, row",
        "UPDATE indexed SET key = max(key, (SELECT coalesce(max(row), 0) FROM idempotency))",
    ] {
        connection.prepare_cached(sql)?.execute([])?;
    }
    filled(connection)
}

/// Fills the indexes of events with all that are not in them yet.
pub(super) fn fill(connection: &Connection) -> rusqlite::Result<Filled> {
    for sql in [
        "INSERT INTO control (stream, version, seq)
         SELECT stream, version, seq FROM event
         WHERE seq > (SELECT event FROM indexed) AND version IS NOT NULL ORDER BY stream, version",
        "INSERT INTO item (stream, ordinal, seq)
         SELECT stream, ordinal, seq FROM event
         WHERE seq > (SELECT event FROM indexed) AND ordinal IS NOT NULL ORDER BY stream, ordinal",
        "UPDATE indexed SET event = max(event, (SELECT coalesce(max(seq), 0) FROM event))",
    ] {
        connection.prepare_cached(sql)?.execute([])?;
    }
    filled(connection)
}

/// Returns a query for the numbers of at most `?3` events of stream `?1`, those in the index and those that wait.
///
/// `table` is the index, `column` what it is sorted by, `bound` compares that with `?2`, `direction` says which come
/// first. It is one query, so that nothing moves from the one place to the other in between.
pub(super) fn page(table: &str, column: &str, bound: &str, direction: &str) -> String {
    format!(
        "SELECT seq FROM (
             SELECT seq FROM (
                 SELECT seq FROM {table} WHERE stream = ?1 AND {column} {bound} ?2
                 ORDER BY {column} {direction} LIMIT ?3)
             UNION ALL
             SELECT seq FROM (
                 SELECT seq FROM event
                 WHERE seq > (SELECT event FROM indexed) AND stream = ?1 AND {column} {bound} ?2
                 ORDER BY seq {direction} LIMIT ?3)
         ) ORDER BY seq {direction} LIMIT ?3"
    )
}

/// Returns the same query for items, of kind `?4` only.
pub(super) fn page_of_kind(bound: &str, direction: &str) -> String {
    format!(
        "SELECT seq FROM (
             SELECT seq FROM (
                 SELECT i.seq FROM item i CROSS JOIN event e ON e.seq = i.seq
                 WHERE i.stream = ?1 AND i.ordinal {bound} ?2 AND e.kind = ?4
                 ORDER BY i.ordinal {direction} LIMIT ?3)
             UNION ALL
             SELECT seq FROM (
                 SELECT seq FROM event
                 WHERE seq > (SELECT event FROM indexed) AND stream = ?1 AND ordinal {bound} ?2 AND kind = ?4
                 ORDER BY seq {direction} LIMIT ?3)
         ) ORDER BY seq {direction} LIMIT ?3"
    )
}
