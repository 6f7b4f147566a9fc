//! `paseo inspect`

use paseo_client::Client;
use paseo_wire::error::Exit;
use paseo_wire::item::UsageView;
use paseo_wire::session::{EnteredView, SessionView, TodoView};
use paseo_wire::time::Moment;
use paseo_wire::tool::ToolList;
use paseo_wire::words::{Guard, Hold, Power, TodoStatus};

use super::ls::shown_labels;
use super::why::{is_elsewhere, on_hold};
use crate::args::InspectArgs;
use crate::asks;
use crate::consent;
use crate::context::Context;
use crate::failure::Failure;
use crate::output_schema;
use crate::people::People;
use crate::printer::{Column, Mode, Printer, Style, Table, clock, limit, relative, status_style};
use crate::short::joined;

pub(crate) async fn run(context: &Context, args: InspectArgs) -> Result<Exit, Failure> {
    let printer = context.printer.json_if(args.json);
    let client = context.client()?;
    if args.prompt {
        return prompt(client, &printer, &args.handle).await;
    }
    if args.secret {
        let known = client.secret(&args.handle).await?;
        printer.text(&known.secret)?;
        printer.aside(&format!("answers are posted to {}", known.callback_url));
        return Ok(Exit::Ok);
    }
    let session = client.session(&args.handle).await?.session;
    if printer.mode() == Mode::Json {
        printer.json(&session)?;
        return Ok(Exit::Ok);
    }
    let open = match session.asks {
        0 => Vec::new(),
        _ => client.open_asks(Some(&session.id)).await?,
    };
    let tools = match is_elsewhere(&session) {
        // It has its own, whatever they are.
        true => None,
        false => Some(client.tools_of(&session.id).await?),
    };
    let message = client.last_message(&session.id).await?;
    let message = message.as_ref().and_then(|item| item.delivery());
    let message = message.map(|delivery| format!("delivery {delivery}"));
    let people = People::among(client, [session.created_by.as_str()]).await;
    let session = with_handles(client, session, &people).await;
    let mut table = Table::new([Column::fixed(""), Column::wrapped("")]);
    for (key, style, value) in rows(&session, message).into_iter().chain(tools.iter().flat_map(granted)) {
        if !value.is_empty() {
            table.row([(Style::Dim, key.to_owned()), (style, value)]);
        }
    }
    printer.table(&table)?;
    consent::warn(&printer, session.notice.as_deref());
    if let Some(todo) = session.todo.as_ref().filter(|todo| !todo.is_empty()) {
        printer.text("")?;
        printer.styled(&[(Style::Dim, "todo")])?;
        printer.table(&todo_list(todo))?;
    }
    for ask in &open {
        printer.text("")?;
        asks::show(&printer, ask)?;
    }
    if let Some(first) = open.first() {
        printer.aside(&match &session.terminal {
            Some(terminal) => asks::in_terminal(&terminal.name),
            None => asks::commands(&first.hash),
        });
    }
    Ok(Exit::Ok)
}

/// Names other agents as people name them. Those that are gone keep their ids.
async fn with_handles(client: &Client, mut session: SessionView, people: &People) -> SessionView {
    let creator = session.created_by.strip_prefix("session:").map(str::to_owned);
    session.created_by = match creator {
        Some(id) => handle_of(client, &id).await.into(),
        None => people.shown(&session.created_by).into(),
    };
    let others = session.parent.iter_mut().chain(session.children.iter_mut().flatten());
    for id in others.chain(session.entered.iter_mut().map(|entered| &mut entered.from)) {
        *id = handle_of(client, id).await.into();
    }
    session
}

async fn handle_of(client: &Client, id: &str) -> String {
    client.session(id).await.map_or_else(|_| id.to_owned(), |answer| answer.session.handle)
}

/// Returns what the agent may use, and what cannot be withheld from it.
fn granted(tools: &ToolList) -> Vec<(&'static str, Style, String)> {
    let powers = tools.powers.iter().map(Power::as_str);
    let names: Vec<&str> = powers.chain(tools.tools.iter().map(|tool| tool.name.as_str())).collect();
    let unheld: Vec<&str> = tools.unheld.iter().map(Power::as_str).collect();
    vec![
        ("tools", Style::Plain, if names.is_empty() { "none".to_owned() } else { names.join(", ") }),
        ("cannot withhold", Style::Yellow, unheld.join(", ")),
    ]
}

/// Makes the list of what the agent has set itself to do.
fn todo_list(todo: &[TodoView]) -> Table<2> {
    let mut table = Table::new([Column::fixed(""), Column::wrapped("")]);
    for one in todo {
        let style = match one.status {
            TodoStatus::InProgress => Style::Bold,
            TodoStatus::Pending => Style::Plain,
            TodoStatus::Completed | TodoStatus::Cancelled | TodoStatus::Other(_) => Style::Dim,
        };
        table.row([(Style::Dim, one.status.as_str().replace('_', " ")), (style, one.content.clone())]);
    }
    table
}

async fn prompt(client: &Client, printer: &Printer, handle: &str) -> Result<Exit, Failure> {
    let added = client.prompt(handle).await?.prompt;
    if added.is_empty() {
        printer.note("Paseo adds nothing to the agent's prompt");
    } else {
        printer.text(&added)?;
    }
    Ok(Exit::Ok)
}

fn rows(session: &SessionView, message: Option<String>) -> Vec<(&'static str, Style, String)> {
    let plain = |key, value: &str| (key, Style::Plain, value.to_owned());
    let maybe = |key, value: &Option<String>| (key, Style::Plain, value.clone().unwrap_or_default());
    let id = |key, id: Option<&str>| (key, Style::Plain, id.unwrap_or_default().to_owned());
    let code = session.status_code.as_ref().map(|code| format!(" ({code})")).unwrap_or_default();
    let reason = session.status_reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    let status = format!("{}{reason} since {}{code}", session.status, moment(session.status_since));
    let permissions =
        if is_elsewhere(session) { "external: managed elsewhere" } else { session.permissions.as_str() };
    let hold = if session.hold == Hold::None { String::new() } else { on_hold(session.hold.as_str()) };
    let worktree = session.worktree.as_ref();
    let worktree = worktree.map(|tree| format!("{} on {} of {}", tree.path, tree.branch, tree.repository));
    let worktree = worktree.unwrap_or_default();
    let waiting = match (session.queued, session.held) {
        (0, 0) => String::new(),
        (queued, held) => format!("{queued} queued, {held} held"),
    };
    vec![
        ("handle", Style::Bold, session.handle.clone()),
        plain("id", &session.id),
        maybe("name", &session.name),
        maybe("title", &session.title),
        plain("agent", &session.agent),
        ("status", status_style(session.status.as_str()), status),
        plain("waits for", &session.waits_for.clone().unwrap_or_default().join(" ")),
        plain("on hold", &hold),
        ("parked", Style::Yellow, session.parked_until.map(limit).unwrap_or_default()),
        plain("check", &session.check.as_ref().map(output_schema::summary).unwrap_or_default()),
        plain("messages", &waiting),
        plain("provider", &session.provider),
        maybe("model", &session.model),
        maybe("effort", &session.effort),
        plain("permissions", permissions),
        id("team", session.team.as_deref()),
        plain("member", session.member.as_deref().unwrap_or_default()),
        plain("guard", session.guard.as_ref().map_or("", Guard::as_str)),
        plain("labels", &shown_labels(&session.labels)),
        plain("pinned", &session.pinned_at.map(moment).unwrap_or_default()),
        plain("notify", if session.notify_when_finished { "when finished" } else { "" }),
        plain("attributes", &shown_attributes(session)),
        plain("project", &session.project),
        plain("directory", &session.directory),
        plain("worktree", &worktree),
        id("parent", session.parent.as_deref()),
        plain("children", &joined(session.children.as_deref().unwrap_or_default(), " ")),
        plain("entered from", &session.entered.as_ref().map(entered).unwrap_or_default()),
        plain("created", &format!("{} by {}", moment(session.created_at), session.created_by)),
        plain("updated", &moment(session.updated_at)),
        id("turn", session.turn.as_deref()),
        id(if session.turn.is_some() { "cause" } else { "last cause" }, session.last_cause.as_deref()),
        maybe("last message", &message),
        maybe("last line", &session.last_snippet),
        plain("turns", &session.turns.to_string()),
        plain("usage", &usage(session)),
    ]
}

/// Returns the attributes on one line.
pub(super) fn shown_attributes(session: &SessionView) -> String {
    let attributes: Vec<String> =
        session.attributes.iter().map(|(name, value)| format!("{name}={value}")).collect();
    attributes.join(" ")
}

fn entered(entered: &EnteredView) -> String {
    format!("{} {}", entered.from, relative(entered.at))
}

fn moment(moment: Moment) -> String {
    format!("{} ({})", clock(moment), relative(moment))
}

fn usage(session: &SessionView) -> String {
    let usage = session.usage;
    if usage.input_tokens == 0 && usage.output_tokens == 0 {
        return String::new();
    }
    format!(
        "{} tokens in ({} cached), {} tokens out{}",
        usage.input_tokens,
        usage.cached_tokens,
        usage.output_tokens,
        cost(usage)
    )
}

/// Returns the money, after a comma; nothing when it is unknown.
pub(super) fn cost(usage: UsageView) -> String {
    let dollars = |micros: u64| format!(", ${}.{:04}", micros / 1_000_000, micros % 1_000_000 / 100);
    usage.cost_micros.map(dollars).unwrap_or_default()
}
