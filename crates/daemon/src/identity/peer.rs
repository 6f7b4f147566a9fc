//! Who is at the other end of a Unix socket: the process and its ancestors say.

use std::path::Path;

use paseo_core::actor::Actor;
use paseo_runtime::process_table::{ancestors, mark};

use super::Credentials;

/// Where a request comes from.
#[derive(Debug, Clone)]
pub(crate) enum Peer {
    /// The Unix socket; `None` when the process cannot be identified.
    Local(Option<Actor>),
    /// The TCP listener: a credential must tell.
    Network,
}

/// Identifies a process of our own user: under a session's shim, or marked as a session's, it *is* that
/// session; otherwise it is a person. `None` when the process is gone or out of sight.
pub(crate) fn identify(pid: u32, home: &Path, credentials: &Credentials) -> Option<Actor> {
    let chain = ancestors(pid).ok()?;
    for process in &chain {
        if process.pid == std::process::id() {
            // An orphan of a shim that was killed: whoever it is, it is no person.
            return None;
        }
        if let Some(session) = credentials.by_shim(process.pid) {
            return Some(Actor::Session(session));
        }
        // An orphan of a shim that was killed is still marked.
        if let Some(mark) = mark(process.pid)
            && is_same(&mark.home, home)
        {
            return Some(Actor::Session(mark.session));
        }
    }
    Some(Actor::Human("cli".to_owned()))
}

fn is_same(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
