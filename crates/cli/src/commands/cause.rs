//! `paseo cause`

use paseo_wire::error::Exit;
use paseo_wire::item::UsageView;
use paseo_wire::trace::{CauseAgent, CauseMessage, CauseTask, CauseTurn, CauseView};
use paseo_wire::words::{Stage, TurnOutcome};

use super::inspect::cost;
use crate::args::CauseArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::people::People;
use crate::printer::{Column, Mode, Printer, Style, Table, clock, lasted, relative};

pub(crate) async fn run(context: &Context, args: CauseArgs) -> Result<Exit, Failure> {
    let printer = context.printer.json_if(args.json);
    let client = context.client()?;
    if args.messages {
        let messages = client.cause_messages(&args.cause).await?;
        match printer.mode() {
            Mode::Json => printer.json(&messages)?,
            _ if messages.messages.is_empty() => printer.note("No messages yet."),
            _ => printer.table(&sent(&messages.messages))?,
        }
        return Ok(Exit::Ok);
    }
    let view =
        if args.stop { client.stop_cause(&args.cause).await? } else { client.cause(&args.cause).await? };
    if printer.mode() == Mode::Json {
        printer.json(&view)?;
    } else {
        let people = People::among(client, view.opened_by.as_deref()).await;
        show(&printer, &view, &people)?;
    }
    Ok(Exit::Ok)
}

fn show(printer: &Printer, view: &CauseView, people: &People) -> Result<(), Failure> {
    let mut head = Table::new([Column::fixed(""), Column::wrapped("")]);
    let mut row = |key: &str, style: Style, value: String| {
        if !value.is_empty() {
            head.row([(Style::Dim, key.to_owned()), (style, value)]);
        }
    };
    let asked = view.opened_by.as_ref().map(|by| match view.opened_at {
        Some(at) => format!("{}, {}", people.shown(by), relative(at)),
        None => people.shown(by),
    });
    row("cause", Style::Bold, view.cause.to_string());
    row("asked by", Style::Plain, asked.unwrap_or_default());
    row("request", Style::Plain, view.request.as_deref().unwrap_or_default().to_owned());
    row("thread", Style::Plain, view.thread.as_deref().unwrap_or_default().to_owned());
    row("post", Style::Plain, view.post.as_deref().unwrap_or_default().to_owned());
    row("delivery", Style::Plain, view.delivery.as_deref().unwrap_or_default().to_owned());
    let left = match view.stopped {
        true => String::new(),
        false => format!(", {} left", view.wakes_left),
    };
    row("wakes", Style::Plain, format!("{} of {}{left}", view.wakes, view.wakes_allowed));
    row("messages", Style::Plain, view.messages.to_string());
    let took = view.opened_at.zip(view.ended_at).map(|(from, to)| lasted(from, to));
    row("took", Style::Plain, took.unwrap_or_default());
    row("usage", Style::Plain, format!("{} tokens{}", tokens(view.usage), cost(view.usage)));
    row(
        "stopped",
        Style::Red,
        if view.stopped { "by a person; no more turns".to_owned() } else { String::new() },
    );
    printer.table(&head)?;
    if !view.agents.is_empty() {
        printer.line("")?;
        printer.table(&agents(&view.agents, view.stopped))?;
    }
    if view.turns.is_empty() {
        printer.note("No turns yet.");
    } else {
        printer.line("")?;
        printer.table(&turns(&view.turns))?;
    }
    if !view.tasks.is_empty() {
        printer.line("")?;
        printer.table(&tasks(&view.tasks, &view.agents))?;
    }
    if !view.complete {
        printer.note("The history is too long; the newest part is not shown.");
    }
    Ok(())
}

fn agents(agents: &[CauseAgent], stopped: bool) -> Table<7> {
    let mut table = Table::new([
        Column::flexible("AGENT"),
        Column::fixed("STATUS"),
        Column::fixed("TURNS").optional(),
        Column::fixed("OWN WAKES").optional(),
        Column::fixed("WAITING").optional(),
        Column::fixed("TOKENS").optional(),
        Column::fixed("COST").optional(),
    ]);
    for agent in agents {
        let branch = branch(agent.depth);
        let name = agent.name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
        let started = if agent.spawned { " (started)" } else { "" };
        table.row([
            (Style::Bold, format!("{branch}{}{name}{started}", agent.handle)),
            (Style::Plain, agent.status.to_string()),
            (Style::Plain, agent.turns.to_string()),
            (
                Style::Plain,
                if stopped {
                    agent.wakes.to_string()
                } else {
                    format!("{} ({} left)", agent.wakes, agent.wakes_left)
                },
            ),
            (if agent.waiting > 0 { Style::Red } else { Style::Plain }, agent.waiting.to_string()),
            (Style::Plain, tokens(agent.usage).to_string()),
            (Style::Plain, cost(agent.usage).trim_start_matches(", ").to_owned()),
        ]);
    }
    table
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
        let branch = branch(usize::try_from(turn.hop).unwrap_or_default());
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

fn tasks(tasks: &[CauseTask], agents: &[CauseAgent]) -> Table<5> {
    let mut table = Table::new([
        Column::fixed("TASK"),
        Column::fixed("TEAM").optional(),
        Column::fixed("STATUS"),
        Column::fixed("AGENT").optional(),
        Column::flexible("TITLE"),
    ]);
    for task in tasks {
        let by = task.claimed_by.as_ref().or(task.created_by.as_ref());
        let by = by.and_then(|by| agents.iter().find(|agent| agent.session == *by));
        table.row([
            (Style::Bold, task.task.to_string()),
            (Style::Plain, task.team.to_string()),
            (Style::Plain, task.status.to_string()),
            (Style::Plain, by.map(|agent| agent.handle.clone()).unwrap_or_default()),
            (Style::Plain, task.title.clone()),
        ]);
    }
    table
}

fn sent(messages: &[CauseMessage]) -> Table<5> {
    let mut table = Table::new([
        Column::fixed("SENT").optional(),
        Column::fixed("FROM"),
        Column::fixed("TO"),
        Column::fixed("STAGE"),
        Column::flexible("TEXT"),
    ]);
    for message in messages {
        let from = message.from_handle.clone().unwrap_or_else(|| sender(&message.from));
        let reason = message.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        table.row([
            (Style::Dim, clock(message.sent_at)),
            (Style::Plain, from),
            (Style::Bold, message.handle.clone()),
            (stage_style(&message.stage), format!("{}{reason}", message.stage)),
            (Style::Plain, message.text.clone().unwrap_or_default()),
        ]);
    }
    table
}

fn sender(actor: &str) -> String {
    match actor.split_once(':') {
        Some(("human", _)) => "person".to_owned(),
        Some((_, name)) => name.to_owned(),
        None => actor.to_owned(),
    }
}

fn stage_style(stage: &Stage) -> Style {
    match stage {
        Stage::Held | Stage::Failed | Stage::Interrupted => Style::Red,
        Stage::Handing | Stage::Handed => Style::Green,
        _ => Style::Plain,
    }
}

/// Returns what stands before the name of an agent at some depth of a tree.
pub(super) fn branch(depth: usize) -> String {
    if depth == 0 { String::new() } else { format!("{}└ ", "  ".repeat(depth - 1)) }
}

/// Returns enough of an id to tell it from those beside it, which begin with the same time. No command takes a turn.
fn short(id: &str) -> &str {
    id.rsplit('-').next().unwrap_or(id)
}

pub(super) fn tokens(usage: UsageView) -> u64 {
    usage.input_tokens + usage.output_tokens
}

fn outcome_style(outcome: &str) -> Style {
    match outcome {
        "running" => Style::Green,
        "failed" | "interrupted" => Style::Red,
        _ => Style::Plain,
    }
}
