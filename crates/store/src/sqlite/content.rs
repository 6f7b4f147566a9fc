//! Texts: small ones inline, large ones as compressed blobs that are stored once.

use std::io::Read;

use rusqlite::functions::FunctionFlags;
use rusqlite::types::{Type, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, params};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::value::{integer, unsigned};
use crate::batch::NewContent;
use crate::error::{Error, Result};
use crate::limits::{EXCERPT, MAX_INLINE, MAX_TEXT};
use crate::record::{ContentRow, Text};
use crate::search::MAX_SEARCHED;

/// The columns that [`read_row`] reads, of a table that is called `c`.
pub(super) const COLUMNS: &str = "c.id, c.len, c.sha256, c.text, c.head, c.tail, c.extra";

const COMPRESSION_LEVEL: i32 = 3;

/// A text, ready to be stored: whatever takes time is done before the writer gets it.
pub(super) struct Packed {
    pub(super) id: Uuid,
    pub(super) owner: String,
    len: usize,
    sha256: [u8; 32],
    body: Body,
    extra: Option<String>,
}

enum Body {
    Inline(String),
    Large { head: String, tail: String, zstd: Vec<u8> },
}

impl Packed {
    /// Returns the row as it is read back.
    pub(super) fn into_row(self) -> ContentRow {
        let text = match self.body {
            Body::Inline(text) => Text::Inline(text),
            Body::Large { head, tail, .. } => Text::Large { head, tail },
        };
        ContentRow { id: self.id, len: self.len as u64, sha256: self.sha256, text, extra: self.extra }
    }
}

/// Returns whether packing takes long enough to be kept off an async thread.
pub(super) fn is_large(content: &NewContent) -> bool {
    content.text.len() > MAX_INLINE
}

/// Hashes a text, and cuts and compresses it when it is large.
pub(super) fn pack(content: NewContent) -> Result<Packed> {
    let NewContent { id, owner, text, extra } = content;
    let text = cut(text);
    let len = text.len();
    let sha256 = Sha256::digest(text.as_bytes()).into();
    let body = if len <= MAX_INLINE {
        Body::Inline(text)
    } else {
        let zstd = zstd::bulk::compress(text.as_bytes(), COMPRESSION_LEVEL)
            .map_err(|failure| Error::Unavailable(format!("cannot compress content {id}: {failure}")))?;
        let head = text[..border_below(&text, EXCERPT)].to_owned();
        let tail = text[border_above(&text, len - EXCERPT)..].to_owned();
        Body::Large { head, tail, zstd }
    };
    Ok(Packed { id, owner, len, sha256, body, extra })
}

/// Returns whether a content by that id was ever stored.
pub(super) fn exists(connection: &Connection, id: Uuid) -> rusqlite::Result<bool> {
    connection.prepare_cached("SELECT 1 FROM content WHERE id = ?1")?.exists([id.as_bytes()])
}

/// Stores a packed text.
pub(super) fn insert(connection: &Connection, packed: &Packed, owner: i64) -> rusqlite::Result<()> {
    let (text, head, tail, blob) = match &packed.body {
        Body::Inline(text) => (Some(text), None, None, None),
        Body::Large { head, tail, zstd } => {
            (None, Some(head), Some(tail), Some(insert_blob(connection, &packed.sha256, zstd)?))
        }
    };
    connection
        .prepare_cached(
            "INSERT INTO content (id, owner, len, sha256, text, head, tail, blob, extra)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            packed.id.as_bytes(),
            owner,
            integer(packed.len as u64),
            packed.sha256,
            text,
            head,
            tail,
            blob,
            packed.extra,
        ])?;
    Ok(())
}

/// Reads [`COLUMNS`], the first of which is column `at`; `id` is what the event says.
pub(super) fn read_row(row: &Row<'_>, at: usize, id: Uuid) -> rusqlite::Result<ContentRow> {
    let Some(len) = row.get::<_, Option<i64>>(at + 1)? else {
        return Ok(ContentRow { id, len: 0, sha256: [0; 32], text: Text::Erased, extra: None });
    };
    let text = match row.get(at + 3)? {
        Some(text) => Text::Inline(text),
        None => Text::Large { head: row.get(at + 4)?, tail: row.get(at + 5)? },
    };
    Ok(ContentRow { id, len: unsigned(len), sha256: row.get(at + 2)?, text, extra: row.get(at + 6)? })
}

/// Finds a content that is not erased.
pub(super) fn find(connection: &Connection, id: Uuid) -> rusqlite::Result<Option<ContentRow>> {
    connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM content c WHERE c.id = ?1 AND c.len IS NOT NULL"))?
        .query_row([id.as_bytes()], |row| read_row(row, 0, id))
        .optional()
}

/// Finds a whole text that is not erased.
pub(super) fn find_text(connection: &Connection, id: Uuid) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached(
            "SELECT c.len, c.text, b.zstd FROM content c LEFT JOIN blob b ON b.id = c.blob
             WHERE c.id = ?1 AND c.len IS NOT NULL",
        )?
        .query_row([id.as_bytes()], |row| match row.get(1)? {
            Some(text) => Ok(text),
            None => unpack(row.get_ref(2)?.as_blob()?, unsigned(row.get(0)?) as usize),
        })
        .optional()
}

fn insert_blob(connection: &Connection, sha256: &[u8; 32], zstd: &[u8]) -> rusqlite::Result<i64> {
    let stored = connection
        .prepare_cached("SELECT id FROM blob WHERE sha256 = ?1")?
        .query_row([sha256], |row| row.get(0))
        .optional()?;
    match stored {
        Some(id) => Ok(id),
        None => connection
            .prepare_cached("INSERT INTO blob (sha256, zstd) VALUES (?1, ?2)")?
            .insert(params![sha256, zstd]),
    }
}

fn unpack(zstd: &[u8], len: usize) -> rusqlite::Result<String> {
    let damaged = |failure| rusqlite::Error::FromSqlConversionFailure(2, Type::Blob, failure);
    let bytes = zstd::bulk::decompress(zstd, len).map_err(|failure| damaged(Box::new(failure)))?;
    String::from_utf8(bytes).map_err(|failure| damaged(Box::new(failure)))
}

/// Gives a connection the function by which the index of words reads the start of a large text.
pub(super) fn define(connection: &Connection) -> rusqlite::Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("text_head", 1, flags, |context| match context.get_raw(0) {
        // What is damaged is told when it is read, not when it is searched.
        ValueRef::Blob(zstd) => Ok(unpack_head(zstd).ok()),
        _ => Ok(None),
    })
}

fn unpack_head(zstd: &[u8]) -> std::io::Result<String> {
    let mut bytes = Vec::with_capacity(MAX_SEARCHED);
    let unpacked = zstd::stream::read::Decoder::with_buffer(zstd)?;
    unpacked.take(MAX_SEARCHED as u64).read_to_end(&mut bytes)?;
    // A character that was cut in two is no word.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Shortens a text that is too long, so that its reader sees that something is missing.
fn cut(mut text: String) -> String {
    let whole = text.len();
    if whole <= MAX_TEXT {
        return text;
    }
    let mark = |kept: usize| format!("\n[cut: the first {kept} of {whole} bytes]");
    let kept = border_below(&text, MAX_TEXT - mark(MAX_TEXT).len());
    text.truncate(kept);
    text.push_str(&mark(kept));
    text
}

/// Returns the last border between characters that is not above `index`.
fn border_below(text: &str, index: usize) -> usize {
    (0..=index).rev().find(|index| text.is_char_boundary(*index)).unwrap_or(0)
}

/// Returns the first border between characters that is not below `index`.
fn border_above(text: &str, index: usize) -> usize {
    (index..=text.len()).find(|index| text.is_char_boundary(*index)).unwrap_or(text.len())
}
