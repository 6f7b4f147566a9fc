//! Events as rows, and rows as events.

use std::sync::Arc;

use rusqlite::{CachedStatement, Connection, Row, params};
use uuid::Uuid;

use super::value::{integer, unsigned};
use super::{content, index};
use crate::batch::NewItem;
use crate::record::{Body, ContentRow, ItemRow, Record, Seq, Version};

/// The columns that this file reads, of a table that is called `e`; those of the content may follow.
pub(super) const COLUMNS: &str =
    "e.seq, e.stream, e.version, e.ordinal, e.id, e.ts, e.actor, e.kind, e.v, e.data, e.content";

pub(super) const INSERT: &str =
    "INSERT INTO event (seq, stream, version, ordinal, id, ts, actor, kind, v, data, content)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

/// Where the columns of the content begin.
const CONTENT: usize = 11;

/// Where an item goes.
pub(super) struct Numbers {
    pub(super) seq: Seq,
    pub(super) stream: Option<i64>,
    pub(super) ordinal: u64,
    pub(super) ts: i64,
}

/// Stores a control event; `insert` is [`INSERT`].
pub(super) fn insert_control(
    insert: &mut CachedStatement<'_>,
    stream: Option<i64>,
    record: &Record,
) -> rusqlite::Result<()> {
    let Body::Control { version } = record.body else { return Ok(()) };
    insert.execute(params![
        integer(record.seq),
        stream,
        integer(version),
        None::<i64>,
        record.id.as_bytes(),
        record.ts,
        record.actor,
        record.kind,
        record.v,
        record.data,
        None::<[u8; 16]>,
    ])?;
    Ok(())
}

/// Stores an item event; `insert` is [`INSERT`].
pub(super) fn insert_item(
    insert: &mut CachedStatement<'_>,
    numbers: &Numbers,
    actor: &str,
    item: &NewItem,
) -> rusqlite::Result<()> {
    insert.execute(params![
        integer(numbers.seq),
        numbers.stream,
        None::<i64>,
        integer(numbers.ordinal),
        item.id.as_bytes(),
        numbers.ts,
        actor,
        item.kind,
        item.v,
        item.data,
        item.content.map(Uuid::into_bytes),
    ])?;
    Ok(())
}

/// Reads an event of any class, with the content's columns.
pub(super) fn read_record(row: &Row<'_>, stream: Arc<str>) -> rusqlite::Result<Record> {
    let body = match row.get(2)? {
        Some(version) => Body::Control { version: unsigned(version) },
        None => Body::Item { ordinal: unsigned(row.get(3)?), content: read_content(row)? },
    };
    read_common(row, stream, body)
}

/// Reads an event of any class, without its content.
pub(super) fn read_bare(row: &Row<'_>, stream: Arc<str>) -> rusqlite::Result<Record> {
    let body = match row.get(2)? {
        Some(version) => Body::Control { version: unsigned(version) },
        None => Body::Item { ordinal: unsigned(row.get(3)?), content: None },
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
    let mut page: Vec<Record> = connection
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM ({}) p CROSS JOIN event e ON e.seq = p.seq",
            index::page("control", "version", ">", "ASC")
        ))?
        .query_map(params![stream, integer(after), limit], |row| {
            read_common(row, name.clone(), Body::Control { version: unsigned(row.get(2)?) })
        })?
        .collect::<rusqlite::Result<_>>()?;
    page.sort_unstable_by_key(|record| record.seq);
    Ok(page)
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
