//! A few read-only connections, lent out one query at a time.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::connection::open_reader;
use super::failure::explain;
use crate::error::{Error, Result};

/// The pool. Connections are opened when they are first needed, and stay.
pub(super) struct Readers {
    path: PathBuf,
    size: u32,
    permits: Arc<Semaphore>,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    /// Makes a pool of at most `size` connections.
    pub(super) fn new(path: PathBuf, size: u32) -> Arc<Self> {
        let size = size.max(1);
        let permits = Arc::new(Semaphore::new(size as usize));
        Arc::new(Self { path, size, permits, idle: Mutex::default() })
    }

    /// Runs a query on a thread that may block.
    pub(super) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| closed())?;
        let readers = self.clone();
        let answer = spawn_blocking(move || {
            let idle = readers.idle.lock().pop();
            let connection = match idle {
                Some(connection) => connection,
                None => open_reader(&readers.path)?,
            };
            let answer = query(&connection).map_err(|failure| explain(&readers.path, &failure));
            // Before the permit goes back, so that no more than `size` are ever open.
            readers.idle.lock().push(connection);
            drop(permit);
            answer
        });
        answer.await.map_err(|failure| Error::Unavailable(format!("cannot read the log: {failure}")))?
    }

    /// Says whether anything can be asked.
    pub(super) fn is_open(&self) -> bool {
        !self.permits.is_closed()
    }

    /// Waits for the queries that run, refuses new ones and closes all connections.
    pub(super) async fn close(&self) {
        // An error means that it is closed already.
        if let Ok(all) = self.permits.acquire_many(self.size).await {
            self.permits.close();
            drop(all);
        }
        self.idle.lock().clear();
    }
}

/// Says that nothing can be asked any more.
pub(super) fn closed() -> Error {
    Error::Unavailable("the log is closed".into())
}
