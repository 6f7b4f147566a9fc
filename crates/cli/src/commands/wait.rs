//! `paseo wait`

use std::pin::pin;

use paseo_client::{Arrival, Client};
use paseo_wire::error::Exit;
use paseo_wire::message::CheckView;
use paseo_wire::session::SessionView;
use paseo_wire::stream::Frame;
use paseo_wire::words::{Status, TracedStatus};
use serde::Serialize;

use super::worse;
use crate::args::WaitArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::outcome;
use crate::output_schema;
use crate::printer::{Mode, Printer, Style, status_style};

/// One line of `--json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct DoneView<'a> {
    session: &'a str,
    handle: &'a str,
    status: &'a TracedStatus,
    /// How its newest answer that has an output schema compares with it.
    check: Option<CheckView>,
}

/// An agent that is waited for.
struct Awaited {
    id: String,
    handle: String,
    /// Set once it is done.
    done: Option<TracedStatus>,
}

impl Awaited {
    /// Notes the status that was seen last; without one, the agent is gone.
    fn note(&mut self, status: Option<&Status>) {
        let status = status.map_or(TracedStatus::Deleted, TracedStatus::from);
        self.done = is_done(&status).then_some(status);
    }
}

pub(crate) async fn run(context: &Context, args: WaitArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let client = context.client()?;
    let mut deadline = pin!(async {
        match args.timeout {
            Some(timeout) => tokio::time::sleep(timeout).await,
            None => std::future::pending().await,
        }
    });
    let (mut awaited, seq) = tokio::select! {
        biased;
        found = resolve(client, &args.handles) => found?,
        () = &mut deadline => return Err(late(client, &args.handles).await),
    };
    context.explain_version();
    let busy = |awaited: &[Awaited]| -> Vec<String> {
        awaited.iter().filter(|one| one.done.is_none()).map(|one| one.handle.clone()).collect()
    };
    printer.detail(&format!("waiting for {}", busy(&awaited).join(" ")));
    tokio::select! {
        biased;
        result = watch(client, &printer, &mut awaited, args.any, seq) => result?,
        () = &mut deadline => {
            report(client, &printer, &awaited).await?;
            return Err(late(client, &busy(&awaited)).await);
        }
    }
    report(client, &printer, &awaited).await
}

/// Finds all agents before any is waited for. Returns them with the point in the log to follow them from.
async fn resolve(client: &Client, handles: &[String]) -> Result<(Vec<Awaited>, u64), Failure> {
    let mut awaited: Vec<Awaited> = Vec::new();
    let mut seq = u64::MAX;
    let mut unknown: Option<Failure> = None;
    for handle in handles {
        let answer = match client.insist(|| client.session(handle)).await {
            Ok(answer) => answer,
            Err(error) if error.code().map(|code| code.exit()) == Some(Exit::NotFound) => {
                match &mut unknown {
                    Some(failure) => failure.join(error.into()),
                    None => unknown = Some(error.into()),
                }
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        seq = seq.min(answer.seq);
        if !awaited.iter().any(|known| known.id == answer.session.id) {
            let SessionView { id, handle, status, .. } = answer.session;
            let mut one = Awaited { id: id.into(), handle, done: None };
            one.note(Some(&status));
            awaited.push(one);
        }
    }
    unknown.map_or(Ok((awaited, seq)), Err)
}

/// Says who is not done although the time is up.
async fn late(client: &Client, busy: &[String]) -> Failure {
    let busy = busy.join(" ");
    if outcome::answers(client).await {
        return Failure::new(Exit::Timeout, format!("timed out; still working: {busy}"))
            .hint("wait again, or follow an agent with `paseo attach HANDLE`");
    }
    let message = format!("timed out, and the daemon is unreachable; last seen working: {busy}");
    Failure::new(Exit::Unreachable, message)
        .hint("start the daemon with `paseo up`; if it crashed, its agents were interrupted")
}

/// Follows the agents until enough of them are done.
async fn watch(
    client: &Client,
    printer: &Printer,
    awaited: &mut [Awaited],
    any: bool,
    seq: u64,
) -> Result<(), Failure> {
    let topics: Vec<String> = awaited.iter().map(|one| format!("session:{}", one.id)).collect();
    let mut events = client.events(seq, &topics);
    loop {
        let mut done = awaited.iter().map(|one| one.done.is_some());
        if if any { done.any(|done| done) } else { done.all(|done| done) } {
            return Ok(());
        }
        match events.arrival().await? {
            Arrival::Lost => printer.lost(),
            Arrival::Frame(Frame::Event(event)) => {
                if let Some(one) = awaited.iter_mut().find(|one| one.id == event.session) {
                    one.note(event.view.as_ref().map(|view| &view.status));
                }
            }
            Arrival::Frame(_) => {}
        }
    }
}

fn is_done(status: &TracedStatus) -> bool {
    !matches!(status, TracedStatus::Starting | TracedStatus::Running)
}

/// Prints who is done and returns the worst of it.
async fn report(client: &Client, printer: &Printer, awaited: &[Awaited]) -> Result<Exit, Failure> {
    let mut exit = Exit::Ok;
    for one in awaited {
        let Some(status) = &one.done else { continue };
        exit = worse(exit, exit_of(status));
        // Words about a check are an extra: the status is told without them.
        let session = client.session(&one.id).await.ok().map(|answer| answer.session);
        let (code, check) = session.map_or((None, None), |session| (session.status_code, session.check));
        let is_of_answer = code.is_some_and(|code| code.starts_with("answer_"));
        if let Some(check) = check.as_ref().filter(|_| is_of_answer && *status == TracedStatus::Error) {
            output_schema::unsatisfied(&one.handle, check).lines().for_each(|line| printer.note(line));
        }
        match printer.mode() {
            Mode::Json => printer.json(&DoneView { session: &one.id, handle: &one.handle, status, check })?,
            Mode::Quiet => {}
            Mode::Normal => {
                printer.styled(&[
                    (Style::Bold, &one.handle),
                    (Style::Plain, " "),
                    (status_style(status.as_str()), status.as_str()),
                ])?;
            }
        }
    }
    Ok(exit)
}

fn exit_of(status: &TracedStatus) -> Exit {
    match status {
        TracedStatus::Waiting => Exit::WaitingForPermission,
        TracedStatus::Error | TracedStatus::Interrupted => Exit::AgentError,
        TracedStatus::Deleted => Exit::NotFound,
        _ => Exit::Ok,
    }
}
