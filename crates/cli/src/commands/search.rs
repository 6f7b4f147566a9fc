//! `paseo search`

use std::path::Path;

use clap::ValueEnum;
use jiff::Timestamp as Clock;
use paseo_core::search;
use paseo_core::time::Timestamp;
use paseo_wire::error::Exit;
use paseo_wire::search::{SearchHit, SearchPage, SearchQuery};
use paseo_wire::time::Moment;
use paseo_wire::words::SearchKind;

use crate::args::{SearchArgs, When};
use crate::context::Context;
use crate::failure::Failure;
use crate::people::People;
use crate::printer::{Mode, Printer, Style, relative};

pub(crate) async fn run(context: &Context, args: SearchArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let query = query(args)?;
    let client = context.client()?;
    let page = client.search(&query).await?;
    if page.behind > 0 {
        printer.warn(
            &format!("the newest {} events are not indexed yet", page.behind),
            Some("search again in a moment"),
        );
    }
    match printer.mode() {
        Mode::Json => printer.json(&page)?,
        Mode::Quiet => {
            let mut told = Vec::new();
            for hit in &page.hits {
                let agent = hit.agent.as_ref().map(|agent| agent.handle.as_str());
                let name = agent.or(hit.thread.as_ref().map(|thread| thread.id.as_str()));
                if let Some(name) = name.filter(|name| !told.contains(name)) {
                    printer.line(name)?;
                    told.push(name);
                }
            }
        }
        Mode::Normal => {
            let people = People::among(client, page.hits.iter().map(|hit| hit.who.as_str())).await;
            show(&printer, &page, &people)?;
        }
    }
    Ok(Exit::Ok)
}

/// Returns what is asked for.
fn query(args: SearchArgs) -> Result<SearchQuery, Failure> {
    let words = args.words.join(" ");
    // Before it is sent: some questions are too long for that.
    search::read(&words).map_err(|refusal| {
        Failure::usage(refusal.to_string()).hint("enter words, a \"phrase\" or a prefix*")
    })?;
    Ok(SearchQuery {
        q: words,
        agent: args.agent,
        thread: args.thread,
        within: args.within.map(|within| word(within).as_str().into()),
        kind: args.kinds.into_iter().map(|kind| word(kind).as_str().into()).collect(),
        from: args.from,
        since: args.since.map(moment),
        until: args.until.map(moment),
        directory: args.directory.as_deref().map(place_of).transpose()?,
        best: args.best,
        after: args.after,
        limit: Some(args.limit),
    })
}

/// Returns an absolute path. It need not be there any more: what was said in it is.
fn place_of(path: &Path) -> Result<String, Failure> {
    let unusable = |why: String| Failure::usage(format!("{} is not a directory: {why}", path.display()));
    let path = std::path::absolute(path).map_err(|error| unusable(error.to_string()))?;
    path.into_os_string().into_string().map_err(|_| unusable("the path is not valid UTF-8".to_owned()))
}

fn word(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Returns the moment that was typed.
pub(super) fn moment(when: When) -> Moment {
    let millis = match when {
        When::Moment(moment) => moment.as_millisecond(),
        When::Ago(ago) => {
            let ago = i64::try_from(ago.as_millis()).unwrap_or(i64::MAX);
            Clock::now().as_millisecond().saturating_sub(ago).max(0)
        }
    };
    Timestamp::from_millis(millis).into()
}

fn show(printer: &Printer, page: &SearchPage, people: &People) -> Result<(), Failure> {
    if page.hits.is_empty() {
        printer.note("No matches.");
    }
    for (n, hit) in page.hits.iter().enumerate() {
        if n > 0 {
            printer.line("")?;
        }
        let (place, status) = place(hit);
        let mut head = vec![(Style::Bold, place)];
        if status.as_deref() == Some("closed") {
            head.push((Style::Dim, " (closed)".to_owned()));
        }
        head.push((Style::Dim, format!("  {}  {}", told(hit, people), relative(hit.at))));
        let head: Vec<(Style, &str)> = head.iter().map(|(style, text)| (*style, text.as_str())).collect();
        printer.styled(&head)?;
        let mut line = vec![(Style::Plain, "  ")];
        line.extend(
            hit.excerpt
                .iter()
                .map(|piece| (if piece.hit { Style::Bold } else { Style::Plain }, piece.text.as_str())),
        );
        printer.styled(&line)?;
        printer.styled(&[(Style::Dim, &format!("  {}", opened_with(hit)))])?;
    }
    if let Some(next) = &page.next {
        printer.aside(&format!("More matches: --after {next}"));
    }
    Ok(())
}

/// Returns where something was found, and the status of the agent.
fn place(hit: &SearchHit) -> (String, Option<String>) {
    match (&hit.agent, &hit.thread) {
        (Some(agent), _) => {
            let name = agent.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
            (format!("{}{name}", agent.handle), Some(agent.status.to_string()))
        }
        (None, Some(thread)) => (format!("thread {}", thread.name), None),
        (None, None) => (String::new(), None),
    }
}

/// Returns who said or did it.
fn told(hit: &SearchHit, people: &People) -> String {
    let own = hit.agent.as_ref().is_some_and(|agent| hit.who == format!("session:{}", agent.id));
    match hit.kind {
        SearchKind::Name | SearchKind::Title => "name".to_owned(),
        SearchKind::Tool => "a tool".to_owned(),
        SearchKind::Answered if own => "answered".to_owned(),
        _ => people.shown(&hit.who),
    }
}

/// Returns the command that shows it where it stands.
fn opened_with(hit: &SearchHit) -> String {
    match (&hit.agent, &hit.thread) {
        (Some(agent), _) => match hit.ordinal {
            Some(ordinal) => format!("paseo logs {} --since {ordinal}", agent.handle),
            None if hit.kind == SearchKind::Said => format!("paseo queue {}", agent.handle),
            None => format!("paseo logs {}", agent.handle),
        },
        (None, Some(thread)) => match &hit.event {
            Some(event) => format!("paseo thread tail {} --from {event}", thread.id),
            None => format!("paseo thread tail {}", thread.id),
        },
        (None, None) => String::new(),
    }
}
