//! The daemon about itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time::Moment;

/// The answer to `GET /api/status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DaemonStatus {
    pub pid: u32,
    pub version: String,
    pub home: String,
    pub socket: String,
    pub url: String,
    pub started_at: Moment,
    /// How many sessions have each status.
    pub sessions: BTreeMap<String, usize>,
    /// Harness processes that are alive.
    pub live_processes: usize,
    /// How many may be; further turns wait as `starting`.
    pub process_limit: usize,
    /// Turns that wait for one.
    #[serde(default)]
    pub waiting_turns: usize,
    pub providers: Vec<String>,
    /// Those of them that could be used now, as far as can be seen without running anything.
    #[serde(default)]
    pub ready_providers: Vec<String>,
    /// Why workers have no tmux, and what to do about it; missing if they have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tmux: Option<String>,
    pub seq: u64,
}

/// The answer to `GET /api/whoami`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WhoAmI {
    /// `human:…` or `session:…`.
    pub actor: String,
}

/// The answer to `GET /healthz`, with exactly the fields that teamd gives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// `ok`.
    pub status: String,
    pub version: String,
}
