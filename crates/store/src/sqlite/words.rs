//! The index of words: filling it, forgetting, searching.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use uuid::Uuid;

use super::value::{integer, limit, unsigned};
use crate::record::Seq;
use crate::search::{Find, Hit, Home, Indexing, Order, Piece, Search, Source, Term, Who};

/// Stands for an item's ordinal while there is none: wider than any, because rows only ever shrink.
const NO_ORDINAL: i64 = 1 << 40;
/// What stands around what was asked for. No text has them: they are no characters.
const MARKS: [char; 2] = ['\u{fdd0}', '\u{fdd1}'];
/// How many indexes there are: see the notes in the schema.
const PARTS: i64 = 16;
/// How many words an excerpt has.
const EXCERPT_WORDS: i64 = 24;
/// Finds the row of a text. The index is named, because SQLite prefers that of the stream, whose rows it would all read:
/// each text of a long transcript would take longer than the one before.
const KNOWN: &str = "SELECT row FROM search_row INDEXED BY search_row_content
     WHERE content = ?1 AND stream = ?2 AND field IS ?3";

/// Returns how far the index has come, after emptying one that was filled by other rules.
pub(super) fn begin(connection: &Connection, version: u32) -> rusqlite::Result<Seq> {
    let (seq, filled_by): (i64, u32) = cursor(connection)?;
    if filled_by == version {
        return Ok(unsigned(seq));
    }
    for part in 0..PARTS {
        command(connection, part, "delete-all")?;
    }
    connection.execute_batch("DELETE FROM search_row; DELETE FROM search_place;")?;
    connection.execute("UPDATE search_cursor SET seq = 0, version = ?1", [version])?;
    Ok(0)
}

/// Takes in what some events bring; `false` when the index stands elsewhere.
pub(super) fn index(connection: &Connection, indexing: &Indexing) -> rusqlite::Result<bool> {
    if cursor(connection)? != (integer(indexing.after), indexing.version) {
        return Ok(false);
    }
    for home in &indexing.homes {
        move_home(connection, home)?;
    }
    for find in &indexing.finds {
        add(connection, find)?;
    }
    connection.prepare_cached("UPDATE search_cursor SET seq = ?1")?.execute([integer(indexing.upto)])?;
    Ok(true)
}

/// Erases the words of a stream's contents but for those in `keep`. The contents must still be there.
pub(super) fn erase_contents(connection: &Connection, stream: i64, keep: &[Uuid]) -> rusqlite::Result<()> {
    let rows = rows_of_contents(connection, stream, keep)?;
    erase(connection, &rows)
}

/// Erases everything about a stream. Its contents and the data of its events must still be there.
pub(super) fn erase_stream(connection: &Connection, stream: i64) -> rusqlite::Result<()> {
    let mut rows: BTreeSet<Entry> = rows_of_contents(connection, stream, &[])?;
    let own = connection
        .prepare_cached("SELECT row FROM search_row WHERE stream = ?1")?
        .query_map([stream], |row| Ok(Entry { part: part(stream), row: row.get(0)? }))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    rows.extend(own);
    erase(connection, &rows)?;
    forget_home(connection, stream)
}

/// Returns what has all that is asked for.
pub(super) fn search(connection: &Connection, search: &Search) -> rusqlite::Result<Vec<Hit>> {
    if search.terms.is_empty() {
        return Ok(Vec::new());
    }
    // What is found and its texts are read at one moment, so that no text is gone in between.
    let snapshot = connection.unchecked_transaction()?;
    let mut hits: Vec<(Place, Hit)> = Vec::new();
    for part in parts(&snapshot, search)? {
        let (sql, values) = question(search, part);
        let found = snapshot
            .prepare_cached(&sql)?
            .query_map(params_from_iter(values), |row| read(row, part))?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        hits.extend(found);
    }
    let skip = match search.order {
        Order::Newest { .. } => {
            hits.sort_by_key(|(_, hit)| Reverse(hit.row));
            0
        }
        Order::Best { skip } => {
            hits.sort_by(|(one, a), (other, b)| one.rank.total_cmp(&other.rank).then(b.row.cmp(&a.row)));
            skip
        }
    };
    // Only those that are shown get an excerpt: the words of each text have to be found in it again.
    let page = hits.into_iter().skip(skip).take(search.limit);
    page.map(|(place, hit)| with_excerpt(&snapshot, &search.terms, place.part, hit)).collect()
}

/// Where a hit was found, and how well it fits: the less, the better.
struct Place {
    part: i64,
    rank: f64,
}

/// Returns which indexes to look in.
fn parts(connection: &Connection, search: &Search) -> rusqlite::Result<Vec<i64>> {
    match &search.stream {
        Some(name) => Ok(stream(connection, name)?.map(part).into_iter().collect()),
        None => Ok((0..PARTS).collect()),
    }
}

fn with_excerpt(connection: &Connection, terms: &[Term], part: i64, hit: Hit) -> rusqlite::Result<Hit> {
    let [open, close] = MARKS.map(String::from);
    let marked: Option<String> = connection
        .prepare_cached(&format!(
            "SELECT snippet(search_text_{part}, 0, ?3, ?4, '…', ?5) FROM search_text_{part}
             WHERE search_text_{part} MATCH ?1 AND rowid = ?2"
        ))?
        .query_row(params![expression(terms), integer(hit.row), open, close, EXCERPT_WORDS], |row| row.get(0))
        .optional()?;
    Ok(Hit { excerpt: pieces(&marked.unwrap_or_default()), ..hit })
}

/// A row, and the index that has its words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    part: i64,
    row: i64,
}

/// Returns which index has the words of a stream.
fn part(stream: i64) -> i64 {
    stream.rem_euclid(PARTS)
}

/// Tells an index to do something to itself.
fn command(connection: &Connection, part: i64, command: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached(&format!("INSERT INTO search_text_{part} (search_text_{part}) VALUES (?1)"))?
        .execute([command])
        .map(drop)
}

/// Returns the rows whose texts are contents of a stream, but for those in `keep`. They may be rows of other streams.
fn rows_of_contents(connection: &Connection, owner: i64, keep: &[Uuid]) -> rusqlite::Result<BTreeSet<Entry>> {
    let keep: BTreeSet<[u8; 16]> = keep.iter().map(|id| id.into_bytes()).collect();
    let owned: Vec<(Entry, [u8; 16])> = connection
        .prepare_cached(
            "SELECT r.row, r.stream, c.id FROM content c JOIN search_row r ON r.content = c.id
             WHERE c.owner = ?1 AND c.len IS NOT NULL",
        )?
        .query_map([owner], |row| Ok((Entry { part: part(row.get(1)?), row: row.get(0)? }, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(owned.into_iter().filter(|(_, id)| !keep.contains(id)).map(|(entry, _)| entry).collect())
}

fn erase(connection: &Connection, entries: &BTreeSet<Entry>) -> rusqlite::Result<()> {
    for entry in entries {
        forget(connection, *entry)?;
    }
    // What was deleted is only marked so, until the index is rebuilt.
    let parts: BTreeSet<i64> = entries.iter().map(|entry| entry.part).collect();
    parts.into_iter().try_for_each(|part| command(connection, part, "optimize"))
}

fn cursor(connection: &Connection) -> rusqlite::Result<(i64, u32)> {
    connection
        .prepare_cached("SELECT seq, version FROM search_cursor")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
}

fn add(connection: &Connection, find: &Find) -> rusqlite::Result<()> {
    let Some(stream) = stream(connection, &find.stream)? else { return Ok(()) };
    let (content, field) = match find.source {
        Source::Content(id) => (Some(id), None),
        Source::Extra(id, field) => (Some(id), Some(field)),
        Source::Data(field) => {
            let former: Vec<i64> = connection
                .prepare_cached(
                    "SELECT row FROM search_row WHERE stream = ?1 AND class = ?2 AND content IS NULL",
                )?
                .query_map(params![stream, find.class], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            for row in former {
                forget(connection, Entry { part: part(stream), row })?;
            }
            if field.is_none() {
                return Ok(());
            }
            (None, field)
        }
    };
    if let Some(id) = content
        && let Some(row) = known(connection, stream, id, field)?
    {
        if let Some(ordinal) = find.ordinal {
            connection
                .prepare_cached("UPDATE search_row SET ordinal = ?2 WHERE row = ?1")?
                .execute(params![row, integer(ordinal)])?;
        }
        return Ok(());
    }
    let row = connection
        .prepare_cached(
            "INSERT INTO search_row (stream, seq, ordinal, content, field, class, who, ts)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .insert(params![
            stream,
            integer(find.seq),
            find.ordinal.map_or(NO_ORDINAL, integer),
            content.map(Uuid::into_bytes),
            field,
            find.class,
            find.who,
            find.ts,
        ])?;
    // There is no text when it was erased since the event was read.
    let text: Option<String> = connection
        .prepare_cached("SELECT text FROM search_source WHERE row = ?1")?
        .query_row([row], |row| row.get(0))?;
    match text.filter(|text| !text.is_empty()) {
        Some(text) => connection
            .prepare_cached(&format!(
                "INSERT INTO search_text_{} (rowid, text) VALUES (?1, ?2)",
                part(stream)
            ))?
            .execute(params![row, text])
            .map(drop),
        None => empty(connection, row),
    }
}

/// Returns the row of a text that is in the index already.
fn known(
    connection: &Connection,
    stream: i64,
    content: Uuid,
    field: Option<&str>,
) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached(KNOWN)?
        .query_row(params![content.as_bytes(), stream, field], |row| row.get(0))
        .optional()
}

/// Takes a row from the index. Its text must still be there.
fn forget(connection: &Connection, Entry { part, row }: Entry) -> rusqlite::Result<()> {
    connection.prepare_cached(&format!("DELETE FROM search_text_{part} WHERE rowid = ?1"))?.execute([row])?;
    empty(connection, row)
}

/// Empties a row where it stands: see the notes in the schema.
fn empty(connection: &Connection, row: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE search_row SET stream = NULL, seq = NULL, ordinal = 0, content = NULL, field = NULL,
                 class = NULL, who = NULL, ts = NULL
             WHERE row = ?1",
        )?
        .execute([row])
        .map(drop)
}

fn move_home(connection: &Connection, home: &Home) -> rusqlite::Result<()> {
    let Some(stream) = stream(connection, &home.stream)? else { return Ok(()) };
    forget_home(connection, stream)?;
    let mut insert = connection.prepare_cached("INSERT INTO search_place (stream, place) VALUES (?1, ?2)")?;
    for place in &home.places {
        insert.execute(params![stream, place])?;
    }
    Ok(())
}

fn forget_home(connection: &Connection, stream: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE search_place SET stream = NULL, place = NULL WHERE stream = ?1")?
        .execute([stream])
        .map(drop)
}

fn stream(connection: &Connection, name: &str) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT id FROM stream WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()
}

/// Returns the query for what one index has of a page, and what it asks for.
fn question(search: &Search, part: i64) -> (String, Vec<Value>) {
    let mut values = vec![Value::from(expression(&search.terms))];
    let mut conditions = String::new();
    let mut ask = |condition: &str, asked: Vec<Value>| {
        conditions.push_str(" AND ");
        conditions.push_str(condition);
        values.extend(asked);
    };
    if let Some(stream) = &search.stream {
        ask("r.stream = (SELECT id FROM stream WHERE name = ?)", vec![stream.clone().into()]);
    }
    if let Some(prefix) = &search.prefix {
        ask("substr(s.name, 1, length(?)) = ?", vec![prefix.clone().into(), prefix.clone().into()]);
    }
    if !search.classes.is_empty() {
        let asked = search.classes.iter().map(|class| Value::from(class.clone())).collect();
        ask(&format!("r.class IN ({})", marks(search.classes.len())), asked);
    }
    if !search.who.is_empty() {
        let (mut either, mut asked) = (Vec::new(), Vec::new());
        for who in &search.who {
            match who {
                Who::Is(who) => {
                    either.push("r.who = ? COLLATE NOCASE");
                    asked.push(who.clone().into());
                }
                Who::StartsWith(start) => {
                    either.push("substr(r.who, 1, length(?)) = ?");
                    asked.extend([start.clone().into(), start.clone().into()]);
                }
            }
        }
        ask(&format!("({})", either.join(" OR ")), asked);
    }
    if let Some(since) = search.since {
        ask("r.ts >= ?", vec![since.into()]);
    }
    if let Some(until) = search.until {
        ask("r.ts < ?", vec![until.into()]);
    }
    if let Some(place) = &search.place {
        let below = format!("{}/", place.trim_end_matches('/'));
        ask(
            "r.stream IN (SELECT stream FROM search_place
                 WHERE stream IS NOT NULL AND (place = ? OR substr(place, 1, length(?)) = ?))",
            vec![place.clone().into(), below.clone().into(), below.into()],
        );
    }
    let (rank, order, count) = match search.order {
        Order::Newest { before } => {
            if let Some(before) = before {
                ask("t.rowid < ?", vec![integer(before).into()]);
            }
            ("0.0", "t.rowid DESC", search.limit)
        }
        // Those before the page may all be in this index.
        Order::Best { skip } => ("t.rank", "t.rank, t.rowid DESC", search.limit.saturating_add(skip)),
    };
    values.push(limit(count).into());
    let sql = format!(
        "SELECT r.row, s.name, r.seq, r.ordinal, r.class, r.who, r.ts, {rank}
         FROM search_text_{part} t CROSS JOIN search_row r ON r.row = t.rowid
         CROSS JOIN stream s ON s.id = r.stream
         WHERE t.search_text_{part} MATCH ?{conditions} ORDER BY {order} LIMIT ?"
    );
    (sql, values)
}

fn marks(count: usize) -> String {
    vec!["?"; count].join(", ")
}

fn read(row: &Row<'_>, part: i64) -> rusqlite::Result<(Place, Hit)> {
    let ordinal: i64 = row.get(3)?;
    let hit = Hit {
        row: unsigned(row.get(0)?),
        stream: row.get(1)?,
        seq: unsigned(row.get(2)?),
        ordinal: (ordinal != NO_ORDINAL).then(|| unsigned(ordinal)),
        class: row.get(4)?,
        who: row.get(5)?,
        ts: row.get(6)?,
        excerpt: Vec::new(),
    };
    Ok((Place { part, rank: row.get(7)? }, hit))
}

/// Returns terms in the language of SQLite's index. All of a term is in quotes, so nothing in it means anything there.
fn expression(terms: &[Term]) -> String {
    let term = |term: &Term| {
        // A zero would end the expression.
        let words = term.words.replace('\0', " ").replace('"', "\"\"");
        format!("\"{words}\"{}", if term.prefix { "*" } else { "" })
    };
    terms.iter().map(term).collect::<Vec<_>>().join(" ")
}

/// Cuts an excerpt at its marks.
fn pieces(marked: &str) -> Vec<Piece> {
    let [open, close] = MARKS;
    let mut pieces = Vec::new();
    for part in marked.split(open) {
        let (hit, rest) = match part.split_once(close) {
            Some((hit, rest)) => (hit, rest),
            None => ("", part),
        };
        for (text, hit) in [(hit, true), (rest, false)] {
            if !text.is_empty() {
                pieces.push(Piece { text: text.to_owned(), hit });
            }
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::super::connection::open_writer;
    use super::super::schema::migrate;
    use super::*;

    #[test]
    fn a_text_is_looked_for_among_those_of_its_content_not_among_all_of_its_stream() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log.db");
        let mut connection = open_writer(&path).unwrap();
        migrate(&mut connection, &path, 0).unwrap();
        let plan: String = connection
            .prepare(&format!("EXPLAIN QUERY PLAN {KNOWN}"))
            .unwrap()
            .query_row(params![[0u8; 16], 1, None::<&str>], |row| row.get(3))
            .unwrap();
        assert!(plan.contains("search_row_content"), "{plan}");
    }
}
