//! Definitions of agents on the wire.

use crate::id::ApiKeyId;
use crate::words::{
    AgentColor, DefinitionKind, Exposure, FileChange, Guard, Layer, PendingChange, PermissionMode, Severity,
    Trust,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Project whose definitions to return.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentQuery {
    /// Absolute path of a directory. Without it, only the user's own and built-in definitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub project: Option<String>,
}

/// The query of `GET /api/agents`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentListQuery {
    /// Absolute path of a directory. Without it, only the user's own and built-in definitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub project: Option<String>,
    /// The `next` of the previous page. Conflicts once its row is gone: read the list again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Default and maximum 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 500)]
    pub limit: Option<usize>,
}

/// Which version of a definition to return.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentViewQuery {
    /// Absolute path of a directory. Without it, only the user's own and built-in definitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub project: Option<String>,
    /// `true`: the untrusted definition of the project instead of the one in effect.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untrusted: bool,
}

/// A page of definitions, by slug.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentList {
    /// Where the project keeps definitions; null if it has none.
    pub project: Option<AgentProject>,
    /// Includes definitions that are not in effect. The one in effect comes first among those of the same slug.
    pub agents: Vec<AgentEntry>,
    pub problems: Vec<AgentProblem>,
    /// Changes that a person has to trust.
    #[serde(default)]
    pub pending: Vec<PendingAgent>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[serde(default)]
    #[schema(required)]
    pub next: Option<String>,
}

/// A change to a definition that a person has to trust, because it grants more or replaces another definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PendingAgent {
    pub slug: String,
    /// `home` or `project`.
    pub origin: Layer,
    pub change: PendingChange,
    /// The file that changed.
    pub file: Option<String>,
    /// What it would grant beyond the definition in effect.
    pub widens: Vec<String>,
    /// Hash of the changed definition: pass it to `trust`.
    pub sha256: String,
    /// The text in effect; null if it comes from another layer, or none is in effect.
    pub before: Option<String>,
    /// The changed text; null if the definition is removed.
    pub after: Option<String>,
    /// Unified diff from `before` to `after`; null if no line differs.
    #[serde(default)]
    pub diff: Option<String>,
}

/// The body of `POST /api/agents/{slug}/trust`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TrustAgent {
    /// Absolute path of a directory. Without it, only the user's own definitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub project: Option<String>,
    /// Hash of the reviewed change. Refused if the file has changed since.
    pub sha256: String,
}

/// The body of `PUT /api/agents/{slug}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SaveAgent {
    /// The whole definition, as TOML.
    pub text: String,
    /// The `version` of `GET /api/agents/{slug}/source` that the text is based on; null for a new file. The request
    /// conflicts if the file has changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// The body of `POST /api/agents/{slug}/check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckAgent {
    /// The whole definition, as TOML.
    pub text: String,
}

/// The answer to `POST /api/agents/{slug}/check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CheckedAgent {
    /// Everything that is wrong with the text, by line; errors prevent saving it.
    pub problems: Vec<AgentProblem>,
}

/// The answer to `GET /api/agents/{slug}/source`: the files that define an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentSource {
    pub slug: String,
    /// The file that `PUT /api/agents/{slug}` writes.
    pub file: String,
    /// Its text; null if it does not exist or cannot be read.
    pub text: Option<String>,
    /// Version of this text, for `PUT`; null if the file does not exist.
    pub version: Option<String>,
    /// Why `PUT` refuses to write it; null if it does not.
    pub locked: Option<String>,
    /// Other files that define the same slug, in the project and in the home.
    pub others: Vec<AgentText>,
}

/// A file that defines an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentText {
    pub file: String,
    /// `home` or `project`.
    pub origin: Layer,
    /// The definition, without the rest of its file; null when it cannot be read.
    pub text: Option<String>,
}

/// Where a project keeps definitions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentProject {
    /// The nearest directory with definitions, from the project up to the root of its repository.
    pub directory: String,
    /// Hash of the names and contents of its files.
    pub sha256: String,
    pub trust: Trust,
    /// The files, relative to the directory.
    pub files: Vec<String>,
    /// How the files differ from the trusted ones; null if that is unknown.
    pub changes: Option<Vec<AgentFileChange>>,
}

/// How a file differs from the trusted one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentFileChange {
    /// Relative to the directory of the project.
    pub file: String,
    pub change: FileChange,
}

/// A definition in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentEntry {
    pub slug: String,
    pub name: String,
    pub description: Option<String>,
    /// An emoji, or the name of an icon.
    #[serde(default)]
    pub icon: Option<String>,
    #[serde(default)]
    pub color: Option<AgentColor>,
    /// Where its agents run.
    #[serde(rename = "type")]
    pub kind: DefinitionKind,
    /// Null for the default provider.
    pub provider: Option<String>,
    /// It can only be started by another agent.
    pub is_subagent: bool,
    /// Whether other agents can find it.
    pub ui_visible: bool,
    pub origin: Layer,
    /// Null for a built-in definition.
    pub file: Option<String>,
    /// Whether it is in effect under its slug.
    pub counts: bool,
    /// False until a person trusts the definition.
    pub trusted: bool,
    /// Why the version in effect differs from the file, or why none is in effect under this slug.
    #[serde(default)]
    pub notice: Option<String>,
    /// Null for `full`, or the parent's mode.
    pub permissions: Option<PermissionMode>,
    /// What keeps its agents from changing files.
    #[serde(default)]
    pub guard: Option<Guard>,
    /// Patterns of tool names.
    pub tools: ListsView,
    /// Tools that it may grant to agents that it starts; null for those that it may use itself.
    pub ceiling: Option<Vec<String>>,
    /// Default working directory of its agents.
    pub directory: Option<String>,
}

/// Patterns of what is allowed. A match in `deny` wins over one in `allow`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ListsView {
    /// Null allows everything; an empty list allows nothing.
    pub allow: Option<Vec<String>>,
    pub deny: Vec<String>,
}

/// A mistake in a file with definitions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentProblem {
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    pub message: String,
    /// Slug of the definition, if known.
    pub slug: Option<String>,
    pub severity: Severity,
}

/// The answer to `GET /api/agents/{slug}`: a resolved agent definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentView {
    pub agent: AgentEntry,
    /// In the order of preference.
    pub models: Vec<DefinitionModel>,
    /// Reasoning effort, unless a model has its own.
    pub effort: Option<String>,
    /// The beginning of its prompt.
    pub prompt: Option<String>,
    /// Patterns of tool capabilities.
    pub capabilities: ListsView,
    pub exposure: Exposure,
    /// Plugins that it gets as skills.
    pub skills: ListsView,
    /// Other agents that it can see.
    pub agents: ListsView,
    /// URL to which messages for an external agent are posted.
    pub input_url: Option<String>,
    pub callback_base_url: Option<String>,
    /// Every tool, and whether an agent started by a person would get it.
    pub effective_tools: Vec<EffectiveTool>,
    pub problems: Vec<AgentProblem>,
}

/// A model of a definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DefinitionModel {
    pub model: String,
    pub key: Option<ApiKeyId>,
    pub effort: Option<String>,
}

/// A tool, and whether an agent would get it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EffectiveTool {
    pub name: String,
    pub summary: String,
    pub granted: bool,
    /// Why it is not granted.
    pub reason: Option<String>,
}

/// The body of `POST /api/projects/trust`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TrustAgents {
    /// The absolute path of a directory.
    #[schema(pattern = "^/")]
    pub project: String,
    /// Hash of the reviewed files. Refused if they have changed since.
    pub sha256: String,
}
