//! Agents elsewhere.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::{SessionId, TurnId};

/// The secrets of an external agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecretView {
    pub session: SessionId,
    /// Signs requests to the agent, and may sign its answers.
    pub secret: String,
    /// Token for answers that are not signed.
    pub callback_token: String,
    /// URL to which answers are posted.
    pub callback_url: String,
}

/// The query of a callback. Other parameters are ignored: they belong to whatever the callback passed through.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CallbackQuery {
    /// The answered turn, as in the message's `callbackUrl`.
    #[serde(default, rename = "turnOriginId", skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
}
