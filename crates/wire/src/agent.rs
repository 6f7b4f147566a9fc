//! Definitions of agents on the wire.

use crate::words::{
    DefinitionKind, Exposure, FileChange, Guard, Layer, PendingChange, PermissionMode, Severity, Trust,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Whose definitions are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentQuery {
    /// The absolute path of a directory. Without it only the user's own and what is built in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub project: Option<String>,
}

/// Which version of a definition is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentViewQuery {
    /// The absolute path of a directory. Without it only the user's own and what is built in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub project: Option<String>,
    /// `true`: the untrusted definition of the project instead of the one in effect.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untrusted: bool,
}

/// The answer to `GET /api/agents`: all definitions, by slug.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentList {
    /// Where the project keeps definitions; null when it has none.
    pub project: Option<AgentProject>,
    /// Those that do not count, too. Of one slug the one that beats the others comes first.
    pub agents: Vec<AgentEntry>,
    pub problems: Vec<AgentProblem>,
    /// Changes that wait for a person.
    #[serde(default)]
    pub pending: Vec<PendingAgent>,
}

/// A change of a definition that waits for a person: it grants more, or takes the place of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PendingAgent {
    pub slug: String,
    /// Home or project.
    pub origin: Layer,
    pub change: PendingChange,
    /// The file that changed.
    pub file: Option<String>,
    /// What it would grant beyond what counts now.
    pub widens: Vec<String>,
    /// Of what would count.
    pub sha256: String,
    /// The text that counts now; null when that is of another layer, or nothing does.
    pub before: Option<String>,
    /// The text that would count; null when the definition is removed.
    pub after: Option<String>,
    /// From `before` to `after`, as a unified diff; null when no line differs.
    #[serde(default)]
    pub diff: Option<String>,
}

/// The body of `POST /api/agents/{slug}/trust`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TrustAgent {
    /// The absolute path of a directory. Without it only the user's own definitions are looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub project: Option<String>,
    /// Of the change that was looked at. Refused when the file has changed since.
    pub sha256: String,
}

/// The body of `PUT /api/agents/{slug}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SaveAgent {
    /// The whole definition, as TOML.
    pub text: String,
    /// The version that the text was made from, as `GET /api/agents/{slug}/source` names it; null: there was no such
    /// file. A conflict when the file holds anything else now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// The answer to `GET /api/agents/{slug}/source`: the files that define an agent, as they are now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentSource {
    pub slug: String,
    /// The file that `PUT /api/agents/{slug}` writes.
    pub file: String,
    /// What it holds; null: it is not there, or cannot be read.
    pub text: Option<String>,
    /// Names exactly this text, for `PUT`; null: the file is not there.
    pub version: Option<String>,
    /// Why `PUT` refuses to write it; null: it does not.
    pub locked: Option<String>,
    /// Other files that define the same slug, of the project and of the home.
    pub others: Vec<AgentText>,
}

/// A file that defines an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentText {
    pub file: String,
    /// Home or project.
    pub origin: Layer,
    /// The definition, without the rest of its file; null when it cannot be read.
    pub text: Option<String>,
}

/// Where a project keeps definitions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentProject {
    /// The nearest directory that has some, from the project up to the root of its repository.
    pub directory: String,
    /// Of the names and contents of its files.
    pub sha256: String,
    pub trust: Trust,
    /// The files, from the directory on.
    pub files: Vec<String>,
    /// How the files differ from the trusted ones; null if that is unknown.
    pub changes: Option<Vec<AgentFileChange>>,
}

/// How a file differs from the trusted one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentFileChange {
    /// From the directory of the project on.
    pub file: String,
    pub change: FileChange,
}

/// A definition in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentEntry {
    pub slug: String,
    pub name: String,
    pub description: Option<String>,
    /// Where its agents run.
    #[serde(rename = "type")]
    pub kind: DefinitionKind,
    /// Null: the default provider.
    pub provider: Option<String>,
    /// Only ever a child of another agent.
    pub is_subagent: bool,
    /// False: agents do not find it.
    pub ui_visible: bool,
    pub origin: Layer,
    /// Null for what is built in.
    pub file: Option<String>,
    /// Whether it is the one that is used under its slug.
    pub counts: bool,
    /// False while the definition waits for a person's trust.
    pub trusted: bool,
    /// Why this version counts although its file holds another one, or none; or why none counts under this slug.
    #[serde(default)]
    pub notice: Option<String>,
    /// Null: full, or the parent's.
    pub permissions: Option<PermissionMode>,
    /// What keeps its agents from changing files.
    #[serde(default)]
    pub guard: Option<Guard>,
    /// Patterns over the names of tools.
    pub tools: ListsView,
    /// What it may pass on to agents that it starts; null: what it may use itself.
    pub ceiling: Option<Vec<String>>,
    /// Default working directory of its sessions.
    pub directory: Option<String>,
}

/// What is let through: all that an allowing pattern matches and no denying one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ListsView {
    /// Null: everything. Empty: nothing.
    pub allow: Option<Vec<String>>,
    pub deny: Vec<String>,
}

/// Something wrong in a file with definitions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentProblem {
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    pub message: String,
    /// Which definition it is about, as far as that can be told.
    pub slug: Option<String>,
    pub severity: Severity,
}

/// The answer to `GET /api/agents/{slug}`: a definition with everything that it comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentView {
    pub agent: AgentEntry,
    /// In the order in which they are tried.
    pub models: Vec<ModelView>,
    /// How hard it thinks, where no model says otherwise.
    pub effort: Option<String>,
    /// What its prompt begins with.
    pub prompt: Option<String>,
    /// Patterns over the capabilities of tools.
    pub capabilities: ListsView,
    pub exposure: Exposure,
    /// Which plugins it gets as skills.
    pub skills: ListsView,
    /// Which other agents it sees.
    pub agents: ListsView,
    /// Where messages for an external agent are posted to.
    pub input_url: Option<String>,
    pub callback_base_url: Option<String>,
    /// Every tool, and whether an agent that a person starts would have it.
    pub effective_tools: Vec<EffectiveTool>,
    pub problems: Vec<AgentProblem>,
}

/// A model of a definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ModelView {
    pub model: String,
    /// The id of the key that it is paid with.
    pub key: Option<String>,
    pub effort: Option<String>,
}

/// A tool, and whether an agent would have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EffectiveTool {
    pub name: String,
    pub summary: String,
    pub granted: bool,
    /// Why not.
    pub reason: Option<String>,
}

/// The body of `POST /api/agents/trust`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TrustAgents {
    /// The absolute path of a directory.
    #[schema(pattern = "^/")]
    pub project: String,
    /// What was looked at. Refused when the files have changed since.
    pub sha256: String,
}
