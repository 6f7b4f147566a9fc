//! Heads that are behind: while many batches come at once, the heads that they change are written later, many
//! batches at a time. Until then a head is what is written of it, with the newest events folded onto it.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::types::Type;
use rusqlite::{Connection, Row, params};

use super::rows;
use super::value::unsigned;
use crate::log::{Fold, Folded};
use crate::record::{Body, Record, Version};

/// A head as it is written, or as it should be.
pub(super) struct Written {
    pub(super) version: Version,
    pub(super) items: u64,
    pub(super) ts: i64,
    pub(super) live: bool,
    pub(super) epoch: u64,
    pub(super) state: Vec<u8>,
}

impl Written {
    /// Reads a head whose columns begin at a place; `None` when there is none.
    pub(super) fn read(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<Self>> {
        let Some(version) = row.get(at)? else { return Ok(None) };
        Ok(Some(Self {
            version: unsigned(version),
            items: unsigned(row.get(at + 1)?),
            ts: row.get(at + 2)?,
            live: row.get(at + 3)?,
            epoch: unsigned(row.get(at + 4)?),
            state: row.get(at + 5)?,
        }))
    }

    /// Folds onto a head what its stream's newest events bring that it does not have yet.
    pub(super) fn catch_up(
        &mut self,
        fold: &dyn Fold,
        name: &str,
        events: Vec<Record>,
    ) -> rusqlite::Result<()> {
        let mut controls = Vec::new();
        for event in events {
            match event.body {
                Body::Control { version } if version > self.version => controls.push(event),
                Body::Item { ordinal, .. } if ordinal > self.items => {
                    (self.items, self.ts) = (ordinal, event.ts);
                }
                Body::Control { .. } | Body::Item { .. } => {}
            }
        }
        let Some(last) = controls.last() else { return Ok(()) };
        let prior = (self.version > 0).then_some(self.state.as_slice());
        // It was folded before it was stored, so that it cannot be folded is damage.
        let Folded { state, live, epoch } = fold
            .fold(name, prior, &controls)
            .map_err(|reason| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, reason.into()))?;
        self.version += controls.len() as Version;
        self.ts = self.ts.max(last.ts);
        (self.live, self.epoch, self.state) = (live, epoch, state);
        Ok(())
    }
}

/// Returns the events, by stream, that the heads of these streams may not have yet. The names are those of the streams.
pub(super) fn events(
    connection: &Connection,
    names: &HashMap<i64, Arc<str>>,
) -> rusqlite::Result<HashMap<i64, Vec<Record>>> {
    let only = if names.len() == 1 { names.keys().next() } else { None };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {} FROM event e
         WHERE e.seq > (SELECT heads FROM indexed) AND (?1 IS NULL OR e.stream = ?1) ORDER BY e.seq",
        rows::COLUMNS
    ))?;
    let mut found = statement.query(params![only])?;
    let mut events: HashMap<i64, Vec<Record>> = HashMap::new();
    while let Some(row) = found.next()? {
        let stream = row.get(1)?;
        if let Some(name) = names.get(&stream) {
            events.entry(stream).or_default().push(rows::read_bare(row, name.clone())?);
        }
    }
    Ok(events)
}

/// Returns the names of the streams whose heads may be behind.
pub(super) fn names(connection: &Connection) -> rusqlite::Result<Vec<Arc<str>>> {
    connection
        .prepare_cached(
            "SELECT s.name FROM stream s WHERE s.id IN (
                 SELECT e.stream FROM event e WHERE e.seq > (SELECT heads FROM indexed))",
        )?
        .query_map([], |row| row.get(0))?
        .collect()
}
