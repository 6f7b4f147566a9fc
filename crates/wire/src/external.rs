//! Agents elsewhere.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::SessionId;

/// What both sides of an external agent know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecretView {
    pub session: SessionId,
    /// Signs what is posted to the agent, and may sign its answers.
    pub secret: String,
    /// With which answers are sent by those who sign nothing.
    pub callback_token: String,
    /// Where answers are posted to.
    pub callback_url: String,
}

/// The query of a callback. Other parameters are ignored: they belong to whatever the callback passed through.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CallbackQuery {
    /// The turn that it answers, as in the message's `callbackUrl`.
    #[serde(default, rename = "turnOriginId", skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
}
