//! Event rows as records.

use std::sync::Arc;

use rusqlite::{Connection, Row, params};
use uuid::Uuid;

use super::content;
use super::value::{integer, unsigned};
use crate::record::{Body, ContentRow, ItemRow, Record, Version};

/// The columns that this file reads, of a table that is called `e`; those of the content may follow.
pub(super) const COLUMNS: &str =
    "e.seq, e.stream, e.version, e.ordinal, e.id, e.ts, e.actor, e.kind, e.v, e.data, e.content";

/// Where the columns of the content begin.
const CONTENT: usize = 11;

/// Reads an event of any class, with the content's columns.
pub(super) fn read_record(row: &Row<'_>, stream: Arc<str>) -> rusqlite::Result<Record> {
    let body = match row.get(2)? {
        Some(version) => Body::Control { version: unsigned(version) },
        None => Body::Item { ordinal: unsigned(row.get(3)?), content: read_content(row)? },
    };
    read_common(row, stream, body)
}

/// Reads an item, with the content's columns.
pub(super) fn read_item(row: &Row<'_>) -> rusqlite::Result<ItemRow> {
    Ok(ItemRow {
        seq: unsigned(row.get(0)?),
        id: Uuid::from_bytes(row.get(4)?),
        ts: row.get(5)?,
        ordinal: unsigned(row.get(3)?),
        kind: row.get(7)?,
        v: row.get(8)?,
        data: row.get(9)?,
        content: read_content(row)?,
    })
}

/// Returns control events of one stream with a version above `after`.
pub(super) fn control_page(
    connection: &Connection,
    name: &Arc<str>,
    stream: i64,
    after: Version,
    limit: i64,
) -> rusqlite::Result<Vec<Record>> {
    connection
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM event e
             WHERE e.stream = ?1 AND e.version IS NOT NULL AND e.version > ?2 ORDER BY e.version LIMIT ?3"
        ))?
        .query_map(params![stream, integer(after), limit], |row| {
            read_common(row, name.clone(), Body::Control { version: unsigned(row.get(2)?) })
        })?
        .collect()
}

fn read_common(row: &Row<'_>, stream: Arc<str>, body: Body) -> rusqlite::Result<Record> {
    Ok(Record {
        seq: unsigned(row.get(0)?),
        stream,
        id: Uuid::from_bytes(row.get(4)?),
        ts: row.get(5)?,
        actor: row.get(6)?,
        kind: row.get(7)?,
        v: row.get(8)?,
        data: row.get(9)?,
        body,
    })
}

fn read_content(row: &Row<'_>) -> rusqlite::Result<Option<ContentRow>> {
    let Some(id) = row.get(10)? else { return Ok(None) };
    content::read_row(row, CONTENT, Uuid::from_bytes(id)).map(Some)
}
