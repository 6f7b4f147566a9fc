//! What readers ask the database.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::value::{integer, limit, unsigned};
use super::{content, index, rows};
use crate::log::Which;
use crate::record::{Head, HeadRow, ItemRow, Record, Seq, Version};

/// Returns events of all streams.
pub(super) fn events(connection: &Connection, after: Seq, count: usize) -> rusqlite::Result<Vec<Record>> {
    let mut names: HashMap<i64, Arc<str>> = HashMap::new();
    connection
        .prepare_cached(&format!(
            "SELECT {}, {}, s.name FROM event e
             JOIN stream s ON s.id = e.stream LEFT JOIN content c ON c.id = e.content
             WHERE e.seq > ?1 ORDER BY e.seq LIMIT ?2",
            rows::COLUMNS,
            content::COLUMNS
        ))?
        .query_map(params![integer(after), limit(count)], |row| {
            let stream = row.get(1)?;
            let name = match names.get(&stream) {
                Some(name) => name.clone(),
                None => names.entry(stream).or_insert(row.get("name")?).clone(),
            };
            rows::read_record(row, name)
        })?
        .collect()
}

/// Returns control events of one stream.
pub(super) fn stream_events(
    connection: &Connection,
    name: &str,
    after: Version,
    count: usize,
) -> rusqlite::Result<Vec<Record>> {
    match stream(connection, name)? {
        Some(stream) => rows::control_page(connection, &name.into(), stream, after, limit(count)),
        None => Ok(Vec::new()),
    }
}

/// Returns the items after an ordinal, oldest first.
pub(super) fn items(
    connection: &Connection,
    name: &str,
    after: u64,
    count: usize,
) -> rusqlite::Result<Vec<ItemRow>> {
    item_page(connection, (">", "ASC"), name, after, count)
}

/// Returns the newest items before an ordinal, oldest first.
pub(super) fn items_before(
    connection: &Connection,
    name: &str,
    before: Option<u64>,
    count: usize,
) -> rusqlite::Result<Vec<ItemRow>> {
    let before = before.unwrap_or(u64::MAX);
    item_page(connection, ("<", "DESC"), name, before, count)
}

/// Returns the head of a stream.
pub(super) fn head(connection: &Connection, name: &str) -> rusqlite::Result<Option<Head>> {
    connection
        .prepare_cached(
            "SELECT h.version, h.items, h.ts, h.state, s.name
             FROM stream s JOIN stream_head h ON h.stream = s.id WHERE s.name = ?1",
        )?
        .query_row([name], read_head)
        .optional()
}

/// Returns the heads of a range of streams.
pub(super) fn heads(
    connection: &Connection,
    prefix: &str,
    which: Which,
    after: Option<&str>,
    count: usize,
) -> rusqlite::Result<Vec<HeadRow>> {
    // The order of the joins is fixed: names come in their order from an index, heads are looked up.
    let tables = match which {
        Which::All => "stream s CROSS JOIN stream_head h ON h.stream = s.id",
        Which::Live => "live s CROSS JOIN stream_head h ON h.stream = s.stream",
    };
    let range = Range::new(prefix, after);
    connection
        .prepare_cached(&format!(
            "SELECT h.version, h.items, h.ts, h.state, s.name FROM {tables}
             WHERE s.name >= ?1 AND s.name < ?2 ORDER BY s.name LIMIT ?3"
        ))?
        .query_map(params![range.from, range.below, limit(count)], |row| {
            Ok(HeadRow { stream: row.get(4)?, head: read_head(row)? })
        })?
        .collect()
}

/// Returns the names of a range of streams.
pub(super) fn names(connection: &Connection, prefix: &str, count: usize) -> rusqlite::Result<Vec<String>> {
    let range = Range::new(prefix, None);
    connection
        .prepare_cached("SELECT name FROM stream WHERE name >= ?1 AND name < ?2 ORDER BY name LIMIT ?3")?
        .query_map(params![range.from, range.below, limit(count)], |row| row.get(0))?
        .collect()
}

/// Names with a common beginning.
struct Range {
    from: String,
    below: Value,
}

impl Range {
    fn new(prefix: &str, after: Option<&str>) -> Self {
        let from = match after {
            // The next name there can be.
            Some(after) if after >= prefix => format!("{after}\0"),
            _ => prefix.to_owned(),
        };
        // SQLite sorts every text before every blob, so an empty one is above all names.
        let below = successor(prefix).map_or(Value::Blob(Vec::new()), Value::Text);
        Self { from, below }
    }
}

/// Returns the first text that is above all texts that start with `prefix`.
fn successor(prefix: &str) -> Option<String> {
    let mut chars: Vec<char> = prefix.chars().collect();
    while let Some(last) = chars.pop() {
        // The range skips the surrogates, which are no characters.
        if let Some(next) = (last..=char::MAX).nth(1) {
            chars.push(next);
            return Some(chars.into_iter().collect());
        }
    }
    None
}

fn stream(connection: &Connection, name: &str) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT id FROM stream WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()
}

/// Returns a page of items, oldest first: those on one side of a border, nearest to it.
fn item_page(
    connection: &Connection,
    (bound, direction): (&str, &str),
    name: &str,
    border: u64,
    count: usize,
) -> rusqlite::Result<Vec<ItemRow>> {
    let Some(stream) = stream(connection, name)? else { return Ok(Vec::new()) };
    let mut page: Vec<ItemRow> = connection
        .prepare_cached(&format!(
            "SELECT {}, {} FROM ({}) p CROSS JOIN event e ON e.seq = p.seq LEFT JOIN content c ON c.id = e.content",
            rows::COLUMNS,
            content::COLUMNS,
            index::page("item", "ordinal", bound, direction)
        ))?
        .query_map(params![stream, integer(border), limit(count)], rows::read_item)?
        .collect::<rusqlite::Result<_>>()?;
    page.sort_unstable_by_key(|item| item.seq);
    Ok(page)
}

fn read_head(row: &Row<'_>) -> rusqlite::Result<Head> {
    Ok(Head {
        version: unsigned(row.get(0)?),
        items: unsigned(row.get(1)?),
        ts: row.get(2)?,
        state: row.get(3)?,
    })
}

#[cfg(test)]
mod tests {
    use super::successor;

    #[test]
    fn a_prefix_ends_before_its_successor() {
        assert_eq!(successor("session/").as_deref(), Some("session0"));
        assert_eq!(successor("a\u{d7ff}").as_deref(), Some("a\u{e000}"));
        assert_eq!(successor("a\u{10ffff}").as_deref(), Some("b"));
        assert_eq!(successor("\u{10ffff}"), None);
        assert_eq!(successor(""), None);
    }
}
