//! `paseo map`

use std::collections::BTreeMap;

use paseo_wire::error::Exit;
use paseo_wire::map::{MapAgent, MapCause, MapQuery, MapRefusal, MapView};

use super::cause::{branch, tokens};
use super::inspect::cost;
use super::ls::under_home;
use crate::args::MapArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Column, Mode, Printer, Style, Table, relative};

/// Handles by session.
type Handles<'a> = BTreeMap<&'a str, &'a str>;

pub(crate) async fn run(context: &Context, args: MapArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let map = context.client()?.map(&MapQuery { all: args.all }).await?;
    match printer.mode() {
        Mode::Json => printer.json(&map)?,
        Mode::Quiet => map.agents.iter().try_for_each(|agent| printer.line(&agent.handle))?,
        Mode::Normal if map.agents.is_empty() && args.all => printer.note("No open agents."),
        Mode::Normal if map.agents.is_empty() => {
            printer.note("No agent is running; paseo map --all shows all open agents.");
        }
        Mode::Normal => show(&printer, &map)?,
    }
    Ok(Exit::Ok)
}

fn show(printer: &Printer, map: &MapView) -> Result<(), Failure> {
    let handles: Handles = map.agents.iter().map(|agent| (&*agent.session, &*agent.handle)).collect();
    for (number, project) in map.agents.chunk_by(|one, other| one.project == other.project).enumerate() {
        if number > 0 {
            printer.line("")?;
        }
        printer.line(&project.first().map(|agent| under_home(&agent.project)).unwrap_or_default())?;
        printer.table(&agents(project, map, &handles))?;
    }
    if map.left_out > 0 {
        printer.note(&format!("{} more agents are not shown.", map.left_out));
    }
    if !map.links.is_empty() || !map.threads.is_empty() {
        printer.line("")?;
        printer.table(&talk(map, &handles))?;
    }
    if !map.refused.is_empty() {
        printer.line("")?;
        printer.table(&refused(&map.refused))?;
    }
    if !map.causes.is_empty() {
        printer.line("")?;
        printer.table(&causes(&map.causes))?;
    }
    Ok(())
}

fn agents(project: &[MapAgent], map: &MapView, handles: &Handles<'_>) -> Table<5> {
    let mut table = Table::new([
        Column::flexible("AGENT"),
        Column::fixed("STATUS"),
        Column::fixed("WAITS FOR"),
        Column::fixed("WAKES").optional(),
        Column::fixed("TOKENS").optional(),
    ]);
    for agent in project {
        let name = agent.name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
        let waits = map.waits.iter().filter(|wait| wait.from == agent.session);
        let waits: Vec<&str> = waits.filter_map(|wait| handles.get(&*wait.to).copied()).collect();
        table.row([
            (Style::Bold, format!("{}{}{name}", branch(agent.depth), agent.handle)),
            (if agent.busy { Style::Green } else { Style::Plain }, agent.status.to_string()),
            (Style::Yellow, waits.join(", ")),
            (Style::Plain, agent.wakes.to_string()),
            (Style::Plain, tokens(agent.usage).to_string()),
        ]);
    }
    table
}

fn talk(map: &MapView, handles: &Handles<'_>) -> Table<4> {
    let mut table = Table::new([
        Column::fixed("FROM"),
        Column::flexible("TO"),
        Column::fixed("LAST HOUR"),
        Column::fixed("LAST").optional(),
    ]);
    let handle = |session: &str| handles.get(session).copied().unwrap_or(session).to_owned();
    for link in &map.links {
        let parts = [
            (link.spawns > 0).then(|| "started it".to_owned()),
            counted(link.messages, "message"),
            counted(link.answers, "notice"),
        ];
        table.row([
            (Style::Bold, handle(&link.from)),
            (Style::Bold, handle(&link.to)),
            (Style::Plain, parts.into_iter().flatten().collect::<Vec<_>>().join(", ")),
            (Style::Dim, relative(link.last_at)),
        ]);
    }
    for thread in &map.threads {
        let name = thread.name.clone().unwrap_or_else(|| "a deleted thread".to_owned());
        for participant in &thread.participants {
            let parts = [counted(participant.posts, "post"), counted(participant.wakes, "wake")];
            table.row([
                (Style::Bold, handle(&participant.session)),
                (Style::Plain, format!("thread {name}")),
                (Style::Plain, parts.into_iter().flatten().collect::<Vec<_>>().join(", ")),
                (Style::Dim, relative(participant.last_at)),
            ]);
        }
    }
    table
}

fn counted(count: u32, what: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        _ => Some(format!("{count} {what}s")),
    }
}

fn refused(refused: &[MapRefusal]) -> Table<2> {
    let mut table = Table::new([Column::wrapped("REFUSED WAIT"), Column::fixed("LAST")]);
    for refusal in refused {
        let first = refusal.agents.first().filter(|_| refusal.circle);
        let chain = refusal.agents.iter().chain(first).map(|agent| agent.handle.as_str());
        let why = if refusal.circle { "deadlock" } else { "chain too long" };
        let chain = chain.collect::<Vec<_>>().join(" → ");
        table.row([(Style::Red, format!("{chain} ({why})")), (Style::Dim, relative(refusal.at))]);
    }
    table
}

fn causes(causes: &[MapCause]) -> Table<5> {
    let mut table = Table::new([
        Column::fixed("ASKED"),
        Column::fixed("WAKES"),
        Column::fixed("TOKENS"),
        Column::fixed("COST").optional(),
        Column::fixed("CAUSE").optional(),
    ]);
    for cause in causes {
        table.row([
            (Style::Bold, cause.handle.clone().unwrap_or_else(|| "thread".to_owned())),
            (Style::Plain, format!("{} ({} left)", cause.wakes, cause.wakes_left)),
            (Style::Plain, tokens(cause.usage).to_string()),
            (Style::Plain, cost(cause.usage).trim_start_matches(", ").to_owned()),
            (Style::Dim, cause.cause.to_string()),
        ]);
    }
    table
}
