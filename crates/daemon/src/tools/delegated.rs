//! The result of a tool that hands work to another agent.

use paseo_core::delegation::{Delegation, State};
use paseo_core::id::SessionId;
use paseo_core::item::ToolOutcome;

/// What the caller is told, and where the work stands.
pub(super) struct Delegated {
    pub(super) outcome: ToolOutcome,
    pub(super) text: String,
    pub(super) delegation: Delegation,
}

impl Delegated {
    /// The call did what was asked of it.
    pub(super) fn ok(session: SessionId, state: State, text: String) -> Self {
        Self { outcome: ToolOutcome::Ok, text, delegation: Delegation { session, state } }
    }

    /// The agent will not answer.
    pub(super) fn error(session: SessionId, state: State, text: String) -> Self {
        Self { outcome: ToolOutcome::Error, ..Self::ok(session, state, text) }
    }
}
