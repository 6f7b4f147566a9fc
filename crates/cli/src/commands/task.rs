//! `paseo task` and `paseo can-write`

use std::path::Path;
use std::time::Duration;

use paseo_client::{Client, Error};
use paseo_core::limits::PAGE_ROWS;
use paseo_core::thread::USER;
use paseo_wire::error::Exit;
use paseo_wire::team::{
    ClaimTask, CreateTask, EndTask, MessageOfTeam, ReassignTask, RenewTask, TaskAnswer, TaskPage, TaskView,
    TeamQuery, TeamView, WriteQuery,
};

use super::run;
use super::watched::{self, Watched};
use crate::args::{CanWriteArgs, EndArgs, Epoch, OneTask, Output, TaskCommand, TaskCreateArgs};
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Column, Mode, Printer, Style, Table, clock, relative, size};
use crate::prompt;
use crate::short::joined;

pub(crate) async fn run(context: &Context, command: TaskCommand) -> Result<Exit, Failure> {
    let client = context.client()?;
    let (answer, output) = match command {
        TaskCommand::Create(args) => (create(context, &args).await?, args.of.output),
        TaskCommand::Ls { watch, of } => {
            let (printer, team) = (context.printer.with(of.output), client.team(&of.team).await?.team);
            if watch {
                // By its name, so that it is the same one for as long as it is watched.
                return watched::run(context, client, &printer, &Tasks { team: &team.id }).await;
            }
            table(context, &printer, &team).await?;
            if team.closed_at.is_some() {
                printer.note(&closed(&team.id));
            }
            return Ok(Exit::Ok);
        }
        TaskCommand::Show(one) => (client.task(&one.of.team, &one.task).await?, one.of.output),
        TaskCommand::Claim { one, time } => {
            let body = ClaimTask { ttl_ms: millis(time.ttl) };
            (client.claim_task(&one.of.team, &one.task, &body).await?, one.of.output)
        }
        TaskCommand::Renew { one, epoch, time } => {
            let body = RenewTask { epoch: leased(client, &one, &epoch).await?, ttl_ms: millis(time.ttl) };
            (client.renew_task(&one.of.team, &one.task, &body).await?, one.of.output)
        }
        TaskCommand::Complete(args) => {
            let ending = end(client, &args).await?;
            (client.complete_task(&args.one.of.team, &args.one.task, &ending).await?, args.one.of.output)
        }
        TaskCommand::Fail(args) => {
            let ending = end(client, &args).await?;
            (client.fail_task(&args.one.of.team, &args.one.task, &ending).await?, args.one.of.output)
        }
        TaskCommand::Release { one, epoch } => {
            let epoch = leased(client, &one, &epoch).await?;
            (client.release_task(&one.of.team, &one.task, epoch).await?, one.of.output)
        }
        TaskCommand::Cancel(one) => (client.cancel_task(&one.of.team, &one.task).await?, one.of.output),
        TaskCommand::Retry(one) => (client.retry_task(&one.of.team, &one.task).await?, one.of.output),
        TaskCommand::Reassign { one, to, time } => {
            let body = ReassignTask { to, ttl_ms: millis(time.ttl) };
            (client.reassign_task(&one.of.team, &one.task, &body).await?, one.of.output)
        }
    };
    context.explain_version();
    told(context, output, &answer)?;
    Ok(Exit::Ok)
}

pub(crate) async fn can_write(context: &Context, args: CanWriteArgs) -> Result<Exit, Failure> {
    let client = context.client()?;
    // That is how a command is asked about, wherever one is.
    let path = match args.path.as_str() {
        "." => args.path,
        typed => counted(typed, client.team(&args.of.team).await?.team.directory.as_deref())?,
    };
    let asked = WriteQuery { path, agent: args.agent };
    let answer = client.can_write(&args.of.team, &asked).await?;
    let printer = context.printer.with(args.of.output);
    match printer.mode() {
        Mode::Json => printer.json(&answer)?,
        Mode::Quiet => printer.line(answer.reason.as_str())?,
        Mode::Normal => {
            let word = if answer.allow { "yes" } else { "no" };
            printer.line(&format!("{word}: {} ({})", answer.advice, answer.reason))?;
        }
    }
    Ok(if answer.allow { Exit::Ok } else { Exit::Refused })
}

async fn create(context: &Context, args: &TaskCreateArgs) -> Result<TaskAnswer, Failure> {
    let client = context.client()?;
    let mut resources = Vec::with_capacity(args.resources.len());
    if !args.resources.is_empty() {
        let project = client.team(&args.of.team).await?.team.directory;
        for typed in &args.resources {
            resources.push(counted(typed, project.as_deref())?);
        }
    }
    let wanted = CreateTask {
        title: args.title.clone(),
        description: args
            .description
            .as_deref()
            .map(|text| prompt::typed(text, "description"))
            .transpose()?,
        deps: args.deps.clone(),
        resources,
    };
    Ok(client.create_task(&args.of.team, &wanted, None).await?)
}

/// Returns a path as the project has it: what was typed counts from the current directory, if that lies in the project.
fn counted(typed: &str, project: Option<&str>) -> Result<String, Failure> {
    let Some(project) = project.filter(|_| !typed.is_empty() && !typed.starts_with('/')) else {
        return Ok(typed.to_owned());
    };
    let here = run::directory(None)?;
    Ok(from_here(typed, Path::new(&here), Path::new(project)).unwrap_or_else(|| typed.to_owned()))
}

/// `None` outside of the project, and for what leads out of it: that is refused in words of its own.
fn from_here(typed: &str, here: &Path, project: &Path) -> Option<String> {
    let mut parts: Vec<&str> =
        here.strip_prefix(project).ok()?.iter().map(|part| part.to_str()).collect::<Option<_>>()?;
    for part in typed.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match part {
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}

/// Shows the tasks of a team.
pub(super) async fn table(context: &Context, printer: &Printer, team: &TeamView) -> Result<(), Failure> {
    let page = all(context.client()?, &team.id).await?;
    if printer.mode() == Mode::Json {
        return printer.json(&page);
    }
    let tasks = page.tasks;
    match printer.mode() {
        Mode::Json | Mode::Quiet => tasks.iter().try_for_each(|task| printer.line(&task.id)),
        Mode::Normal if tasks.is_empty() => {
            printer.note(&if team.closed_at.is_some() { "No tasks.".to_owned() } else { none(&team.id) });
            Ok(())
        }
        Mode::Normal => printer.table(&rows(&tasks)),
    }
}

fn none(team: &str) -> String {
    format!("No tasks. Create one: paseo task create \"…\" --resource src --team {team}")
}

fn closed(team: &str) -> String {
    format!("Team {team} is closed.")
}

/// Reads a whole list.
async fn all(client: &Client, team: &str) -> Result<TaskPage, Error> {
    let mut whole = client.tasks(team, &TeamQuery { after: None, limit: Some(PAGE_ROWS) }).await?;
    while let Some(after) = whole.next.take() {
        let page = client.tasks(team, &TeamQuery { after: Some(after), limit: Some(PAGE_ROWS) }).await?;
        whole.tasks.extend(page.tasks);
        whole.next = page.next;
    }
    Ok(whole)
}

fn rows(tasks: &[TaskView]) -> Table<7> {
    let blocked = tasks.iter().any(|task| task.reason.is_some());
    let leased = tasks.iter().any(|task| task.lease.is_some());
    let mut table = Table::new([
        Column::fixed("TASK"),
        Column::fixed("STATUS"),
        Column::flexible("OWNER").optional(),
        Column::flexible(if leased { "UNTIL" } else { "" }).optional(),
        Column::flexible("TITLE"),
        Column::flexible("NEEDS").optional(),
        Column::flexible(if blocked { "REASON" } else { "" }).optional(),
    ])
    .strict();
    for task in tasks {
        table.row([
            (Style::Bold, task.id.to_string()),
            (Style::Plain, task.status.to_string()),
            (Style::Plain, task.owner.clone().unwrap_or_else(|| "-".to_owned())),
            (Style::Dim, task.lease.as_ref().map(|lease| clock(lease.expires_at)).unwrap_or_default()),
            (Style::Plain, task.title.clone()),
            (Style::Dim, task.resources.join(", ")),
            (Style::Dim, task.reason.clone().unwrap_or_default()),
        ]);
    }
    table
}

/// The tasks of a team, as they change.
struct Tasks<'a> {
    team: &'a str,
}

impl Watched for Tasks<'_> {
    /// And whether the team was closed.
    type Page = (TaskPage, bool);

    fn topic(&self) -> String {
        format!("team:{}", self.team)
    }

    async fn read(&self, client: &Client) -> Result<Self::Page, Error> {
        let page = all(client, self.team).await?;
        Ok((page, client.team(self.team).await?.team.closed_at.is_some()))
    }

    fn seq((page, _): &Self::Page) -> u64 {
        page.seq
    }

    fn is_same((before, _): &Self::Page, (page, _): &Self::Page) -> bool {
        before.tasks == page.tasks
    }

    fn print(&self, printer: &Printer, (page, _): &Self::Page) -> Result<(), Failure> {
        printer.json(page)
    }

    fn shown(&self, printer: &Printer, (page, _): &Self::Page) -> String {
        match printer.mode() {
            Mode::Quiet => page.tasks.iter().map(|task| format!("{}\n", task.id)).collect(),
            _ if page.tasks.is_empty() => none(self.team) + "\n",
            _ if printer.is_screen() => {
                // Beside the tasks there are a headline, the line of how many are left out, and that of the cursor.
                let (tasks, left_out) = fitting(&page.tasks, size().1.saturating_sub(3).max(1));
                let more = if left_out > 0 { format!("… {left_out} more\n") } else { String::new() };
                printer.rendered(&rows(&tasks)) + &more
            }
            _ => printer.rendered(&rows(&page.tasks)),
        }
    }

    fn over(&self, (_, is_closed): &Self::Page) -> Option<String> {
        is_closed.then(|| closed(self.team))
    }
}

/// Chooses which tasks are shown where not all fit: those that are not over, and the newest. Says how many are not.
fn fitting(tasks: &[TaskView], room: usize) -> (Vec<TaskView>, usize) {
    let is_over = |task: &TaskView| matches!(task.status.as_str(), "completed" | "failed" | "canceled");
    // Newest first; of these, first what is not over.
    let mut order: Vec<usize> = (0..tasks.len()).rev().collect();
    order.sort_by_key(|at| is_over(&tasks[*at]));
    order.truncate(room);
    order.sort_unstable();
    (order.iter().map(|at| tasks[*at].clone()).collect(), tasks.len().saturating_sub(room))
}

fn told(context: &Context, output: Output, answer: &TaskAnswer) -> Result<(), Failure> {
    let (printer, task) = (context.printer.with(output), &answer.task);
    match printer.mode() {
        Mode::Json => return printer.json(task),
        Mode::Quiet => return printer.line(&task.id),
        Mode::Normal => {}
    }
    let head = format!("  {}", task.title);
    printer.styled(&[(Style::Bold, &task.id), (Style::Plain, &head)])?;
    let status = match (&task.reason, &task.lease) {
        (Some(reason), _) => format!("{}: {reason}", task.status),
        (None, Some(lease)) => {
            let until = clock(lease.expires_at);
            format!("{}: held by {} until {until} (epoch {})", task.status, lease.holder, lease.epoch)
        }
        (None, None) => task.status.to_string(),
    };
    printer.line(&format!("status      {status}"))?;
    for (name, list) in [("depends on", joined(&task.deps, ", ")), ("resources", task.resources.join(", "))] {
        if !list.is_empty() {
            printer.line(&format!("{name:<11} {list}"))?;
        }
    }
    if let Some(owner) = task.owner.as_ref().filter(|_| task.lease.is_none()) {
        printer.line(&format!("owner       {owner}"))?;
    }
    if let Some(message) = &task.message {
        printer.line(&format!("message     {} {}", message.thread, message.id))?;
    }
    printer.line(&format!("created     {} by {}", relative(task.created_at), task.created_by))?;
    for text in [&task.summary, &task.description].into_iter().flatten() {
        printer.line("")?;
        printer.text(text)?;
    }
    Ok(())
}

async fn end(client: &Client, args: &EndArgs) -> Result<EndTask, Failure> {
    let message = match args.message.as_deref() {
        Some([thread, id]) => Some(MessageOfTeam { thread: thread.clone(), id: id.clone() }),
        _ => None,
    };
    let epoch = leased(client, &args.one, &args.epoch).await?;
    Ok(EndTask { epoch, summary: args.summary.clone(), message })
}

/// Returns the epoch of the lease that is meant. Only people may leave it out: an agent that lost its task and got it
/// again has to know.
async fn leased(client: &Client, one: &OneTask, said: &Epoch) -> Result<u64, Failure> {
    if let Some(epoch) = said.epoch {
        return Ok(epoch);
    }
    let task = client.task(&one.of.team, &one.task).await?.task;
    match task.lease {
        Some(lease) if lease.holder != USER => {
            let message = format!("{} holds {}, so only {0} can do this", lease.holder, task.id);
            let hint =
                format!("to take it away from {}, run `paseo task reassign {}`", lease.holder, task.id);
            Err(Failure::usage(message).hint(hint))
        }
        // Whoever has nothing is told so.
        _ => Ok(task.epoch),
    }
}

fn millis(ttl: Option<Duration>) -> Option<i64> {
    ttl.map(|ttl| i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use paseo_wire::id::TaskId;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_typed_counts_from_the_current_directory_within_the_project() {
        let from = |here: &str, typed: &str| from_here(typed, Path::new(here), Path::new("/p"));
        let is = |path: &str| Some(path.to_owned());
        assert_eq!(from("/p/src", "parse"), is("src/parse"));
        assert_eq!(from("/p/src", "."), is("src"));
        assert_eq!(from("/p/src", "../docs/"), is("docs"));
        assert_eq!(from("/p/src", ".."), is("."));
        assert_eq!(from("/p", "./src//io"), is("src/io"));
        assert_eq!(from("/p/src", "../../etc"), None);
        assert_eq!(from("/elsewhere", "src"), None);
    }

    #[test]
    fn where_not_all_tasks_fit_the_open_and_the_newest_are_shown() {
        let task = |(at, status): (usize, &&str)| -> TaskView {
            serde_json::from_value(json!({
                "id": format!("task-{:04}", at + 1), "title": "t", "status": status, "deps": [], "resources": [],
                "epoch": 0, "created_by": "user", "created_at": "2026-01-31T12:00:00.000Z",
            }))
            .unwrap()
        };
        let tasks: Vec<TaskView> = ["pending", "completed", "failed", "in_progress", "completed"]
            .iter()
            .enumerate()
            .map(task)
            .collect();
        let shown = |room| {
            let (some, left_out) = fitting(&tasks, room);
            (some.into_iter().map(|task| task.id).collect::<Vec<_>>(), left_out)
        };
        assert_eq!(shown(5).0.len(), 5);
        assert_eq!(shown(5).1, 0);
        assert_eq!(shown(3), (["task-0001", "task-0004", "task-0005"].map(TaskId::from).to_vec(), 2));
        assert_eq!(shown(1), ([TaskId::from("task-0004")].to_vec(), 4));
    }
}
