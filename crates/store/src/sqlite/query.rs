//! What readers ask the database.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};

use super::behind::{self, Written};
use super::value::{integer, limit};
use super::{content, index, rows};
use crate::log::{Fold, Side, Which};
use crate::record::{Head, HeadRow, ItemRow, Record, Seq, Version};

/// The columns of a head, of a table that is called `h`.
const HEAD: &str = "h.version, h.items, h.ts, h.live, h.epoch, h.state";

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

/// Returns items of one kind, oldest first.
pub(super) fn items_of(
    connection: &Connection,
    name: &str,
    kind: &str,
    side: Side,
    count: usize,
) -> rusqlite::Result<Vec<ItemRow>> {
    let Some(stream) = stream(connection, name)? else { return Ok(Vec::new()) };
    let ((bound, direction), border) = match side {
        Side::After(after) => ((">", "ASC"), after),
        Side::Before(before) => (("<", "DESC"), before.unwrap_or(u64::MAX)),
    };
    let numbers = index::page_of_kind(bound, direction);
    let wanted = params![stream, integer(border), limit(count), kind];
    read_items(connection, &numbers, wanted)
}

/// Returns the head of a stream.
pub(super) fn head(connection: &Connection, fold: &dyn Fold, name: &str) -> rusqlite::Result<Option<Head>> {
    let snapshot = connection.unchecked_transaction()?;
    let found = snapshot
        .prepare_cached(&format!(
            "SELECT {HEAD}, s.id, s.name FROM stream s JOIN stream_head h ON h.stream = s.id WHERE s.name = ?1"
        ))?
        .query_row([name], read_head)
        .optional()?;
    Ok(caught_up(&snapshot, fold, found.into_iter().flatten().collect())?.pop().map(|row| row.head))
}

/// Returns the heads of a range of streams.
pub(super) fn heads(
    connection: &Connection,
    fold: &dyn Fold,
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
    let snapshot = connection.unchecked_transaction()?;
    let found = snapshot
        .prepare_cached(&format!(
            "SELECT {HEAD}, h.stream, s.name FROM {tables}
             WHERE s.name >= ?1 AND s.name < ?2 ORDER BY s.name LIMIT ?3"
        ))?
        .query_map(params![range.from, range.below, limit(count)], read_head)?
        .filter_map(rusqlite::Result::transpose)
        .collect::<rusqlite::Result<_>>()?;
    caught_up(&snapshot, fold, found)
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
    let numbers = index::page("item", "ordinal", bound, direction);
    read_items(connection, &numbers, params![stream, integer(border), limit(count)])
}

/// Returns the items whose numbers a query finds, oldest first.
fn read_items(connection: &Connection, numbers: &str, wanted: impl Params) -> rusqlite::Result<Vec<ItemRow>> {
    let mut page: Vec<ItemRow> = connection
        .prepare_cached(&format!(
            "SELECT {}, {} FROM ({numbers}) p CROSS JOIN event e ON e.seq = p.seq LEFT JOIN content c ON c.id = e.content",
            rows::COLUMNS,
            content::COLUMNS,
        ))?
        .query_map(wanted, rows::read_item)?
        .collect::<rusqlite::Result<_>>()?;
    page.sort_unstable_by_key(|item| item.seq);
    Ok(page)
}

/// A head as it is written, and whose it is.
struct FoundHead {
    stream: i64,
    name: Arc<str>,
    written: Written,
}

fn read_head(row: &Row<'_>) -> rusqlite::Result<Option<FoundHead>> {
    let Some(written) = Written::read(row, 0)? else { return Ok(None) };
    Ok(Some(FoundHead { stream: row.get(6)?, name: row.get(7)?, written }))
}

/// Returns heads as they are, also those that are written behind.
fn caught_up(
    snapshot: &Connection,
    fold: &dyn Fold,
    found: Vec<FoundHead>,
) -> rusqlite::Result<Vec<HeadRow>> {
    let names = found.iter().map(|head| (head.stream, head.name.clone())).collect();
    let mut events = behind::events(snapshot, &names)?;
    found
        .into_iter()
        .map(|FoundHead { stream, name, mut written }| {
            if let Some(events) = events.remove(&stream) {
                written.catch_up(fold, &name, events)?;
            }
            let Written { version, items, ts, state, .. } = written;
            Ok(HeadRow { stream: name, head: Head { version, state, items, ts } })
        })
        .collect()
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
