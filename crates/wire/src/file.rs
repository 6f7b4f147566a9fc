//! Files of an agent's directory on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::words::{BinaryKind, FileKind, MediaType, PreviewKind};

/// The query of `GET /api/sessions/{id}/files`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FileQuery {
    /// Relative to the agent's directory; empty for the directory itself.
    #[serde(default)]
    #[schema(pattern = r"^(?!/)(?!([^\x00]*/)?\.\.(/|$))[^\x00]*$", max_length = 4095)]
    pub path: String,
    /// Also list what git ignores.
    #[serde(default)]
    pub ignored: bool,
    /// The `next` of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[df]([0-9a-f]{2}){1,255}$")]
    pub after: Option<String>,
    /// Default 100, at most 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 100)]
    pub limit: Option<usize>,
}

/// A page of one directory: its directories, then everything else, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FilePage {
    /// The path, without `.` and doubled slashes.
    pub path: String,
    /// False if the path is a file, which is then the only entry.
    pub directory: bool,
    pub files: Vec<FileEntry>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[schema(required)]
    pub next: Option<String>,
    /// The directory has more entries than the daemon reads.
    pub truncated: bool,
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FileEntry {
    pub name: String,
    pub kind: FileKind,
    /// What a symbolic link points to; null if that is outside of the agent's directory or missing.
    pub leads_to: Option<FileKind>,
    /// Size of a file, in bytes.
    pub size: Option<u64>,
    /// False if the name is not UTF-8: it has replacement characters here, and cannot be requested.
    pub exact: bool,
}

/// The query of `GET /api/sessions/{id}/file`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PreviewQuery {
    /// Relative to the agent's directory.
    #[schema(pattern = r"^(?!/)(?!([^\x00]*/)?\.\.(/|$))[^\x00]+$", max_length = 4095)]
    pub path: String,
    /// Return the bytes of an image, with its media type.
    #[serde(default)]
    pub raw: bool,
}

/// A preview of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FilePreview {
    pub path: String,
    pub kind: PreviewKind,
    /// Size of the file, in bytes.
    pub size: u64,
    /// Its text, at most 256 KB of it.
    pub text: Option<String>,
    /// The text is only the beginning of the file.
    pub truncated: bool,
    /// Media type of an image; `raw=true` returns its bytes.
    pub media_type: Option<MediaType>,
    pub width: Option<u32>,
    pub height: Option<u32>,
    /// What a binary file is, if known.
    pub what: Option<BinaryKind>,
}

/// The query of `GET /api/files`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CompletionQuery {
    /// The absolute path of the directory to look in.
    #[schema(pattern = "^/")]
    pub directory: String,
    /// Letters of the path in order; other letters may lie between them. Case-insensitive.
    #[serde(default)]
    pub query: String,
    /// The `next` of the previous page. Conflicts once its row is gone: read the list again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Default and maximum 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 500)]
    pub limit: Option<usize>,
}

/// Files that match the query, best first, without those that git ignores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CompletionList {
    /// Relative to the directory.
    pub files: Vec<String>,
    /// The directory has more files than were searched, or more of them match.
    pub truncated: bool,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[serde(default)]
    #[schema(required)]
    pub next: Option<String>,
}
