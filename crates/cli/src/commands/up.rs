//! `paseo up`, `down` and `restart`

use std::time::{Duration, Instant};

use paseo_client::Client;
use paseo_wire::device::LoginLink;
use paseo_wire::error::Exit;
use paseo_wire::status::DaemonStatus;
use paseo_wire::words::Status;
use paseo_wire::worker::{WorkerQuery, WorkerView};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use serde::Serialize;

use super::{open, status};
use crate::args::Output;
use crate::autostart::{self, Presence};
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Mode, Printer};
use crate::process;

/// How long a daemon may take to stop its agents and itself.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often a daemon that is stopping is looked after.
const LOOK: Duration = Duration::from_millis(10);

/// What `up --json` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct UpView {
    #[serde(flatten)]
    status: DaemonStatus,
    /// The way into the web app; nothing when the daemon gives the caller none.
    login: Option<LoginLink>,
}

/// What `down --json` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct DownView {
    /// False when the daemon was not running.
    stopped: bool,
    /// How many agents were in the middle of a turn.
    interrupted: usize,
    /// Names of the workers that go on in their terminals.
    workers: Vec<String>,
    /// Names of the workers whose programs have ended, and whose terminals still show their last screens.
    ended: Vec<String>,
}

/// What stopping the daemon did.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stopped {
    NotRunning,
    Running(Left),
}

/// What was there when the daemon stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Left {
    /// Agents in the middle of a turn.
    interrupted: usize,
    /// Workers that go on without it.
    workers: Vec<String>,
    /// Workers whose terminals only show their last screens.
    ended: Vec<String>,
}

pub(crate) async fn up(context: &Context, output: Output) -> Result<Exit, Failure> {
    let printer = context.printer.with(output);
    let (presence, status) = started(context).await?;
    match printer.mode() {
        Mode::Quiet => {}
        Mode::Json => printer.json(&UpView { status, login: link(context, &printer).await })?,
        Mode::Normal => {
            printer.note(match presence {
                Presence::Running => "The daemon is already running.",
                Presence::Started(_) => "The daemon is running.",
            });
            status::show(&printer, &status)?;
            show_link(context, &printer).await?;
        }
    }
    Ok(Exit::Ok)
}

/// Shows a person the way into the web app.
async fn show_link(context: &Context, printer: &Printer) -> Result<(), Failure> {
    if Printer::is_kept() {
        // A reader of that file could log in within the next minutes.
        printer.note("For a login link, run: paseo open");
    } else if let Some(link) = link(context, printer).await {
        printer.line(&link.url)?;
        open::tell(printer, &link);
    }
    Ok(())
}

/// Asks for a link. Without one the daemon runs all the same, which is what was asked for.
async fn link(context: &Context, printer: &Printer) -> Option<LoginLink> {
    let link = context.client_as_is().create_login_link().await;
    link.inspect_err(|error| printer.detail(&format!("no link to the web app: {error}"))).ok()
}

/// Returns with a daemon that answers. One that is just stopping is waited for and followed by a new one.
async fn started(context: &Context) -> Result<(Presence, DaemonStatus), Failure> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let presence = if autostart::is_running(&context.settings) {
            Presence::Running
        } else {
            // Asking for it outweighs a standing wish not to start it by the way.
            autostart::start(&context.settings)?
        };
        match context.client_as_is().status().await {
            Ok(status) => return Ok((presence, status)),
            Err(error) if error.is_passing() && Instant::now() < deadline => tokio::time::sleep(LOOK).await,
            Err(error) => return Err(error.into()),
        }
    }
}

pub(crate) async fn down(context: &Context, output: Output) -> Result<Exit, Failure> {
    let printer = context.printer.with(output);
    let stopped = stop(context, &printer).await?;
    if printer.mode() == Mode::Json {
        let (stopped, interrupted, workers, ended) = match stopped {
            Stopped::NotRunning => (false, 0, Vec::new(), Vec::new()),
            Stopped::Running(Left { interrupted, workers, ended }) => (true, interrupted, workers, ended),
        };
        let view = DownView { stopped, interrupted, workers, ended };
        printer.json(&view)?;
    } else {
        tell(&printer, &stopped);
    }
    Ok(Exit::Ok)
}

pub(crate) async fn restart(context: &Context, output: Output) -> Result<Exit, Failure> {
    if context.settings.inside.is_some() {
        return Err(Failure::new(Exit::Refused, "agents can't restart the daemon")
            .hint("run `paseo restart` outside the agent"));
    }
    // Without one to stop, it would only start one.
    if !context.settings.start && !autostart::is_running(&context.settings) {
        return Err(autostart::not_running().hint("run `paseo up`, or drop --no-start and PASEO_NO_START"));
    }
    let printer = context.printer.with(output);
    let stopped = stop(context, &printer).await?;
    if printer.mode() == Mode::Normal {
        tell(&printer, &stopped);
    }
    up(context, output).await
}

fn tell(printer: &Printer, stopped: &Stopped) {
    let Stopped::Running(Left { workers, ended, .. }) = stopped else {
        return printer.note("The daemon was not running.");
    };
    printer.note("Stopped the daemon.");
    if !workers.is_empty() {
        let names = workers.join(", ");
        printer.note(&format!(
            "Workers still running in their terminals: {names}. `paseo up` reconnects to them."
        ));
    }
    if !ended.is_empty() {
        let names = ended.join(", ");
        printer.note(&format!(
            "Finished workers keep their last screen in tmux; remove them with `paseo worker kill`: {names}"
        ));
    }
}

/// Says in advance what will happen to agents in the middle of a turn.
fn warn(printer: &Printer, working: usize, waiting: usize) {
    match working {
        0 => {}
        1 => {
            printer.note("1 agent is working and will be interrupted. To continue it later, run `paseo send`")
        }
        many => printer.note(&format!(
            "{many} agents are working and will be interrupted. To continue one later, run `paseo send`"
        )),
    }
    match waiting {
        0 => {}
        1 => printer.note("1 agent is waiting for your answer; its request will be withdrawn. To continue the agent later, run `paseo send`"),
        many => printer.note(&format!(
            "{many} agents are waiting for your answer; their requests will be withdrawn. To continue an agent later, run `paseo send`"
        )),
    }
}

/// Stops the daemon and waits until its process is gone.
async fn stop(context: &Context, printer: &Printer) -> Result<Stopped, Failure> {
    if !autostart::is_running(&context.settings) {
        return Ok(Stopped::NotRunning);
    }
    let client: &Client = context.client_as_is();
    let status = client.status().await?;
    let pid = status.pid;
    // An agent is refused in a moment, and should not be told of workers besides.
    let workers = match context.settings.inside {
        Some(_) => Vec::new(),
        None => client.workers(&WorkerQuery::default()).await.map(|list| list.workers).unwrap_or_default(),
    };
    let (alive, ended): (Vec<_>, Vec<_>) =
        workers.into_iter().partition(|worker| worker.alive || (worker.unknown && worker.exit.is_none()));
    // Without a code and a signal the terminal is gone, too.
    let shown = |worker: &WorkerView| {
        worker.exit.as_ref().is_some_and(|exit| exit.code.is_some() || exit.signal.is_some())
    };
    let ended = ended.into_iter().filter(shown).map(|worker| worker.name).collect();
    // Workers go on, whatever they are at.
    let interrupted = |at: &[Status]| {
        let all: usize = at.iter().filter_map(|at| status.sessions.get(at)).sum();
        all.saturating_sub(alive.iter().filter(|worker| at.contains(&worker.status)).count())
    };
    let (working, waiting) =
        (interrupted(&[Status::Starting, Status::Running]), interrupted(&[Status::Waiting]));
    if printer.mode() == Mode::Normal && context.settings.inside.is_none() {
        warn(printer, working, waiting);
    }
    let workers = alive.into_iter().map(|worker| worker.name).collect();
    let stopped = Stopped::Running(Left { interrupted: working + waiting, workers, ended });
    let process = i32::try_from(pid)
        .ok()
        .and_then(Pid::from_raw)
        .ok_or_else(|| Failure::new(Exit::Unreachable, format!("invalid process id of the daemon: {pid}")))?;
    // Opened while it lives: a later process with the same number is not mistaken for it.
    let process = pidfd_open(process, PidfdFlags::empty());
    client.shutdown().await?;
    let Ok(process) = process else { return Ok(stopped) };
    match process::ended(&process, PATIENCE) {
        Ok(true) => Ok(stopped),
        Ok(false) => Err(Failure::new(Exit::Timeout, format!("the daemon is still stopping (pid {pid})"))
            .hint("see `paseo daemon logs`")),
        Err(error) => Err(Failure::new(Exit::AgentError, format!("cannot wait for the daemon: {error}"))),
    }
}
