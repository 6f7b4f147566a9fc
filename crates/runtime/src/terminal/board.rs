//! Getting a harness into its terminal: started there, or found again.

use std::env;
use std::path::{Path, PathBuf};

use tokio::sync::{mpsc, oneshot};

use super::bookmark::{Bookmark, Place};
use super::driver::{Desk, Driver, Work};
use super::ending::{hold, kill};
use super::record::Record;
use super::resident::{Boarding, Resident};
use super::tmux::{self, Session, State, Tmux};
use crate::fresh::Ids;
use crate::process::Program;
use crate::process_table::{self, HOME_VARIABLE, mark};
use crate::provider::{Control, Harness, Launch, StartError, Terminal, Underway};

/// How many inputs or outputs may wait.
const QUEUE: usize = 64;

/// How a terminal was come to.
enum Arrival {
    Started,
    Found,
}

/// Starts a harness in its terminal, where none lives. After one that has ended it is the same terminal.
pub(crate) async fn start(
    launch: Launch,
    boarding: Boarding,
    resident: Box<dyn Resident>,
) -> Result<Harness, StartError> {
    let terminal = terminal(&launch)?;
    let tmux = Tmux::at(&terminal.socket);
    // What is in the file of a conversation that is continued was told before.
    let old_file = resident.session_file().and_then(|path| Some(std::fs::metadata(path).ok()?.len()));
    let program = program(&launch, boarding);
    let session = match tmux.find(&terminal.name).await.map_err(not_started)? {
        Some(found) if !is_own(&found, &launch) => return Err(taken(&terminal)),
        Some(Session { state: State::Dead { .. }, .. }) => tmux.restart(&terminal.name, &program).await,
        late => {
            if late.is_some() {
                // It came too late for the daemon that started it, with a token that is no longer valid.
                kill(&tmux, &terminal.name, home(&launch), launch.session).await.map_err(not_started)?;
            }
            tmux.start(&terminal.name, &program).await
        }
    };
    let session = session.map_err(not_started)?;
    let bookmark = Bookmark { place: Place::idle(old_file.unwrap_or(0)), ..Bookmark::default() };
    drive(launch, resident, session, Arrival::Started, bookmark).await
}

/// Goes to a harness that was found in its terminal. When it has ended meanwhile, that is told.
pub(crate) async fn attach(launch: Launch, resident: Box<dyn Resident>) -> Result<Harness, StartError> {
    let terminal = terminal(&launch)?;
    let tmux = Tmux::at(&terminal.socket);
    let session = tmux.get(&terminal.name).await.map_err(not_started)?;
    if !is_own(&session, &launch) {
        return Err(taken(&terminal));
    }
    let kept = tmux.marked(&terminal.name).await.map_err(not_started)?;
    let bookmark = kept.and_then(|text| Bookmark::parse(&text)).unwrap_or_default();
    drive(launch, resident, session, Arrival::Found, bookmark).await
}

/// Returns a launch as it was when the harness that was found was started: what its environment says counts, whatever
/// ours and what people set says by now. Without one that lives, both count as they are.
pub(crate) async fn as_started(mut launch: Launch, isolated_home: Option<&Path>) -> (Launch, Option<&Path>) {
    let Ok(terminal) = terminal(&launch) else { return (launch, isolated_home) };
    let found = Tmux::at(&terminal.socket).find(&terminal.name).await;
    let Ok(Some(Session { state: State::Alive { pid }, .. })) = found else { return (launch, isolated_home) };
    let Some(environment) = process_table::environment(pid) else { return (launch, isolated_home) };
    launch.environment.extend(environment);
    launch.removed = env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect();
    (launch, None)
}

/// Watches and types for a harness from now on.
async fn drive(
    launch: Launch,
    resident: Box<dyn Resident>,
    session: Session,
    arrival: Arrival,
    bookmark: Bookmark,
) -> Result<Harness, StartError> {
    let terminal = terminal(&launch)?;
    let (input, inputs) = mpsc::channel(QUEUE);
    let (outputs, output) = mpsc::channel(QUEUE);
    let (stop, word) = oneshot::channel();
    let shim = match session.state {
        State::Alive { pid } => Some(pid),
        State::Dead { .. } => None,
    };
    let desk = Desk {
        tmux: Tmux::at(&terminal.socket),
        name: terminal.name,
        pane: session.pane,
        home: home(&launch),
        session: launch.session,
        process: shim.and_then(hold),
    };
    let ids = Ids::fresh().map_err(|error| StartError { message: error.to_string(), hint: None })?;
    let underway = terminal.underway;
    let mut driver = Driver {
        resident,
        desk,
        inputs,
        outputs,
        ids,
        record: Record::default(),
        silent_until: bookmark.place.position,
        place: bookmark.place,
        known: terminal.known,
        reference: launch.resume,
        turn: underway.filter(|underway| underway.handed).map(|underway| underway.turn),
        begun: None,
        work: Work::expecting(bookmark.expected),
    };
    if let Arrival::Started = arrival {
        driver.work.fresh = true;
        driver.mark(driver.place).await;
    }
    driver.work.expected.call_off_others(underway.map(|underway| underway.turn));
    if let Some(Underway { turn, handed: false }) = underway
        && driver.place.begun == Some(turn)
    {
        driver.take_up(turn).await;
    }
    tokio::spawn(driver.run(word));
    Ok(Harness { input, output, shim, control: Control::of_terminal(stop) })
}

fn terminal(launch: &Launch) -> Result<Terminal, StartError> {
    let none = || StartError { message: "the agent has no terminal".to_owned(), hint: None };
    launch.terminal.clone().ok_or_else(none)
}

/// Returns the home of the daemon.
fn home(launch: &Launch) -> PathBuf {
    let home = launch.environment.iter().rfind(|(name, _)| name == HOME_VARIABLE);
    home.map(|(_, home)| PathBuf::from(home)).unwrap_or_default()
}

/// Says whether a terminal, and whatever lives there, is that of a launch.
fn is_own(found: &Session, launch: &Launch) -> bool {
    match found.state {
        State::Alive { pid } => mark(pid).is_some_and(|mark| mark.session == launch.session),
        State::Dead { .. } => found.is_of(launch.session),
    }
}

fn program(launch: &Launch, boarding: Boarding) -> Program {
    Program {
        shim: launch.executable.clone(),
        program: boarding.program.into_os_string(),
        arguments: boarding.arguments,
        directory: launch.directory.clone(),
        session: launch.session,
        environment: launch.environment.iter().cloned().chain(boarding.environment).collect(),
        removed: launch.removed.iter().cloned().chain(boarding.removed).collect(),
    }
}

fn taken(terminal: &Terminal) -> StartError {
    not_started(tmux::Error::Taken(terminal.name.clone()))
}

fn not_started(error: tmux::Error) -> StartError {
    StartError { message: format!("cannot use the terminal: {error}"), hint: error.hint() }
}
