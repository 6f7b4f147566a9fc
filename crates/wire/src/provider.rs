//! Providers on the wire.

use std::collections::BTreeMap;

use crate::words::{AttachmentKind, Lifetime, PermissionMode, Power, ProviderReason, Readiness};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The answer to `GET /api/providers`: all of them, in the order in which a default is looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderList {
    pub providers: Vec<ProviderView>,
    /// The `provider` of the user's `config.toml`; while that cannot be read, the one that it named before.
    #[serde(default)]
    pub configured: Option<String>,
}

/// The body of `POST /api/providers`: a command that speaks the Agent Client Protocol.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddProvider {
    /// What people type: a-z, 0-9 and `-`.
    #[schema(pattern = "^[a-z][a-z0-9-]{0,31}$")]
    pub name: String,
    /// The program and its arguments.
    #[schema(min_items = 1)]
    pub command: Vec<String>,
    /// The known agent whose ways it has.
    #[serde(default)]
    pub preset: Option<String>,
    /// Its own mode in which it may do everything.
    #[serde(default)]
    pub mode: Option<String>,
    /// It asks before it changes anything, so that the modes ask and read-only can be kept.
    #[serde(default)]
    pub asks: bool,
    /// Set in its environment. Stored as it is: this is no place for secrets.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
}

/// A kind of agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderView {
    pub name: String,
    /// A person added it: a command that speaks the Agent Client Protocol.
    #[serde(default)]
    pub added: bool,
    pub readiness: Readiness,
    /// The program that is run; `None` when there is none.
    pub program: Option<String>,
    /// What the program says about itself.
    pub version: Option<String>,
    /// Why it is not ready, after its name: `needs a key`.
    #[serde(default)]
    pub problem: Option<String>,
    /// How to get it ready.
    pub hint: Option<String>,
    /// Used when none is named.
    pub default: bool,
    /// Why it is the default.
    pub default_reason: Option<ProviderReason>,
    pub capabilities: CapabilitiesView,
}

/// What a provider can do. What it cannot is refused when asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CapabilitiesView {
    /// A message can enter a running turn.
    pub steer: bool,
    /// A new process can continue an old conversation.
    pub resume: bool,
    /// A model can be chosen.
    pub models: bool,
    /// The words for how hard it thinks; empty when that cannot be chosen.
    pub efforts: Vec<String>,
    /// The permission modes that it can keep.
    pub permissions: Vec<PermissionMode>,
    /// The powers that it can do without. The others it has, whatever its definition says.
    #[serde(default)]
    pub withholds: Vec<Power>,
    /// It takes our tools by MCP.
    pub mcp: bool,
    /// It shows what it thinks.
    pub thinking: bool,
    /// It says what a turn cost, in money.
    pub cost: bool,
    /// It starts turns by itself, when work in the background ends.
    pub own_turns: bool,
    /// It can be kept from changing anything that no task of its own covers.
    #[serde(default)]
    pub guard: bool,
    /// It can run in a terminal that people take over.
    #[serde(default)]
    pub terminal: bool,
    /// The kinds of files that a message to it may have. Workers in terminals take none.
    #[serde(default)]
    pub attachments: Vec<AttachmentKind>,
    pub lifetime: Lifetime,
}
