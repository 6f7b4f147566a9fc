//! The terminals of workers: sessions of a tmux server of our own, which outlives the daemon.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use paseo_core::id::SessionId;
use paseo_core::terminal::Size;
use paseo_runtime::sweep::{Sweep, sweep};
use paseo_runtime::terminal::tmux::{self, Capture, Lines, Role, Screen, State, Tmux, Viewer};
use paseo_runtime::terminal::{self, ending};
use paseo_wire::error::Code;
use tokio::sync::Notify;
use tokio::time::timeout;

use super::viewing::Viewing;
use crate::failure::Failure;

/// How long a server without workers may take to end.
const PARTING: Duration = Duration::from_secs(2);

/// All of them.
pub(crate) struct Terminals {
    socket: PathBuf,
    home: PathBuf,
    tmux: Arc<Tmux>,
    /// How many workers there may be at once.
    pub(crate) limit: usize,
    /// Held while one is made, so that two who ask at once get two names.
    pub(crate) making: tokio::sync::Mutex<()>,
    /// There may be terminals of workers that were ended.
    left: Notify,
    /// Who watches them in browsers.
    pub(crate) viewing: Arc<Viewing>,
}

/// A terminal, and the status of the program in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pane(tmux::Session);

impl Pane {
    pub(crate) fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns how many people look at it.
    pub(crate) fn attached(&self) -> usize {
        self.0.attached as usize
    }

    /// Returns exit code and signal; `None` while it runs.
    pub(crate) fn exit(&self) -> Option<(Option<i32>, Option<i32>)> {
        match self.0.state {
            State::Alive { .. } => None,
            State::Dead { code, signal, .. } => Some((code, signal)),
        }
    }

    /// Returns the session that it was made for; `None` when nobody knows.
    pub(crate) fn owner(&self) -> Option<SessionId> {
        self.0.owner()
    }

    /// Returns its window, as viewers have to know it.
    pub(crate) fn screen(&self) -> &Screen {
        &self.0.screen
    }

    /// Says whether a person who is attached scrolls in it.
    pub(crate) fn is_scrolled(&self) -> bool {
        self.0.is_scrolled()
    }

    /// Says whether it is the terminal of a session, and not of another by the same name.
    pub(crate) fn is_of(&self, session: SessionId) -> bool {
        self.0.is_of(session)
    }
}

impl Terminals {
    /// The terminals of a home. Nothing is started yet.
    pub(crate) fn new(home: &Path, limit: usize) -> Self {
        let socket = terminal::socket(home);
        Self {
            home: home.to_owned(),
            tmux: Tmux::at(&socket),
            socket,
            limit,
            making: tokio::sync::Mutex::default(),
            left: Notify::new(),
            viewing: Arc::default(),
        }
    }

    /// Returns the process id of the server, once it was spoken to.
    pub(crate) fn server(&self) -> Option<u32> {
        self.tmux.server()
    }

    /// Says whether there is a server that was asked something and does not answer.
    pub(crate) fn is_silent(&self) -> bool {
        self.tmux.is_silent()
    }

    /// Has it looked whether a terminal was left behind.
    pub(crate) fn look_after(&self) {
        self.left.notify_one();
    }

    /// Waits until somebody thinks that a terminal was left behind.
    pub(crate) async fn left_behind(&self) {
        self.left.notified().await;
    }

    /// Returns the socket of the server.
    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }

    /// Refuses when there is no tmux that will do.
    pub(crate) async fn check(&self) -> Result<(), Failure> {
        self.tmux.check().await.map_err(failed)
    }

    /// Refuses when nothing can ever be typed in, and learns whether the server answers, for [`Self::is_silent`].
    pub(crate) async fn look(&self) -> Result<(), Failure> {
        self.check().await?;
        // Whatever else is wrong is told by whoever types.
        drop(self.tmux.sessions().await);
        Ok(())
    }

    /// Returns all terminals; none when there is no server.
    pub(crate) async fn all(&self) -> Result<Vec<Pane>, Failure> {
        Ok(self.tmux.sessions().await.map_err(failed)?.into_iter().map(Pane).collect())
    }

    /// Returns the terminal of a session, if it is there.
    pub(crate) async fn pane(&self, name: &str, session: SessionId) -> Result<Option<Pane>, Failure> {
        Ok(self.tmux.find(name).await.map_err(failed)?.map(Pane).filter(|pane| pane.is_of(session)))
    }

    /// Says whether another session has a terminal of this name.
    pub(crate) async fn is_anothers(&self, name: &str, session: SessionId) -> Result<bool, Failure> {
        Ok(self.tmux.find(name).await.map_err(failed)?.is_some_and(|found| !found.is_of(session)))
    }

    /// Returns what the terminal of a session shows, from the newest lines back.
    pub(crate) async fn capture(
        &self,
        name: &str,
        session: SessionId,
        lines: usize,
    ) -> Result<Capture, Failure> {
        if self.is_anothers(name, session).await? {
            return Err(Failure::new(
                Code::SessionNotFound,
                format!("the terminal of {name} no longer exists"),
            ));
        }
        self.tmux.capture(name, lines).await.map_err(failed)
    }

    /// Attaches a viewer to a terminal.
    pub(crate) async fn view(&self, pane: &Pane, role: Role, size: Size) -> Result<Viewer, Failure> {
        self.tmux.view(&pane.0, role, size).await.map_err(failed)
    }

    /// Leaves the modes in which keys are tmux's own, and remembers the size if it is going to change.
    pub(crate) async fn prepare(&self, pane: &Pane, fit: bool) -> Result<(), Failure> {
        self.tmux.leave_modes(pane.name()).await.map_err(failed)?;
        match fit {
            true => self.tmux.remember_size(&pane.0).await.map_err(failed),
            false => Ok(()),
        }
    }

    /// Gives a terminal the size back that it had before a person changed it.
    pub(crate) async fn restore(&self, pane: &Pane) -> Result<(), Failure> {
        self.tmux.restore_size(&pane.0).await.map_err(failed)
    }

    /// Pastes a text into a terminal.
    pub(crate) async fn paste(&self, name: &str, text: &str) -> Result<(), Failure> {
        self.tmux.paste(name, text).await.map_err(failed)
    }

    /// Returns lines of a terminal; see [`Tmux::lines`].
    pub(crate) async fn lines(&self, pane: &Pane, before: Option<u64>, count: u64) -> Result<Lines, Failure> {
        self.tmux.lines(&pane.0, before, count).await.map_err(failed)
    }

    /// Returns the program and the arguments by which a person gets to a terminal.
    pub(crate) fn attach(&self, name: &str, pane: Option<&Pane>) -> Vec<String> {
        let words = self.tmux.attach_words(name, pane.map(|pane| &pane.0)).into_iter();
        words.map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// Takes the terminal of a session away, with whatever is left in it.
    pub(crate) async fn remove(&self, name: &str, session: SessionId) -> Result<(), Failure> {
        match ending::kill(&self.tmux, name, self.home.clone(), session).await {
            Ok(()) | Err(tmux::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed(error)),
        }
    }

    /// Leaves the server to its workers, or ends it when there are none.
    pub(crate) async fn retire(&self) {
        match timeout(PARTING, self.tmux.retire()).await {
            Ok(Ok(()) | Err(tmux::Error::NotInstalled)) => {}
            Ok(Err(error)) => tracing::warn!(%error, "cannot stop the tmux server"),
            Err(_) => tracing::warn!("the tmux server does not respond and keeps running"),
        }
    }

    /// Ends what a session whose terminal is gone has left. Returns when it has ended.
    pub(crate) async fn sweep(&self, session: SessionId) {
        let home = self.home.clone();
        // It fails only together with the runtime.
        tokio::task::spawn_blocking(move || sweep(&home, Sweep::Session(session))).await.ok();
    }
}

/// Puts what is wrong with tmux into the words of the API.
fn failed(error: tmux::Error) -> Failure {
    let code = match &error {
        tmux::Error::NotInstalled | tmux::Error::TooOld { .. } => Code::TmuxNotInstalled,
        tmux::Error::NotFound { .. } => Code::SessionNotFound,
        tmux::Error::Taken(_) => Code::Conflict,
        tmux::Error::BadName(_) | tmux::Error::BadKey(_) | tmux::Error::SocketPath(_) => Code::InvalidRequest,
        tmux::Error::Refused { .. }
        | tmux::Error::Silent { .. }
        | tmux::Error::NoServer(_)
        | tmux::Error::Unreachable { .. }
        | tmux::Error::Broken(_) => Code::TmuxFailed,
    };
    let failure = Failure::new(code, error.to_string());
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
