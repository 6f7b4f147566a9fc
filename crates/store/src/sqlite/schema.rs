//! The database's format: numbered migrations, and refusal of what this program does not know.

use std::fs::File;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use sha2::{Digest, Sha256};

use super::connection::create_private;
use super::failure::explain;
use crate::error::{Error, Result};

/// Marks a file as ours ("Pase" in ASCII), so that no other program's database is migrated.
const APPLICATION: i64 = 0x5061_7365;

/// Each step from one format to the next, in order. A released one never changes again.
const MIGRATIONS: &[Migration] = &[
    Migration { version: 1, sql: include_str!("migrations/0001.sql") },
    Migration { version: 2, sql: include_str!("migrations/0002.sql") },
    Migration { version: 3, sql: include_str!("migrations/0003.sql") },
    Migration { version: 4, sql: include_str!("migrations/0004.sql") },
];

#[derive(Clone, Copy)]
struct Migration {
    /// The format that the database has afterwards.
    version: i64,
    sql: &'static str,
}

impl Migration {
    fn sha256(&self) -> [u8; 32] {
        Sha256::digest(self.sql.as_bytes()).into()
    }
}

/// Brings the database to this program's format, or says why it cannot be used.
pub(super) fn migrate(connection: &mut Connection, path: &Path, now: i64) -> Result<()> {
    migrate_to(connection, path, now, MIGRATIONS)
}

fn migrate_to(connection: &mut Connection, path: &Path, now: i64, migrations: &[Migration]) -> Result<()> {
    let explained = |failure| explain(path, &failure);
    let supported = migrations.last().map_or(0, |newest| newest.version);
    let format = read_format(connection, path)?;
    if format > supported {
        return Err(Error::Unusable(format!(
            "{} has database format {format}, but this version supports up to {supported}: upgrade paseo, \
             or choose another home",
            path.display()
        )));
    }
    check_history(connection, path, migrations)?;
    if format == supported {
        return Ok(());
    }
    if format > 0 {
        let backup = back_up(connection, path, format)?;
        tracing::info!(from = format, to = supported, backup = %backup.display(), "migrating the database");
    }

    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(explained)?;
    // Another process may have migrated while this one waited for the lock.
    let format = read_format(&transaction, path)?;
    for migration in migrations.iter().filter(|migration| migration.version > format) {
        apply(&transaction, migration, now).map_err(explained)?;
    }
    transaction.commit().map_err(explained)
}

/// Returns the format of the database, 0 for an empty one.
fn read_format(connection: &Connection, path: &Path) -> Result<i64> {
    let explained = |failure| explain(path, &failure);
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let application = number("application_id").map_err(explained)?;
    let format = number("user_version").map_err(explained)?;
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(explained)?;
    let empty = application == 0 && format == 0 && tables == 0;
    if application != APPLICATION && !empty {
        return Err(Error::Unusable(format!(
            "{} belongs to another program: move it away to start with an empty one, or choose another home",
            path.display()
        )));
    }
    Ok(format)
}

/// Refuses a database whose past migrations are not the ones that this program knows.
fn check_history(connection: &Connection, path: &Path, migrations: &[Migration]) -> Result<()> {
    let explained = |failure| explain(path, &failure);
    let migrated = connection.table_exists(None, "migration").map_err(explained)?;
    if !migrated {
        return Ok(());
    }
    for migration in migrations {
        let stored: Option<Vec<u8>> = connection
            .query_row("SELECT sha256 FROM migration WHERE version = ?1", [migration.version], |row| {
                row.get(0)
            })
            .optional()
            .map_err(explained)?;
        if stored.is_some_and(|stored| stored != migration.sha256()) {
            return Err(Error::Unusable(format!(
                "{} was created by another build of paseo: its format {} differs from this version's; use \
                 that build, or choose another home",
                path.display(),
                migration.version
            )));
        }
    }
    Ok(())
}

fn apply(connection: &Connection, migration: &Migration, now: i64) -> rusqlite::Result<()> {
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS migration (
             version INTEGER PRIMARY KEY,
             sha256  BLOB NOT NULL,
             applied INTEGER NOT NULL
         ) STRICT",
    )?;
    connection.execute_batch(migration.sql)?;
    connection.execute(
        "INSERT INTO migration (version, sha256, applied) VALUES (?1, ?2, ?3)",
        params![migration.version, migration.sha256(), now],
    )?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", migration.version)
}

/// Copies the database to a file beside it that tells by its name which format it has.
fn back_up(connection: &Connection, path: &Path, format: i64) -> Result<PathBuf> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".backup-format-{format}"));
    let backup = PathBuf::from(name);
    let failed = |failure: &dyn std::fmt::Display| {
        Error::Unavailable(format!(
            "cannot write the backup {} needed for a migration ({failure}): the database is unchanged",
            backup.display()
        ))
    };

    // One left by a migration that did not finish would stop `VACUUM INTO`, which wants an empty file.
    match std::fs::remove_file(&backup) {
        Err(failure) if failure.kind() != std::io::ErrorKind::NotFound => return Err(failed(&failure)),
        _ => {}
    }
    create_private(&backup)?;
    let target = backup.to_str().ok_or_else(|| failed(&"its path is not UTF-8"))?;
    connection.execute("VACUUM INTO ?1", [target]).map_err(|failure| failed(&failure))?;
    File::open(&backup).and_then(|file| file.sync_all()).map_err(|failure| failed(&failure))?;
    Ok(backup)
}

#[cfg(test)]
mod tests {
    use super::super::connection::open_writer;
    use super::*;

    const NEXT: Migration =
        Migration { version: 99, sql: "ALTER TABLE stream ADD COLUMN note TEXT; DELETE FROM stream;" };
    const WRONG: Migration = Migration { version: 99, sql: "DELETE FROM stream; this is not SQL;" };

    #[test]
    fn a_migration_first_makes_a_backup() {
        let (_directory, path, mut connection) = database();
        let backup = path.with_file_name("log.db.backup-format-4");
        assert!(!backup.exists(), "a new database needs none");
        std::fs::write(&backup, "left by a migration that did not finish").unwrap();

        migrate_to(&mut connection, &path, 0, &and(NEXT)).unwrap();
        assert_eq!(read_format(&connection, &path).unwrap(), 99);
        assert_eq!(streams(&connection), 0);
        let copy = open_writer(&backup).unwrap();
        assert_eq!(read_format(&copy, &backup).unwrap(), 4);
        assert_eq!(streams(&copy), 1);

        let refusal = migrate_to(&mut connection, &path, 0, MIGRATIONS).unwrap_err();
        assert!(matches!(refusal, Error::Unusable(_)), "{refusal:?}");
    }

    #[test]
    fn a_failed_migration_changes_nothing() {
        let (_directory, path, mut connection) = database();
        migrate_to(&mut connection, &path, 0, &and(WRONG)).unwrap_err();
        assert_eq!((read_format(&connection, &path).unwrap(), streams(&connection)), (4, 1));
        migrate_to(&mut connection, &path, 0, &and(NEXT)).unwrap();
    }

    #[test]
    fn in_a_database_of_format_1_no_head_is_behind() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log.db");
        let mut connection = open_writer(&path).unwrap();
        migrate_to(&mut connection, &path, 0, &MIGRATIONS[..1]).unwrap();
        migrate(&mut connection, &path, 0).unwrap();
        let heads: Option<i64> =
            connection.query_row("SELECT heads FROM indexed", [], |row| row.get(0)).unwrap();
        assert_eq!(heads, None);
        assert!(path.with_file_name("log.db.backup-format-1").exists());
    }

    /// Returns all migrations and one more.
    fn and(next: Migration) -> Vec<Migration> {
        MIGRATIONS.iter().copied().chain([next]).collect()
    }

    fn database() -> (tempfile::TempDir, PathBuf, Connection) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log.db");
        let mut connection = open_writer(&path).unwrap();
        migrate(&mut connection, &path, 0).unwrap();
        connection.execute("INSERT INTO stream (name) VALUES ('a')", []).unwrap();
        (directory, path, connection)
    }

    fn streams(connection: &Connection) -> i64 {
        connection.query_row("SELECT count(*) FROM stream", [], |row| row.get(0)).unwrap()
    }
}
