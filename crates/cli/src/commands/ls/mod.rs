//! `paseo ls`

mod watch;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use paseo_client::{Client, Error};
use paseo_core::definition::DEFAULT;
use paseo_core::label::UI;
use paseo_core::limits::PAGE_ROWS;
use paseo_wire::error::Exit;
use paseo_wire::session::{Hidden, SessionLine, SessionLines, SessionPage, SessionQuery};
use paseo_wire::time::Moment;
use paseo_wire::words::Status;
use paseo_wire::worker::TerminalView;

use watch::Agents;

use super::run::directory;
use super::{watched, worker};
use crate::args::ListArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Column, Mode, Printer, Style, Table, limit, relative, status_style};
use crate::signs::Signs;

pub(crate) async fn run(context: &Context, args: ListArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let query = SessionQuery {
        labels: labels(&args),
        all_statuses: args.all_statuses,
        agent: args.agent.clone(),
        project: if args.global { None } else { Some(directory(None)?) },
        ..SessionQuery::default()
    };
    let client = context.client()?;
    if args.watch {
        return watched::run(context, client, &printer, &Agents { query: &query, args: &args }).await;
    }
    match printer.mode() {
        Mode::Json => printer.json(&all(client, query).await?)?,
        Mode::Quiet => {
            for session in lines(client, query).await?.sessions {
                printer.line(&session.handle)?;
            }
        }
        Mode::Normal => show(&printer, lines(client, query).await?, &args)?,
    }
    Ok(Exit::Ok)
}

/// Reads a whole list, with all there is to know of each session.
async fn all(client: &Client, query: SessionQuery) -> Result<SessionPage, Error> {
    let mut whole: SessionPage = every_page(query, async |query| client.sessions(query).await).await?;
    whole.sessions.sort_by_key(|session| place(&session.status, session.pinned_at));
    Ok(whole)
}

/// Reads a whole list, with as much of each session as a table shows.
async fn lines(client: &Client, query: SessionQuery) -> Result<SessionLines, Error> {
    let mut whole: SessionLines = every_page(query, async |query| client.session_lines(query).await).await?;
    whole.sessions.sort_by_key(|session| place(&session.status, session.pinned_at));
    Ok(whole)
}

/// Reads every page of a list.
async fn every_page<P: Page>(
    mut query: SessionQuery,
    read: impl AsyncFn(&SessionQuery) -> Result<P, Error>,
) -> Result<P, Error> {
    query.limit = Some(PAGE_ROWS);
    let mut whole = read(&query).await?;
    while let Some(next) = whole.take_next() {
        query.after = Some(next);
        whole.append(read(&query).await?);
    }
    Ok(whole)
}

/// A page of a list, which grows to the whole of it.
trait Page {
    /// Takes out where the list goes on.
    fn take_next(&mut self) -> Option<String>;

    /// Takes in the page that follows.
    fn append(&mut self, more: Self);
}

impl Page for SessionPage {
    fn take_next(&mut self) -> Option<String> {
        self.next.take()
    }

    fn append(&mut self, more: Self) {
        self.sessions.extend(more.sessions);
        self.next = more.next;
    }
}

impl Page for SessionLines {
    fn take_next(&mut self) -> Option<String> {
        self.next.take()
    }

    fn append(&mut self, more: Self) {
        self.sessions.extend(more.sessions);
        self.next = more.next;
    }
}

/// Says where a session stands: closed ones come last, the pinned ones first among them, the newest pin first.
fn place(status: &Status, pinned_at: Option<Moment>) -> (bool, bool, Option<Reverse<Moment>>) {
    match status {
        Status::Closed => (true, pinned_at.is_none(), pinned_at.map(Reverse)),
        _ => (false, false, None),
    }
}

/// Returns what a person calls a session.
pub(super) fn shown_name<'a>(name: Option<&'a str>, title: Option<&'a str>) -> &'a str {
    name.or(title).unwrap_or_default()
}

/// Returns the name, with a star before that of a pinned session.
fn marked_name(session: &SessionLine) -> String {
    let star = if session.pinned_at.is_some() { "* " } else { "" };
    let name = shown_name(session.name.as_deref(), session.title.as_deref().or(session.member.as_deref()));
    let worker = session.terminal.as_ref().map(|terminal| as_worker(name, terminal)).unwrap_or_default();
    format!("{star}{name}{worker}").trim().to_owned()
}

/// Marks a worker: whether a person is at it, and how its program ended.
fn as_worker(name: &str, terminal: &TerminalView) -> String {
    let called = if name == terminal.name { String::new() } else { format!(" {}", terminal.name) };
    let stands = match (&terminal.exit, terminal.person) {
        (Some(exit), _) => format!(", {}", worker::ended(exit)),
        (None, true) => ", a person is typing".to_owned(),
        (None, false) if terminal.taken_over_by.is_some() => ", taken over by a person".to_owned(),
        (None, false) => String::new(),
    };
    format!(" (worker{called}{stands})")
}

/// Says whether a session follows a definition that is not built in.
fn follows_a_definition(session: &SessionLine) -> bool {
    session.agent != DEFAULT && !session.agent.is_empty()
}

/// Returns the status, with what keeps it so.
fn shown_status(session: &SessionLine) -> String {
    match (session.parked_until, &session.status_reason) {
        (Some(until), _) => format!("{}: {}", session.status, limit(until)),
        (None, Some(reason)) => format!("{}: {reason}", session.status),
        (None, None) => match signs(session).told() {
            Some(told) => format!("{}: {told}", session.status),
            None => session.status.to_string(),
        },
    }
}

fn signs(session: &SessionLine) -> Signs {
    let now_ms = jiff::Timestamp::now().as_millisecond();
    Signs { retry: session.retry, heard_at: session.heard_at, now_ms }
}

/// Says how a worker is answered that asks in its terminal: the column may be too narrow for that.
fn asks_in_terminal(session: &SessionLine) -> Option<String> {
    let name = &session.terminal.as_ref().filter(|_| session.status == Status::Waiting)?.name;
    Some(format!("{name} is waiting for an answer in its terminal: paseo worker attach {name}"))
}

/// Returns the labels on one line.
pub(super) fn shown_labels(labels: &BTreeMap<String, String>) -> String {
    let labels: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    labels.join(" ")
}

fn show(printer: &Printer, page: SessionLines, args: &ListArgs) -> Result<(), Failure> {
    let hidden = hidden(page.hidden, args);
    let empty = page.sessions.is_empty();
    let asking: Vec<String> = page.sessions.iter().filter_map(asks_in_terminal).collect();
    if empty {
        printer.note(match hidden {
            Some(_) => "No agents.",
            None => "No agents yet. Start one: paseo run \"what to do\"",
        });
    } else {
        printer.table(&table(page.sessions, args.global))?;
    }
    asking.iter().for_each(|line| printer.aside(line));
    if let Some(hidden) = hidden.filter(|_| printer.is_watched() || empty) {
        printer.aside(&hidden);
    }
    Ok(())
}

/// Makes the table. Across directories it says where each was started.
fn table(sessions: Vec<SessionLine>, with_directories: bool) -> Table<8> {
    // Only a status with a reason is long enough to give way.
    let is_explained = |session: &SessionLine| shown_status(session) != session.status.as_str();
    let explained = sessions.iter().any(is_explained);
    let defined = sessions.iter().any(follows_a_definition);
    let mut table = Table::new([
        Column::key("HANDLE"),
        if explained { Column::flexible("STATUS") } else { Column::fixed("STATUS") },
        Column::flexible("NAME"),
        Column::flexible(if defined { "AGENT" } else { "" }).optional(),
        Column::fixed("PROVIDER").optional(),
        Column::flexible("LABELS").optional(),
        Column::flexible(if with_directories { "DIRECTORY" } else { "" }).optional(),
        Column::fixed("UPDATED").optional(),
    ])
    .strict();
    for session in sessions {
        table.row([
            (Style::Bold, session.handle.clone()),
            (status_style(session.status.as_str()), shown_status(&session)),
            (Style::Plain, marked_name(&session)),
            (Style::Plain, if defined { session.agent } else { String::new() }),
            (Style::Plain, session.provider),
            (Style::Blue, shown_labels(&session.labels)),
            (Style::Plain, if with_directories { under_home(&session.project) } else { String::new() }),
            (Style::Dim, relative(session.updated_at)),
        ]);
    }
    table
}

/// Returns a path as people write it.
pub(super) fn under_home(path: &str) -> String {
    let home = std::env::home_dir().filter(|home| home.parent().is_some());
    let below = home.and_then(|home| Path::new(path).strip_prefix(home).ok().map(Path::to_owned));
    match below {
        Some(below) if below.as_os_str().is_empty() => "~".to_owned(),
        Some(below) => format!("~/{}", below.display()),
        None => path.to_owned(),
    }
}

/// Says how many are hidden, by which filter, and what shows them.
fn hidden(hidden: Hidden, args: &ListArgs) -> Option<String> {
    let labels = match (args.labels.is_empty(), args.ui) {
        (true, true) => "not in the web app (leave out --ui)",
        (true, false) => "in the web app (--ui)",
        (false, _) => "with other labels",
    };
    let parts = [
        (hidden.labels, labels),
        (hidden.agent, "with other definitions (leave out --agent)"),
        (hidden.status, "closed (-a)"),
        (hidden.project, "started elsewhere (-g)"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, why)| format!("{count} {why}")).collect();
    (!parts.is_empty()).then(|| format!("hidden: {}", parts.join(", ")))
}

/// Writes labels as the query wants them. `--ui` is one of them: those below such an agent have none.
fn labels(args: &ListArgs) -> Option<String> {
    let typed = args.labels.iter().map(|label| label.to_string().replace('%', "%25").replace(',', "%2C"));
    let labels: Vec<String> = typed.chain(args.ui.then(|| format!("{UI}=true"))).collect();
    (!labels.is_empty()).then(|| labels.join(","))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command};

    fn args(words: &[&str]) -> ListArgs {
        match Cli::parse_from(["paseo", "ls"].iter().chain(words)).command {
            Command::Ls(args) => args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_hidden_is_counted_by_filter() {
        let counts = Hidden { status: 2, project: 1, labels: 4, agent: 0 };
        let told = hidden(counts, &args(&[])).unwrap();
        assert_eq!(told, "hidden: 4 in the web app (--ui), 2 closed (-a), 1 started elsewhere (-g)");
        let told = hidden(Hidden { labels: 3, ..Hidden::default() }, &args(&["--ui"])).unwrap();
        assert_eq!(told, "hidden: 3 not in the web app (leave out --ui)");
        let told = hidden(Hidden { labels: 3, ..Hidden::default() }, &args(&["--label", "a=b"])).unwrap();
        assert_eq!(told, "hidden: 3 with other labels");
        let told = hidden(Hidden { agent: 2, ..Hidden::default() }, &args(&["--agent", "x"])).unwrap();
        assert_eq!(told, "hidden: 2 with other definitions (leave out --agent)");
        assert_eq!(hidden(Hidden::default(), &args(&[])), None);
    }

    #[test]
    fn workers_are_marked() {
        let terminal =
            |exit, person| TerminalView { name: "red-1".to_owned(), exit, person, taken_over_by: None };
        let at = paseo_core::time::Timestamp::from_millis(0).into();
        let exit = paseo_wire::worker::ExitView { code: Some(3), signal: None, at };
        assert_eq!(as_worker("red-1", &terminal(None, false)), " (worker)");
        assert_eq!(as_worker("mine", &terminal(None, true)), " (worker red-1, a person is typing)");
        assert_eq!(as_worker("red-1", &terminal(Some(exit), false)), " (worker, exited 3)");
    }

    #[test]
    fn a_comma_does_not_split_a_label() {
        let asked = |flags: &[&str]| labels(&args(flags));
        assert_eq!(asked(&["--label", "a=1,2", "--label", "b=3"]).as_deref(), Some("a=1%2C2,b=3"));
        assert_eq!(asked(&["--label", "a=1", "--ui"]).as_deref(), Some("a=1,ui=true"));
        assert_eq!(asked(&[]), None);
    }
}
