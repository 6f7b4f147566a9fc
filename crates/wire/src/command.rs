//! Commands that a message can begin with.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The query of `GET /api/commands`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandQuery {
    /// The absolute path of the directory in which the agent works, or of its project.
    #[schema(pattern = "^/")]
    pub directory: String,
    /// Default: the daemon's default provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[a-z][a-z0-9-]{0,31}$")]
    pub provider: Option<String>,
    /// The `next` of the previous page. Conflicts once its row is gone: read the list again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Default and maximum 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 500)]
    pub limit: Option<usize>,
}

/// Commands that a provider offers in a directory, by name. Empty until an agent has run there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CommandList {
    pub commands: Vec<CommandView>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[serde(default)]
    #[schema(required)]
    pub next: Option<String>,
}

/// A command: a message that begins with `/` and its name runs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CommandView {
    /// Without the slash.
    pub name: String,
    pub description: Option<String>,
    /// What can follow the name, such as `[file]`.
    pub hint: Option<String>,
}
