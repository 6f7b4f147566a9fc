//! Removes text so that nothing of it stays in the file.
//!
//! Rows are emptied, not deleted: see the notes in the schema.

use std::collections::HashSet;

use rusqlite::Connection;
use uuid::Uuid;

/// Empties a stream's contents but for those in `keep`, and the blobs that nothing points at any more.
pub(super) fn contents(connection: &Connection, stream: i64, keep: &[Uuid]) -> rusqlite::Result<()> {
    let keep: HashSet<[u8; 16]> = keep.iter().map(|id| id.into_bytes()).collect();
    let owned: Vec<(i64, [u8; 16], Option<i64>)> = connection
        .prepare_cached("SELECT row, id, blob FROM content WHERE owner = ?1 AND len IS NOT NULL")?
        .query_map([stream], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;

    let mut empty_content = connection.prepare_cached(
        "UPDATE content
         SET len = NULL, sha256 = NULL, text = NULL, head = NULL, tail = NULL, blob = NULL, extra = NULL
         WHERE row = ?1",
    )?;
    let mut empty_blob = connection.prepare_cached(
        "UPDATE blob SET sha256 = NULL, zstd = NULL
         WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM content WHERE blob = ?1)",
    )?;
    for (row, _, blob) in owned.iter().filter(|(_, id, _)| !keep.contains(id)) {
        empty_content.execute([row])?;
        if let Some(blob) = blob {
            empty_blob.execute([blob])?;
        }
    }
    Ok(())
}

/// Takes the data from all events of a stream that are in the indexes.
pub(super) fn data(connection: &Connection, stream: i64) -> rusqlite::Result<()> {
    // One statement for each class, because each has an index of its own.
    for sql in [
        "UPDATE event SET data = NULL
         WHERE seq IN (SELECT seq FROM control WHERE stream = ?1) AND data IS NOT NULL",
        "UPDATE event SET data = NULL
         WHERE seq IN (SELECT seq FROM item WHERE stream = ?1) AND data IS NOT NULL",
    ] {
        connection.prepare_cached(sql)?.execute([stream])?;
    }
    Ok(())
}
