//! Waiting for the outcome of a message and telling it.

use std::cell::Cell;
use std::convert::Infallible;
use std::time::Duration;

use paseo_client::{Client, Outcome, Progress, Step};
use paseo_wire::error::Exit;
use paseo_wire::message::{CheckView, Receipt};
use paseo_wire::time::Moment;
use paseo_wire::words::{self, CheckState, Placement, PlacementReason, Stage, Status};
use serde::Serialize;
use serde_json::Value;

use crate::asks;
use crate::autostart;
use crate::context::Context;
use crate::failure::Failure;
use crate::output_schema;
use crate::printer::{Mode, Printer, limit, patiently};
use crate::progress::Display;

/// How long a turn may take to start before a message explains the delay, and how often it is repeated.
const WONDER: Duration = Duration::from_millis(250);
/// How long a daemon may take to say that it is there.
const SIGN_OF_LIFE: Duration = Duration::from_secs(2);

/// What an answer looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Words for people.
    Prose,
    /// A JSON document, which is worth nothing before it was checked.
    Document,
}

impl Form {
    /// Returns the form of the answer to a message with or without an output schema.
    pub(crate) fn of(schema: Option<&Value>) -> Self {
        if schema.is_some() { Self::Document } else { Self::Prose }
    }
}

/// What came of waiting.
pub(crate) struct Waited {
    ending: Ending,
    /// The person has read the answer while it came.
    shown: bool,
    /// When the limit ends that the agent ran into.
    parked: Option<Moment>,
    /// The turn failed before the agent had the message: it still waits.
    kept: bool,
}

/// How the waiting ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Ending {
    Outcome(Outcome),
    /// The time was up; the agent goes on.
    Timeout,
    /// Ctrl-C; the agent goes on.
    Detached,
    /// The time was up, and the daemon does not answer.
    Alone,
    /// Ctrl-C, and the daemon does not answer.
    DetachedAlone,
}

/// What `--json` prints about an ending.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct EndingView<'a> {
    session: &'a str,
    handle: &'a str,
    delivery: &'a str,
    turn: Option<&'a str>,
    outcome: words::Ending,
    answer: Option<&'a str>,
    /// Of the failure.
    code: Option<&'a str>,
    /// Of the failure, the hold or the ask.
    message: Option<&'a str>,
    /// Of the ask.
    ask: Option<&'a str>,
    /// When the limit ends that the agent ran into.
    parked_until: Option<Moment>,
    /// How the answer compares with the output schema, when there is one.
    check: Option<&'a CheckView>,
}

/// Follows a message until it has an outcome, the time is up or the person presses ctrl-C.
///
/// A daemon that dies meanwhile is started again, as by every other command.
pub(crate) async fn wait(
    context: &Context,
    printer: &Printer,
    receipt: &Receipt,
    form: Form,
    timeout: Option<Duration>,
) -> Result<Waited, Failure> {
    let client = context.client_as_is();
    if receipt.placement == Placement::Held {
        let reason = receipt.reason.as_ref().map_or("held", PlacementReason::as_str).to_owned();
        return Ok(Waited {
            ending: Ending::Outcome(Outcome::Held { reason }),
            shown: false,
            parked: None,
            kept: false,
        });
    }
    let mut display = Display::new(*printer, &receipt.handle, form);
    let mut follow = client.follow(&receipt.session, &receipt.delivery, receipt.seq);
    let lost = Cell::new(false);
    let followed = async {
        loop {
            let doing = if lost.get() {
                "waiting for the daemon".to_owned()
            } else {
                format!("{} is working", receipt.handle)
            };
            // Words that are growing are a sign of life themselves.
            let step = if display.is_growing() {
                follow.next().await
            } else {
                patiently(printer, &doing, follow.next()).await
            };
            match step? {
                Step::Progress(progress) => {
                    lost.set(progress == Progress::Lost);
                    display.show(&progress);
                }
                Step::Done(outcome) => return Ok::<_, Failure>(Ending::Outcome(outcome)),
            }
        }
    };
    let deadline = async {
        match timeout {
            Some(timeout) => tokio::time::sleep(timeout).await,
            None => std::future::pending().await,
        }
    };
    let ending = tokio::select! {
        biased;
        ending = followed => ending,
        never = tell_why_it_waits(client, printer, receipt) => match never {},
        never = revive(context, printer, &lost) => match never {},
        () = deadline => Ok(Ending::Timeout),
        pressed = tokio::signal::ctrl_c() => match pressed {
            Ok(()) => Ok(Ending::Detached),
            Err(error) => Err(Failure::new(Exit::AgentError, format!("cannot wait for ctrl-C: {error}"))),
        },
    };
    display.finish();
    let ending = match ending? {
        // An agent lives no longer than its daemon.
        Ending::Timeout if !answers(client).await => Ending::Alone,
        Ending::Detached if !answers(client).await => Ending::DetachedAlone,
        ending => ending,
    };
    let shown = ending.answer().is_some_and(|answer| display.has_shown(answer));
    let (mut parked, mut kept) = (None, false);
    // Words about a limit, or that nothing is lost, are an extra: without them the failure is still told.
    if let Ending::Outcome(Outcome::Failed { .. }) = ending {
        let session = client.session(&receipt.session).await.ok();
        parked = session.and_then(|answer| answer.session.parked_until);
        let delivery = client.delivery(&receipt.session, &receipt.delivery).await;
        kept = delivery.is_ok_and(|delivery| matches!(delivery.stage, Stage::Queued | Stage::Held));
    }
    Ok(Waited { ending, shown, parked, kept })
}

/// Starts a daemon again that died while it was waited for. Never returns.
async fn revive(context: &Context, printer: &Printer, lost: &Cell<bool>) -> Infallible {
    loop {
        tokio::time::sleep(WONDER).await;
        if !lost.get() {
            continue;
        }
        match autostart::revive(&context.settings) {
            Ok(true) => printer.interject("the daemon crashed and was restarted"),
            Ok(false) => {}
            Err(failure) => {
                printer.interject(&failure.message);
                return std::future::pending().await;
            }
        }
    }
}

/// Tells, once, why a turn does not start. Never returns.
async fn tell_why_it_waits(client: &Client, printer: &Printer, receipt: &Receipt) -> Infallible {
    loop {
        tokio::time::sleep(WONDER).await;
        let session = match client.session(&receipt.session).await {
            Ok(answer) => answer.session,
            Err(error) if error.is_passing() => continue,
            // An agent may write to others without being allowed to look at them.
            Err(_) => return std::future::pending().await,
        };
        if let Some(until) = session.parked_until {
            printer.interject(&format!("{}: {}", receipt.handle, limit(until)));
            return std::future::pending().await;
        }
        match (session.status, session.status_reason) {
            (Status::Starting, None) => {}
            (Status::Starting, Some(reason)) => {
                printer.interject(&format!("{} is starting: it {reason}", receipt.handle));
                return std::future::pending().await;
            }
            _ => return std::future::pending().await,
        }
    }
}

/// Says whether the daemon is there.
pub(crate) async fn answers(client: &Client) -> bool {
    matches!(tokio::time::timeout(SIGN_OF_LIFE, client.health()).await, Ok(Ok(_)))
}

/// Prints the answer, tells everything else, and returns the exit code.
pub(crate) fn report(printer: &Printer, receipt: &Receipt, waited: &Waited) -> Result<Exit, Failure> {
    let Waited { ending, shown, parked, kept } = waited;
    if printer.mode() == Mode::Json {
        printer.json(&EndingView { parked_until: *parked, ..view(receipt, ending) })?;
    } else if let Ending::Outcome(Outcome::Satisfied { document, .. }) = ending {
        printer.text(document)?;
    } else if let Ending::Outcome(Outcome::Unsatisfied { .. }) = ending {
        // Printed on stdout, an invalid document would pass for a valid one.
    } else if let Some(answer) = ending.answer().filter(|_| !shown) {
        printer.answer(answer)?;
    }
    let handle = &receipt.handle;
    match ending {
        Ending::Outcome(outcome) => {
            if let Outcome::Completed { answer: None, .. } = outcome {
                printer.note(&format!("{handle} finished without an answer"));
            }
            match (told(handle, outcome), parked) {
                (None, _) => Ok(Exit::Ok),
                (Some(mut failure), None) if *kept => {
                    failure.message.push_str(
                        "\nyour message is kept; the agent reads it together with your next message",
                    );
                    Err(failure)
                }
                (Some(failure), None) => Err(failure),
                (Some(mut failure), Some(until)) => {
                    failure
                        .message
                        .push_str(&format!("\n{}; {handle} continues on its own then", limit(*until)));
                    Err(failure.hint(format!("run `paseo send {handle} …` to retry now")))
                }
            }
        }
        Ending::Timeout => {
            let message = format!("timed out; {handle} has not finished yet");
            Err(Failure::new(Exit::Timeout, message).hint(going_on(handle)))
        }
        Ending::Detached => {
            printer.note(&format!("{handle} keeps working; {}", going_on(handle)));
            Ok(Exit::Interrupted)
        }
        Ending::Alone => {
            let message = format!("timed out, and the daemon is unreachable: {}", cut_off(handle));
            Err(Failure::new(Exit::Unreachable, message).hint(coming_back(handle)))
        }
        Ending::DetachedAlone => {
            printer.note(&format!("the daemon is unreachable: {}. {}", cut_off(handle), coming_back(handle)));
            Ok(Exit::Interrupted)
        }
    }
}

/// Returns an outcome in words, with its exit code. `None` when all went well.
pub(crate) fn told(handle: &str, outcome: &Outcome) -> Option<Failure> {
    let (exit, message, hint) = match outcome {
        Outcome::Completed { .. } | Outcome::Satisfied { .. } => return None,
        Outcome::Unsatisfied { check, .. } => (
            Exit::AgentError,
            output_schema::unsatisfied(handle, check),
            format!("run `paseo read {handle}` to print the last answer"),
        ),
        Outcome::Failed { code, text, .. } => return Some(failed(handle, code, text)),
        Outcome::Interrupted { .. } => (
            Exit::AgentError,
            format!("{handle} was interrupted"),
            format!("to continue, run `paseo send {handle} …`"),
        ),
        Outcome::Held { reason } => (
            Exit::Refused,
            format!("the message is held until a person acts: {}", held(reason)),
            format!("run `paseo why {handle}`"),
        ),
        Outcome::WaitingForPermission { text, terminal: Some(name), .. } => (
            Exit::WaitingForPermission,
            format!("{handle} is waiting for an answer in its terminal: {text}"),
            asks::in_terminal(name),
        ),
        Outcome::WaitingForPermission { hash, question, headline, text, .. } => {
            let asks = if *question { "has a question" } else { "asks for permission" };
            // In words first; exactly what it is stands below.
            let message = match headline == text || headline.is_empty() {
                true => format!("{handle} {asks}: {text}"),
                false => format!("{handle} {asks}: {headline}\n{text}"),
            };
            (Exit::WaitingForPermission, message, asks::answers(hash, *question))
        }
        Outcome::Cancelled => {
            (Exit::AgentError, "the message was canceled".to_owned(), format!("run `paseo logs {handle}`"))
        }
    };
    Some(Failure::new(exit, message).hint(hint))
}

/// Says that a turn failed, and why.
pub(crate) fn failed(handle: &str, code: &str, text: &str) -> Failure {
    let text = if text.is_empty() { String::new() } else { format!(": {text}") };
    Failure::new(Exit::AgentError, format!("{handle} failed ({code}){text}"))
        .hint(format!("run `paseo logs {handle}`"))
}

/// Returns why a message is held, in words.
pub(crate) fn held(reason: &str) -> String {
    match reason {
        "stopped" => "the agent was stopped",
        "error" => "the agent's last turn failed",
        "budget" => "the budget of turns without a human message is used up",
        "paused" => "the agent is paused",
        "attempts" => "the agent failed to accept it several times",
        "cause_stopped" => "the request that it belongs to was stopped",
        "closed" => "the agent is closed",
        other => other,
    }
    .to_owned()
}

fn going_on(handle: &str) -> String {
    format!("wait with `paseo wait {handle}`, or stop it with `paseo stop {handle}`")
}

fn cut_off(handle: &str) -> String {
    format!("if it crashed, {handle} was interrupted")
}

fn coming_back(handle: &str) -> String {
    format!("start it with `paseo up`, then run `paseo why {handle}`")
}

impl Ending {
    fn answer(&self) -> Option<&str> {
        match self {
            Self::Outcome(
                Outcome::Completed { answer, .. }
                | Outcome::Unsatisfied { answer, .. }
                | Outcome::Failed { answer, .. }
                | Outcome::Interrupted { answer, .. },
            ) => answer.as_deref(),
            Self::Outcome(Outcome::Satisfied { document, .. }) => Some(document),
            Self::Outcome(
                Outcome::Held { .. } | Outcome::WaitingForPermission { .. } | Outcome::Cancelled,
            )
            | Self::Timeout
            | Self::Detached
            | Self::Alone
            | Self::DetachedAlone => None,
        }
    }
}

fn turn(outcome: &Outcome) -> Option<&str> {
    match outcome {
        Outcome::Completed { turn, .. }
        | Outcome::Satisfied { turn, .. }
        | Outcome::Unsatisfied { turn, .. }
        | Outcome::Failed { turn, .. }
        | Outcome::Interrupted { turn, .. }
        | Outcome::WaitingForPermission { turn, .. } => Some(turn),
        Outcome::Held { .. } | Outcome::Cancelled => None,
    }
}

fn view<'a>(receipt: &'a Receipt, ending: &'a Ending) -> EndingView<'a> {
    let mut view = EndingView {
        session: &receipt.session,
        handle: &receipt.handle,
        delivery: &receipt.delivery,
        turn: None,
        outcome: words::Ending::Timeout,
        answer: None,
        code: None,
        message: None,
        ask: None,
        parked_until: None,
        check: None,
    };
    match ending {
        Ending::Timeout => {}
        Ending::Detached => view.outcome = words::Ending::Detached,
        Ending::Alone | Ending::DetachedAlone => view.outcome = words::Ending::Unreachable,
        Ending::Outcome(outcome) => {
            view.answer = ending.answer();
            view.turn = turn(outcome);
            match outcome {
                Outcome::Completed { .. } => view.outcome = words::Ending::Completed,
                Outcome::Satisfied { check, .. } => {
                    view.outcome = words::Ending::Completed;
                    view.check = Some(check);
                }
                Outcome::Unsatisfied { check, .. } => {
                    view.outcome = words::Ending::Failed;
                    view.code = Some(match check.state {
                        CheckState::Unchecked => "answer_unchecked",
                        CheckState::Abandoned => "answer_abandoned",
                        _ => "answer_invalid",
                    });
                    view.check = Some(check);
                }
                Outcome::Interrupted { .. } => view.outcome = words::Ending::Interrupted,
                Outcome::Failed { code, text, .. } => {
                    view.outcome = words::Ending::Failed;
                    view.code = Some(code);
                    view.message = Some(text);
                }
                Outcome::Held { reason } => {
                    view.outcome = words::Ending::Held;
                    view.message = Some(reason);
                }
                Outcome::WaitingForPermission { hash, text, .. } => {
                    view.outcome = words::Ending::Waiting;
                    view.ask = Some(hash);
                    view.message = Some(text);
                }
                Outcome::Cancelled => view.outcome = words::Ending::Cancelled,
            }
        }
    }
    view
}
