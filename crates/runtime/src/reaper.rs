//! Adopting orphans: a process that inherits whatever its descendants leave behind can end all of it.

use std::io;

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, set_child_subreaper, wait,
};
use tokio::signal::unix::{self, SignalKind};

use crate::process_table::children;

/// A child that ended, and how.
pub(crate) type Ended = (Pid, WaitStatus);

/// Reaps this process's children, its own and adopted. Nothing else in the process may wait for any.
pub(crate) struct Reaper {
    changes: unix::Signal,
}

impl Reaper {
    /// Makes this process the one that adopts its descendants' orphans.
    pub(crate) fn adopt() -> io::Result<Self> {
        let changes = unix::signal(SignalKind::child())?;
        set_child_subreaper(Some(getpid()))?;
        Ok(Self { changes })
    }

    /// Waits for the next child to end. `None` when there is no child. May be cancelled.
    pub(crate) async fn next(&mut self) -> Option<Ended> {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some(ended)) => return Some(ended),
                Ok(None) => {
                    self.changes.recv().await;
                }
                Err(Errno::INTR) => {}
                Err(_) => return None,
            }
        }
    }

    /// Reaps ended processes, for as long as it is awaited.
    pub(crate) async fn reap(&mut self) {
        while self.next().await.is_some() {}
        std::future::pending().await
    }

    /// Kills the children that are not spared, and all that they leave behind, until none is left.
    ///
    /// Only direct children are killed: their orphans become direct children in turn. That keeps a
    /// round short enough to catch a process that forks and exits for ever, and a child's id cannot
    /// be reused before it is reaped here.
    pub(crate) fn kill_children(&mut self, spared: &[u32], mut ended: impl FnMut(Ended)) {
        loop {
            let targets = own_children(spared);
            for target in &targets {
                kill_process(*target, Signal::KILL).ok();
            }
            // A killed child is certain to end, so waiting for one cannot take for ever.
            let options = if targets.is_empty() { WaitOptions::NOHANG } else { WaitOptions::empty() };
            match wait(options) {
                Ok(Some(child)) => ended(child),
                Ok(None) if !spared.is_empty() => return,
                Ok(None) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }
}

/// Returns the children of this process that are not spared.
fn own_children(spared: &[u32]) -> Vec<Pid> {
    children(std::process::id())
        .into_iter()
        .filter(|child| !spared.contains(child))
        .filter_map(|child| Pid::from_raw(child.cast_signed()))
        .collect()
}
