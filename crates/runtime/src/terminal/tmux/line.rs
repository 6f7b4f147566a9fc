//! The one line to the server: commands go over it one after the other, and no caller waits for long.
//!
//! A server that hangs is left alone. What was said to it is not said again, and its answer is waited for; until it
//! comes, other callers are told at once that there is no answer. So there is never more than one
//! client of ours in the middle of its beginnings: a tmux that goes on and finds several of them may crash.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex, OnceCell};
use tokio::time::{Instant, timeout};

use super::connection::{Answer, Connection};
use super::error::Error;
use super::server::{self, Installed};
use crate::process;

/// How long a command may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// The longest path that a socket can have.
const PATH_LIMIT: usize = 107;

/// The session that our own connection is attached to. No worker can have this name.
pub(super) const CONTROL: &str = "_control";

/// What a command may do, and what its caller has to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// As once, and it may start the server.
    Start,
    Use,
    /// It must neither be done twice nor by nobody's wish: once it was said, it is waited until it is known what came of
    /// it.
    Once,
}

/// The line to the server behind a socket.
#[derive(Debug)]
pub(super) struct Line {
    socket: PathBuf,
    installed: OnceCell<Installed>,
    connection: Mutex<Option<Connection>>,
    /// Since when it has been waited for an answer.
    asked: std::sync::Mutex<Option<Instant>>,
    /// The process id of the server, as far as it is known.
    server: AtomicU32,
}

impl Line {
    pub(super) fn new(socket: &Path) -> Self {
        Self {
            socket: socket.to_owned(),
            installed: OnceCell::new(),
            connection: Mutex::new(None),
            asked: std::sync::Mutex::new(None),
            server: AtomicU32::new(0),
        }
    }

    pub(super) fn socket(&self) -> &Path {
        &self.socket
    }

    /// Returns the process id of the server, as far as it is known.
    pub(super) fn server(&self) -> Option<u32> {
        Some(self.server.load(Ordering::Relaxed)).filter(|pid| *pid != 0)
    }

    /// Returns the program, once it was found.
    pub(super) fn known_program(&self) -> Option<&PathBuf> {
        self.installed.get().map(|installed| &installed.tmux)
    }

    /// Finds the program, and checks that it is new enough.
    pub(super) async fn installed(&self) -> Result<&Installed, Error> {
        self.installed.get_or_try_init(server::find).await
    }

    /// Says whether the server was asked something and does not answer.
    pub(super) fn is_silent(&self) -> bool {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.is_some_and(|since| since.elapsed() >= PATIENCE)
    }

    /// Runs commands, in one go: whoever comes next finds all of them done. What the first said is the answer. One that fails with [`Error::Silent`] and that was to be done once was not done, nor will be.
    pub(super) async fn run(
        self: &Arc<Self>,
        commands: Vec<Vec<Vec<u8>>>,
        mode: Mode,
    ) -> Result<Vec<String>, Error> {
        let command = name(&commands);
        if self.is_silent() {
            return Err(self.silent(command));
        }
        let order = Order::default();
        let (line, said) = (Arc::clone(self), Arc::clone(&order.0));
        // As a task of its own: a caller that gives up in the middle would leave half an answer on the line.
        let mut saying = tokio::spawn(async move {
            let mut slot = line.connection.lock().await;
            if said.swap(true, Ordering::SeqCst) {
                return None;
            }
            let _asked = Asked::of(&line);
            Some(line.say(&mut slot, &commands, mode).await)
        });
        let answer = match timeout(PATIENCE, &mut saying).await {
            Ok(answer) => answer,
            Err(_) if mode != Mode::Use && !order.withdraw() => saying.await,
            Err(_) => return Err(self.silent(command)),
        };
        // It fails only together with the runtime.
        let Ok(Some(answer)) = answer else { return Err(self.silent(command)) };
        answer?.map_err(|stderr| Error::Refused { command, stderr })
    }

    async fn say(
        &self,
        slot: &mut Option<Connection>,
        commands: &[Vec<Vec<u8>>],
        mode: Mode,
    ) -> Result<Answer, Error> {
        // It goes back only whole: one that was left in the middle of an answer is of no use.
        let (mut connection, used) = match slot.take().and_then(Connection::if_alive) {
            Some(connection) => (connection, true),
            None => (self.connect(mode).await?, false),
        };
        let answer = match connection.run(commands).await {
            // It broke since it was used last. Nothing is done twice: who has ended has done nothing that lasts.
            Err(error) if used => {
                if !is_question(&name(commands)) && server::listens(&self.socket).await?.is_some() {
                    return Err(error.into());
                }
                connection = self.connect(mode).await?;
                connection.run(commands).await?
            }
            answer => answer?,
        };
        *slot = Some(connection);
        Ok(answer)
    }

    async fn connect(&self, mode: Mode) -> Result<Connection, Error> {
        let installed = self.installed().await?;
        if self.socket.as_os_str().len() > PATH_LIMIT {
            return Err(Error::SocketPath(self.socket.clone()));
        }
        let known = |server: Option<u32>| self.server.store(server.unwrap_or(0), Ordering::Relaxed);
        let found = server::listens(&self.socket).await?;
        known(found);
        match (found, mode) {
            (Some(_), _) => server::answers(installed, &self.socket).await?,
            (None, Mode::Start) => known(server::start(&installed.tmux, &self.socket).await?),
            (None, Mode::Use | Mode::Once) => return Err(Error::NoServer("the server has ended".to_owned())),
        }
        let mut connection = Connection::new(server::connect(installed, &self.socket, CONTROL)?)?;
        connection.settle().await?;
        // Those of daemons that were killed in the middle of an answer may never go by themselves.
        let control = format!("={CONTROL}");
        let all = connection.run(&[words(&["list-clients", "-t", &control, "-F", "#{client_pid}"])]).await?;
        let others = all.iter().flatten().filter_map(|pid| pid.parse().ok());
        for pid in others.filter(|pid| connection.pid() != Some(*pid)) {
            process::kill(pid);
        }
        Ok(connection)
    }

    fn silent(&self, command: String) -> Error {
        let server = self.server();
        Error::silent(command, PATIENCE, server)
    }
}

/// A command that is dropped once its caller has gone.
#[derive(Default)]
struct Order(Arc<AtomicBool>);

impl Order {
    /// Takes it back. False when it was said already.
    fn withdraw(&self) -> bool {
        !self.0.swap(true, Ordering::SeqCst)
    }
}

impl Drop for Order {
    fn drop(&mut self) {
        self.withdraw();
    }
}

/// Notes for how long the server has been asked something.
struct Asked<'a>(&'a Line);

impl<'a> Asked<'a> {
    fn of(line: &'a Line) -> Self {
        *line.asked.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        Self(line)
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        *self.0.asked.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Makes a command of words.
pub(super) fn words(words: &[impl AsRef<[u8]>]) -> Vec<Vec<u8>> {
    words.iter().map(|word| word.as_ref().to_vec()).collect()
}

fn name(commands: &[Vec<Vec<u8>>]) -> String {
    commands
        .first()
        .and_then(|words| words.first())
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .unwrap_or_default()
}

/// Says whether a command changes nothing.
fn is_question(command: &str) -> bool {
    matches!(command, "list-panes" | "capture-pane" | "show-options")
}
