//! A client of one viewer: what a worker's terminal shows, as a stream of bytes, and what its holder types.
//!
//! tmux is the only emulator that holds state: a viewer that joins gets a full redraw, and one that is slow gets the
//! newest screen. Each has a session of its own, grouped with that of the program, so that the options of one are not
//! those of another; it ends with its client.

use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Stdio, id};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use paseo_core::terminal::Size;
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use tokio::process::Child;
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::panes::Session;
use super::server::Installed;
use crate::orphans;
use crate::terminal::pty::{self, Pty};

/// What the terminal emulator of a browser can do: tmux need not ask it.
const FEATURES: &str = "256,RGB,cstyle,ccolour,mouse,bpaste,overline,usstyle,strikethrough";

/// Numbers viewers: no two of one daemon have the same.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// What a viewer may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Look. tmux itself drops whatever comes from it.
    View,
    /// Type; with `fit`, the window also takes the size of the viewer.
    Hold { fit: bool },
}

impl Role {
    fn prefix(self) -> &'static str {
        match self {
            Self::View => "_view-",
            Self::Hold { .. } => "_take-",
        }
    }

    /// Returns the flags of its client.
    fn flags(self) -> Option<&'static str> {
        match self {
            Self::View => Some("read-only,ignore-size"),
            Self::Hold { fit: false } => Some("ignore-size"),
            Self::Hold { fit: true } => None,
        }
    }
}

/// Says whether a session is that of a viewer. No worker can have such a name.
pub(super) fn is_viewers(name: &str) -> bool {
    name.starts_with("_view-") || name.starts_with("_take-")
}

/// Says whether a session is that of a viewer who may type.
pub(super) fn is_holders(name: &str) -> bool {
    name.starts_with(Role::Hold { fit: true }.prefix())
}

/// How long a client that nobody needs any more may take to begin, and to end.
const LEAVING: Duration = Duration::from_secs(5);

/// A client of tmux on a terminal of our own. Dropping it ends it, and its session with it.
pub struct Viewer(Arc<Attached>);

struct Attached {
    terminal: Pty,
    client: Child,
    /// tmux has drawn something: the client is attached.
    drawn: AtomicBool,
}

impl fmt::Debug for Viewer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Viewer").field("client", &self.0.client.id()).finish_non_exhaustive()
    }
}

impl Viewer {
    /// Starts a client that shows the window of a program.
    pub(super) fn start(
        installed: &Installed,
        socket: &Path,
        session: &Session,
        role: Role,
        size: Size,
    ) -> io::Result<Self> {
        let terminal = pty::open(size)?;
        make_raw(&terminal.side)?;

        // The process id keeps apart what an earlier daemon may have left.
        let own = format!("{}{}-{}", role.prefix(), id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let (program, target) = (format!("={}", session.name), format!("={own}"));
        let mut command = installed.client();
        command.env("TERM", "xterm-256color");
        command.args(["-u", "-T", FEATURES, "-f", "/dev/null", "-S"]).arg(socket);
        // Without a session to be grouped with, tmux would make a new one, with a shell in it.
        command.args(["has-session", "-t", &program, ";", "new-session", "-E", "-t", &program, "-s", &own]);
        command.args(role.flags().iter().flat_map(|flags| ["-f", flags]));
        // No key and no mouse is tmux's own here: all of them belong to the program.
        for [option, value] in [
            ["status", "off"],
            ["prefix", "None"],
            ["prefix2", "None"],
            ["key-table", "none"],
            ["mouse", "off"],
            ["destroy-unattached", "on"],
        ] {
            command.args([";", "set-option", "-t", &format!("{target}:"), option, value]);
        }
        // People may have opened other windows beside it.
        if !session.screen.window.is_empty() {
            command.args([";", "select-window", "-t", &format!("{target}:{}", session.screen.window)]);
        }
        let side = || terminal.side.try_clone().map(Stdio::from);
        command.stdin(side()?).stdout(side()?).stderr(side()?).kill_on_drop(true);
        let client = orphans::spawn(&mut command)?;
        let terminal = terminal.registered()?;
        Ok(Self(Arc::new(Attached { terminal, client, drawn: AtomicBool::new(false) })))
    }

    /// Returns the next bytes for the viewer; 0 when the client has ended. May be cancelled.
    pub async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).await
    }

    /// Types bytes. When it is cancelled, some of them may have been typed.
    pub async fn write(&self, bytes: &[u8]) -> io::Result<()> {
        self.0.terminal.write(bytes).await
    }

    /// Makes its terminal another size; everything is drawn again.
    pub fn resize(&self, size: Size) -> io::Result<()> {
        self.0.terminal.resize(size)?;
        self.redraw()
    }

    /// Has everything drawn again.
    pub fn redraw(&self) -> io::Result<()> {
        // It is not the client's controlling terminal, so the kernel does not tell it.
        self.0.signal(Signal::WINCH)
    }
}

/// A tmux server that attaches a client whose terminal is gone ends, and all workers with it. So a client that has not
/// begun is let begin first, and the terminal stays until tmux has closed it.
impl Drop for Viewer {
    fn drop(&mut self) {
        let attached = self.0.clone();
        let drawn = attached.drawn.load(Ordering::Relaxed);
        if drawn {
            // It may be gone already.
            let _ = attached.signal(Signal::KILL);
        }
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(async move {
            let mut buffer = [0; 4096];
            if !drawn {
                let _ = timeout(LEAVING, attached.read(&mut buffer)).await;
                let _ = attached.signal(Signal::KILL);
            }
            let end = async { while attached.read(&mut buffer).await.is_ok_and(|count| count > 0) {} };
            let _ = timeout(LEAVING, end).await;
        });
    }
}

impl Attached {
    async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.terminal.read(buffer).await?;
        if count > 0 {
            self.drawn.store(true, Ordering::Relaxed);
        }
        Ok(count)
    }

    fn signal(&self, signal: Signal) -> io::Result<()> {
        match self.client.id().and_then(|pid| Pid::from_raw(pid.cast_signed())) {
            Some(pid) => Ok(kill_process(pid, signal)?),
            None => Ok(()),
        }
    }
}

/// Keys may be typed before tmux has prepared the terminal. Until then, the kernel would echo them to the viewer as if the
/// program had them, and read Enter, Ctrl-C and Ctrl-D as its own.
fn make_raw(side: &OwnedFd) -> io::Result<()> {
    let mut modes = tcgetattr(side)?;
    modes.make_raw();
    Ok(tcsetattr(side, OptionalActions::Now, &modes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_of_a_viewer_is_never_taken_for_a_workers() {
        for role in [Role::View, Role::Hold { fit: true }] {
            let name = format!("{}1-2", role.prefix());
            assert!(is_viewers(&name) && !super::super::is_name(&name), "{name}");
            assert_eq!(is_holders(&name), role != Role::View);
        }
        assert!(!is_viewers("red-1") && !is_viewers("_control"));
    }
}
