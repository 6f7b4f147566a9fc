//! What proves that a caller is a session: its process tree, or the secret in its environment.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;
use paseo_core::id::SessionId;
use tokio::sync::watch;

use crate::mint;

/// The sessions that have a process now.
#[derive(Clone, Default)]
pub(crate) struct Credentials {
    known: Arc<RwLock<Known>>,
    /// Tells when some of them end.
    ended: watch::Sender<()>,
}

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
        self.register_hash(session, mint::sha256(secret.as_bytes()))
    }

    /// Makes the secret with this hash valid for a session: its process has it from an earlier daemon.
    pub(crate) fn register_hash(&self, session: SessionId, secret: [u8; 32]) -> Registration {
        self.known.write().secrets.insert(secret, session);
        Registration { credentials: self.clone(), secret, shim: None }
    }

    /// Returns the session that a secret belongs to.
    pub(crate) fn by_secret(&self, secret: &str) -> Option<SessionId> {
        self.known.read().secrets.get(&mint::sha256(secret.as_bytes())).copied()
    }

    /// Says whether the secret with this hash still counts.
    pub(crate) fn counts(&self, secret: &[u8; 32]) -> bool {
        self.known.read().secrets.contains_key(secret)
    }

    /// Returns what tells when some of them end.
    pub(crate) fn watch(&self) -> watch::Receiver<()> {
        self.ended.subscribe()
    }

    /// Returns the processes that a session's others descend from.
    pub(crate) fn shims(&self, session: SessionId) -> Vec<u32> {
        let known = self.known.read();
        known.shims.iter().filter(|(_, of)| **of == session).map(|(pid, _)| *pid).collect()
    }

    /// Says whether a session's process may be there and its shim is not known yet.
    pub(crate) fn is_boarding(&self, session: SessionId) -> bool {
        let known = self.known.read();
        known.secrets.values().any(|of| *of == session) && !known.shims.values().any(|of| *of == session)
    }

    /// Returns the session whose shim has this process id.
    pub(crate) fn by_shim(&self, pid: u32) -> Option<SessionId> {
        self.known.read().shims.get(&pid).copied()
    }
}

impl Registration {
    /// Makes the processes under a shim count as the session.
    pub(crate) fn with_shim(mut self, pid: u32) -> Self {
        let mut known = self.credentials.known.write();
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
        let mut known = self.credentials.known.write();
        known.secrets.remove(&self.secret);
        if let Some(pid) = self.shim {
            known.shims.remove(&pid);
        }
        drop(known);
        self.credentials.ended.send_replace(());
    }
}
