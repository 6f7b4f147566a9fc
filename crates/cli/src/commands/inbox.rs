//! `paseo inbox`

use paseo_wire::error::Exit;
use paseo_wire::inbox::{Inbox, InboxAgent, InboxFinished, InboxRequest, InboxWorking};
use paseo_wire::time::Moment;

use crate::args::InboxArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Mode, Printer, Style, relative};

const INDENT: &str = "  ";

pub(crate) async fn run(context: &Context, args: InboxArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let inbox = context.client()?.whole_inbox().await?;
    match printer.mode() {
        Mode::Json => printer.json(&inbox)?,
        Mode::Quiet => agents(&inbox).try_for_each(|agent| printer.line(&agent.handle))?,
        Mode::Normal => show(&printer, &inbox)?,
    }
    Ok(Exit::Ok)
}

fn agents(inbox: &Inbox) -> impl Iterator<Item = &InboxAgent> {
    let needs = inbox.needs_you.iter().map(|entry| &entry.agent);
    let finished = inbox.finished.iter().map(|entry| &entry.agent);
    needs.chain(finished).chain(inbox.working.iter().map(|entry| &entry.agent))
}

fn show(printer: &Printer, inbox: &Inbox) -> Result<(), Failure> {
    if agents(inbox).next().is_none() {
        printer.note("The inbox is empty: nothing needs you, and no agent is working.");
        return Ok(());
    }
    section(printer, "Needs you", &inbox.needs_you, need)?;
    section(printer, "Finished", &inbox.finished, finished)?;
    section(printer, "Working", &inbox.working, working)
}

fn section<T>(
    printer: &Printer,
    title: &str,
    entries: &[T],
    entry: impl Fn(&Printer, &T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if entries.is_empty() {
        return Ok(());
    }
    printer.styled(&[(Style::Bold, title)])?;
    entries.iter().try_for_each(|one| entry(printer, one))
}

fn need(printer: &Printer, entry: &InboxRequest) -> Result<(), Failure> {
    let kind = entry.kind.as_str().replace('_', " ");
    let (style, kind) = match entry.destructive {
        true => (Style::Red, format!("destructive {kind}")),
        false => (Style::Yellow, kind),
    };
    heading(printer, &entry.agent, (style, &kind), entry.since)?;
    let held = match entry.held {
        0 => None,
        1 => Some("1 message is held".to_owned()),
        held => Some(format!("{held} messages are held")),
    };
    let summary = entry.summary.clone().or_else(|| entry.code.clone());
    summary.iter().chain(&held).try_for_each(|text| below(printer, Style::Plain, text))?;
    below(printer, Style::Dim, &entry.hint)
}

fn finished(printer: &Printer, entry: &InboxFinished) -> Result<(), Failure> {
    heading(printer, &entry.agent, (Style::Green, "finished"), entry.since)?;
    entry.last_snippet.iter().try_for_each(|text| below(printer, Style::Plain, text))
}

fn working(printer: &Printer, entry: &InboxWorking) -> Result<(), Failure> {
    let progress = match (entry.todo_done, entry.todo_total) {
        (Some(done), Some(total)) => format!("{} {done}/{total}", entry.agent.status),
        _ => entry.agent.status.to_string(),
    };
    heading(printer, &entry.agent, (Style::Plain, &progress), entry.since)?;
    entry.step.iter().try_for_each(|text| below(printer, Style::Plain, text))
}

/// Prints which agent it is, what about it, and since when.
fn heading(
    printer: &Printer,
    agent: &InboxAgent,
    (style, what): (Style, &str),
    since: Moment,
) -> Result<(), Failure> {
    let name = agent.name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
    printer.styled(&[
        (Style::Bold, &format!("{INDENT}{}", agent.handle)),
        (Style::Plain, &name),
        (style, &format!("  {what}")),
        (Style::Dim, &format!("  {}", relative(since))),
    ])
}

fn below(printer: &Printer, style: Style, text: &str) -> Result<(), Failure> {
    let indent = INDENT.repeat(2);
    for line in printer.wrapped(text, indent.len()) {
        printer.styled(&[(style, &format!("{indent}{line}"))])?;
    }
    Ok(())
}
