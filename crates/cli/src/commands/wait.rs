//! `paseo wait`

use std::time::Duration;

use paseo_client::Client;
use paseo_wire::error::{Code, Exit};
use paseo_wire::session::SessionView;
use paseo_wire::stream::Frame;
use serde::Serialize;

use super::worse;
use crate::args::WaitArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Mode, Printer, Style, status_style};

/// What is shown of a session may be a moment older than the log: when nothing comes, it is read again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// One line of `--json`.
#[derive(Serialize)]
struct DoneView<'a> {
    session: &'a str,
    handle: &'a str,
    status: &'a str,
}

/// An agent that is waited for.
struct Awaited {
    id: String,
    handle: String,
    /// Set once it is done.
    done: Option<String>,
}

impl Awaited {
    /// Notes the status that was seen last; without one, the agent is gone.
    fn note(&mut self, status: Option<String>) {
        let status = status.unwrap_or_else(|| "deleted".to_owned());
        self.done = is_done(&status).then_some(status);
    }
}

pub(crate) async fn run(context: &Context, args: WaitArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let client = context.client()?;
    let mut awaited: Vec<Awaited> = Vec::new();
    let mut seq = u64::MAX;
    for handle in &args.handles {
        let answer = client.session(handle).await?;
        seq = seq.min(answer.seq);
        if !awaited.iter().any(|known| known.id == answer.session.id) {
            let SessionView { id, handle, status, .. } = answer.session;
            awaited.push(Awaited { id, handle, done: is_done(&status).then_some(status) });
        }
    }
    context.explain_version();
    let deadline = async {
        match args.timeout {
            Some(timeout) => tokio::time::sleep(timeout).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        result = watch(client, &mut awaited, args.any, seq) => result?,
        () = deadline => {
            let busy: Vec<&str> =
                awaited.iter().filter(|one| one.done.is_none()).map(|one| one.handle.as_str()).collect();
            report(&printer, &awaited)?;
            return Err(Failure::new(Exit::Timeout, format!("the time is up; still at work: {}", busy.join(" "))));
        }
    }
    report(&printer, &awaited)
}

/// Follows the agents until enough of them are done.
async fn watch(client: &Client, awaited: &mut [Awaited], any: bool, seq: u64) -> Result<(), Failure> {
    let topics: Vec<String> = awaited.iter().map(|one| format!("session:{}", one.id)).collect();
    let mut events = client.events(seq, &topics);
    loop {
        let mut done = awaited.iter().map(|one| one.done.is_some());
        if if any { done.any(|done| done) } else { done.all(|done| done) } {
            return Ok(());
        }
        match tokio::time::timeout(LOOK_AGAIN, events.next()).await {
            Ok(Ok(Frame::Event(event))) => {
                if let Some(one) = awaited.iter_mut().find(|one| one.id == event.session) {
                    one.note(event.view.map(|view| view.status));
                }
            }
            Ok(frame) => drop(frame?),
            Err(_) => {
                for one in awaited.iter_mut().filter(|one| one.done.is_none()) {
                    one.note(status(client, &one.id).await?);
                }
            }
        }
    }
}

/// Returns a session's status; `None` when it is gone.
async fn status(client: &Client, id: &str) -> Result<Option<String>, Failure> {
    match client.session(id).await {
        Ok(answer) => Ok(Some(answer.session.status)),
        Err(error) if error.code() == Some(Code::NotFound) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn is_done(status: &str) -> bool {
    !matches!(status, "starting" | "running")
}

/// Prints who is done and returns the worst of it.
fn report(printer: &Printer, awaited: &[Awaited]) -> Result<Exit, Failure> {
    let mut exit = Exit::Ok;
    for one in awaited {
        let Some(status) = &one.done else { continue };
        exit = worse(exit, exit_of(status));
        match printer.mode() {
            Mode::Json => printer.json(&DoneView { session: &one.id, handle: &one.handle, status })?,
            Mode::Quiet => {}
            Mode::Normal => {
                printer.styled(&[
                    (Style::Bold, &one.handle),
                    (Style::Plain, " "),
                    (status_style(status), status),
                ])?;
            }
        }
    }
    Ok(exit)
}

fn exit_of(status: &str) -> Exit {
    match status {
        "waiting" => Exit::WaitingForPermission,
        "error" | "interrupted" => Exit::AgentError,
        "deleted" => Exit::NotFound,
        _ => Exit::Ok,
    }
}
