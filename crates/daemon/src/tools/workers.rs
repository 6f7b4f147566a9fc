//! `team_tmux_*`: workers that an agent starts for its team, in terminals that people can take over.

use std::time::Duration;

use paseo_core::actor::Actor;
use paseo_core::cut::head_and_tail;
use paseo_core::limits::MESSAGE_BYTES;
use paseo_core::session::Session;
use paseo_core::tool::{TMUX_ATTACH, TMUX_CAPTURE, TMUX_KILL, TMUX_LIST, TMUX_SEND, TMUX_START};
use paseo_wire::error::Code;
use paseo_wire::words::Placement;
use paseo_wire::worker::{StartedWorker, WorkerView};
use serde_json::{Value, json};

use super::arguments;
use super::catalogue::object;
use crate::failure::Failure;
use crate::mint;
use crate::sessions::{RequestKey, Sessions};
use crate::teams::refused;
use crate::workers::{LINES, MOST_LINES, NewWorker, Shown, Workers, alias};

/// How long a new terminal may take to show something.
const FIRST_SIGHT: Duration = Duration::from_secs(10);

/// What a worker is guarded by, as people and definitions say it.
const LEASE: &str = "lease";

/// What agents read about them.
pub(super) fn described(name: &str) -> (String, Value) {
    let text = |what: &str| json!({ "type": "string", "description": what });
    let flag = |what: &str| json!({ "type": "boolean", "description": what });
    let number = |what: &str| json!({ "type": "integer", "description": what });
    let worker = text("The worker's name, such as red-1.");
    let lines = number(&format!("The number of lines (default {LINES}, at most {MOST_LINES})."));
    let (words, properties, required): (&str, Value, &[&str]) = match name {
        TMUX_START => (
            "Start a worker: an agent of your team in its own terminal, which people can watch and take \
             over. Returns immediately. Your task is typed in as soon as the agent is ready; its answers \
             are posted to its thread, and you are notified when it has finished.",
            json!({
                "taskPrompt": text("What the worker should do, with everything it needs to know: it knows \
                                    nothing of your conversation."),
                "threadId": text("The team thread for its answers, such as thread-0001 (default: a new \
                                  thread)."),
                "title": text("The topic of the new thread in one line."),
                "sessionPrefix": text("The prefix of its name, from a-z, 0-9 and `-`; a number is appended \
                                       (default: the team's name)."),
                "cwd": text("The working directory: your own, or one below it."),
                "agent": text("The slug of the agent definition (default: the built-in one)."),
                "provider": text("The provider, such as pi, claude or codex (default: the definition's, \
                                  else the default provider)."),
                "model": text("The model to use."),
                "guard": {
                    "type": ["string", "boolean"],
                    "enum": [LEASE, true, false],
                    "description": "`lease`: the worker can change only resources of a task it owns.",
                },
                "worktree": flag("Give the worker its own git worktree."),
                "lines": number("Wait until the worker has started, and return this many lines of its \
                                 screen."),
                "requestKey": text("An idempotency key: the same key with the same arguments returns the \
                                    same worker."),
            }),
            &["taskPrompt"],
        ),
        TMUX_LIST => (
            "List your team's workers: their status, whether their program runs (`alive`: true, false, or \
             \"unknown\" when tmux does not respond; an unknown one may still run, so do not replace it), \
             and who is attached.",
            json!({ "sessionPrefix": text("Only workers whose names start with this.") }),
            &[],
        ),
        TMUX_ATTACH => (
            "Return the command that attaches a person to a worker's terminal. It is for people: do not \
             run it yourself.",
            json!({ "sessionName": worker }),
            &["sessionName"],
        ),
        TMUX_CAPTURE => (
            "Return the contents of a worker's terminal, even after its program has ended.",
            json!({
                "sessionName": worker,
                "lines": lines,
                "threadId": text("Also post the contents to this team thread."),
            }),
            &["sessionName"],
        ),
        TMUX_SEND => (
            "Type a message into a worker's terminal as soon as the worker is ready. Does not wait: \
             answers are posted to its thread.",
            json!({ "sessionName": worker, "message": text("The text to type.") }),
            &["sessionName", "message"],
        ),
        _ => (
            "Kill a worker, its terminal and all its processes. Its transcript remains.",
            json!({ "sessionName": worker }),
            &["sessionName"],
        ),
    };
    (words.to_owned(), object(properties, required))
}

/// Does what an agent asks for, and returns it as JSON.
pub(super) async fn call(
    sessions: &Sessions,
    caller: &Session,
    name: &str,
    input: &Value,
) -> Result<String, Failure> {
    let (workers, by) = (Workers::of(sessions)?, Actor::Session(caller.id));
    let seat = caller.profile.team.as_ref().ok_or_else(|| {
        Failure::new(Code::Forbidden, "this agent is not in a team")
            .hint("ask a person to start an agent in a team")
    })?;
    let teams = sessions.context.teams()?;
    let team = teams.get(&seat.team).await?;
    team.open().map_err(refused)?;
    if !sessions.context.is_seated(caller, &team, &seat.agent) {
        let message = format!("you are no longer in team {}", seat.team);
        return Err(Failure::new(Code::Forbidden, message)
            .hint("ask a member of the team; its workers are not yours"));
    }
    let text = |name: &str| input.get(name).and_then(Value::as_str).map(str::to_owned);
    let thread = text("threadId").map(|thread| alias(&thread)).transpose()?;
    match name {
        TMUX_START => {
            let acting = teams.acting(&*teams.get(&seat.team).await?, &by)?;
            let flag = |name: &str| input.get(name).and_then(Value::as_bool).unwrap_or(false);
            let wanted_lines = lines(input)?;
            let wanted = NewWorker {
                task: arguments::message(input, "taskPrompt")?.to_owned(),
                definition: text("agent"),
                provider: text("provider"),
                default_provider: None,
                model: text("model"),
                thread,
                title: text("title"),
                prefix: text("sessionPrefix"),
                directory: text("cwd"),
                worktree: flag("worktree"),
                guard: flag("guard") || text("guard").is_some_and(|word| word == LEASE),
                key: text("requestKey").map(|key| RequestKey {
                    scope: format!("{by} {TMUX_START}"),
                    key,
                    body: mint::sha256(input.to_string().as_bytes()),
                }),
            };
            let started = workers.start(&acting, &seat.team, wanted).await?;
            let screen = match wanted_lines {
                Some(lines) => first_sight(&workers, &by, &started, lines).await?,
                None => None,
            };
            let worker = workers.find(&by, &started.worker.name).await?;
            Ok(shown(&begun(&started, screen, sessions.context.withheld(&worker))))
        }
        TMUX_LIST => {
            let prefix = text("sessionPrefix");
            let all = workers.list(&by, Some(&seat.team), prefix.as_deref()).await?;
            let all: Vec<Value> = all.iter().map(summary).collect();
            Ok(shown(&json!({ "sessions": all })))
        }
        TMUX_ATTACH => {
            let worker = worker(&workers, &by, input).await?;
            let (_, command) = workers.attach(&worker, None);
            let name = worker.profile.terminal.as_deref().unwrap_or_default();
            Ok(format!(
                "For a person, in a terminal: paseo worker attach {name}\nor without paseo: {command}"
            ))
        }
        TMUX_CAPTURE => {
            let worker = worker(&workers, &by, input).await?;
            let Shown { text, cut } = workers.capture(&worker, lines(input)?).await?;
            let mark = if cut { "[… earlier lines left out …]\n" } else { "" };
            let name = worker.profile.terminal.as_deref().unwrap_or_default();
            if let Some(alias) = thread {
                let acting = teams.acting(&*teams.get(&seat.team).await?, &by)?;
                let post = format!("Terminal of {name}:\n\n{mark}{text}");
                let post = head_and_tail(&post, MESSAGE_BYTES);
                teams.post(&acting, &seat.team, alias, &post).await?;
            }
            Ok(format!("{mark}{text}"))
        }
        TMUX_SEND => {
            let worker = worker(&workers, &by, input).await?;
            let message = arguments::message(input, "message")?;
            let receipt = workers.send(&by, &worker, message).await?;
            let name = worker.profile.terminal.as_deref().unwrap_or_default();
            Ok(match receipt.placement {
                Placement::Held => {
                    let why = arguments::held_words(receipt.reason.as_ref());
                    format!("HELD — do not keep resending. The message is held at {name}, because {why}.")
                }
                Placement::Started if receipt.reason.is_some() => {
                    format!("Queued for {name}: tmux does not respond. The message is typed in when it does.")
                }
                Placement::Started => format!("Delivered to {name}: the message is being typed in."),
                _ => format!("Queued for {name}: the message is typed in after the current turn."),
            })
        }
        TMUX_KILL => {
            let worker = worker(&workers, &by, input).await?;
            workers.kill(&by, &worker).await?;
            let name = worker.profile.terminal.as_deref().unwrap_or_default();
            Ok(format!("Killed {name} and all its processes."))
        }
        other => Err(Failure::new(Code::NotFound, format!("unknown tool `{other}`"))),
    }
}

/// Reads how many lines are wanted.
fn lines(input: &Value) -> Result<Option<u64>, Failure> {
    let Some(lines) = input.get("lines").filter(|lines| !lines.is_null()) else { return Ok(None) };
    let count = lines.as_u64().filter(|lines| *lines > 0);
    let bad = || {
        Failure::new(
            Code::InvalidRequest,
            format!("invalid `lines` {lines}: give a whole number, at least 1"),
        )
    };
    count.map(Some).ok_or_else(bad)
}

async fn worker(workers: &Workers, by: &Actor, input: &Value) -> Result<std::sync::Arc<Session>, Failure> {
    workers.find(by, arguments::text(input, "sessionName")?).await
}

/// Waits until a new terminal shows something, and returns that.
async fn first_sight(
    workers: &Workers,
    by: &Actor,
    started: &StartedWorker,
    lines: u64,
) -> Result<Option<String>, Failure> {
    let looking = async {
        loop {
            let session = workers.find(by, &started.worker.name).await?;
            match workers.capture(&session, Some(lines)).await {
                Ok(shown) if !shown.text.is_empty() => return Ok(shown.text),
                Ok(_) => {}
                Err(failure) if failure.code == Code::SessionNotFound => {}
                Err(failure) => return Err(failure),
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(FIRST_SIGHT, looking).await.ok().transpose()
}

fn begun(started: &StartedWorker, screen: Option<String>, withheld: Vec<String>) -> Value {
    let worker = &started.worker;
    let mut answer = json!({
        "sessionName": worker.name,
        "threadId": worker.thread,
        "agentId": worker.name,
        "handle": worker.handle,
        "provider": worker.provider,
        "attach": worker.attach,
        "note": match &started.held {
            Some(reason) => format!("HELD — do not start it again: the task is held, because {}.", arguments::held_words(Some(reason))),
            None => "Its answers are posted to the thread, and you will be notified when it has finished. \
                     Do not wait or poll: end your turn when you have nothing else to do.".to_owned(),
        },
    });
    if let Value::Object(fields) = &mut answer {
        fields.extend(screen.map(|screen| ("screen".to_owned(), screen.into())));
        if !withheld.is_empty() {
            fields.insert("withheld".to_owned(), withheld.into());
        }
    }
    answer
}

fn summary(worker: &WorkerView) -> Value {
    json!({
        "sessionName": worker.name,
        "handle": worker.handle,
        "threadId": worker.thread,
        "provider": worker.provider,
        "status": worker.status,
        // Whoever took it for dead would start another in its place.
        "alive": if worker.unknown && worker.exit.is_none() { Value::from("unknown") } else { worker.alive.into() },
        "trouble": worker.trouble,
        "exit": worker.exit,
        "attached": worker.attached,
        "person": worker.person,
        "created": worker.created_at,
    })
}

fn shown(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
