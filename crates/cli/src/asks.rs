//! What agents ask, as people read it.

use paseo_wire::permission::OpenAsk;

use crate::failure::Failure;
use crate::printer::{Printer, Style, relative};

/// How much of a hash is shown: enough to name an ask among the open ones.
const HASH_CHARS: usize = 8;

/// Returns the beginning of a hash, to be typed.
pub(crate) fn short(hash: &str) -> &str {
    hash.get(..HASH_CHARS).unwrap_or(hash)
}

/// Returns in a few words what is asked.
pub(crate) fn what(ask: &OpenAsk) -> &str {
    if ask.headline.is_empty() { &ask.text } else { &ask.headline }
}

/// Prints an ask: who asks, what in words, exactly what, and what `--always` would mean.
pub(crate) fn show(printer: &Printer, ask: &OpenAsk) -> Result<(), Failure> {
    let name = ask.name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
    let tool = ask.tool.as_deref().map(|tool| format!("  {tool}")).unwrap_or_default();
    printer.styled(&[
        (Style::Yellow, short(&ask.hash)),
        (Style::Bold, &format!("  {}", ask.handle)),
        (Style::Plain, &name),
        (Style::Plain, &tool),
        (Style::Dim, &format!("  {}", relative(ask.since))),
    ])?;
    // A question that is one line is its own headline.
    if ask.headline != ask.text {
        printer.styled(&[(Style::Plain, &format!("  {}", what(ask)))])?;
    }
    let text: Vec<String> = ask.text.lines().map(|line| format!("  {line}")).collect();
    printer.text(&text.join("\n"))?;
    match &ask.always {
        Some(covers) => printer.styled(&[(Style::Dim, &format!("  --always: {covers} in {}", ask.project))]),
        None => Ok(()),
    }
}

/// Returns the commands that answer an ask.
pub(crate) fn commands(hash: &str) -> String {
    let hash = short(hash);
    format!("`paseo permit allow {hash}` or `paseo permit deny {hash}`")
}
