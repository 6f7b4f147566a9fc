//! `paseo cause`

use paseo_wire::error::Exit;
use paseo_wire::item::UsageView;
use paseo_wire::trace::{CauseAgent, CauseTurn, CauseView};
use paseo_wire::words::TurnOutcome;

use super::inspect::cost;
use crate::args::CauseArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Column, Mode, Printer, Style, Table, clock, lasted, relative};

pub(crate) async fn run(context: &Context, args: CauseArgs) -> Result<Exit, Failure> {
    let printer = context.printer.json_if(args.json);
    let client = context.client()?;
    let view =
        if args.stop { client.stop_cause(&args.cause).await? } else { client.cause(&args.cause).await? };
    if printer.mode() == Mode::Json {
        printer.json(&view)?;
    } else {
        show(&printer, &view)?;
    }
    Ok(Exit::Ok)
}

fn show(printer: &Printer, view: &CauseView) -> Result<(), Failure> {
    let mut head = Table::new([Column::fixed(""), Column::wrapped("")]);
    let mut row = |key: &str, style: Style, value: String| {
        if !value.is_empty() {
            head.row([(Style::Dim, key.to_owned()), (style, value)]);
        }
    };
    let asked = view.opened_by.as_ref().map(|by| match view.opened_at {
        Some(at) => format!("{by}, {}", relative(at)),
        None => by.clone(),
    });
    row("cause", Style::Bold, view.cause.to_string());
    row("asked by", Style::Plain, asked.unwrap_or_default());
    row("thread", Style::Plain, view.thread.as_deref().unwrap_or_default().to_owned());
    row("post", Style::Plain, view.post.as_deref().unwrap_or_default().to_owned());
    row("delivery", Style::Plain, view.delivery.as_deref().unwrap_or_default().to_owned());
    row("wakes", Style::Plain, format!("{} of {}", view.wakes, view.wakes_allowed));
    row("usage", Style::Plain, format!("{} tokens{}", tokens(view.usage), cost(view.usage)));
    row("stopped", Style::Red, if view.stopped { "by a person".to_owned() } else { String::new() });
    printer.table(&head)?;
    if !view.agents.is_empty() {
        printer.line("")?;
        printer.table(&agents(&view.agents))?;
    }
    if view.turns.is_empty() {
        printer.note("No turns yet.");
        return Ok(());
    }
    printer.line("")?;
    printer.table(&turns(&view.turns))
}

fn agents(agents: &[CauseAgent]) -> Table<7> {
    let mut table = Table::new([
        Column::flexible("AGENT"),
        Column::fixed("STATUS"),
        Column::fixed("TURNS").optional(),
        Column::fixed("WAKES").optional(),
        Column::fixed("WAITING").optional(),
        Column::fixed("TOKENS").optional(),
        Column::fixed("COST").optional(),
    ]);
    for (depth, agent) in tree(agents) {
        let branch = if depth == 0 { String::new() } else { format!("{}└ ", "  ".repeat(depth - 1)) };
        let name = agent.name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
        let started = if agent.spawned { " (started)" } else { "" };
        table.row([
            (Style::Bold, format!("{branch}{}{name}{started}", agent.handle)),
            (Style::Plain, agent.status.to_string()),
            (Style::Plain, agent.turns.to_string()),
            (Style::Plain, agent.wakes.to_string()),
            (if agent.waiting > 0 { Style::Red } else { Style::Plain }, agent.waiting.to_string()),
            (Style::Plain, tokens(agent.usage).to_string()),
            (Style::Plain, cost(agent.usage).trim_start_matches(", ").to_owned()),
        ]);
    }
    table
}

/// Puts everyone below whoever brought them in, with how deep they stand.
fn tree(agents: &[CauseAgent]) -> Vec<(usize, &CauseAgent)> {
    let known = |id: &str| agents.iter().any(|agent| agent.session == id);
    let is_root = |agent: &&CauseAgent| agent.by.as_deref().is_none_or(|by| !known(by));
    let mut next: Vec<(usize, &CauseAgent)> =
        agents.iter().rev().filter(is_root).map(|root| (0, root)).collect();
    let mut placed = Vec::with_capacity(agents.len());
    while let Some((depth, agent)) = next.pop() {
        placed.push((depth, agent));
        let below = agents.iter().rev().filter(|other| other.by.as_ref() == Some(&agent.session));
        next.extend(below.map(|child| (depth + 1, child)));
    }
    // Whoever wrote to each other first stands in no tree.
    let left = agents.iter().filter(|agent| !placed.iter().any(|(_, other)| other.session == agent.session));
    let left: Vec<_> = left.map(|agent| (0, agent)).collect();
    placed.into_iter().chain(left).collect()
}

fn turns(turns: &[CauseTurn]) -> Table<7> {
    let mut table = Table::new([
        Column::fixed("AGENT"),
        Column::fixed("TURN"),
        Column::fixed("OUTCOME"),
        Column::fixed("BEGAN").optional(),
        Column::fixed("TOOK").optional(),
        Column::fixed("TOKENS").optional(),
        Column::fixed("COST").optional(),
    ]);
    for turn in turns {
        let depth = usize::try_from(turn.hop).unwrap_or_default();
        let branch = if depth == 0 { String::new() } else { format!("{}└ ", "  ".repeat(depth - 1)) };
        let woken = if turn.woken { " (woken)" } else { "" };
        let outcome = turn.outcome.as_ref().map_or("running", TurnOutcome::as_str);
        table.row([
            (Style::Bold, format!("{branch}{}", turn.handle)),
            (Style::Dim, short(&turn.turn).to_owned()),
            (outcome_style(outcome), format!("{outcome}{woken}")),
            (Style::Plain, clock(turn.opened_at)),
            (Style::Plain, turn.ended_at.map(|end| lasted(turn.opened_at, end)).unwrap_or_default()),
            (Style::Plain, tokens(turn.usage).to_string()),
            (Style::Plain, cost(turn.usage).trim_start_matches(", ").to_owned()),
        ]);
    }
    table
}

/// Returns enough of an id to tell it from those beside it, which begin with the same time. No command takes a turn.
fn short(id: &str) -> &str {
    id.rsplit('-').next().unwrap_or(id)
}

fn tokens(usage: UsageView) -> u64 {
    usage.input_tokens + usage.output_tokens
}

fn outcome_style(outcome: &str) -> Style {
    match outcome {
        "running" => Style::Green,
        "failed" | "interrupted" => Style::Red,
        _ => Style::Plain,
    }
}
