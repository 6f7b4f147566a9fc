//! Stream heads: the writer's memory of them, and how they are built from the log.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::{CachedStatement, Connection, OptionalExtension, params};

use super::value::{integer, unsigned};
use super::{index, rows};
use crate::log::{Fold, Folded, Memory};
use crate::record::{Record, Seq, Version};

/// The cache is emptied when it holds more streams than this,
const MAX_STREAMS: usize = 4096;
/// or more bytes of state than this. Both are far above what one daemon works on at a time.
const MAX_STATE: usize = 16 * 1024 * 1024;
/// How many events are folded at a time when a head is built again.
const PAGE: i64 = 500;

const INSERT: &str = "INSERT INTO stream_head (stream, version, items, ts, live, epoch, state)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
pub(super) const UPDATE: &str = "UPDATE stream_head SET version = ?2, items = ?3, ts = ?4, live = ?5, epoch = ?6, state = ?7 WHERE stream = ?1";

/// Where a stream stands, as the writer needs it.
#[derive(Default)]
pub(super) struct Entry {
    /// `None`: the name was never used.
    pub(super) stream: Option<i64>,
    /// Whether there is a row in `stream_head`.
    pub(super) stored: bool,
    /// Whether there is a row in `live`.
    listed: bool,
    pub(super) version: Version,
    pub(super) items: u64,
    pub(super) ts: i64,
    pub(super) live: bool,
    pub(super) epoch: u64,
    pub(super) state: Arc<Vec<u8>>,
    /// What the fold keeps of the state.
    pub(super) memory: Memory,
}

impl Entry {
    /// Returns a stream's number and nothing else.
    pub(super) fn numbered(stream: i64) -> Self {
        Self { stream: Some(stream), ..Self::default() }
    }

    /// Returns a copy without the fold's memory, which there is once.
    fn copy(&self) -> Self {
        let Self { stream, stored, listed, version, items, ts, live, epoch, .. } = *self;
        let state = Arc::clone(&self.state);
        Self { stream, stored, listed, version, items, ts, live, epoch, state, memory: None }
    }

    /// Returns the state that the next events are folded onto.
    pub(super) fn prior(&self) -> Option<&[u8]> {
        (self.version > 0).then_some(self.state.as_slice())
    }

    /// Takes over what the fold made of `events` more events.
    pub(super) fn advance(&mut self, folded: Folded, events: u64) {
        self.version += events;
        self.live = folded.live;
        self.epoch = folded.epoch;
        self.state = Arc::new(folded.state);
        self.memory = None;
    }
}

/// The heads of the streams that were written to lately.
#[derive(Default)]
pub(super) struct Cache {
    entries: HashMap<Arc<str>, Entry>,
    state: usize,
}

impl Cache {
    /// Returns a stream's name, to share, and its head.
    pub(super) fn load(
        &mut self,
        connection: &Connection,
        name: &str,
    ) -> rusqlite::Result<(Arc<str>, Entry)> {
        if let Some((name, entry)) = self.entries.get_key_value(name) {
            return Ok((name.clone(), entry.copy()));
        }
        let entry = find(connection, name)?;
        let name: Arc<str> = name.into();
        self.put(name.clone(), entry.copy());
        Ok((name, entry))
    }

    /// Takes the fold's memory of a stream, which is lost unless the head is put back with it.
    pub(super) fn take_memory(&mut self, name: &str) -> Memory {
        self.entries.get_mut(name)?.memory.take()
    }

    /// Remembers a head that was just written.
    pub(super) fn put(&mut self, name: Arc<str>, entry: Entry) {
        if self.entries.len() >= MAX_STREAMS || self.state > MAX_STATE {
            self.clear();
        }
        self.state += entry.state.len();
        if let Some(replaced) = self.entries.insert(name, entry) {
            self.state -= replaced.state.len();
        }
    }

    /// Forgets everything, because the database may say otherwise.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.state = 0;
    }
}

/// Returns the number of a stream, which it gets now when it is new.
pub(super) fn intern(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    connection.prepare_cached("INSERT INTO stream (name) VALUES (?1)")?.insert([name])
}

/// Writes a head; `update` is [`UPDATE`].
pub(super) fn store(
    connection: &Connection,
    update: &mut CachedStatement<'_>,
    name: &str,
    stream: i64,
    entry: &mut Entry,
) -> rusqlite::Result<()> {
    let head = params![
        stream,
        integer(entry.version),
        integer(entry.items),
        entry.ts,
        entry.live,
        integer(entry.epoch),
        *entry.state,
    ];
    if entry.stored {
        update.execute(head)?;
    } else {
        connection.prepare_cached(INSERT)?.execute(head)?;
        entry.stored = true;
    }
    if entry.live != entry.listed {
        if entry.live {
            connection
                .prepare_cached("INSERT OR IGNORE INTO live (name, stream) VALUES (?1, ?2)")?
                .execute(params![name, stream])?;
        } else {
            connection.prepare_cached("DELETE FROM live WHERE name = ?1")?.execute([name])?;
        }
        entry.listed = entry.live;
    }
    Ok(())
}

/// Why a stream could not be folded.
pub(super) enum Unfolded {
    Broken(rusqlite::Error),
    Refused(String),
}

impl From<rusqlite::Error> for Unfolded {
    fn from(failure: rusqlite::Error) -> Self {
        Self::Broken(failure)
    }
}

/// Folds all control events of a stream; `see` may change each page before it is folded.
pub(super) fn replay(
    connection: &Connection,
    fold: &dyn Fold,
    name: &Arc<str>,
    stream: i64,
    see: impl Fn(&mut Record),
) -> Result<Option<Folded>, Unfolded> {
    let mut folded: Option<Folded> = None;
    let mut version = 0;
    loop {
        let mut page = rows::control_page(connection, name, stream, version, PAGE)?;
        if page.is_empty() {
            return Ok(folded);
        }
        version += page.len() as Version;
        page.iter_mut().for_each(&see);
        let prior = folded.as_ref().map(|folded| folded.state.as_slice());
        folded = Some(fold.fold(name, prior, &page).map_err(Unfolded::Refused)?);
    }
}

/// Empties `stream_head` and fills it again from the log.
pub(super) fn rebuild(connection: &Connection, fold: &dyn Fold) -> Result<(), Unfolded> {
    connection.execute_batch("DELETE FROM stream_head; DELETE FROM live")?;
    index::fill(connection)?;
    let mut update = connection.prepare_cached(UPDATE)?;
    let mut after = 0;
    loop {
        let next: Option<(i64, Arc<str>)> = connection
            .prepare_cached("SELECT id, name FROM stream WHERE id > ?1 ORDER BY id LIMIT 1")?
            .query_row([after], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((stream, name)) = next else { return Ok(()) };
        after = stream;
        let (version, items, ts) = count(connection, stream)?;
        // A stream that only owns contents has no head.
        let Some(ts) = ts else { continue };
        let mut entry = Entry { stream: Some(stream), items, ts, ..Entry::default() };
        if let Some(folded) = replay(connection, fold, &name, stream, |_| {})? {
            entry.advance(folded, version);
        }
        store(connection, &mut update, &name, stream, &mut entry)?;
    }
}

/// Returns the sequence number of the last event.
pub(super) fn last_seq(connection: &Connection) -> rusqlite::Result<Seq> {
    connection
        .prepare_cached("SELECT coalesce(max(seq), 0) FROM event")?
        .query_row([], |row| row.get(0))
        .map(unsigned)
}

fn find(connection: &Connection, name: &str) -> rusqlite::Result<Entry> {
    let entry = connection
        .prepare_cached(
            "SELECT s.id, h.version, h.items, h.ts, h.live, h.epoch, h.state
             FROM stream s LEFT JOIN stream_head h ON h.stream = s.id WHERE s.name = ?1",
        )?
        .query_row([name], |row| {
            let stream = row.get(0)?;
            let Some(version) = row.get(1)? else { return Ok(Entry { stream, ..Entry::default() }) };
            let live = row.get(4)?;
            Ok(Entry {
                stream,
                stored: true,
                listed: live,
                version: unsigned(version),
                items: unsigned(row.get(2)?),
                ts: row.get(3)?,
                live,
                epoch: unsigned(row.get(5)?),
                state: Arc::new(row.get(6)?),
                memory: None,
            })
        })
        .optional()?;
    Ok(entry.unwrap_or_default())
}

/// Returns how many control events and items of a stream are in the indexes, and the time of the newest of them.
fn count(connection: &Connection, stream: i64) -> rusqlite::Result<(Version, u64, Option<i64>)> {
    connection
        .prepare_cached(
            "SELECT
                 (SELECT count(*) FROM control WHERE stream = ?1),
                 (SELECT count(*) FROM item WHERE stream = ?1),
                 (SELECT ts FROM event WHERE seq = (SELECT max(seq) FROM (
                     SELECT max(seq) AS seq FROM control WHERE stream = ?1
                     UNION ALL
                     SELECT max(seq) AS seq FROM item WHERE stream = ?1
                 )))",
        )?
        .query_row([stream], |row| Ok((unsigned(row.get(0)?), unsigned(row.get(1)?), row.get(2)?)))
}
