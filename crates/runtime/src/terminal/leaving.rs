//! How a terminal is left: running for the next driver, ended, or with what is to be told of how its program ended.

use std::os::fd::OwnedFd;
use std::time::Duration;

use tokio::io::unix::AsyncFd;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, timeout};

use super::driver::{BUSY, CALM, Desk, Driver, LAST_LINES};
use super::ending::{gone, kill};
use super::said::CLAIM;
use super::tmux::Error;
use crate::provider::{Exit, Input, Output};
use crate::sweep::{Sweep, sweep};

/// How long tmux may take to note that a process has ended.
const NOTICE: Duration = Duration::from_secs(2);

/// Why it goes on no more.
pub(super) enum Stop {
    Killed,
    Left,
    Ended,
}

impl Stop {
    /// A driver that ends without an order leaves it running.
    pub(super) fn by<E>(word: Result<(), E>) -> Self {
        if word.is_ok() { Self::Killed } else { Self::Left }
    }
}

impl Driver {
    /// Does what has to be done at the end, and tells how it was.
    pub(super) async fn leave(mut self, mut stop: Stop, mut word: oneshot::Receiver<()>) {
        if let Stop::Ended = stop {
            // A turn that an earlier driver typed is on its way to us: taken in, it counts as typed, and comes again only as
            // a possible repeat.
            if self.awaits_input()
                && let Ok(Some(input)) = timeout(CLAIM, self.inputs.recv()).await
            {
                self.take(input).await;
            }
            // Messages wait for the next driver.
            self.inputs.close();
        }
        // How it ended is known when tmux says so.
        while let Stop::Ended = stop {
            tokio::select! {
                biased;
                word = &mut word => stop = Stop::by(word),
                answered = self.desk.is_answered() => if answered { break },
            }
        }
        let exit = match stop {
            Stop::Left => return,
            Stop::Killed => self.killed().await,
            Stop::Ended => self.ended().await,
        };
        self.hand_back().await;
        self.tell(Output::Exited(exit)).await;
    }

    /// Says whether an earlier driver typed a turn that this one does not know of yet.
    fn awaits_input(&self) -> bool {
        self.work.typing.is_none() && self.work.expected.turn().is_some_and(|turn| self.begun != Some(turn))
    }

    /// Gives back the turn that was not typed in yet. Who never listened would not listen the next time either.
    async fn hand_back(&mut self) {
        if self.work.fresh {
            return;
        }
        while let Ok(input) = self.inputs.try_recv() {
            if let Input::Turn { turn, .. } = input {
                return self.tell(Output::Untold { turn }).await;
            }
        }
        if let Some(turn) = self.untyped() {
            self.tell(Output::Untold { turn }).await;
        }
    }

    async fn killed(&mut self) -> Exit {
        let Desk { tmux, name, home, session, .. } = &self.desk;
        self.desk.note(kill(tmux, name, home.clone(), *session).await);
        self.follow().await;
        Exit { code: None, signal: None, shim_killed: false, stderr: String::new() }
    }

    /// Tells how it ended. Its terminal stays for people to look at.
    async fn ended(&mut self) -> Exit {
        self.work.last_look = true;
        self.follow().await;
        let deadline = Instant::now() + NOTICE;
        let Desk { tmux, name, home, session, .. } = &self.desk;
        let mut exit = Exit { code: None, signal: None, shim_killed: true, stderr: String::new() };
        while let Ok(Some(found)) = tmux.find(name).await {
            // The end of its terminal is seen before how it ended is known.
            if let Some(known) = found.exit() {
                exit = known;
            }
            if exit.code.is_some() || exit.signal.is_some() || Instant::now() > deadline {
                break;
            }
            sleep(BUSY).await;
        }
        if let Ok(capture) = tmux.capture(name, LAST_LINES).await {
            exit.stderr = capture.text;
        }
        let (home, session) = (home.clone(), *session);
        spawn_blocking(move || sweep(&home, Sweep::Session(session))).await.ok();
        exit
    }
}

impl Desk {
    /// Says whether tmux answers; when it does not, a little later.
    async fn is_answered(&self) -> bool {
        let answered = !matches!(self.tmux.find(&self.name).await, Err(Error::Silent { .. }));
        if !answered {
            sleep(CALM).await;
        }
        answered
    }
}

/// Waits until a process has ended.
pub(super) async fn ended(process: Option<&AsyncFd<OwnedFd>>) {
    if let Some(process) = process {
        gone(process).await;
    }
}
