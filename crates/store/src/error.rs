//! Errors, by what the caller can do.

use uuid::Uuid;

use crate::record::Version;

/// Result of a log operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the log did not do something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Another writer appended first: read on and decide again.
    #[error("{stream} is at version {actual}, not {expected}")]
    Conflict { stream: String, expected: Version, actual: Version },
    /// The idempotency key was used with another body.
    #[error("the idempotency key `{key}` was already used for a different request")]
    KeyReused { key: String },
    /// The session belongs to another daemon now: stop writing to it.
    #[error("{stream} is owned at epoch {actual}, not {expected}")]
    Fenced { stream: String, expected: u64, actual: u64 },
    /// The file is not there, or belongs to another stream.
    #[error("file {file} not found, or in use")]
    Unclaimable { file: Uuid },
    /// The batch can never be stored.
    #[error("invalid batch: {0}")]
    Invalid(String),
    /// The engine cannot write or read now; nothing was stored. Says what to do about it.
    #[error("{0}")]
    Unavailable(String),
    /// The database cannot be used by this program. Says why and what to do.
    #[error("{0}")]
    Unusable(String),
}
