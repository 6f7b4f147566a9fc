//! Opens connections. No other file does.
#![allow(clippy::disallowed_methods)] // This is the place that owns the opening of databases.

use std::fs::{self, OpenOptions, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::content;
use super::failure::explain;
use crate::error::{Error, Result};

/// Pages in the write-ahead log at which SQLite itself checkpoints, should the writer never be idle.
const CHECKPOINT_STOP: u32 = 4000;
/// Kilobytes of pages that the writer keeps. When the pages that filling an index touches do not fit, they are written
/// and read back in the middle of the transaction.
const CACHE: i32 = 16 * 1024;
/// Kilobytes of pages that a reader keeps. It has them for as long as the daemon lives; the system keeps the others.
const READER_CACHE: i32 = 512;
/// How long a connection waits for another program's lock.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Enough for every statement of this crate to stay prepared.
const STATEMENTS: usize = 192;

/// Opens the one connection that writes; makes the file when there is none.
pub(super) fn open_writer(path: &Path) -> Result<Connection> {
    create_private(path)?;
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    configure_writer(&connection).map_err(|failure| explain(path, &failure))?;
    Ok(connection)
}

/// Opens a connection that can only read.
pub(super) fn open_reader(path: &Path) -> Result<Connection> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.pragma_update(None, "cache_size", -READER_CACHE).map_err(|failure| explain(path, &failure))?;
    Ok(connection)
}

/// Makes an empty file that only its owner can read, or takes other people's rights from the one there is.
pub(super) fn create_private(path: &Path) -> Result<()> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let outcome = match made {
        Ok(_) => Ok(()),
        Err(failure) if failure.kind() == ErrorKind::AlreadyExists => {
            fs::set_permissions(path, Permissions::from_mode(0o600))
        }
        Err(failure) => Err(failure),
    };
    outcome.map_err(|failure| {
        Error::Unavailable(format!(
            "cannot open {} ({failure}): check that its directory exists and is writable",
            path.display()
        ))
    })
}

fn open(path: &Path, mode: OpenFlags) -> Result<Connection> {
    // Each connection is used by one thread at a time, so SQLite need not guard it with a mutex of its own.
    let connection = Connection::open_with_flags(path, mode | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(|failure| explain(path, &failure))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Else a statement whose plan might depend on a value is prepared again for every value.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .map_err(|failure| explain(path, &failure))?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(|failure| explain(path, &failure))?;
    content::define(&connection).map_err(|failure| explain(path, &failure))?;
    Ok(connection)
}

fn configure_writer(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_STOP)?;
    connection.pragma_update(None, "cache_size", -CACHE)?;
    // Erased text is overwritten, and no page of it goes through a temporary file.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")
}
