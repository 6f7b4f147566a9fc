//! Files beside the texts: bytes that a message refers to.

use uuid::Uuid;

/// A file whose pieces are all stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    pub id: Uuid,
    /// The uploader.
    pub actor: String,
    pub len: u64,
    pub sha256: [u8; 32],
    /// Side information, JSON. Erased with the bytes.
    pub meta: String,
}

/// A file as it stands in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow {
    pub id: Uuid,
    /// The stream whose erasure takes the bytes with it; `None` until a batch claims the file.
    pub owner: Option<String>,
    pub actor: String,
    pub created: i64,
    pub len: u64,
    pub sha256: [u8; 32],
    pub meta: String,
}

/// Gives a file to a stream. A file has one owner, and keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub file: Uuid,
    pub stream: String,
}

/// A piece of a file, and where the next one begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePiece {
    pub bytes: Vec<u8>,
    /// Pass it on to read the next piece.
    pub cursor: u64,
}

/// Files that no batch has claimed, in sum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unclaimed {
    pub files: u64,
    pub bytes: u64,
}
