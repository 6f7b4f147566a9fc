//! `paseo inspect`

use paseo_wire::error::Exit;
use paseo_wire::session::SessionView;
use paseo_wire::time::Moment;

use super::ls::shown_labels;
use crate::args::InspectArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Column, Mode, Style, Table, relative, status_style};

pub(crate) async fn run(context: &Context, args: InspectArgs) -> Result<Exit, Failure> {
    let printer = context.printer.json_if(args.json);
    let client = context.client()?;
    let session = client.session(&args.handle).await?.session;
    if printer.mode() == Mode::Json {
        printer.json(&session)?;
        return Ok(Exit::Ok);
    }
    let ask = match &session.ask {
        Some(hash) => client.ask_text(&session.id, hash).await?,
        None => None,
    };
    let mut table = Table::new([Column::fixed(""), Column::fixed("")]);
    for (key, style, value) in rows(&session, ask) {
        if !value.is_empty() {
            table.row([(Style::Dim, key.to_owned()), (style, value)]);
        }
    }
    printer.table(&table)?;
    Ok(Exit::Ok)
}

fn rows(session: &SessionView, ask: Option<String>) -> Vec<(&'static str, Style, String)> {
    let plain = |key, value: &str| (key, Style::Plain, value.to_owned());
    let maybe = |key, value: &Option<String>| (key, Style::Plain, value.clone().unwrap_or_default());
    let code = session.status_code.as_ref().map(|code| format!(", {code}")).unwrap_or_default();
    let status = format!(
        "{} since {} (known from {}{code})",
        session.status,
        moment(session.status_since),
        session.status_source
    );
    let hold = if session.hold == "none" { String::new() } else { session.hold.clone() };
    let waiting = match (session.queued, session.held) {
        (0, 0) => String::new(),
        (queued, held) => format!("{queued} queued, {held} held"),
    };
    vec![
        ("handle", Style::Bold, session.handle.clone()),
        plain("id", &session.id),
        maybe("name", &session.name),
        maybe("title", &session.title),
        ("status", status_style(&session.status), status),
        plain("hold", &hold),
        ("asks", Style::Yellow, ask.unwrap_or_default()),
        plain("messages", &waiting),
        plain("provider", &session.provider),
        maybe("model", &session.model),
        plain("labels", &shown_labels(session)),
        plain("project", &session.project),
        plain("directory", &session.directory),
        maybe("parent", &session.parent),
        plain("created", &format!("{} by {}", moment(session.created_at), session.created_by)),
        plain("updated", &moment(session.updated_at)),
        maybe("turn", &session.turn),
        maybe("cause", &session.cause),
        plain("turns", &session.turns.to_string()),
        plain("usage", &usage(session)),
    ]
}

fn moment(moment: Moment) -> String {
    format!("{} ({})", String::from(moment), relative(moment))
}

fn usage(session: &SessionView) -> String {
    let usage = session.usage;
    if usage.input_tokens == 0 && usage.output_tokens == 0 {
        return String::new();
    }
    let cost = usage
        .cost_micros
        .map(|micros| format!(", ${}.{:04}", micros / 1_000_000, micros % 1_000_000 / 100))
        .unwrap_or_default();
    format!(
        "{} tokens in ({} cached), {} tokens out{cost}",
        usage.input_tokens, usage.cached_tokens, usage.output_tokens
    )
}
