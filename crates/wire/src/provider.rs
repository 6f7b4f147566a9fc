//! Providers on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The answer to `GET /api/providers`: all of them, in the order in which a default is looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderList {
    pub providers: Vec<ProviderView>,
}

/// A kind of agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderView {
    pub name: String,
    /// ready, no_login or missing.
    pub readiness: String,
    /// The program that is run; `None` when there is none.
    pub program: Option<String>,
    /// What the program says about itself.
    pub version: Option<String>,
    /// How to get it ready.
    pub hint: Option<String>,
    /// Used when none is named.
    pub default: bool,
    /// Why it is the default: configured or first_ready.
    pub default_reason: Option<String>,
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
    /// The permission modes that it can keep: full, ask, read-only.
    pub permissions: Vec<String>,
    /// The powers that it can do without: native_read, native_write, native_shell, native_net. The others it has,
    /// whatever its definition says.
    #[serde(default)]
    pub withholds: Vec<String>,
    /// It takes our tools by MCP.
    pub mcp: bool,
    /// It shows what it thinks.
    pub thinking: bool,
    /// It says what a turn cost, in money.
    pub cost: bool,
    /// It starts turns by itself, when work in the background ends.
    pub own_turns: bool,
    /// What becomes of it when the daemon goes: pipe (it ends), reattach or remote.
    pub lifetime: String,
}
