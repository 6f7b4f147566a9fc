//! The log of a home, read as it stands in the database. The daemon may run meanwhile.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    /// `session/<uuid>`, `cause/<uuid>`, `settings`, …
    pub(crate) stream: String,
    pub(crate) actor: String,
    pub(crate) kind: String,
    /// `None` once it was erased.
    pub(crate) data: Option<Value>,
    pub(crate) is_item: bool,
    /// The text of an item, and what stands beside it.
    pub(crate) text: Option<Text>,
}

/// A text that an event points at; `None` once it was erased.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Text {
    pub(crate) words: Option<String>,
    pub(crate) extra: Option<Value>,
}

/// A database that is only read.
pub(crate) struct Log {
    path: PathBuf,
}

impl Log {
    pub(crate) fn of(home: &Path) -> Self {
        Self { path: home.join("paseo.sqlite3") }
    }

    #[allow(clippy::disallowed_methods)] // Only to read, and only in a test.
    fn open(&self) -> Connection {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags).unwrap();
        connection.busy_timeout(crate::api::PATIENCE).unwrap();
        connection
    }

    /// Counts the events of a kind, those in one stream when that is named.
    pub(crate) fn count(&self, stream: Option<&str>, kind: &str) -> usize {
        let connection = self.open();
        let sql = "SELECT count(*) FROM event e JOIN stream s ON s.id = e.stream
                   WHERE e.kind = ?1 AND (?2 IS NULL OR s.name = ?2)";
        let counted: i64 = connection.query_row(sql, (kind, stream), |row| row.get(0)).unwrap();
        usize::try_from(counted).unwrap()
    }

    /// Returns all events, in order.
    pub(crate) fn events(&self) -> Vec<Event> {
        let connection = self.open();
        let sql = "SELECT s.name, e.actor, e.kind, e.data, e.ordinal IS NOT NULL, e.content,
                          coalesce(c.text, c.head || '…' || c.tail), c.extra
                   FROM event e JOIN stream s ON s.id = e.stream LEFT JOIN content c ON c.id = e.content
                   ORDER BY e.seq";
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| {
            let json = |text: Option<String>| text.map(|text| serde_json::from_str(&text).unwrap());
            let has_text = row.get::<_, Option<Vec<u8>>>(5)?.is_some();
            Ok(Event {
                stream: row.get(0)?,
                actor: row.get(1)?,
                kind: row.get(2)?,
                data: json(row.get(3)?),
                is_item: row.get(4)?,
                text: has_text.then_some(Text { words: row.get(6)?, extra: json(row.get(7)?) }),
            })
        });
        rows.unwrap().map(Result::unwrap).collect()
    }

    /// Returns the texts that are there, by their ids.
    pub(crate) fn texts(&self) -> HashMap<String, String> {
        let connection = self.open();
        let sql = "SELECT lower(hex(id)), coalesce(text, head || '…' || tail) FROM content
                   WHERE len IS NOT NULL";
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.unwrap().map(Result::unwrap).collect()
    }
}
