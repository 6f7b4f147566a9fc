//! Who is at the other end of a Unix socket: the process and its ancestors say.

use std::path::Path;

use paseo_core::actor::Actor;
use paseo_core::ancestry::{self, Caller, Claim, Link, Post, Refusal};
use paseo_core::id::SessionId;
use paseo_runtime::process_table::{Process, ancestors, claim, comes_from, is_gone};
use paseo_runtime::{orphans, terminal};

use super::security;
use crate::sessions::Context;

/// Where a request comes from.
#[derive(Debug, Clone)]
pub(crate) enum Peer {
    /// The Unix socket: the caller's process tells who it is.
    Local(Result<Actor, Refusal>),
    /// The TCP listener: a credential must tell.
    Network,
}

/// Identifies a process of our own user. See [`ancestry`] for the rule.
pub(crate) fn identify(pid: u32, context: &Context) -> Result<Actor, Refusal> {
    let chain = ancestors(pid).map_err(|_| Refusal::Gone)?;
    let links: Vec<Link> = (0..chain.len()).map(|height| link(&chain, height, context)).collect();
    let identified = ancestry::identify(&links, &Records(context));
    // Our own tmux server starts programs for agents as well as for people, and lets go of them.
    let of_server = |process: &Process| comes_from(*process, &terminal::socket(&context.home));
    match identified {
        Ok(Caller::Session(session)) => Ok(Actor::Session(session)),
        Ok(Caller::Human) if chain.iter().any(of_server) => {
            security::refused(pid, Refusal::Window);
            Err(Refusal::Window)
        }
        Ok(Caller::Human) => Ok(Actor::Human("cli".to_owned())),
        // A command that does not wait for its answer hides nothing.
        Err(Refusal::Unreadable) if chain.first().is_none_or(|caller| is_gone(*caller)) => Err(Refusal::Gone),
        Err(refusal) => {
            security::refused(pid, refusal);
            Err(refusal)
        }
    }
}

/// Describes one process of a chain.
fn link(chain: &[Process], height: usize, context: &Context) -> Link {
    let process = chain[height];
    let claim = claim(process, |home| is_same(home, &context.home));
    let is_daemon = |process: &Process| process.pid == std::process::id();
    let post = if is_daemon(&process) {
        Post::Daemon
    } else if let Some(session) = context.credentials.by_shim(process.pid) {
        Post::Shim(session)
    } else if context.shells.is_shim(process.pid) {
        Post::Person
    } else if Some(process.pid) == context.terminals.server() {
        Post::Terminals
    } else {
        match claim {
            // A shim that is not registered yet, or not any more. Its mark is ours: we started it.
            Claim::Session(session)
                if chain.get(height + 1).is_some_and(is_daemon) && orphans::is_own(process) =>
            {
                Post::Shim(session)
            }
            _ => Post::None,
        }
    };
    Link { post, claim }
}

/// What the daemon knows about sessions.
struct Records<'a>(&'a Context);

impl ancestry::Sessions for Records<'_> {
    fn is_open(&self, session: SessionId) -> bool {
        self.0.directory.get(session).is_some()
    }

    fn is_boarding(&self, session: SessionId) -> bool {
        self.0.credentials.is_boarding(session)
    }
}

fn is_same(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
