//! `paseo queue`

use std::io::IsTerminal;
use std::path::Path;

use paseo_wire::error::Exit;
use paseo_wire::message::{EditMessage, MoveMessage, Queue, QueuePosition, QueuedMessage};
use paseo_wire::session::ActionAnswer;
use paseo_wire::words::Stage;

use crate::args::QueueArgs;
use crate::attachments;
use crate::context::Context;
use crate::failure::Failure;
use crate::outcome;
use crate::people::People;
use crate::printer::{Mode, Printer, Style, relative};
use crate::prompt;
use crate::text_editor::Copy;

const INDENT: &str = "  ";

pub(crate) async fn run(context: &Context, args: QueueArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let client = context.client()?;
    if let Some((change, id)) = wanted(&args) {
        let done = change.make(context, &args, id).await?;
        return tell(&printer, change, &done);
    }
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

/// What is to happen to what waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Cancel,
    Edit,
    Move,
    Release,
    ReleaseAll,
}

/// Returns what was asked for, and of which message.
fn wanted(args: &QueueArgs) -> Option<(Change, &str)> {
    let all = args.release_all.then_some((Change::ReleaseAll, ""));
    let one = [
        (Change::Cancel, &args.cancel),
        (Change::Edit, &args.edit),
        (Change::Move, &args.moved),
        (Change::Release, &args.release),
    ];
    one.into_iter().find_map(|(change, id)| Some((change, id.as_deref()?))).or(all)
}

impl Change {
    async fn make(self, context: &Context, args: &QueueArgs, id: &str) -> Result<ActionAnswer, Failure> {
        let (client, handle) = (context.client()?, &args.handle);
        Ok(match self {
            Self::Cancel => client.cancel_queued(handle, id, None).await?,
            Self::Edit => {
                let text = match &args.text {
                    Some(text) => prompt::typed(text, "message")?,
                    None => edited(context, handle, id).await?,
                };
                client.edit_queued(handle, id, &EditMessage { text }, None).await?
            }
            Self::Move => {
                let (to, before) = match &args.before {
                    Some(before) => (QueuePosition::Before, Some(before.as_str().into())),
                    None if args.first => (QueuePosition::First, None),
                    None => (QueuePosition::Last, None),
                };
                client.move_queued(handle, id, &MoveMessage { to, before }, None).await?
            }
            Self::Release => client.release_queued(handle, id, None).await?,
            Self::ReleaseAll => client.release_queue(handle, None).await?,
        })
    }

    fn told(self, answer: &ActionAnswer) -> String {
        let handle = &answer.handle;
        match (self, answer.changed) {
            (Self::Cancel, _) => "Canceled the message".to_owned(),
            (Self::Edit, true) => "Edited the message".to_owned(),
            (Self::Edit, false) => "The message already has this text".to_owned(),
            (Self::Move, true) => "Moved the message".to_owned(),
            (Self::Move, false) => "The message is already in that position".to_owned(),
            (Self::Release, true) => format!("Released the message to {handle}"),
            (Self::Release, false) => "The message was not held; it is still queued".to_owned(),
            (Self::ReleaseAll, true) => format!("Released all held messages of {handle}"),
            (Self::ReleaseAll, false) => format!("{handle} has no held messages"),
        }
    }
}

fn tell(printer: &Printer, change: Change, answer: &ActionAnswer) -> Result<Exit, Failure> {
    match printer.mode() {
        Mode::Json => printer.json(answer)?,
        Mode::Quiet => printer.line(&answer.handle)?,
        Mode::Normal => printer.line(&change.told(answer))?,
    }
    Ok(Exit::Ok)
}

/// Lets a person edit all of a message in their editor.
async fn edited(context: &Context, handle: &str, id: &str) -> Result<String, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage("no new text for the message".to_owned())
            .hint(format!("run `paseo queue {handle} --edit {id} \"…\"`")));
    }
    let before = context.client()?.queued_text(handle, id).await?;
    let copy = Copy::of(Path::new("message.md"), &before, &context.settings.home)?;
    copy.open("the message was not changed")?;
    let text = prompt::edited(&copy.path, "message")?;
    // Editors end the last line.
    Ok(match text.strip_suffix('\n') {
        Some(line) if !before.ends_with('\n') => line.to_owned(),
        _ => text,
    })
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
