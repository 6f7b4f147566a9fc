//! `paseo up`, `down` and `restart`

use std::time::{Duration, Instant};

use paseo_client::Client;
use paseo_wire::device::LoginLink;
use paseo_wire::error::Exit;
use paseo_wire::status::DaemonStatus;
use paseo_wire::worker::WorkerQuery;
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
}

/// What stopping the daemon did.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stopped {
    NotRunning,
    /// With this many agents in the middle of a turn; these workers go on without it.
    Running(usize, Vec<String>),
}

pub(crate) async fn up(context: &Context, output: Output) -> Result<Exit, Failure> {
    let printer = context.printer.with(output);
    let (presence, status) = started(context).await?;
    match printer.mode() {
        Mode::Quiet => {}
        Mode::Json => printer.json(&UpView { status, login: link(context, &printer).await })?,
        Mode::Normal => {
            printer.note(match presence {
                Presence::Running => "The daemon is running already.",
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
        // Whoever reads that file in the next minutes could log in.
        printer.note("No login link is written into a file: `paseo open` prints one.");
    } else if let Some(link) = link(context, printer).await {
        printer.line(&link.url)?;
        open::tell(printer, &link);
    }
    Ok(())
}

/// Asks for a link. Without one the daemon runs all the same, which is what was asked for.
async fn link(context: &Context, printer: &Printer) -> Option<LoginLink> {
    let link = context.client_as_is().create_login_link().await;
    link.inspect_err(|error| printer.detail(&format!("no link into the web app: {error}"))).ok()
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
    let stopped = stop(context).await?;
    if printer.mode() == Mode::Json {
        let view = match stopped {
            Stopped::NotRunning => DownView { stopped: false, interrupted: 0, workers: Vec::new() },
            Stopped::Running(interrupted, workers) => DownView { stopped: true, interrupted, workers },
        };
        printer.json(&view)?;
    } else {
        tell(&printer, &stopped);
    }
    Ok(Exit::Ok)
}

pub(crate) async fn restart(context: &Context, output: Output) -> Result<Exit, Failure> {
    if context.settings.inside.is_some() {
        return Err(Failure::new(Exit::Refused, "an agent cannot restart its own daemon")
            .hint("run `paseo restart` outside"));
    }
    let stopped = stop(context).await?;
    if context.printer.with(output).mode() == Mode::Normal {
        tell(&context.printer, &stopped);
    }
    up(context, output).await
}

fn tell(printer: &Printer, stopped: &Stopped) {
    let Stopped::Running(interrupted, workers) = stopped else {
        return printer.note("The daemon was not running.");
    };
    printer.note("The daemon has stopped.");
    match interrupted {
        0 => {}
        1 => printer.note("1 agent was working; it is interrupted and can go on with `paseo send`"),
        many => printer.note(&format!(
            "{many} agents were working; they are interrupted and can go on with `paseo send`"
        )),
    }
    if !workers.is_empty() {
        let names = workers.join(", ");
        printer.note(&format!("Workers go on in their terminals, and `paseo up` finds them again: {names}"));
    }
}

/// Stops the daemon and waits until its process is gone.
async fn stop(context: &Context) -> Result<Stopped, Failure> {
    if !autostart::is_running(&context.settings) {
        return Ok(Stopped::NotRunning);
    }
    let client: &Client = context.client_as_is();
    let status = client.status().await?;
    let pid = status.pid;
    let busy = ["starting", "running", "waiting"].iter().filter_map(|word| status.sessions.get(*word));
    let workers = client.workers(&WorkerQuery::default()).await.map(|list| list.workers).unwrap_or_default();
    let alive: Vec<_> = workers
        .into_iter()
        .filter(|worker| worker.alive || (worker.unknown && worker.exit.is_none()))
        .collect();
    let is_busy = |status: &str| matches!(status, "starting" | "running" | "waiting");
    let going_on = alive.iter().filter(|worker| is_busy(&worker.status)).count();
    let interrupted = busy.sum::<usize>().saturating_sub(going_on);
    let stopped = Stopped::Running(interrupted, alive.into_iter().map(|worker| worker.name).collect());
    let process = i32::try_from(pid)
        .ok()
        .and_then(Pid::from_raw)
        .ok_or_else(|| Failure::new(Exit::Unreachable, format!("the daemon claims to be process {pid}")))?;
    // Opened while it lives: a later process with the same number is not mistaken for it.
    let process = pidfd_open(process, PidfdFlags::empty());
    client.shutdown().await?;
    let Ok(process) = process else { return Ok(stopped) };
    match process::ended(&process, PATIENCE) {
        Ok(true) => Ok(stopped),
        Ok(false) => Err(Failure::new(Exit::Timeout, format!("the daemon is still stopping (pid {pid})"))
            .hint("`paseo daemon logs` shows what it waits for")),
        Err(error) => Err(Failure::new(Exit::AgentError, format!("cannot wait for the daemon: {error}"))),
    }
}
