//! Idempotency keys: found, stored, and forgotten after their time.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::{CachedStatement, Connection, OptionalExtension, ToSql, params};
use sha2::{Digest, Sha256};

use super::filter::Filter;
use super::index::Filled;
use crate::batch::IdempotencyKey;
use crate::limits::KEY_LIFETIME;

/// How many expired keys one transaction removes at most, so that no append waits for a purge.
const PURGE: i64 = 256;

/// Finds a key that has its place in the index.
pub(super) const FIND_INDEXED: &str = "SELECT i.body = ?4, i.receipt
     FROM idempotency_hash h CROSS JOIN idempotency i ON i.row = h.row
     WHERE h.hash = ?1 AND i.scope = ?2 AND i.key = ?3 AND i.created > ?5";

/// Finds a key wherever it is, but not among the rows up to `?6` that wait for their place in the index.
const FIND: &str = "SELECT i.body = ?4, i.receipt FROM (
         SELECT row FROM idempotency_hash WHERE hash = ?1
         UNION ALL
         SELECT row FROM idempotency WHERE row > max((SELECT key FROM indexed), ?6) AND hash = ?1
     ) h CROSS JOIN idempotency i ON i.row = h.row
     WHERE i.scope = ?2 AND i.key = ?3 AND i.created > ?5";

pub(super) const INSERT: &str = "INSERT INTO idempotency (row, hash, scope, key, body, receipt, created) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

/// What is known about a key.
pub(super) enum Found {
    Nothing,
    Receipt(String),
    /// It was used with another body.
    Reused,
}

/// A key as it is looked for.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) scope: &'a str,
    pub(super) key: &'a str,
    pub(super) hash: i64,
    pub(super) body: &'a [u8; 32],
}

/// Keys that wait for their place in the index, for the writer and for those who read.
#[derive(Default)]
pub(super) struct Waiting(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// The first row of each hash, of those that wait.
    first: HashMap<i64, i64>,
    /// Rows up to this are known: those that wait are in `first`.
    last: i64,
}

impl Waiting {
    /// Returns the row up to which a hash need not be looked for among those that wait.
    fn before(&self, hash: i64) -> i64 {
        let known = self.0.lock();
        known.first.get(&hash).map_or(known.last, |first| first - 1)
    }

    fn knows(&self, hash: i64) -> bool {
        self.0.lock().first.contains_key(&hash)
    }

    fn add(&self, hash: i64, row: i64) {
        let mut known = self.0.lock();
        known.first.entry(hash).or_insert(row);
        known.last = row;
    }
}

/// What the writer remembers of the keys.
#[derive(Default)]
pub(super) struct Recent {
    /// Shared with those who read.
    waiting: Arc<Waiting>,
    /// How many of them there are, and whether the transaction under way gives all of them their place.
    count: u64,
    indexed: bool,
    filter: Filter,
    /// The newest row that there ever was.
    last: i64,
    /// When the oldest key was stored.
    oldest: Option<i64>,
}

impl Recent {
    pub(super) fn new(waiting: Arc<Waiting>) -> Self {
        Self { waiting, ..Self::default() }
    }

    /// Reads from the database what there is to remember.
    pub(super) fn load(&mut self, connection: &Connection, filled: Filled) -> rusqlite::Result<()> {
        let last: i64 = connection
            .prepare_cached("SELECT coalesce(max(row), 0) FROM idempotency")?
            .query_row([], |row| row.get(0))?;
        let mut known = Known { first: HashMap::new(), last: last.max(filled.key) };
        let mut statement =
            connection.prepare_cached("SELECT hash, row FROM idempotency WHERE row > ?1 ORDER BY row")?;
        let mut rows = statement.query([filled.key])?;
        self.count = 0;
        while let Some(row) = rows.next()? {
            known.first.entry(row.get(0)?).or_insert(row.get(1)?);
            self.count += 1;
        }
        self.last = known.last;
        self.oldest = oldest(connection)?;
        self.indexed = false;
        self.filter = Filter::default();
        *self.waiting.0.lock() = known;
        self.filter.read_on(connection)
    }

    /// Returns how many keys are not in the index yet.
    pub(super) fn waiting(&self) -> u64 {
        self.count
    }

    /// Notes that all keys get their place in the index.
    pub(super) fn index(&mut self) {
        self.waiting.0.lock().first.keys().for_each(|hash| self.filter.add(*hash));
        self.count = 0;
        self.indexed = true;
    }

    /// Notes that the transaction was committed: from now on readers see what it stored.
    pub(super) fn committed(&mut self) {
        if std::mem::take(&mut self.indexed) {
            self.waiting.0.lock().first = HashMap::new();
        }
    }

    /// Gets to know more of the index, while there is nothing else to do.
    pub(super) fn learn(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        self.filter.read_on(connection)
    }

    /// Looks up a key that has not expired; `indexed` is [`FIND_INDEXED`].
    pub(super) fn find(
        &self,
        connection: &Connection,
        indexed: &mut CachedStatement<'_>,
        wanted: Wanted<'_>,
        now: i64,
    ) -> rusqlite::Result<Found> {
        if self.waiting.knows(wanted.hash) {
            return find(connection, &self.waiting, wanted, now);
        }
        if self.filter.excludes(wanted.hash) {
            return Ok(Found::Nothing);
        }
        let Wanted { scope, key, hash, body } = wanted;
        found(indexed, params![hash, scope, key, body, now - KEY_LIFETIME])
    }

    /// Stores a key; `insert` is [`INSERT`].
    pub(super) fn insert(
        &mut self,
        insert: &mut CachedStatement<'_>,
        key: &IdempotencyKey,
        hash: i64,
        now: i64,
    ) -> rusqlite::Result<()> {
        let row = self.last + 1;
        insert.execute(params![row, hash, key.scope, key.key, key.body, key.receipt, now])?;
        self.last = row;
        self.count += 1;
        self.waiting.add(hash, row);
        self.oldest.get_or_insert(now);
        Ok(())
    }

    /// Removes expired keys, now and then a few.
    pub(super) fn purge(&mut self, connection: &Connection, now: i64) -> rusqlite::Result<()> {
        let expired = now - KEY_LIFETIME;
        if self.oldest.is_none_or(|oldest| oldest > expired) {
            return Ok(());
        }
        for sql in [
            "DELETE FROM idempotency_hash WHERE (hash, row) IN (
                 SELECT hash, row FROM (SELECT hash, row, created FROM idempotency ORDER BY row LIMIT ?1)
                 WHERE created <= ?2)",
            "DELETE FROM idempotency
             WHERE row IN (SELECT row FROM idempotency ORDER BY row LIMIT ?1) AND created <= ?2",
        ] {
            connection.prepare_cached(sql)?.execute(params![PURGE, expired])?;
        }
        self.oldest = oldest(connection)?;
        Ok(())
    }
}

/// Looks up a key that has not expired.
pub(super) fn find(
    connection: &Connection,
    waiting: &Waiting,
    wanted: Wanted<'_>,
    now: i64,
) -> rusqlite::Result<Found> {
    let Wanted { scope, key, hash, body } = wanted;
    // Before the statement begins to read: what is not known to wait now is in the index by then.
    let before = waiting.before(hash);
    let mut statement = connection.prepare_cached(FIND)?;
    found(&mut statement, params![hash, scope, key, body, now - KEY_LIFETIME, before])
}

/// Returns what keys are found by.
pub(super) fn hash(scope: &str, key: &str) -> i64 {
    let mut hasher = Sha256::new();
    hasher.update((scope.len() as u64).to_be_bytes());
    hasher.update(scope);
    hasher.update(key);
    let [a, b, c, d, e, f, g, h, ..] = <[u8; 32]>::from(hasher.finalize());
    i64::from_be_bytes([a, b, c, d, e, f, g, h])
}

fn found(statement: &mut CachedStatement<'_>, wanted: &[&dyn ToSql]) -> rusqlite::Result<Found> {
    let found = statement
        .query_row(wanted, |row| Ok(if row.get(0)? { Found::Receipt(row.get(1)?) } else { Found::Reused }))
        .optional()?;
    Ok(found.unwrap_or(Found::Nothing))
}

fn oldest(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT created FROM idempotency ORDER BY row LIMIT 1")?
        .query_row([], |row| row.get(0))
        .optional()
}
