//! The past: which state of a team or a thread is meant.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time::Moment;

/// The query of `GET /api/teams/{team}` and `GET /api/threads/{thread}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PastQuery {
    /// The state as it was at this moment. Default: as it is now. Excludes `version`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Moment>,
    /// The state after the event with this version. Excludes `at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_i64)]
    pub version: Option<u64>,
}
