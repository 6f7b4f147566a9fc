//! Turns what SQLite says into what the caller can do.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::error::Error;

/// Says in words why the database at `path` did not do something.
pub(super) fn explain(path: &Path, failure: &rusqlite::Error) -> Error {
    let file = path.display();
    if let rusqlite::Error::FromSqlConversionFailure(..) | rusqlite::Error::InvalidColumnType(..) = failure {
        return damaged(path, failure);
    }
    match failure.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Error::Unavailable(format!(
            "the disk that holds {file} is full and nothing was stored: free some space and try again"
        )),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Error::Unavailable(format!(
            "cannot write to {file}: check who owns the file and its directory ({failure})"
        )),
        Some(ErrorCode::CannotOpen) => Error::Unavailable(format!(
            "cannot open {file}: check that its directory exists and is writable ({failure})"
        )),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Unavailable(format!(
            "{file} is locked by another program: stop that program, or try again later"
        )),
        Some(ErrorCode::NotADatabase) => Error::Unusable(format!(
            "{file} is not a Paseo database: move it away to start with an empty one, or choose another home"
        )),
        Some(ErrorCode::DatabaseCorrupt) => damaged(path, failure),
        _ => Error::Unavailable(format!(
            "cannot use {file} right now ({failure}): check the disk and try again"
        )),
    }
}

fn damaged(path: &Path, failure: &rusqlite::Error) -> Error {
    Error::Unusable(format!(
        "{} is damaged ({failure}): restore it from a backup, or move it and its -wal file away to start \
         with an empty one",
        path.display()
    ))
}
