//! `paseo worker`

use std::io::{IsTerminal, stdin, stdout};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use paseo_wire::error::Exit;
use paseo_wire::worker::{CaptureQuery, ExitView, StartWorker, WorkerQuery, WorkerView};

use super::{run, send, worktree, worse};
use crate::args::{Output, WorkerCommand, WorkerStartArgs};
use crate::context::Context;
use crate::environment::{TERM, TMUX};
use crate::failure::Failure;
use crate::printer::{Column, Mode, Style, Table, relative, status_style};
use crate::{consent, harnesses, prompt};

pub(crate) async fn run(context: &Context, command: WorkerCommand) -> Result<Exit, Failure> {
    match command {
        WorkerCommand::Start(args) => start(context, *args).await?,
        WorkerCommand::Ls { team, prefix, output } => {
            list(
                context,
                &WorkerQuery { team: team.map(Into::into), prefix, ..WorkerQuery::default() },
                output,
            )
            .await?;
        }
        WorkerCommand::Attach { worker } => attach(context, &worker).await?,
        WorkerCommand::Capture { worker, lines, output } => {
            let printer = context.printer.with(output);
            let shown = context.client()?.capture_worker(&worker, &CaptureQuery { lines }).await?;
            match printer.mode() {
                Mode::Json => printer.json(&shown)?,
                Mode::Quiet | Mode::Normal => {
                    if shown.truncated {
                        printer.note("Earlier lines omitted; pass --lines for more.");
                    }
                    printer.text(&shown.text)?;
                }
            }
        }
        WorkerCommand::Send { worker, message, output } => {
            let printer = context.printer.with(output);
            let message = prompt::typed(&message, "message")?;
            let receipt = context.client()?.send_to_worker(&worker, &message).await?;
            context.explain_version();
            match printer.mode() {
                Mode::Json => printer.json(&receipt)?,
                Mode::Quiet => printer.line(&receipt.delivery)?,
                Mode::Normal => printer.line(&send::told(&receipt))?,
            }
        }
        WorkerCommand::Kill { workers, output } => {
            return kill(context, &workers, output).await;
        }
    }
    Ok(Exit::Ok)
}

/// Ends workers: one that cannot be ended keeps none of the others.
async fn kill(context: &Context, workers: &[String], output: Output) -> Result<Exit, Failure> {
    let (client, printer) = (context.client()?, context.printer.with(output));
    let mut exit = Exit::Ok;
    for worker in workers {
        match client.kill_worker(worker).await {
            Ok(ended) => match printer.mode() {
                Mode::Json => printer.json(&ended)?,
                Mode::Quiet => {}
                Mode::Normal => {
                    let handle = &ended.handle;
                    let alias = if worker == handle { String::new() } else { format!(" ({handle})") };
                    printer.line(&format!("Ended {worker}{alias}"))?;
                    if let Some(entry) = &ended.worktree {
                        printer.aside(&worktree::left(entry));
                    }
                }
            },
            Err(error) => {
                let failure = Failure::from(error);
                exit = worse(exit, failure.exit);
                printer.failure(&failure);
            }
        }
    }
    Ok(exit)
}

async fn start(context: &Context, args: WorkerStartArgs) -> Result<(), Failure> {
    let printer = context.printer.with(args.output);
    let wanted = StartWorker {
        task: prompt::typed(&args.task, "task")?,
        team: args.team.map(Into::into),
        agent: args.agent,
        provider: args.provider,
        default_provider: context.provider().await?,
        model: args.model,
        thread: args.thread,
        title: args.title,
        prefix: args.prefix,
        directory: args.cwd.map(|place| run::directory(Some(&place))).transpose()?,
        worktree: args.worktree,
        guard: args.guard.is_some(),
    };
    harnesses::warn_without_login(&context.settings, &printer, wanted.provider.as_deref());
    let started = context.client()?.start_worker(&wanted, args.key.as_deref()).await?;
    context.explain_version();
    consent::warn(&printer, started.notice.as_deref());
    let worker = &started.worker;
    match printer.mode() {
        Mode::Json => printer.json(&started)?,
        Mode::Quiet => printer.line(&worker.name)?,
        Mode::Normal => {
            printer.line(&format!("Started {} ({}, {})", worker.name, worker.handle, worker.provider))?;
            if let Some(thread) = &worker.thread {
                printer.note(&format!("Its answers are posted to {thread} of {}.", worker.team));
            }
            printer.note(&format!("Attach: {}", worker.attach));
        }
    }
    Ok(())
}

async fn list(context: &Context, query: &WorkerQuery, output: Output) -> Result<(), Failure> {
    let printer = context.printer.with(output);
    let list = context.client()?.workers(query).await?;
    if printer.mode() == Mode::Json {
        return printer.json(&list);
    }
    let workers = list.workers;
    if let Some(trouble) = workers.iter().find_map(|worker| worker.trouble.as_deref()) {
        printer.note(trouble);
    }
    match printer.mode() {
        Mode::Json | Mode::Quiet => workers.iter().try_for_each(|worker| printer.line(&worker.name)),
        Mode::Normal if workers.is_empty() => {
            let asked = query.prefix.is_some() || query.team.is_some();
            if asked && !context.client()?.workers(&WorkerQuery::default()).await?.workers.is_empty() {
                printer.note("No matching workers. List all: paseo worker ls");
                return Ok(());
            }
            let team = query.team.as_deref().unwrap_or("red");
            printer.note(&format!("No workers. Start one: paseo worker start \"what to do\" --team {team}"));
            Ok(())
        }
        Mode::Normal => {
            let alone: Vec<&str> = workers
                .iter()
                .filter(|worker| worker.team.is_empty())
                .map(|worker| worker.name.as_str())
                .collect();
            let alone = (!alone.is_empty()).then(|| format!("No longer in a team: {}", alone.join(", ")));
            let later: Vec<String> = workers
                .iter()
                .filter_map(|worker| Some(format!("{}: {}", worker.name, worker.from_next_start.as_ref()?)))
                .collect();
            printer.table(&table(workers))?;
            later.iter().chain(&alone).for_each(|line| printer.note(line));
            Ok(())
        }
    }
}

fn table(workers: Vec<WorkerView>) -> Table<8> {
    let several = workers.windows(2).any(|two| two[0].team != two[1].team);
    let mut table = Table::new([
        Column::flexible("WORKER"),
        Column::key("HANDLE"),
        Column::flexible(if several { "TEAM" } else { "" }).optional(),
        Column::fixed("STATUS"),
        Column::flexible("TERMINAL").optional(),
        Column::fixed("PROVIDER").optional(),
        Column::fixed("THREAD").optional(),
        Column::fixed("STARTED").optional(),
    ])
    .strict();
    for worker in workers {
        let terminal = terminal(&worker);
        let team = match several {
            true if worker.team.is_empty() => "-".to_owned(),
            true => worker.team.into(),
            false => String::new(),
        };
        table.row([
            (Style::Bold, worker.name),
            (Style::Plain, worker.handle),
            (Style::Plain, team),
            (status_style(worker.status.as_str()), worker.status.to_string()),
            (Style::Plain, terminal),
            (Style::Plain, worker.provider),
            (Style::Dim, worker.thread.map(String::from).unwrap_or_default()),
            (Style::Dim, relative(worker.created_at)),
        ]);
    }
    table
}

/// Says how it stands with a worker's terminal.
fn terminal(worker: &WorkerView) -> String {
    let people = match worker.attached {
        0 => String::new(),
        1 => ", 1 viewer".to_owned(),
        many => format!(", {many} viewers"),
    };
    match (&worker.exit, worker.alive, worker.person) {
        (None, false, _) if worker.unknown => "unknown".to_owned(),
        (Some(exit), false, _) => format!("{}{people}", ended(exit)),
        (_, true, true) => format!("a person is typing{people}"),
        (_, true, false) if worker.taken_over_by.is_some() => format!("taken over{people}"),
        (_, true, false) => format!("runs{people}"),
        (None, false, _) => "no terminal".to_owned(),
    }
}

/// Says how a program ended.
pub(super) fn ended(exit: &ExitView) -> String {
    match (exit.code, exit.signal) {
        (Some(code), _) => format!("exited {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => "gone".to_owned(),
    }
}

/// The same as a sentence about that program.
pub(super) fn told_end(exit: &ExitView) -> String {
    match (exit.code, exit.signal) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => "the program ended".to_owned(),
    }
}

/// Becomes a client of tmux: what is typed from now on goes to the worker.
async fn attach(context: &Context, worker: &str) -> Result<(), Failure> {
    let found = context.client()?.attach_worker(worker).await?;
    if !stdin().is_terminal() || !stdout().is_terminal() {
        return Err(Failure::new(Exit::Refused, "cannot attach without a terminal").hint(format!(
            "print the screen with `paseo worker capture {worker}`, or run: {}",
            found.command
        )));
    }
    let socket = found.argv.iter().skip_while(|word| *word != "-S").nth(1);
    let inside = TMUX.value().and_then(|value| value.to_str().map(str::to_owned)).unwrap_or_default();
    if socket.is_some_and(|socket| inside.split(',').next() == Some(socket.as_str())) {
        return Err(Failure::new(Exit::Refused, "this is already a worker's terminal")
            .hint("detach first with C-b d"));
    }
    let kind = TERM.value().and_then(|value| value.to_str().map(str::to_owned)).unwrap_or_default();
    if matches!(kind.as_str(), "" | "dumb") {
        let message = "this terminal can't show another one (`TERM` is `dumb`)";
        return Err(Failure::new(Exit::Refused, message)
            .hint(format!("print the screen with `paseo worker capture {worker}`")));
    }
    let (program, arguments) = found
        .argv
        .split_first()
        .ok_or_else(|| Failure::new(Exit::AgentError, "the daemon did not say how to attach"))?;
    #[allow(clippy::disallowed_methods)]
    // Takes this process's place: it is the person who looks, and no agent.
    let mut command = Command::new(program);
    command.args(arguments).env_remove(TMUX.name);
    if !inside.is_empty() && prefix(program).as_deref() == Some("C-b") {
        // This process is the client: its status line says the same for as long as it stays.
        let client = format!(" {} ", std::process::id());
        command.args([";", "set-option", "-ga", "@paseo_nested", &client]);
        command.args([";", "display-message", "-d", "8000", NESTED]);
    }
    let error = command.exec();
    Err(Failure::new(Exit::AgentError, format!("cannot run {program}: {error}"))
        .hint("install tmux, or add it to PATH"))
}

/// What its status line says, for people outside of any other tmux.
const NESTED: &str = "You are inside tmux: C-b C-b d detaches from the worker";

/// Returns the key that the tmux around us takes for itself.
#[allow(clippy::disallowed_methods)]
fn prefix(program: &str) -> Option<String> {
    let told = Command::new(program).args(["show-options", "-Av", "prefix"]).stderr(Stdio::null()).output();
    Some(String::from_utf8(told.ok()?.stdout).ok()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn worker(more: serde_json::Value) -> WorkerView {
        let mut all = json!({
            "name": "red-1", "session": "i", "handle": "3f2a", "team": "red", "agent": "default", "provider": "pi",
            "status": "idle", "directory": "/p", "guarded": false, "alive": true, "attached": 0, "person": false,
            "created_at": "2026-01-31T12:00:00.000Z", "attach": "paseo worker attach red-1",
        });
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(all).unwrap()
    }

    #[test]
    fn the_list_says_how_it_stands_with_a_terminal() {
        let at = "2026-01-31T12:00:00.000Z";
        for (more, words) in [
            (json!({}), "runs"),
            (json!({ "attached": 2 }), "runs, 2 viewers"),
            (json!({ "person": true, "attached": 1 }), "a person is typing, 1 viewer"),
            (json!({ "alive": false, "exit": { "code": 3, "at": at } }), "exited 3"),
            (json!({ "alive": false, "exit": { "signal": 9, "at": at } }), "killed by signal 9"),
            (json!({ "alive": false }), "no terminal"),
            (json!({ "alive": false, "unknown": true }), "unknown"),
        ] {
            assert_eq!(terminal(&worker(more)), words);
        }
    }
}
