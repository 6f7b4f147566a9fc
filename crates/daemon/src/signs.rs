//! When each harness was last heard of. Only this moment needs to know: nothing of it is stored.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use paseo_core::id::SessionId;
use paseo_core::time::Timestamp;

/// Signs of life of the turns that are under way. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Signs(Arc<Mutex<HashMap<SessionId, Timestamp>>>);

impl Signs {
    /// Notes that a harness said something, whatever it was.
    pub(crate) fn heard(&self, session: SessionId, now: Timestamp) {
        self.0.lock().insert(session, now);
    }

    /// Forgets a turn that is over.
    pub(crate) fn forget(&self, session: SessionId) {
        self.0.lock().remove(&session);
    }

    /// Returns when a harness last said something in the turn under way.
    pub(crate) fn last(&self, session: SessionId) -> Option<Timestamp> {
        self.0.lock().get(&session).copied()
    }
}
