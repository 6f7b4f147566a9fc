//! Idempotency keys: found, stored, and forgotten after their time.

use std::collections::HashSet;

use rusqlite::{CachedStatement, Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::index::Filled;
use crate::batch::IdempotencyKey;
use crate::limits::KEY_LIFETIME;

/// How many expired keys one transaction removes at most, so that no append waits for a purge.
const PURGE: i64 = 256;

/// Finds a key that has its place in the index.
pub(super) const FIND_INDEXED: &str = "SELECT i.body = ?4, i.receipt
     FROM idempotency_hash h CROSS JOIN idempotency i ON i.row = h.row
     WHERE h.hash = ?1 AND i.scope = ?2 AND i.key = ?3 AND i.created > ?5";

/// Finds a key wherever it is.
const FIND: &str = "SELECT i.body = ?4, i.receipt FROM (
         SELECT row FROM idempotency_hash WHERE hash = ?1
         UNION ALL
         SELECT row FROM idempotency WHERE row > (SELECT key FROM indexed) AND hash = ?1
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

/// What the writer remembers of the keys.
#[derive(Default)]
pub(super) struct Recent {
    /// Hashes of those that are not in the index yet.
    hashes: HashSet<i64>,
    /// The newest row that there ever was.
    last: i64,
    /// When the oldest key was stored.
    oldest: Option<i64>,
}

impl Recent {
    /// Reads from the database what there is to remember.
    pub(super) fn load(connection: &Connection, filled: Filled) -> rusqlite::Result<Self> {
        let hashes = connection
            .prepare_cached("SELECT hash FROM idempotency WHERE row > ?1")?
            .query_map([filled.key], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let last: i64 = connection
            .prepare_cached("SELECT coalesce(max(row), 0) FROM idempotency")?
            .query_row([], |row| row.get(0))?;
        Ok(Self { hashes, last: last.max(filled.key), oldest: oldest(connection)? })
    }

    /// Returns how many keys are not in the index yet.
    pub(super) fn waiting(&self) -> u64 {
        self.hashes.len() as u64
    }

    /// Notes that all keys are in the index.
    pub(super) fn indexed(&mut self) {
        self.hashes.clear();
    }

    /// Looks up a key that has not expired; `indexed` is [`FIND_INDEXED`].
    pub(super) fn find(
        &self,
        connection: &Connection,
        indexed: &mut CachedStatement<'_>,
        wanted: Wanted<'_>,
        now: i64,
    ) -> rusqlite::Result<Found> {
        if self.hashes.contains(&wanted.hash) {
            return find(connection, wanted, now);
        }
        found(indexed, wanted, now)
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
        self.hashes.insert(hash);
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
pub(super) fn find(connection: &Connection, wanted: Wanted<'_>, now: i64) -> rusqlite::Result<Found> {
    found(&mut connection.prepare_cached(FIND)?, wanted, now)
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

fn found(statement: &mut CachedStatement<'_>, wanted: Wanted<'_>, now: i64) -> rusqlite::Result<Found> {
    let Wanted { scope, key, hash, body } = wanted;
    let found = statement
        .query_row(params![hash, scope, key, body, now - KEY_LIFETIME], |row| {
            Ok(if row.get(0)? { Found::Receipt(row.get(1)?) } else { Found::Reused })
        })
        .optional()?;
    Ok(found.unwrap_or(Found::Nothing))
}

fn oldest(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT created FROM idempotency ORDER BY row LIMIT 1")?
        .query_row([], |row| row.get(0))
        .optional()
}
