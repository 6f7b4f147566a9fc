//! Security events: lines of the daemon's log about callers that claimed another identity.

use paseo_core::ancestry::Refusal;

/// The target of these lines. The log keeps them whatever else it is set to keep.
pub(crate) const TARGET: &str = "security";

/// Logs that a local caller was refused because of what it is or claims to be.
pub(super) fn refused(pid: u32, refusal: Refusal) {
    let code = refusal.code();
    match refusal {
        // It ended before it could be looked at.
        Refusal::Gone => {}
        Refusal::Unreadable | Refusal::Malformed | Refusal::Orphan | Refusal::Window => {
            tracing::warn!(target: TARGET, code, pid, "security event: {refusal}");
        }
        Refusal::Contradiction { runs_under, claimed } => {
            tracing::warn!(target: TARGET, code, pid, session = %runs_under, %claimed, "security event: {refusal}");
        }
        Refusal::Disagreement { nearest, above } => {
            tracing::warn!(target: TARGET, code, pid, claimed = %nearest, %above, "security event: {refusal}");
        }
        Refusal::NotOpen { claimed } => {
            tracing::warn!(target: TARGET, code, pid, %claimed, "security event: {refusal}");
        }
    }
}
