//! What proves that a caller is a session: its process tree, or the secret in its environment.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;
use paseo_core::id::SessionId;

use crate::mint;

/// The sessions that have a process now.
#[derive(Clone, Default)]
pub(crate) struct Credentials(Arc<RwLock<Known>>);

#[derive(Default)]
struct Known {
    shims: HashMap<u32, SessionId>,
    /// By the hash of the secret: what is not kept cannot be read out.
    secrets: HashMap<[u8; 32], SessionId>,
}

/// A session's credentials, for as long as its process lives.
pub(crate) struct Registration {
    credentials: Credentials,
    secret: [u8; 32],
    shim: Option<u32>,
}

impl Credentials {
    /// Makes a secret valid for a session.
    pub(crate) fn register(&self, session: SessionId, secret: &str) -> Registration {
        let secret = mint::sha256(secret.as_bytes());
        self.0.write().secrets.insert(secret, session);
        Registration { credentials: self.clone(), secret, shim: None }
    }

    /// Returns the session that a secret belongs to.
    pub(crate) fn by_secret(&self, secret: &str) -> Option<SessionId> {
        self.0.read().secrets.get(&mint::sha256(secret.as_bytes())).copied()
    }

    /// Returns the session whose shim has this process id.
    pub(crate) fn by_shim(&self, pid: u32) -> Option<SessionId> {
        self.0.read().shims.get(&pid).copied()
    }
}

impl Registration {
    /// Makes the processes under a shim count as the session.
    pub(crate) fn with_shim(mut self, pid: u32) -> Self {
        let mut known = self.credentials.0.write();
        if let Some(session) = known.secrets.get(&self.secret).copied() {
            known.shims.insert(pid, session);
        }
        drop(known);
        self.shim = Some(pid);
        self
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut known = self.credentials.0.write();
        known.secrets.remove(&self.secret);
        if let Some(pid) = self.shim {
            known.shims.remove(&pid);
        }
    }
}
