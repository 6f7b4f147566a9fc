//! `paseo trace`

use paseo_client::Client;
use paseo_wire::change::SessionChange;
use paseo_wire::error::{Code, Exit};
use paseo_wire::message::Verb;
use paseo_wire::trace::{DeliveryTrace, TraceStep};
use paseo_wire::words::{AnswerVerdict, Stage};

use crate::args::TraceArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::outcome;
use crate::output_schema;
use crate::people::People;
use crate::printer::{Column, Mode, Printer, Style, Table, clock, lasted};

pub(crate) async fn run(context: &Context, args: TraceArgs) -> Result<Exit, Failure> {
    let printer = context.printer.json_if(args.json);
    let client = context.client()?;
    let trace = match client.trace(&args.delivery).await {
        Err(error) if error.code() == Some(Code::NotFound) => {
            let delivery = newest(client, &args.delivery).await.ok_or(error)?;
            client.trace(&delivery).await?
        }
        trace => trace?,
    };
    if printer.mode() == Mode::Json {
        printer.json(&trace)?;
    } else {
        let people = People::among(client, trace.steps.iter().map(|step| step.actor.as_str())).await;
        show(&printer, &trace, &people)?;
        // Some causes have no record of their own, and agents see only theirs: suggest what works.
        if client.cause(&trace.cause).await.is_ok() {
            printer.aside(&format!("To see what else it led to: paseo cause {}", trace.cause));
        }
    }
    Ok(Exit::Ok)
}

/// Finds the newest message for an agent: the last of those that wait, else the one on its way into the running turn, else
/// the last that the agent took up.
async fn newest(client: &Client, handle: &str) -> Option<String> {
    let session = client.session(handle).await.ok()?.session;
    if let Some(waiting) = client.queue(&session.id).await.ok()?.messages.pop() {
        return Some(waiting.delivery.into());
    }
    let taken = client.last_message(&session.id).await.ok()?;
    let is_on_its_way = session.turn.is_some() && taken.as_ref().is_none_or(|item| item.turn != session.turn);
    if is_on_its_way
        && let Ok(cause) = client.cause(&session.id).await
        && cause.session.as_deref() == Some(&session.id)
        && let Some(delivery) = cause.delivery
    {
        return Some(delivery.into());
    }
    taken?.delivery().map(ToString::to_string)
}

fn show(printer: &Printer, trace: &DeliveryTrace, people: &People) -> Result<(), Failure> {
    printer.styled(&[
        (Style::Plain, "Message to "),
        (Style::Bold, &trace.handle),
        (Style::Plain, ": "),
        (stage_style(&trace.stage), trace.stage.as_str()),
        (Style::Dim, &format!("  delivery {}", trace.delivery)),
    ])?;
    let mut table = Table::new([
        Column::fixed("TIME"),
        Column::fixed("AFTER").optional(),
        Column::fixed("STEP"),
        Column::wrapped(""),
    ]);
    let mut before: Option<&TraceStep> = None;
    for step in &trace.steps {
        table.row([
            (Style::Dim, clock(step.ts)),
            (Style::Plain, before.map(|before| lasted(before.ts, step.ts)).unwrap_or_default()),
            (Style::Plain, step.change.word().to_owned()),
            (Style::Plain, words(step, people)),
        ]);
        before = Some(step);
    }
    printer.table(&table)?;
    if let (Some(first), Some(last)) = (trace.steps.first(), trace.steps.last()) {
        printer.styled(&[(Style::Dim, &format!("{} in all", lasted(first.ts, last.ts)))])?;
    }
    Ok(())
}

/// Returns what a step means.
fn words(step: &TraceStep, people: &People) -> String {
    match &step.change {
        SessionChange::MessageAccepted { verb, .. } => {
            let how = match verb {
                Verb::Queue => String::new(),
                verb => format!(", to {verb}"),
            };
            format!("accepted from {}{how}", people.shown(&step.actor))
        }
        SessionChange::MessageHeld { reason, .. } => format!("held: {}", outcome::held(reason.as_str())),
        SessionChange::MessageHanding { .. } => "being added to the current turn".to_owned(),
        SessionChange::MessageHanded { .. } => "added to the current turn".to_owned(),
        SessionChange::MessageReturned { .. } => {
            "not confirmed; returned to the front of the queue".to_owned()
        }
        SessionChange::MessageCancelled { .. } => "canceled".to_owned(),
        SessionChange::MessageEdited { .. } => format!("edited by {}", people.shown(&step.actor)),
        SessionChange::MessageMoved { before: None, .. } => "moved to the end of the queue".to_owned(),
        SessionChange::MessageMoved { before: Some(_), .. } => "moved within the queue".to_owned(),
        SessionChange::MessageReleased { .. } => format!("released by {}", people.shown(&step.actor)),
        SessionChange::TurnStarted { turn, .. } => format!("started in turn {turn}"),
        SessionChange::TurnConfirmed { .. } => "confirmed by the provider".to_owned(),
        SessionChange::TurnEnded { outcome, code: None, .. } => outcome.to_string(),
        SessionChange::TurnEnded { outcome, code: Some(code), .. } => format!("{outcome} ({code})"),
        SessionChange::AnswerChecked { verdict, .. } => match verdict {
            AnswerVerdict::Valid => "the answer satisfies the output schema",
            AnswerVerdict::Correct => "the answer violates the output schema; asked for a correction",
            AnswerVerdict::Invalid => "the answer violates the output schema",
            AnswerVerdict::Unchecked | AnswerVerdict::Other(_) => {
                "the answer could not be checked against the output schema"
            }
        }
        .to_owned(),
        SessionChange::AnswerAbandoned { reason, .. } => {
            format!("gave up on the answer: {}", output_schema::given_up(reason))
        }
        _ => String::new(),
    }
}

fn stage_style(stage: &Stage) -> Style {
    match stage {
        Stage::Handing | Stage::Handed => Style::Green,
        Stage::Held => Style::Yellow,
        Stage::Failed | Stage::Interrupted | Stage::Cancelled => Style::Red,
        Stage::Queued | Stage::Answered | Stage::Other(_) => Style::Plain,
    }
}
