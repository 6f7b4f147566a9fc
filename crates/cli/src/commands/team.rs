//! `paseo team`

use paseo_core::team::suggested;
use paseo_wire::error::Exit;
use paseo_wire::past::PastQuery;
use paseo_wire::team::{
    AgentOfTeam, CreateTeam, InboxQuery, NoticePage, NoticeQuery, NoticeView, RefusalQuery, TeamQuery,
};
use paseo_wire::words::{NoticeKind, NoticeReason, TeamRole};
use serde_json::json;

use super::ls::under_home;
use super::{past, run, task, thread};
use crate::args::{Output, TeamCommand};
use crate::context::Context;
use crate::failure::Failure;
use crate::people::known_as;
use crate::printer::{Column, Mode, Printer, Style, Table, clock, relative};

pub(crate) async fn run(context: &Context, command: TeamCommand) -> Result<Exit, Failure> {
    match command {
        TeamCommand::Create { team, cwd, agents, output } => {
            let directory = Some(run::directory(cwd.as_deref())?);
            let agents = agents.iter().map(|agent| member(agent)).collect();
            let made =
                context.client()?.create_team(&CreateTeam { id: team.into(), directory, agents }).await?;
            context.explain_version();
            let printer = context.printer.with(output);
            match printer.mode() {
                Mode::Json => printer.json(&made.team)?,
                Mode::Quiet => printer.line(&made.team.id)?,
                Mode::Normal => {
                    let id = &made.team.id;
                    printer.line(&format!("Created team {id}"))?;
                    let leader = made.team.agents.iter().find(|agent| agent.role == TeamRole::Leader);
                    printer.note(&match leader.map(|leader| leader.id.as_str()) {
                        Some(leader) => {
                            format!("Start {leader}: paseo team leader {id} --member {leader} \"…\"")
                        }
                        None => format!("Start a leader: paseo team leader {id} \"…\""),
                    });
                }
            }
        }
        TeamCommand::Ls { all, output } => list(context, all, output).await?,
        TeamCommand::Show { which, past, output } => {
            show(context, which.typed(), past::asked(&past), output).await?;
        }
        TeamCommand::Env { which, agent, again, output } => {
            env(context, which.typed(), &agent, again, output).await?;
        }
        TeamCommand::Audit { which, newest: Some(newest), output, .. } => {
            newest_events(context, which.typed(), newest as usize, output).await?;
        }
        TeamCommand::Audit { which, agent, after, newest: None, output } => {
            audit(context, which.typed(), agent, after, output).await?;
        }
        TeamCommand::Refusals { which, agent, output } => {
            refusals(context, which.typed(), agent, output).await?;
        }
        TeamCommand::Leader(args) => {
            let mut wanted = args.run;
            (wanted.team, wanted.leads) = (Some(args.team_id), true);
            return run::run(context, wanted).await;
        }
        TeamCommand::Leave { which, agent, output } => {
            leave(context, which.typed(), agent.as_deref(), output).await?;
        }
        TeamCommand::Rm { team, output } => close(context, &team, output).await?,
    }
    Ok(Exit::Ok)
}

fn member(text: &str) -> AgentOfTeam {
    let (id, role) = text.split_once(':').unwrap_or((text, "worker"));
    AgentOfTeam {
        id: id.into(),
        role: role.into(),
        model: None,
        session: None,
        handle: None,
        gone: false,
        guard: None,
        refused: None,
    }
}

async fn leave(context: &Context, team: &str, agent: Option<&str>, output: Output) -> Result<(), Failure> {
    let answer = context.client()?.leave_team(team, agent.unwrap_or("-")).await?;
    context.explain_version();
    // A daemon of before does not say.
    let (team, left) = (answer.team, answer.changed.unwrap_or(true));
    let printer = context.printer.with(output);
    match printer.mode() {
        Mode::Json => printer.json(&team),
        Mode::Quiet => printer.line(&team.id),
        Mode::Normal => printer.line(&match (agent, left) {
            (Some(agent), true) => format!("Removed {agent} from team {}", team.id),
            (Some(agent), false) => format!("{agent} had already left team {}", team.id),
            (None, true) => format!("Left team {}", team.id),
            (None, false) => format!("You had already left team {}", team.id),
        }),
    }
}

async fn close(context: &Context, team: &str, output: Output) -> Result<(), Failure> {
    let answer = context.client()?.close_team(team).await?;
    context.explain_version();
    let (team, closed) = (answer.team, answer.changed.unwrap_or(true));
    let printer = context.printer.with(output);
    match printer.mode() {
        Mode::Json => return printer.json(&team),
        Mode::Quiet => return printer.line(&team.id),
        Mode::Normal if closed => printer.line(&format!("Closed team {}", team.id))?,
        Mode::Normal => printer.line(&format!("Team {} was already closed", team.id))?,
    }
    let there = team.agents.iter().filter(|agent| !agent.gone);
    let handles: Vec<&str> = there.filter_map(|agent| agent.handle.as_deref()).collect();
    if !handles.is_empty() {
        printer.note(&format!("Its agents are still open. Close them: paseo close {}", handles.join(" ")));
    }
    Ok(())
}

async fn list(context: &Context, all: bool, output: Output) -> Result<(), Failure> {
    let (client, printer) = (context.client()?, context.printer.with(output));
    let mut page = client.teams(&TeamQuery::default()).await?;
    while let Some(after) = page.next.take() {
        let more = client.teams(&TeamQuery { after: Some(after), limit: None }).await?;
        page.teams.extend(more.teams);
        page.next = more.next;
    }
    let suggested = suggested(page.teams.iter().map(|team| team.id.as_str()));
    page.teams.retain(|team| all || team.closed_at.is_none());
    match printer.mode() {
        Mode::Json => printer.json(&page),
        Mode::Quiet => page.teams.iter().try_for_each(|team| printer.line(&team.id)),
        Mode::Normal if page.teams.is_empty() => {
            let none = if all { "No teams." } else { "No open teams." };
            printer.note(&format!("{none} Create one: paseo team create {suggested}"));
            Ok(())
        }
        Mode::Normal => {
            let mut table = Table::new([
                Column::flexible("TEAM"),
                Column::flexible("AGENTS").optional(),
                Column::fixed("TASKS").optional(),
                Column::fixed("IN PROGRESS").optional(),
                Column::fixed("UPDATED").optional(),
            ])
            .strict();
            for team in page.teams {
                let there = team.agents.iter().filter(|agent| !agent.gone);
                let agents: Vec<&str> = there.map(|agent| agent.id.as_str()).collect();
                let agents = if agents.is_empty() { "-".to_owned() } else { agents.join(", ") };
                let closed = if team.closed_at.is_some() { " (closed)" } else { "" };
                table.row([
                    (Style::Bold, format!("{}{closed}", team.id)),
                    (Style::Plain, agents),
                    (Style::Plain, team.tasks.to_string()),
                    (Style::Plain, team.in_progress.to_string()),
                    (Style::Dim, relative(team.updated_at)),
                ]);
            }
            printer.table(&table)
        }
    }
}

async fn show(
    context: &Context,
    typed: &str,
    past: Option<PastQuery>,
    output: Output,
) -> Result<(), Failure> {
    let (client, printer) = (context.client()?, context.printer.with(output));
    let present = client.team(typed).await?.team;
    let newest = present.version;
    let team = match &past {
        Some(past) => client.past_team(&present.id, past).await?.team,
        None => present,
    };
    match printer.mode() {
        Mode::Json => return printer.json(&team),
        Mode::Quiet => return printer.line(&team.id),
        Mode::Normal => {}
    }
    let directory = team.directory.as_deref().map_or_else(|| "none".to_owned(), under_home);
    let closed = team.closed_at.map(|at| format!("closed {}", relative(at))).unwrap_or_default();
    let mut head = Table::new([Column::fixed(""), Column::flexible(""), Column::fixed("")]).strict();
    head.row([(Style::Bold, team.id.to_string()), (Style::Dim, directory), (Style::Dim, closed)]);
    printer.table(&head)?;
    if let Some(past) = &past {
        let as_of = past::as_of(past, team.updated_at, team.version, newest);
        printer.styled(&[(Style::Dim, &format!("as of {as_of}"))])?;
    }
    printer.line("")?;
    let (gone, there): (Vec<_>, Vec<_>) = team.agents.iter().partition(|agent| agent.gone);
    let models = there.iter().any(|agent| agent.model.is_some());
    let guards = there.iter().any(|agent| agent.guard.is_some());
    let mut table = Table::new([
        Column::flexible("MEMBER"),
        Column::flexible("ROLE"),
        Column::flexible(if models { "MODEL" } else { "" }).optional(),
        Column::fixed("HANDLE"),
        Column::fixed(if guards { "GUARD" } else { "" }).optional(),
    ])
    .strict();
    for agent in &there {
        let session = agent.handle.clone().unwrap_or_else(|| "-".to_owned());
        table.row([
            (Style::Bold, agent.id.to_string()),
            (Style::Plain, agent.role.to_string()),
            (Style::Dim, agent.model.clone().unwrap_or_default()),
            (Style::Dim, session),
            (Style::Dim, agent.guard.as_ref().map(ToString::to_string).unwrap_or_default()),
        ]);
    }
    if team.agents.is_empty() && team.closed_at.is_none() && past.is_none() {
        printer.note(&format!("No members yet. Start one: paseo run --team {} \"…\"", team.id));
    } else if !there.is_empty() {
        printer.table(&table)?;
    }
    if !gone.is_empty() {
        let gone: Vec<&str> = gone.iter().map(|agent| agent.id.as_str()).collect();
        printer.line(&format!("gone: {}", gone.join(", ")))?;
    }
    printer.line("")?;
    task::table(context, &printer, &team, past.is_some()).await?;
    thread::of_team(context, &printer, &team, past.as_ref()).await?;
    if past.is_some() && team.version < newest {
        let since = match newest - team.version {
            1 => "1 event".to_owned(),
            several => format!("{several} events"),
        };
        printer.note(&format!("{since} since then: paseo team audit {} --after {}", team.id, team.version));
    }
    Ok(())
}

async fn env(context: &Context, team: &str, agent: &str, again: bool, output: Output) -> Result<(), Failure> {
    let client = context.client()?;
    let (id, url) = (client.team(team).await?.team.id, client.status().await?.url);
    let token = client.create_agent_token(&id, agent, again).await?;
    let variables = [
        ("PI_TEAMD_URL", url.as_str()),
        ("PI_TEAMD_TOKEN", token.secret.as_str()),
        ("PI_TEAM_ID", id.as_str()),
        ("PI_AGENT_ID", agent),
    ];
    let printer = context.printer.with(output);
    match printer.mode() {
        Mode::Json => {
            let all: serde_json::Map<String, serde_json::Value> =
                variables.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
            printer.json(&all)
        }
        Mode::Quiet | Mode::Normal => {
            printer.note(&format!("Created a token for {agent}. Its secret is shown only once:"));
            printer.detail(&format!("token {}", token.id));
            // None of these can hold a quote: ids are plain, and the others are ours.
            variables.iter().try_for_each(|(name, value)| printer.line(&format!("export {name}='{value}'")))
        }
    }
}

async fn audit(
    context: &Context,
    team: &str,
    agent: Option<String>,
    from: Option<u64>,
    output: Output,
) -> Result<(), Failure> {
    let (client, printer) = (context.client()?, context.printer.with(output));
    let (mut after, mut all): (Option<u64>, Vec<NoticeView>) = (from, Vec::new());
    loop {
        let limit = Some(500);
        let page = match agent.clone() {
            Some(agent) => {
                client.inbox(team, &InboxQuery { agent: Some(agent.into()), after, limit }).await?
            }
            None => client.audit(team, &NoticeQuery { after, limit, newest: false }).await?,
        };
        all.extend(page.notices);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    if printer.mode() == Mode::Normal && all.is_empty() {
        let none = |cursor| format!("No events after {cursor}.");
        printer.note(&from.map_or_else(|| "No events yet.".to_owned(), none));
        return Ok(());
    }
    print_events(context, &printer, &NoticePage { notices: all, next: None })
}

/// Prints the newest events of a team, newest first.
async fn newest_events(context: &Context, team: &str, count: usize, output: Output) -> Result<(), Failure> {
    let (client, printer) = (context.client()?, context.printer.with(output));
    let (mut after, mut all): (Option<u64>, Vec<NoticeView>) = (None, Vec::new());
    while all.len() < count {
        let limit = Some(count.min(500));
        let page = client.audit(team, &NoticeQuery { after, limit, newest: true }).await?;
        all.extend(page.notices);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let cut = all.len() > count;
    all.truncate(count);
    let next = all.last().map(|last| last.cursor).filter(|_| cut || after.is_some());
    print_events(context, &printer, &NoticePage { notices: all, next })
}

fn print_events(context: &Context, printer: &Printer, page: &NoticePage) -> Result<(), Failure> {
    match printer.mode() {
        Mode::Json => printer.json(page),
        Mode::Quiet | Mode::Normal => page.notices.iter().try_for_each(|notice| {
            let when = format!("{:>6}  {}  ", notice.cursor, clock(notice.ts));
            printer.styled(&[
                (Style::Dim, &when),
                (Style::Plain, &told(notice, |id| known_as(&context.settings, id))),
            ])
        }),
    }
}

async fn refusals(
    context: &Context,
    team: &str,
    agent: Option<String>,
    output: Output,
) -> Result<(), Failure> {
    let printer = context.printer.with(output);
    let list = context
        .client()?
        .refusals(team, &RefusalQuery { agent: agent.map(Into::into), ..RefusalQuery::default() })
        .await?;
    match printer.mode() {
        Mode::Json => printer.json(&list),
        Mode::Normal if list.refusals.is_empty() => {
            printer.note("No refused writes.");
            Ok(())
        }
        Mode::Quiet => list.refusals.iter().try_for_each(|refused| printer.line(&refused.what)),
        Mode::Normal => {
            let mut table = Table::new([
                Column::fixed("WHEN"),
                Column::flexible("MEMBER"),
                Column::flexible("REFUSED"),
                Column::flexible("WHY").optional(),
            ])
            .strict();
            for refused in &list.refusals {
                table.row([
                    (Style::Dim, relative(refused.at)),
                    (Style::Bold, refused.agent.to_string()),
                    (Style::Plain, refused.what.clone()),
                    (Style::Dim, refused.why.clone()),
                ]);
            }
            printer.table(&table)
        }
    }
}

/// Says what happened, to what or whom, and by whom: in the order of an inbox's lines.
fn told<'a>(notice: &'a NoticeView, shown: impl Fn(&'a str) -> &'a str) -> String {
    let about = notice.thread.as_deref().or(notice.task.as_deref());
    let (about, of, to) = match (about, notice.to.as_deref()) {
        (None, whom) => (whom.map(&shown), None, None),
        (about, to) if notice.kind == NoticeKind::TaskAssigned => (about, None, to.map(&shown)),
        (about, of) => (about, of.map(&shown), None),
    };
    let word =
        |before: &str, word: Option<&str>| word.map(|word| format!("{before}{word}")).unwrap_or_default();
    let session = notice.session.as_deref().map(|id| format!(" (agent {})", id.get(..8).unwrap_or(id)));
    format!(
        "{}{}{}{} by {}{}{}",
        notice.kind,
        word(" ", about),
        word(" of ", of),
        session.unwrap_or_default(),
        shown(&notice.actor),
        word(" to ", to),
        word(": ", notice.reason.as_ref().map(NoticeReason::as_str))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_reads_as_a_sentence() {
        for (more, words) in [
            (json!({ "type": "team_created" }), "team_created by you"),
            (
                json!({ "type": "agent_enrolled", "to": "red-3", "session": "3c070dcb-0000" }),
                "agent_enrolled red-3 (agent 3c070dcb) by you",
            ),
            (
                json!({ "type": "task_assigned", "task": "task-0001", "to": "ann" }),
                "task_assigned task-0001 by you to ann",
            ),
            (
                json!({ "type": "task_released", "task": "task-0001", "to": "ann", "reason": "its holder is gone" }),
                "task_released task-0001 of ann by you: its holder is gone",
            ),
            (
                json!({ "type": "thread_message", "thread": "thread-0001", "task": "task-0001" }),
                "thread_message thread-0001 by you",
            ),
        ] {
            let mut all = json!({ "cursor": 1, "actor": "user", "ts": "2026-01-31T12:00:00.000Z" });
            all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let notice: NoticeView = serde_json::from_value(all).unwrap();
            assert_eq!(told(&notice, |id| if id == "user" { "you" } else { id }), words);
        }
    }
}
