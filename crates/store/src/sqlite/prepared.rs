//! The statements that every batch needs, looked up once for a whole group.

use rusqlite::{CachedStatement, Connection};

use super::{heads, keys, rows};

/// A connection with a transaction under way, and its statements.
pub(super) struct Prepared<'c> {
    pub(super) connection: &'c Connection,
    pub(super) insert_event: CachedStatement<'c>,
    pub(super) update_head: CachedStatement<'c>,
    pub(super) find_key: CachedStatement<'c>,
    pub(super) insert_key: CachedStatement<'c>,
}

impl<'c> Prepared<'c> {
    pub(super) fn new(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            connection,
            insert_event: connection.prepare_cached(rows::INSERT)?,
            update_head: connection.prepare_cached(heads::UPDATE)?,
            find_key: connection.prepare_cached(keys::FIND_INDEXED)?,
            insert_key: connection.prepare_cached(keys::INSERT)?,
        })
    }
}
