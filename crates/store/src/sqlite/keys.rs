//! Idempotency keys: found, stored, and forgotten after their time.

use rusqlite::{Connection, OptionalExtension, params};

use crate::batch::IdempotencyKey;
use crate::limits::KEY_LIFETIME;

/// How many expired keys one transaction removes at most, so that no append waits for a purge.
const PURGE: i64 = 256;

/// What is known about a key.
pub(super) enum Found {
    Nothing,
    Receipt(String),
    /// It was used with another body.
    Reused,
}

/// Looks up a key that has not expired.
pub(super) fn find(
    connection: &Connection,
    scope: &str,
    key: &str,
    body: &[u8; 32],
    now: i64,
) -> rusqlite::Result<Found> {
    let found = connection
        .prepare_cached(
            "SELECT body = ?3, receipt FROM idempotency WHERE scope = ?1 AND key = ?2 AND created > ?4",
        )?
        .query_row(params![scope, key, body, now - KEY_LIFETIME], |row| {
            Ok(if row.get(0)? { Found::Receipt(row.get(1)?) } else { Found::Reused })
        })
        .optional()?;
    Ok(found.unwrap_or(Found::Nothing))
}

/// Stores a key, in place of an expired one.
pub(super) fn insert(connection: &Connection, key: &IdempotencyKey, now: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO idempotency (scope, key, body, receipt, created) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![key.scope, key.key, key.body, key.receipt, now])?;
    Ok(())
}

/// Removes some of the expired keys.
pub(super) fn purge(connection: &Connection, now: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "DELETE FROM idempotency
             WHERE row IN (SELECT row FROM idempotency ORDER BY row LIMIT ?1) AND created <= ?2",
        )?
        .execute(params![PURGE, now - KEY_LIFETIME])?;
    Ok(())
}

/// Returns when the oldest key was stored.
pub(super) fn oldest(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT created FROM idempotency ORDER BY row LIMIT 1")?
        .query_row([], |row| row.get(0))
        .optional()
}
