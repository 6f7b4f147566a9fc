//! What agents ask, as people read it.

use paseo_core::permission::ON_SCREEN;
use paseo_wire::permission::PermissionRequest;

use crate::failure::Failure;
use crate::printer::{Printer, Style, relative};

/// How much of a hash is shown: enough to name an ask among the open ones.
const HASH_CHARS: usize = 8;

const INDENT: &str = "  ";

/// Returns the beginning of a hash, to be typed.
pub(crate) fn short(hash: &str) -> &str {
    hash.get(..HASH_CHARS).unwrap_or(hash)
}

/// Returns in a few words what is asked.
pub(crate) fn what(ask: &PermissionRequest) -> &str {
    if ask.headline.is_empty() { &ask.text } else { &ask.headline }
}

/// Prints an ask: who asks, what in words, exactly what, and what `--always` would mean.
pub(crate) fn show(printer: &Printer, ask: &PermissionRequest) -> Result<(), Failure> {
    let name = ask.name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
    let tool = ask.tool.as_deref().map(|tool| format!("  {tool}")).unwrap_or_default();
    printer.styled(&[
        (Style::Yellow, short(&ask.hash)),
        (Style::Bold, &format!("  {}", ask.handle)),
        (Style::Plain, &name),
        (Style::Plain, &tool),
        (Style::Red, if ask.destructive { "  destructive" } else { "" }),
        (Style::Dim, &format!("  {}", relative(ask.since))),
    ])?;
    // A question that is one line is its own headline.
    if ask.headline != ask.text {
        for line in printer.wrapped(what(ask), INDENT.len()) {
            printer.styled(&[(Style::Plain, &format!("{INDENT}{line}"))])?;
        }
    }
    // What would be done is shown exactly; what stands on a screen is only words.
    let words = ask.headline == ask.text || ask.tool.as_deref() == Some(ON_SCREEN);
    let wrapped = |line| if words { printer.wrapped(line, INDENT.len()) } else { vec![line.to_owned()] };
    let text: Vec<String> =
        ask.text.lines().flat_map(wrapped).map(|line| format!("{INDENT}{line}")).collect();
    printer.text(&text.join("\n"))?;
    let options = ask.questions.iter().flat_map(|question| &question.options);
    for option in options.filter(|option| !option.preview.is_empty()) {
        printer.styled(&[(Style::Dim, &format!("{INDENT}Preview of {}:", option.label))])?;
        let lines: Vec<String> = option.preview.lines().map(|line| format!("{INDENT}  {line}")).collect();
        printer.text(&lines.join("\n"))?;
    }
    if let Some(first) = ask.fields.first() {
        let hash = short(&ask.hash);
        let line = format!("{INDENT}paseo permit allow {hash} --field {}=…", first.name);
        printer.styled(&[(Style::Dim, &line)])?;
    }
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

/// Returns the command that answers a question, or those that answer a request.
pub(crate) fn answers(hash: &str, question: bool) -> String {
    match question {
        true => format!(
            "answer with `paseo permit allow {} -m \"…\"`; for a form or a plan, see `paseo permit ls`",
            short(hash)
        ),
        false => commands(hash),
    }
}

/// Returns the command that leads to where an ask is answered that stands on the screen of a worker.
pub(crate) fn in_terminal(name: &str) -> String {
    format!("`paseo worker attach {name}`")
}
