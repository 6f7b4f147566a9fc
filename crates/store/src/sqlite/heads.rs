//! Stream heads: the writer's memory of them, and how they are built from the log.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::{CachedStatement, Connection, OptionalExtension, params};

use super::behind::{self, Written};
use super::value::{integer, unsigned};
use super::{index, rows};
use crate::log::{Advanced, Fold, Folded, Memory};
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
    /// What the fold made of the events, unless it keeps that in its memory.
    state: Option<Vec<u8>>,
    pub(super) memory: Memory,
    /// About how long the state is.
    weight: usize,
    /// It is among those that are written later.
    behind: bool,
}

impl Entry {
    /// Returns a stream's number and nothing else.
    pub(super) fn numbered(stream: Option<i64>) -> Self {
        Self { stream, ..Self::default() }
    }

    /// Returns the state that the next events are folded onto, unless the memory has it.
    pub(super) fn prior(&self) -> Option<&[u8]> {
        self.state.as_deref().filter(|_| self.version > 0)
    }

    /// Takes over what the fold made of `events` more events.
    pub(super) fn advance(&mut self, advanced: Advanced, memory: Memory, events: u64) {
        self.version += events;
        self.live = advanced.live;
        self.epoch = advanced.epoch;
        self.state = advanced.state;
        self.memory = memory;
    }

    /// Says whether the head can be written later: its row is there, and is in the right list.
    pub(super) fn can_wait(&self) -> bool {
        self.stored && self.live == self.listed
    }
}

impl From<Folded> for Advanced {
    fn from(Folded { state, live, epoch }: Folded) -> Self {
        Self { state: Some(state), live, epoch }
    }
}

/// The heads of the streams that were written to lately.
#[derive(Default)]
pub(super) struct Cache {
    entries: HashMap<Arc<str>, Entry>,
    state: usize,
    /// The streams whose heads are to be written yet.
    behind: Vec<Arc<str>>,
}

impl Cache {
    /// Takes out a stream's name, to share, and its head. It is read again unless it is put back.
    pub(super) fn take(
        &mut self,
        connection: &Connection,
        fold: &dyn Fold,
        name: &str,
    ) -> rusqlite::Result<(Arc<str>, Entry)> {
        if let Some((name, entry)) = self.entries.remove_entry(name) {
            self.state -= entry.weight;
            return Ok((name, entry));
        }
        let name: Arc<str> = name.into();
        let entry = find(connection, fold, &name)?;
        Ok((name, entry))
    }

    /// Looks at a stream's head.
    pub(super) fn look<T>(
        &mut self,
        connection: &Connection,
        fold: &dyn Fold,
        name: &str,
        see: impl FnOnce(&Entry) -> T,
    ) -> rusqlite::Result<T> {
        let (name, entry) = self.take(connection, fold, name)?;
        let seen = see(&entry);
        self.put(name, entry);
        Ok(seen)
    }

    /// Remembers a head, as it is after what was just written.
    pub(super) fn put(&mut self, name: Arc<str>, entry: Entry) {
        if self.entries.len() >= MAX_STREAMS || self.state > MAX_STATE {
            // Those that are behind are read again when they are written.
            self.entries.clear();
            self.state = 0;
        }
        self.state += entry.weight;
        if let Some(replaced) = self.entries.insert(name, entry) {
            self.state -= replaced.weight;
        }
    }

    /// Remembers that a head is to be written later.
    pub(super) fn leave_behind(&mut self, name: &Arc<str>, entry: &mut Entry) {
        if !std::mem::replace(&mut entry.behind, true) {
            self.behind.push(name.clone());
        }
    }

    /// Writes the heads that are behind; `update` is [`UPDATE`].
    pub(super) fn catch_up(
        &mut self,
        connection: &Connection,
        update: &mut CachedStatement<'_>,
        fold: &dyn Fold,
    ) -> rusqlite::Result<()> {
        for name in std::mem::take(&mut self.behind) {
            let (name, mut entry) = self.take(connection, fold, &name)?;
            if let Some(stream) = entry.stream {
                store(connection, update, fold, &name, stream, &mut entry)?;
            }
            self.put(name, entry);
        }
        index::mark_heads(connection, None)
    }

    /// Forgets everything, because the database may say otherwise, and learns from it which heads are behind.
    pub(super) fn reload(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        self.clear();
        self.behind = behind::names(connection)?;
        Ok(())
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
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
    fold: &dyn Fold,
    name: &str,
    stream: i64,
    entry: &mut Entry,
) -> rusqlite::Result<()> {
    let encoded = match &entry.memory {
        Some(_) if entry.state.is_none() => Some(
            fold.encode(name, &entry.memory)
                .map_err(|reason| rusqlite::Error::ToSqlConversionFailure(reason.into()))?,
        ),
        _ => None,
    };
    let state = encoded.as_ref().or(entry.state.as_ref()).map_or(&[][..], Vec::as_slice);
    entry.weight = state.len();
    entry.behind = false;
    let head = params![
        stream,
        integer(entry.version),
        integer(entry.items),
        entry.ts,
        entry.live,
        integer(entry.epoch),
        state,
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
        let Some((stream, name)) = next else { return Ok(index::mark_heads(connection, None)?) };
        after = stream;
        let (version, items, ts) = count(connection, stream)?;
        // A stream that only owns contents has no head.
        let Some(ts) = ts else { continue };
        let mut entry = Entry { stream: Some(stream), items, ts, ..Entry::default() };
        if let Some(folded) = replay(connection, fold, &name, stream, |_| {})? {
            entry.advance(folded.into(), None, version);
        }
        store(connection, &mut update, fold, &name, stream, &mut entry)?;
    }
}

/// Returns the sequence number of the last event.
pub(super) fn last_seq(connection: &Connection) -> rusqlite::Result<Seq> {
    connection
        .prepare_cached("SELECT coalesce(max(seq), 0) FROM event")?
        .query_row([], |row| row.get(0))
        .map(unsigned)
}

/// Reads a head as it is now, whether it is behind or not.
fn find(connection: &Connection, fold: &dyn Fold, name: &Arc<str>) -> rusqlite::Result<Entry> {
    let found: Option<(i64, Option<Written>)> = connection
        .prepare_cached(
            "SELECT s.id, h.version, h.items, h.ts, h.live, h.epoch, h.state
             FROM stream s LEFT JOIN stream_head h ON h.stream = s.id WHERE s.name = ?1",
        )?
        .query_row([&**name], |row| Ok((row.get(0)?, Written::read(row, 1)?)))
        .optional()?;
    let Some((stream, written)) = found else { return Ok(Entry::default()) };
    let Some(mut head) = written else { return Ok(Entry::numbered(Some(stream))) };
    let listed = head.live;
    let events = behind::events(connection, &HashMap::from([(stream, name.clone())]))?;
    head.catch_up(fold, name, events.into_values().next().unwrap_or_default())?;
    let Written { version, items, ts, live, epoch, state } = head;
    Ok(Entry {
        stream: Some(stream),
        stored: true,
        listed,
        version,
        items,
        ts,
        live,
        epoch,
        weight: state.len(),
        state: Some(state),
        memory: None,
        behind: false,
    })
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
