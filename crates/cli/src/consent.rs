//! Changes of definitions that wait for a person: shown as a diff, and decided.

use std::io::IsTerminal;

use paseo_client::Client;
use paseo_wire::agent::{AgentList, AgentQuery, PendingAgent, TrustAgent};
use paseo_wire::message::Receipt;
use paseo_wire::words::PendingChange;

use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Mode, Printer};

/// Lines of a diff that are shown.
const LINES: usize = 200;

/// Lets a person decide about changes of a definition that an agent is about to follow. Without a person, nothing is
/// decided: the daemon says which version it uses.
pub(crate) async fn review(
    context: &Context,
    printer: &Printer,
    slug: &str,
    project: &str,
) -> Result<(), Failure> {
    if !is_answerable(printer) {
        return Ok(());
    }
    let client = context.client()?;
    let query = AgentQuery { project: Some(project.to_owned()) };
    // An agent may not look at this, and hears so from what it asked for.
    let Ok(list) = client.agents(&query).await else { return Ok(()) };
    let pending: Vec<&PendingAgent> = list.pending.iter().filter(|pending| pending.slug == slug).collect();
    for pending in pending {
        show(printer, pending);
        if asked(printer, "trust this change? [y/N]")? {
            trust(client, &query, pending).await?;
        }
    }
    Ok(())
}

/// Says that an agent follows another version of its definition than the file holds.
pub(crate) fn explain(printer: &Printer, receipt: Option<&Receipt>) {
    warn(printer, receipt.and_then(|receipt| receipt.notice.as_deref()));
}

/// Says why a version counts that is not in its file.
pub(crate) fn warn(printer: &Printer, notice: Option<&str>) {
    if let Some(notice) = notice {
        printer.warn(
            notice,
            Some("run `paseo agents trust` to review and approve changes, `paseo agents check` to list mistakes"),
        );
    }
}

/// Says whether there is a person to answer.
pub(crate) fn is_answerable(printer: &Printer) -> bool {
    std::io::stdin().is_terminal() && printer.is_watched() && printer.mode() == Mode::Normal
}

/// Asks a person; anything but a yes is a no.
pub(crate) fn asked(printer: &Printer, question: &str) -> Result<bool, Failure> {
    printer.note(question);
    let mut line = String::new();
    std::io::stdin()
        .read_line(&mut line)
        .map_err(|error| Failure::usage(format!("cannot read the answer: {error}")))?;
    Ok(matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Makes a change count.
pub(crate) async fn trust(
    client: &Client,
    query: &AgentQuery,
    pending: &PendingAgent,
) -> Result<AgentList, Failure> {
    let wanted = TrustAgent { project: query.project.clone(), sha256: pending.sha256.clone() };
    Ok(client.trust_agent(&pending.slug, &wanted).await?)
}

/// Shows a change, what it grants, and how its text differs from what counts.
pub(crate) fn show(printer: &Printer, pending: &PendingAgent) {
    let PendingAgent { slug, change, file, widens, diff, .. } = pending;
    let what = match change {
        PendingChange::New => "is new",
        PendingChange::Shadows => "would replace another definition",
        PendingChange::Removed => "was removed",
        PendingChange::Named => "is new and in use, but not trusted yet",
        _ => "has changed",
    };
    printer.note(&format!("the definition `{slug}` {what}"));
    if let Some(file) = file {
        printer.note(&format!("  {file}"));
    }
    if !widens.is_empty() {
        printer.note(&format!("  it would grant more: {}", widens.join(", ")));
    }
    let lines: Vec<&str> = diff.iter().flat_map(|diff| diff.lines()).collect();
    lines.iter().take(LINES).for_each(|line| printer.quote(line));
    if let Some(left) = lines.len().checked_sub(LINES).filter(|left| *left > 0) {
        printer.note(&format!("… {left} more lines: `paseo agents show {slug} --untrusted`"));
    }
}
