//! Projects on the wire, and directories while their path is typed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time::Moment;

/// A page of projects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectQuery {
    /// The `next` of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^-?[0-9]{1,18}:/")]
    pub after: Option<String>,
    /// Default 50, at most 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 50)]
    pub limit: Option<usize>,
}

/// A page of projects, most recently used first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProjectPage {
    /// The point in the log to stream from.
    pub seq: u64,
    pub projects: Vec<ProjectView>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[schema(required)]
    pub next: Option<String>,
}

/// A directory in which agents worked. Directories in one git checkout are one project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProjectView {
    /// The last part of its path.
    pub name: String,
    pub path: String,
    /// The git branch that it is on.
    pub branch: Option<String>,
    /// Whether the directory exists.
    pub present: bool,
    /// How many open agents were started in it.
    pub open: usize,
    /// When one of its agents last changed.
    pub last_used: Moment,
}

/// The query of `GET /api/directories`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DirectoryQuery {
    /// An absolute path, or one that begins with `~/`. The part after the last slash is completed.
    #[schema(pattern = r"^(/[^\x00]*|~(/[^\x00]*)?)$")]
    pub path: String,
    /// The `next` of the previous page. Conflicts once its row is gone: read the list again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Default and maximum 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 500)]
    pub limit: Option<usize>,
}

/// Directories that complete a path, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DirectoryList {
    pub directories: Vec<DirectoryView>,
    /// More directories match.
    pub truncated: bool,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[serde(default)]
    #[schema(required)]
    pub next: Option<String>,
}

/// A directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DirectoryView {
    pub name: String,
    pub path: String,
    /// Whether it is the top of a git checkout.
    pub repository: bool,
}
