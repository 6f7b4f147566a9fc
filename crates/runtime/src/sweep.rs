//! Ending what a lost shim left behind: processes are found by their marks.

use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use paseo_core::id::SessionId;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, geteuid, pidfd_open, pidfd_send_signal};

use crate::process_table::{all, mark};

/// A process in an uninterruptible wait cannot be killed; boot does not wait for it longer than this.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whose processes are swept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sweep<'a> {
    /// Those of every session of the home, but for these.
    AllBut(&'a [SessionId]),
    /// Those of one session.
    Session(SessionId),
}

/// Kills the processes that carry this home's mark, until none is left, and returns how many it killed.
///
/// Processes of other users, of other homes, unmarked ones and the caller itself are left alone. Blocks
/// until the killed ones are gone.
pub fn sweep(home: &Path, which: Sweep<'_>) -> usize {
    let home = canonical(home);
    let deadline = Instant::now() + PATIENCE;
    let mut killed = 0;
    // A process that forks may slip through one look at the table; it does not slip through two.
    let mut quiet = 0;
    while quiet < 2 {
        let dying: Vec<OwnedFd> = all().filter_map(|pid| kill_if_marked(pid, &home, which)).collect();
        killed += dying.len();
        quiet = if dying.is_empty() { quiet + 1 } else { 0 };
        if !wait_until_gone(&dying, deadline) {
            tracing::warn!(home = %home.display(), "processes survived SIGKILL");
            break;
        }
    }
    killed
}

/// Returns the sessions that have a process which carries this home's mark.
pub fn marked(home: &Path) -> BTreeSet<SessionId> {
    let home = canonical(home);
    let ours = all().filter(|pid| *pid != std::process::id() && is_ours(*pid)).filter_map(mark);
    ours.filter(|mark| canonical(&mark.home) == home).map(|mark| mark.session).collect()
}

/// Kills a process if it is one to be swept, and returns a descriptor to wait for its end.
fn kill_if_marked(pid: u32, home: &Path, which: Sweep<'_>) -> Option<OwnedFd> {
    if pid == std::process::id() || !is_ours(pid) || !matches(pid, home, which) {
        return None;
    }
    let descriptor = pidfd_open(Pid::from_raw(pid.cast_signed())?, PidfdFlags::empty()).ok()?;
    // The descriptor holds on to one process: a second look proves that it is the one that was meant.
    if !matches(pid, home, which) {
        return None;
    }
    pidfd_send_signal(&descriptor, Signal::KILL).ok()?;
    Some(descriptor)
}

fn is_ours(pid: u32) -> bool {
    std::fs::metadata(format!("/proc/{pid}")).is_ok_and(|entry| entry.uid() == geteuid().as_raw())
}

fn matches(pid: u32, home: &Path, which: Sweep<'_>) -> bool {
    mark(pid).is_some_and(|mark| {
        let session = match which {
            Sweep::AllBut(spared) => !spared.contains(&mark.session),
            Sweep::Session(session) => mark.session == session,
        };
        session && canonical(&mark.home) == home
    })
}

/// Waits for all of them to end. False when the deadline came first.
fn wait_until_gone(dying: &[OwnedFd], deadline: Instant) -> bool {
    dying.iter().all(|process| {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(left).ok();
            match poll(&mut [PollFd::new(process, PollFlags::IN)], timeout.as_ref()) {
                Ok(ready) => return ready > 0,
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return true,
            }
        }
    })
}

/// Resolves links; a path that is gone stands for itself.
fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
