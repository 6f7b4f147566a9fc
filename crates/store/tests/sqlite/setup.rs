//! Short ways to open logs and to look behind their backs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use paseo_store::conformance::SuiteFold;
use paseo_store::sqlite::Options;
use paseo_store::{Batch, Error, Expect, NewContent, NewEvent, Sqlite, StreamAppend};
use rusqlite::Connection;
use tempfile::TempDir;
use uuid::Uuid;

/// Returns a directory for one log, and the path of its database.
pub(super) fn place() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log.db");
    (directory, path)
}

pub(super) fn options(path: &Path) -> Options {
    Options::new(path, Arc::new(SuiteFold))
}

pub(super) fn open(path: &Path) -> Sqlite {
    Sqlite::open(options(path)).unwrap()
}

/// Returns why a database cannot be opened.
pub(super) fn refusal(path: &Path) -> Error {
    match Sqlite::open(options(path)) {
        Ok(_) => panic!("{} should be refused", path.display()),
        Err(refusal) => refusal,
    }
}

/// Opens the database as another program would.
#[allow(clippy::disallowed_methods)] // Only to look at, and to damage, what the engine made.
pub(super) fn behind(path: &Path) -> Connection {
    Connection::open(path).unwrap()
}

/// Returns a batch with one control event.
pub(super) fn event(stream: &str, expect: Expect) -> Batch {
    let event = NewEvent { id: Uuid::from_u128(1), kind: "x".into(), v: 1, data: "{}".into() };
    let streams = vec![StreamAppend { stream: stream.into(), expect, events: vec![event] }];
    Batch { actor: "tester".into(), streams, ..Batch::default() }
}

/// Returns a batch with one text.
pub(super) fn content(id: u128, owner: &str, text: String) -> Batch {
    let content = NewContent { id: Uuid::from_u128(id), owner: owner.into(), text, extra: None };
    Batch { contents: vec![content], ..Batch::default() }
}

/// Returns a text that cannot be compressed much, different for each seed.
pub(super) fn noise(seed: u64, len: usize) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut letter = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b' ' + (state % 95) as u8)
    };
    (0..len).map(|_| letter()).collect()
}
