//! `paseo queue`

use paseo_wire::error::Exit;
use paseo_wire::message::{Queue, QueuedMessage};
use paseo_wire::words::Stage;

use crate::args::QueueArgs;
use crate::attachments;
use crate::context::Context;
use crate::failure::Failure;
use crate::outcome;
use crate::people::People;
use crate::printer::{Mode, Printer, Style, relative};

const INDENT: &str = "  ";

pub(crate) async fn run(context: &Context, args: QueueArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let client = context.client()?;
    let queue = client.queue(&args.handle).await?;
    match printer.mode() {
        Mode::Json => printer.json(&queue)?,
        Mode::Quiet => {
            for message in &queue.messages {
                printer.line(&message.delivery)?;
            }
        }
        Mode::Normal => {
            let people = People::among(client, queue.messages.iter().map(|one| one.origin.as_str())).await;
            show(&printer, &queue, &people)?;
        }
    }
    Ok(Exit::Ok)
}

fn show(printer: &Printer, queue: &Queue, people: &People) -> Result<(), Failure> {
    if queue.messages.is_empty() {
        printer.note(&format!("No messages are waiting for {}.", queue.handle));
        return Ok(());
    }
    for message in &queue.messages {
        printer.styled(&[
            (Style::Bold, &message.delivery),
            (Style::Plain, &format!("  from {}", people.shown(&message.origin))),
            (Style::Dim, &format!("  {}", relative(message.since))),
        ])?;
        let style = if message.stage == Stage::Held { Style::Yellow } else { Style::Dim };
        printer.styled(&[(style, &format!("{INDENT}{}", state(message)))])?;
        let text = [vec![head(message)], attachments::described(&message.attachments)].concat().join("\n");
        for line in text.lines().flat_map(|line| printer.wrapped(line, INDENT.len())) {
            printer.styled(&[(Style::Plain, &format!("{INDENT}{line}"))])?;
        }
    }
    Ok(())
}

fn state(message: &QueuedMessage) -> String {
    match &message.reason {
        Some(reason) => format!("{}: {}", message.stage, outcome::held(reason.as_str())),
        None => message.stage.to_string(),
    }
}

/// Returns how a message begins.
fn head(message: &QueuedMessage) -> String {
    let whole = message.text.len() as u64 == message.full_length;
    format!("{}{}", message.text.trim(), if whole { "" } else { "…" })
}
