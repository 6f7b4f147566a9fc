//! Waiting for the outcome of a message and telling it.

use std::time::Duration;

use paseo_client::{Client, Outcome, Step};
use paseo_wire::error::Exit;
use paseo_wire::message::Receipt;
use serde::Serialize;

use crate::failure::Failure;
use crate::printer::{Mode, Printer, patiently};
use crate::progress::Display;

/// What came of waiting.
pub(crate) struct Waited {
    ending: Ending,
    /// The person has read the answer while it came.
    shown: bool,
}

/// How the waiting ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Ending {
    Outcome(Outcome),
    /// The time was up; the agent goes on.
    Timeout,
    /// Ctrl-C; the agent goes on.
    Detached,
}

/// What `--json` prints about an ending.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct EndingView<'a> {
    session: &'a str,
    handle: &'a str,
    delivery: &'a str,
    turn: Option<&'a str>,
    /// completed, failed, interrupted, held, waiting, cancelled, timeout or detached.
    outcome: &'static str,
    answer: Option<&'a str>,
    /// Of the failure.
    code: Option<&'a str>,
    /// Of the failure, the hold or the ask.
    message: Option<&'a str>,
    /// Of the ask.
    ask: Option<&'a str>,
}

/// Follows a message until it has an outcome, the time is up or somebody presses ctrl-C.
pub(crate) async fn wait(
    client: &Client,
    printer: &Printer,
    receipt: &Receipt,
    timeout: Option<Duration>,
) -> Result<Waited, Failure> {
    if receipt.placement == "held" {
        let reason = receipt.reason.clone().unwrap_or_else(|| "held".to_owned());
        return Ok(Waited { ending: Ending::Outcome(Outcome::Held { reason }), shown: false });
    }
    let mut display = Display::new(*printer, &receipt.handle);
    let mut follow = client.follow(&receipt.session, &receipt.delivery, receipt.seq);
    let followed = async {
        loop {
            // Words that are growing are a sign of life themselves.
            let step = if display.is_growing() {
                follow.next().await
            } else {
                patiently(printer, &format!("{} is at work", receipt.handle), follow.next()).await
            };
            match step? {
                Step::Progress(progress) => display.show(&progress),
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
        () = deadline => Ok(Ending::Timeout),
        pressed = tokio::signal::ctrl_c() => match pressed {
            Ok(()) => Ok(Ending::Detached),
            Err(error) => Err(Failure::new(Exit::AgentError, format!("cannot wait for ctrl-C: {error}"))),
        },
    };
    display.finish();
    let ending = ending?;
    let shown = ending.answer().is_some_and(|answer| display.has_shown(answer));
    Ok(Waited { ending, shown })
}

/// Prints the answer, tells everything else, and returns the exit code.
pub(crate) fn report(printer: &Printer, receipt: &Receipt, waited: &Waited) -> Result<Exit, Failure> {
    let Waited { ending, shown } = waited;
    if printer.mode() == Mode::Json {
        printer.json(&view(receipt, ending))?;
    } else if let Some(answer) = ending.answer().filter(|_| !shown) {
        printer.text(answer)?;
    }
    let handle = &receipt.handle;
    match ending {
        Ending::Outcome(outcome) => {
            if let Outcome::Completed { answer: None, .. } = outcome {
                printer.note(&format!("{handle} is done and said nothing"));
            }
            told(handle, outcome).map_or(Ok(Exit::Ok), Err)
        }
        Ending::Timeout => {
            let message = format!("the time is up; {handle} goes on");
            Err(Failure::new(Exit::Timeout, message).hint(going_on(handle)))
        }
        Ending::Detached => {
            printer.note(&format!("{handle} goes on. {}", going_on(handle)));
            Ok(Exit::Interrupted)
        }
    }
}

/// Returns an outcome in words, with its exit code. `None` when all went well.
pub(crate) fn told(handle: &str, outcome: &Outcome) -> Option<Failure> {
    let (exit, message, hint) = match outcome {
        Outcome::Completed { .. } => return None,
        Outcome::Failed { code, text, .. } => {
            let text = if text.is_empty() { String::new() } else { format!(": {text}") };
            (
                Exit::AgentError,
                format!("{handle} failed ({code}){text}"),
                format!("`paseo logs {handle}` shows what it did"),
            )
        }
        Outcome::Interrupted { .. } => (
            Exit::AgentError,
            format!("{handle} was interrupted before it was done"),
            format!("`paseo send {handle} …` makes it go on"),
        ),
        Outcome::Held { reason } => (
            Exit::Refused,
            format!("the message waits until a person acts: {}", held(reason)),
            format!("`paseo why {handle}` says more"),
        ),
        Outcome::WaitingForPermission { text, .. } => (
            Exit::WaitingForPermission,
            format!("{handle} asks for permission: {text}"),
            format!("`paseo permit allow {handle}` or `paseo permit deny {handle}`"),
        ),
        Outcome::Cancelled => (
            Exit::AgentError,
            "the message was taken back before it was answered".to_owned(),
            format!("`paseo logs {handle}` shows what happened"),
        ),
    };
    Some(Failure::new(exit, message).hint(hint))
}

/// Returns why a message is held, in words.
pub(crate) fn held(reason: &str) -> String {
    match reason {
        "stopped" => "the agent was stopped",
        "error" => "the agent's last turn failed",
        "budget" => "the agent has used up its turns without a human message",
        "paused" => "the agent is paused",
        "attempts" => "the agent did not take it up, several times",
        "cause_stopped" => "the work it belongs to was stopped",
        "closed" => "the agent is closed",
        other => other,
    }
    .to_owned()
}

fn going_on(handle: &str) -> String {
    format!("`paseo wait {handle}` waits for it, `paseo stop {handle}` stops it")
}

impl Ending {
    fn answer(&self) -> Option<&str> {
        match self {
            Self::Outcome(
                Outcome::Completed { answer, .. }
                | Outcome::Failed { answer, .. }
                | Outcome::Interrupted { answer, .. },
            ) => answer.as_deref(),
            Self::Outcome(
                Outcome::Held { .. } | Outcome::WaitingForPermission { .. } | Outcome::Cancelled,
            )
            | Self::Timeout
            | Self::Detached => None,
        }
    }
}

fn turn(outcome: &Outcome) -> Option<&str> {
    match outcome {
        Outcome::Completed { turn, .. }
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
        outcome: "timeout",
        answer: None,
        code: None,
        message: None,
        ask: None,
    };
    match ending {
        Ending::Timeout => {}
        Ending::Detached => view.outcome = "detached",
        Ending::Outcome(outcome) => {
            view.answer = ending.answer();
            view.turn = turn(outcome);
            match outcome {
                Outcome::Completed { .. } => view.outcome = "completed",
                Outcome::Interrupted { .. } => view.outcome = "interrupted",
                Outcome::Failed { code, text, .. } => {
                    view.outcome = "failed";
                    view.code = Some(code);
                    view.message = Some(text);
                }
                Outcome::Held { reason } => {
                    view.outcome = "held";
                    view.message = Some(reason);
                }
                Outcome::WaitingForPermission { hash, text, .. } => {
                    view.outcome = "waiting";
                    view.ask = Some(hash);
                    view.message = Some(text);
                }
                Outcome::Cancelled => view.outcome = "cancelled",
            }
        }
    }
    view
}
