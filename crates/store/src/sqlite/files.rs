//! Files: written in pieces, complete when they are added, owned once a batch claims them.
//!
//! Rows are emptied, not deleted: see the notes in the schema.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, params};
use tokio::sync::oneshot;
use uuid::Uuid;

use super::value::{integer, unsigned};
use crate::error::{Error, Result};
use crate::file::{FilePiece, FileRow, NewFile, Unclaimed};

/// The owner of a file that no batch has claimed. It takes eight bytes, so that the row shrinks when it is claimed.
const NOT_CLAIMED: i64 = i64::MIN + 1;

/// What the writer can be asked to do with files.
pub(super) enum Change {
    Piece { file: Uuid, bytes: Vec<u8>, reply: oneshot::Sender<Result<()>> },
    Add { file: NewFile, reply: oneshot::Sender<Result<()>> },
    Drop { file: Uuid, reply: oneshot::Sender<Result<()>> },
    Forget { begun: i64, unclaimed: i64, reply: oneshot::Sender<Result<u64>> },
}

/// Stores the next piece of a file.
pub(super) fn add_piece(connection: &Connection, file: Uuid, bytes: &[u8], now: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO file_piece (blob, created, bytes) VALUES (?1, ?2, ?3)")?
        .execute(params![file.as_bytes(), now, bytes])?;
    Ok(())
}

/// Completes a file. When its bytes are stored already, they are not kept twice.
pub(super) fn add(connection: &Connection, file: &NewFile, now: i64) -> rusqlite::Result<()> {
    let known: Option<[u8; 16]> = connection
        .prepare_cached("SELECT id FROM file_blob WHERE sha256 = ?1")?
        .query_row([&file.sha256], |row| row.get(0))
        .optional()?;
    let blob = match known {
        Some(blob) => {
            empty_pieces(connection, file.id.as_bytes())?;
            blob
        }
        None => {
            connection
                .prepare_cached("INSERT INTO file_blob (id, sha256) VALUES (?1, ?2)")?
                .execute(params![file.id.as_bytes(), file.sha256])?;
            file.id.into_bytes()
        }
    };
    connection
        .prepare_cached(
            "INSERT INTO file (id, owner, actor, created, len, blob, meta)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            file.id.as_bytes(),
            NOT_CLAIMED,
            file.actor,
            now,
            integer(file.len),
            blob,
            file.meta
        ])?;
    Ok(())
}

/// Removes the pieces of a file that is not completed.
pub(super) fn drop_pieces(connection: &Connection, file: Uuid) -> rusqlite::Result<()> {
    let complete = connection
        .prepare_cached("SELECT 1 FROM file_blob WHERE id = ?1 AND sha256 IS NOT NULL")?
        .exists([file.as_bytes()])?;
    if complete { Ok(()) } else { empty_pieces(connection, file.as_bytes()) }
}

/// Removes uploads that were begun by `begun` and not completed, and files that were completed by `unclaimed` and that
/// no batch has claimed. Returns how many.
pub(super) fn forget(connection: &Connection, begun: i64, unclaimed: i64) -> rusqlite::Result<u64> {
    let unfinished: Vec<[u8; 16]> = connection
        .prepare_cached(
            "SELECT p.blob FROM file_piece p
             WHERE p.bytes IS NOT NULL AND NOT EXISTS (SELECT 1 FROM file_blob b WHERE b.id = p.blob)
             GROUP BY p.blob HAVING min(p.created) <= ?1",
        )?
        .query_map([begun], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for blob in &unfinished {
        empty_pieces(connection, blob)?;
    }
    let left: Vec<i64> = connection
        .prepare_cached("SELECT row FROM file WHERE owner = ?1 AND len IS NOT NULL AND created <= ?2")?
        .query_map([NOT_CLAIMED, unclaimed], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for row in &left {
        empty(connection, *row)?;
    }
    Ok((unfinished.len() + left.len()) as u64)
}

/// Refuses claims of files that are not there, or that have an owner.
pub(super) fn is_free(connection: &Connection, file: Uuid) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM file WHERE id = ?1 AND owner = ?2 AND len IS NOT NULL")?
        .exists(params![file.as_bytes(), NOT_CLAIMED])
}

/// Gives a file to a stream.
pub(super) fn claim(connection: &Connection, file: Uuid, stream: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE file SET owner = ?2 WHERE id = ?1")?
        .execute(params![file.as_bytes(), stream])?;
    Ok(())
}

/// Empties a stream's files but for those in `keep`.
pub(super) fn erase(connection: &Connection, stream: i64, keep: &[Uuid]) -> rusqlite::Result<()> {
    let keep: HashSet<[u8; 16]> = keep.iter().map(|id| id.into_bytes()).collect();
    let owned: Vec<(i64, [u8; 16])> = connection
        .prepare_cached("SELECT row, id FROM file WHERE owner = ?1 AND len IS NOT NULL")?
        .query_map([stream], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (row, _) in owned.iter().filter(|(_, id)| !keep.contains(id)) {
        empty(connection, *row)?;
    }
    Ok(())
}

/// Finds a file that is not erased.
pub(super) fn find(connection: &Connection, id: Uuid) -> rusqlite::Result<Option<FileRow>> {
    connection
        .prepare_cached(
            "SELECT s.name, f.actor, f.created, f.len, b.sha256, f.meta
             FROM file f JOIN file_blob b ON b.id = f.blob LEFT JOIN stream s ON s.id = f.owner
             WHERE f.id = ?1 AND f.len IS NOT NULL",
        )?
        .query_row([id.as_bytes()], |row| {
            Ok(FileRow {
                id,
                owner: row.get(0)?,
                actor: row.get(1)?,
                created: row.get(2)?,
                len: unsigned(row.get(3)?),
                sha256: row.get(4)?,
                meta: row.get(5)?,
            })
        })
        .optional()
}

/// Reads the piece of a file that begins at `cursor`; `None` at its end, and when it is erased.
pub(super) fn piece(connection: &Connection, id: Uuid, cursor: u64) -> rusqlite::Result<Option<FilePiece>> {
    connection
        .prepare_cached(
            "SELECT p.row, p.bytes FROM file f JOIN file_piece p ON p.blob = f.blob
             WHERE f.id = ?1 AND f.len IS NOT NULL AND p.bytes IS NOT NULL AND p.row > ?2
             ORDER BY p.row LIMIT 1",
        )?
        .query_row(params![id.as_bytes(), integer(cursor)], |row| {
            Ok(FilePiece { cursor: unsigned(row.get(0)?), bytes: row.get(1)? })
        })
        .optional()
}

/// Counts the files that no batch has claimed, of those whose name begins so. Bytes that several share count once.
pub(super) fn unclaimed(connection: &Connection, actors: &str) -> rusqlite::Result<Unclaimed> {
    connection
        .prepare_cached(
            "WITH free AS (SELECT blob, len FROM file
                           WHERE owner = ?1 AND len IS NOT NULL AND substr(actor, 1, length(?2)) = ?2)
             SELECT (SELECT count(*) FROM free),
                    (SELECT coalesce(sum(len), 0) FROM (SELECT DISTINCT blob, len FROM free))",
        )?
        .query_row(params![NOT_CLAIMED, actors], |row| {
            Ok(Unclaimed { files: unsigned(row.get(0)?), bytes: unsigned(row.get(1)?) })
        })
}

/// Says that a file cannot be claimed.
pub(super) fn not_free(file: Uuid) -> Error {
    Error::Unclaimable { file }
}

/// Empties a file, and its bytes when no other file has them.
fn empty(connection: &Connection, row: i64) -> rusqlite::Result<()> {
    let blob: Option<[u8; 16]> = connection
        .prepare_cached("SELECT blob FROM file WHERE row = ?1")?
        .query_row([row], |row| row.get(0))?;
    connection
        .prepare_cached("UPDATE file SET actor = NULL, len = NULL, blob = NULL, meta = NULL WHERE row = ?1")?
        .execute([row])?;
    let Some(blob) = blob else { return Ok(()) };
    let shared = connection.prepare_cached("SELECT 1 FROM file WHERE blob = ?1")?.exists([blob])?;
    if shared {
        return Ok(());
    }
    connection.prepare_cached("UPDATE file_blob SET sha256 = NULL WHERE id = ?1")?.execute([blob])?;
    empty_pieces(connection, &blob)
}

fn empty_pieces(connection: &Connection, blob: &[u8; 16]) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE file_piece SET bytes = NULL WHERE blob = ?1 AND bytes IS NOT NULL")?
        .execute([blob])?;
    Ok(())
}
