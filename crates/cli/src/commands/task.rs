//! `paseo task` and `paseo can-write`

use std::path::Path;
use std::time::Duration;

use paseo_client::{Client, Error};
use paseo_core::limits::PAGE_ROWS;
use paseo_core::thread::USER;
use paseo_wire::error::Exit;
use paseo_wire::team::{
    ClaimTask, CreateTask, EditTask, EndTask, MessageOfTeam, OverlapView, ReassignTask, RenewTask,
    TaskAnswer, TaskPage, TaskQuery, TaskView, TeamView, WriteQuery,
};
use paseo_wire::words::TaskStatus;

use super::watched::{self, Watched};
use super::{past, run};
use crate::args::{CanWriteArgs, EndArgs, Epoch, OneTask, Output, TaskCommand, TaskCreateArgs, TaskEditArgs};
use crate::context::Context;
use crate::failure::Failure;
use crate::people::known_as;
use crate::printer::{Column, Mode, Printer, Style, Table, clock, relative, size};
use crate::prompt;
use crate::settings::Settings;
use crate::short::joined;

pub(crate) async fn run(context: &Context, command: TaskCommand) -> Result<Exit, Failure> {
    let client = context.client()?;
    let (answer, output, deed) = match command {
        TaskCommand::Create(args) => (create(context, &args).await?, args.of.output, Deed::Created),
        TaskCommand::Edit(args) => (edit(context, &args).await?, args.one.of.output, Deed::Updated),
        TaskCommand::Ls { watch, past, of } => {
            let (printer, past) = (context.printer.with(of.output), past::asked(&past));
            let team = match &past {
                Some(past) => client.past_team(&of.team, past).await?.team,
                None => client.team(&of.team).await?.team,
            };
            if watch {
                // By its name, so that it is the same one for as long as it is watched.
                return watched::run(
                    context,
                    client,
                    &printer,
                    &Tasks { settings: &context.settings, team: &team.id },
                )
                .await;
            }
            table(context, &printer, &team, past.is_some()).await?;
            if team.closed_at.is_some() {
                printer.note(&closed(&team.id));
            }
            return Ok(Exit::Ok);
        }
        TaskCommand::Show(one) => {
            let answer = client.task(&one.of.team, &one.task).await?;
            context.explain_version();
            show(context, one.of.output, &answer)?;
            return Ok(Exit::Ok);
        }
        TaskCommand::Claim { one, time } => {
            let body = ClaimTask { ttl_ms: millis(time.ttl) };
            (client.claim_task(&one.of.team, &one.task, &body).await?, one.of.output, Deed::Claimed)
        }
        TaskCommand::Renew { one, epoch, time } => {
            let body = RenewTask { epoch: leased(client, &one, &epoch).await?, ttl_ms: millis(time.ttl) };
            (client.renew_task(&one.of.team, &one.task, &body).await?, one.of.output, Deed::Renewed)
        }
        TaskCommand::Complete(args) => {
            let ending = end(client, &args).await?;
            let answer = client.complete_task(&args.one.of.team, &args.one.task, &ending).await?;
            (answer, args.one.of.output, Deed::Completed)
        }
        TaskCommand::Fail(args) => {
            let ending = end(client, &args).await?;
            let answer = client.fail_task(&args.one.of.team, &args.one.task, &ending).await?;
            (answer, args.one.of.output, Deed::Failed)
        }
        TaskCommand::Release { one, epoch } => {
            let epoch = leased(client, &one, &epoch).await?;
            (client.release_task(&one.of.team, &one.task, epoch).await?, one.of.output, Deed::Released)
        }
        TaskCommand::Cancel(one) => {
            (client.cancel_task(&one.of.team, &one.task).await?, one.of.output, Deed::Canceled)
        }
        TaskCommand::Retry(one) => {
            (client.retry_task(&one.of.team, &one.task).await?, one.of.output, Deed::Reopened)
        }
        TaskCommand::Reassign { one, to, time } => {
            let body = ReassignTask { to: to.map(Into::into), ttl_ms: millis(time.ttl) };
            (client.reassign_task(&one.of.team, &one.task, &body).await?, one.of.output, Deed::Reassigned)
        }
    };
    context.explain_version();
    told(context, output, &answer, deed)?;
    Ok(Exit::Ok)
}

/// What a command did to a task.
#[derive(Debug, Clone, Copy)]
enum Deed {
    Created,
    Updated,
    Claimed,
    Renewed,
    Completed,
    Failed,
    Released,
    Canceled,
    Reopened,
    Reassigned,
}

impl Deed {
    /// Says in one line what was done. The owner needs the epoch to end it.
    fn told(self, task: &TaskView, name: impl Fn(&str) -> String) -> String {
        let id = &task.id;
        let lease = task.lease.as_ref();
        let until = lease.map(|lease| format!("until {} (epoch {})", clock(lease.expires_at), lease.epoch));
        let until = until.unwrap_or_default();
        match self {
            Self::Created => format!("Created {id}: {}", task.title),
            Self::Updated => format!("Updated {id}"),
            Self::Claimed => format!("Claimed {id} {until}"),
            Self::Renewed => format!("Renewed {id} {until}"),
            Self::Completed => format!("Completed {id}"),
            Self::Failed => format!("Marked {id} as failed"),
            Self::Released => format!("Released {id}"),
            Self::Canceled => format!("Canceled {id}"),
            Self::Reopened => format!("Reopened {id}"),
            Self::Reassigned => match lease {
                Some(lease) => format!("Reassigned {id} to {} {until}", name(&lease.holder)),
                None => format!("Returned {id} to the queue"),
            },
        }
    }
}

pub(crate) async fn can_write(context: &Context, args: CanWriteArgs) -> Result<Exit, Failure> {
    let client = context.client()?;
    // That is how a command is asked about, wherever one is.
    let path = match args.path.as_str() {
        "." => args.path,
        typed => counted(typed, client.team(&args.of.team).await?.team.directory.as_deref())?,
    };
    let asked = WriteQuery { path, agent: args.agent.map(Into::into) };
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

/// Returns resources as the project has them.
async fn resources(client: &Client, team: &str, typed: &[String]) -> Result<Vec<String>, Failure> {
    if typed.is_empty() {
        return Ok(Vec::new());
    }
    let project = client.team(team).await?.team.directory;
    typed.iter().map(|typed| counted(typed, project.as_deref())).collect()
}

async fn edit(context: &Context, args: &TaskEditArgs) -> Result<TaskAnswer, Failure> {
    let (client, OneTask { task, of }) = (context.client()?, &args.one);
    let description = args.description.as_deref().map(|text| prompt::typed(text, "description"));
    let none = args.no_description.then(String::new);
    let deps = || args.deps.iter().map(|task| task.as_str().into()).collect();
    let named = resources(client, &of.team, &args.resources).await?;
    let wanted = EditTask {
        title: args.title.clone(),
        description: description.transpose()?.or(none),
        deps: (args.no_deps || !args.deps.is_empty()).then(deps),
        resources: (args.no_resources || !args.resources.is_empty()).then_some(named),
    };
    if wanted == EditTask::default() {
        return Err(Failure::usage("nothing to change".to_owned())
            .hint("pass --title, --description, --dep or --resource; `paseo task edit --help` lists all"));
    }
    Ok(client.edit_task(&of.team, task, &wanted).await?)
}

async fn create(context: &Context, args: &TaskCreateArgs) -> Result<TaskAnswer, Failure> {
    let client = context.client()?;
    let resources = resources(client, &args.of.team, &args.resources).await?;
    let wanted = CreateTask {
        title: args.title.clone(),
        description: args
            .description
            .as_deref()
            .map(|text| prompt::typed(text, "description"))
            .transpose()?,
        deps: args.deps.iter().map(|task| task.as_str().into()).collect(),
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

/// Shows the tasks of a team, now or as the team was.
pub(super) async fn table(
    context: &Context,
    printer: &Printer,
    team: &TeamView,
    is_past: bool,
) -> Result<(), Failure> {
    let page = all(context.client()?, &team.id, is_past.then_some(team.version)).await?;
    if printer.mode() == Mode::Json {
        return printer.json(&page);
    }
    let tasks = page.tasks;
    match printer.mode() {
        Mode::Json | Mode::Quiet => tasks.iter().try_for_each(|task| printer.line(&task.id)),
        Mode::Normal if tasks.is_empty() => {
            let over = team.closed_at.is_some() || is_past;
            printer.note(&if over { "No tasks.".to_owned() } else { none(&team.id) });
            Ok(())
        }
        Mode::Normal => printer.table(&rows(&context.settings, &tasks)),
    }
}

fn none(team: &str) -> String {
    format!("No tasks. Create one: paseo task create \"…\" --resource src --team {team}")
}

fn closed(team: &str) -> String {
    format!("Team {team} is closed.")
}

/// Reads a whole list.
async fn all(client: &Client, team: &str, version: Option<u64>) -> Result<TaskPage, Error> {
    let page = |after| TaskQuery { after, limit: Some(PAGE_ROWS), at: None, version };
    let mut whole = client.tasks(team, &page(None)).await?;
    while let Some(after) = whole.next.take() {
        let page = client.tasks(team, &page(Some(after))).await?;
        whole.tasks.extend(page.tasks);
        whole.next = page.next;
    }
    Ok(whole)
}

fn rows(settings: &Settings, tasks: &[TaskView]) -> Table<7> {
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
            (Style::Plain, task.owner.as_ref().map_or("-", |owner| known_as(settings, owner)).to_owned()),
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
    settings: &'a Settings,
    team: &'a str,
}

impl Watched for Tasks<'_> {
    /// And whether the team was closed.
    type Page = (TaskPage, bool);

    fn topic(&self) -> String {
        format!("team:{}", self.team)
    }

    async fn read(&self, client: &Client) -> Result<Self::Page, Error> {
        let page = all(client, self.team, None).await?;
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
                printer.rendered(&rows(self.settings, &tasks)) + &more
            }
            _ => printer.rendered(&rows(self.settings, &page.tasks)),
        }
    }

    fn over(&self, (_, is_closed): &Self::Page) -> Option<String> {
        is_closed.then(|| closed(self.team))
    }
}

/// Chooses which tasks are shown where not all fit: those that are not over, and the newest. Says how many are not.
fn fitting(tasks: &[TaskView], room: usize) -> (Vec<TaskView>, usize) {
    let is_over = |task: &TaskView| {
        matches!(task.status, TaskStatus::Completed | TaskStatus::Failed | TaskStatus::Canceled)
    };
    // Newest first; of these, first what is not over.
    let mut order: Vec<usize> = (0..tasks.len()).rev().collect();
    order.sort_by_key(|at| is_over(&tasks[*at]));
    order.truncate(room);
    order.sort_unstable();
    (order.iter().map(|at| tasks[*at].clone()).collect(), tasks.len().saturating_sub(room))
}

/// Returns the other tasks that want the same files.
fn overlaps(task: &TaskView) -> String {
    let overlap = |one: &OverlapView| match one.own == one.theirs {
        true => format!("{} (`{}`)", one.task, one.own),
        false => format!("{} (`{}` and `{}`)", one.task, one.own, one.theirs),
    };
    joined(&task.overlaps.iter().map(overlap).collect::<Vec<_>>(), ", ")
}

fn told(context: &Context, output: Output, answer: &TaskAnswer, deed: Deed) -> Result<(), Failure> {
    let (printer, task) = (context.printer.with(output), &answer.task);
    match printer.mode() {
        Mode::Json => return printer.json(task),
        Mode::Quiet => return printer.line(&task.id),
        Mode::Normal => {}
    }
    printer.line(&deed.told(task, |id| known_as(&context.settings, id).to_owned()))?;
    if !task.overlaps.is_empty() {
        printer.note(&format!("Its resources overlap with those of {}", overlaps(task)));
    }
    Ok(())
}

fn show(context: &Context, output: Output, answer: &TaskAnswer) -> Result<(), Failure> {
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
            let holder = known_as(&context.settings, &lease.holder);
            format!("{}: owned by {holder} until {until} (epoch {})", task.status, lease.epoch)
        }
        (None, None) => task.status.to_string(),
    };
    printer.line(&format!("status      {status}"))?;
    for (name, list) in [("depends on", joined(&task.deps, ", ")), ("resources", task.resources.join(", "))] {
        if !list.is_empty() {
            printer.line(&format!("{name:<11} {list}"))?;
        }
    }
    if !task.overlaps.is_empty() {
        printer.line(&format!("overlaps    {}", overlaps(task)))?;
    }
    if let Some(owner) = task.owner.as_ref().filter(|_| task.lease.is_none()) {
        printer.line(&format!("owner       {}", known_as(&context.settings, owner)))?;
    }
    if let Some(message) = &task.message {
        printer.line(&format!("message     {} {}", message.thread, message.id))?;
    }
    let creator = known_as(&context.settings, &task.created_by);
    printer.line(&format!("created     {} by {creator}", relative(task.created_at)))?;
    for text in [&task.summary, &task.description].into_iter().flatten() {
        printer.line("")?;
        printer.text(text)?;
    }
    Ok(())
}

async fn end(client: &Client, args: &EndArgs) -> Result<EndTask, Failure> {
    let message = match args.message.as_deref() {
        Some([thread, id]) => Some(MessageOfTeam { thread: thread.as_str().into(), id: id.as_str().into() }),
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
            let message = format!("only {0}, who owns {1}, can do this", lease.holder, task.id);
            let hint = format!("run `paseo task reassign {1}` to take it from {0}", lease.holder, task.id);
            Err(Failure::usage(message).hint(hint))
        }
        // A member without a task is told so.
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
