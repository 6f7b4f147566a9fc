//! The conformance suite on SQLite.

use std::path::PathBuf;
use std::sync::Arc;

use paseo_store::conformance::Engine;
use paseo_store::sqlite::Options;
use paseo_store::{Clock, Fold, Log, Sqlite};
use tempfile::TempDir;

struct SqliteEngine;

impl Engine for SqliteEngine {
    type Place = TempDir;

    fn place(&self) -> TempDir {
        tempfile::tempdir().unwrap()
    }

    fn open(&self, place: &TempDir, clock: Clock, fold: Arc<dyn Fold>) -> Arc<dyn Log> {
        let options = Options { clock, ..Options::new(place.path().join("log.db"), fold) };
        Arc::new(Sqlite::open(options).unwrap())
    }

    fn files(&self, place: &TempDir) -> Vec<PathBuf> {
        std::fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().path()).collect()
    }
}

paseo_store::conformance!(SqliteEngine);
