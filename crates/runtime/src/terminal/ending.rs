//! Ending a worker with everything that it started.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::Duration;

use paseo_core::id::SessionId;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::tmux::{Error, State, Tmux};
use crate::sweep::{Sweep, sweep};

/// How long the shim in a pane may take to end what is under it: a little longer than it gives them.
const GRACE: Duration = Duration::from_secs(4);

/// Ends the session of a worker and every process under it, and whatever else carries its mark. Returns when they are
/// gone. When tmux fails, the terminal may stay; the processes do not.
pub async fn kill(tmux: &Tmux, name: &str, home: PathBuf, session: SessionId) -> Result<(), Error> {
    let closed = close(tmux, name, session).await;
    spawn_blocking(move || sweep(&home, Sweep::Session(session))).await.ok();
    closed
}

/// Takes the terminal away, and waits for the shim in it to do its duty.
async fn close(tmux: &Tmux, name: &str, session: SessionId) -> Result<(), Error> {
    let found = tmux.get(name).await?;
    // Another that has the name now is left alone.
    if !found.is_of(session) {
        return Ok(());
    }
    let shim = match found.state {
        State::Alive { pid } => hold(pid),
        State::Dead { .. } => None,
    };
    tmux.close(name).await?;
    if let Some(shim) = shim
        && timeout(GRACE, gone(&shim)).await.is_err()
    {
        // One that does not do its duty leaves what the sweep finds.
        pidfd_send_signal(shim.get_ref(), Signal::KILL).ok();
    }
    Ok(())
}

/// Holds on to a process. `None` when it is gone.
#[expect(
    deprecated,
    reason = "what took its place is unsafe, and a descriptor that is owned is all that it asks for"
)]
pub(super) fn hold(pid: u32) -> Option<AsyncFd<OwnedFd>> {
    let process = pidfd_open(Pid::from_raw(pid.cast_signed())?, PidfdFlags::empty()).ok()?;
    AsyncFd::with_interest(process, Interest::READABLE).ok()
}

/// Waits until a process is gone. May be cancelled.
pub(super) async fn gone(process: &AsyncFd<OwnedFd>) {
    // It fails only together with the runtime.
    drop(process.readable().await);
}
