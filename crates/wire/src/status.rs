//! The daemon about itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::ActorName;
use crate::time::Moment;
use crate::words::{HealthStatus, Status};

/// The answer to `GET /api/status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DaemonStatus {
    pub pid: u32,
    pub version: String,
    pub home: String,
    pub socket: String,
    pub url: String,
    pub started_at: Moment,
    /// Number of agents by status.
    pub sessions: BTreeMap<Status, usize>,
    /// Number of running harness processes.
    pub live_processes: usize,
    /// Maximum number of harness processes. Further turns wait as `starting`.
    pub process_limit: usize,
    /// Number of turns that wait for a process.
    #[serde(default)]
    pub waiting_turns: usize,
    pub providers: Vec<String>,
    /// Providers that are ready, as far as the daemon can tell without running them.
    #[serde(default)]
    pub ready_providers: Vec<String>,
    /// Why tmux cannot be used for workers, and what to do; missing if it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tmux: Option<String>,
    pub seq: u64,
}

/// The answer to `GET /api/whoami`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WhoAmI {
    pub actor: ActorName,
}

/// The answer to `GET /healthz`, with exactly the fields that teamd gives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    pub status: HealthStatus,
    pub version: String,
}
