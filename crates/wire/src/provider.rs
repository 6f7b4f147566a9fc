//! Providers on the wire.

use std::collections::BTreeMap;

use crate::words::{
    AttachmentKind, Lifetime, ModelSource, PermissionMode, Power, Preset, ProviderReason, Readiness,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The answer to `GET /api/providers`: in the order in which the default is chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderList {
    pub providers: Vec<ProviderView>,
    /// The `provider` in the user's `config.toml`; the last known one if the file cannot be read.
    #[serde(default)]
    pub configured: Option<String>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[serde(default)]
    #[schema(required)]
    pub next: Option<String>,
}

/// The body of `POST /api/providers`: a command that speaks the Agent Client Protocol.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddProvider {
    /// Name: a-z, 0-9 and `-`.
    #[schema(pattern = "^[a-z][a-z0-9-]{0,31}$")]
    pub name: String,
    /// The program and its arguments.
    #[schema(min_items = 1)]
    pub command: Vec<String>,
    /// Preset of a known agent.
    #[serde(default)]
    pub preset: Option<Preset>,
    /// The agent's own mode that allows everything.
    #[serde(default)]
    pub mode: Option<String>,
    /// It asks before it changes anything, so that the modes `ask` and `read-only` work.
    #[serde(default)]
    pub asks: bool,
    /// Environment variables. Stored in plain text: do not put secrets here.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
}

/// A provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderView {
    pub name: String,
    /// A person added it: a command that speaks the Agent Client Protocol.
    #[serde(default)]
    pub added: bool,
    pub readiness: Readiness,
    /// Path of the program; null if it is not installed.
    pub program: Option<String>,
    /// Version that the program reports.
    pub version: Option<String>,
    /// Why it is not ready: `needs a key`.
    #[serde(default)]
    pub problem: Option<String>,
    /// How to make it ready.
    pub hint: Option<String>,
    /// Whether it is the default.
    pub default: bool,
    /// Why it is the default.
    pub default_reason: Option<ProviderReason>,
    pub capabilities: CapabilitiesView,
}

/// Capabilities of a provider. Requests for others are refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CapabilitiesView {
    /// A message can enter a running turn.
    pub steer: bool,
    /// A new process can continue an old conversation.
    pub resume: bool,
    /// A model can be chosen.
    pub models: bool,
    /// Reasoning efforts that can be chosen; empty if none.
    pub efforts: Vec<String>,
    /// Permission modes that it supports.
    pub permissions: Vec<PermissionMode>,
    /// Powers that can be withheld from it. It has the others, whatever its definition says.
    #[serde(default)]
    pub withholds: Vec<Power>,
    /// It uses Paseo's tools by MCP.
    pub mcp: bool,
    /// It shows its reasoning.
    pub thinking: bool,
    /// It reports the cost of a turn.
    pub cost: bool,
    /// It starts turns by itself when background work ends.
    pub own_turns: bool,
    /// It can be restricted to the files of the tasks that it owns.
    #[serde(default)]
    pub guard: bool,
    /// It can run in a terminal that people can take over.
    #[serde(default)]
    pub terminal: bool,
    /// Kinds of files that can be attached to a message. Workers in terminals take none.
    #[serde(default)]
    pub attachments: Vec<AttachmentKind>,
    pub lifetime: Lifetime,
}

/// The answer to `GET /api/providers/{name}/models`: models that can be chosen. The provider may accept others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ModelList {
    pub provider: String,
    pub source: ModelSource,
    pub models: Vec<ModelView>,
    /// Reasoning efforts that can be chosen; empty if none.
    pub efforts: Vec<String>,
    /// The provider has more models than are listed.
    pub truncated: bool,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[serde(default)]
    #[schema(required)]
    pub next: Option<String>,
}

/// A model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ModelView {
    /// Value to pass as the model.
    pub id: String,
    /// Display name, if it differs from the id.
    pub name: Option<String>,
    /// Reasoning efforts of this model; empty if unknown.
    pub efforts: Vec<String>,
    /// Whether it is the default.
    pub default: bool,
}
