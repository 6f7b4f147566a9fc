//! Agents elsewhere.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What both sides of an external agent know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecretView {
    pub session: String,
    /// Signs what is posted to the agent, and may sign its answers.
    pub secret: String,
    /// With which answers are sent by those who sign nothing.
    pub callback_token: String,
    /// Where answers are posted to.
    pub callback_url: String,
}
