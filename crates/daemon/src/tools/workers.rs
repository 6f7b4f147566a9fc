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
    let worker = text("The name of the worker, as red-1.");
    let lines = number(&format!("How many lines: {LINES} unless you say otherwise, at most {MOST_LINES}."));
    let (words, properties, required): (&str, Value, &[&str]) = match name {
        TMUX_START => (
            "Starts a worker: an agent of your team in a terminal of its own, which people can watch and take over. Returns at \
             once. Your task is typed in as soon as it listens; what it answers is posted to its thread, and you are told \
             when it has finished.",
            json!({
                "taskPrompt": text("What it shall do: all that it has to know, for it knows nothing of your conversation."),
                "threadId": text("The thread of the team that its answers are posted to, as thread-0001. Without it one is made."),
                "title": text("What that new thread is about, on one line."),
                "sessionPrefix": text("How its name begins, of a-z, 0-9 and `-`; a number follows. The team's name without it."),
                "cwd": text("Where it works: your own directory, or one in it."),
                "agent": text("The slug of its definition. Without it the built-in one."),
                "provider": text("Which harness it runs, as pi, claude or codex. Without it the definition's, or the default one."),
                "model": text("Which model it uses."),
                "guard": {
                    "type": ["string", "boolean"],
                    "enum": [LEASE, true, false],
                    "description": "`lease`: it can change only what a task that it holds names as its own.",
                },
                "worktree": flag("It works in a git worktree of its own."),
                "lines": number("Wait until it is there, and return so many lines of its screen."),
                "requestKey": text("Called again with the same key and the same arguments, it is the same worker."),
            }),
            &["taskPrompt"],
        ),
        TMUX_LIST => (
            "Lists the workers of your team: what each is at, whether its program runs (`alive`: true, false, or \"unknown\" when \
             nobody can say, and then it may well run: start no other in its place), and who looks at it.",
            json!({ "sessionPrefix": text("Only those whose names begin like this.") }),
            &[],
        ),
        TMUX_ATTACH => (
            "Returns the command by which a person gets to a worker's terminal. It is for people: do not run it yourself.",
            json!({ "sessionName": worker }),
            &["sessionName"],
        ),
        TMUX_CAPTURE => (
            "Returns what a worker's terminal shows, also after its program has ended.",
            json!({
                "sessionName": worker,
                "lines": lines,
                "threadId": text("Post it to this thread of the team as well."),
            }),
            &["sessionName"],
        ),
        TMUX_SEND => (
            "Types a message into a worker's terminal, as soon as it listens. Waits for nothing: what it answers is posted to \
             its thread.",
            json!({ "sessionName": worker, "message": text("What to type.") }),
            &["sessionName", "message"],
        ),
        _ => (
            "Ends a worker with everything that it started, and its terminal. What it said stays.",
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
        Failure::new(Code::Forbidden, "this agent belongs to no team")
            .hint("a person starts agents of a team")
    })?;
    let teams = sessions.context.teams()?;
    let team = teams.get(&seat.team).await?;
    team.open().map_err(refused)?;
    if !sessions.context.is_seated(caller, &team, &seat.agent) {
        let message = format!("you do not belong to the team {} any more", seat.team);
        return Err(Failure::new(Code::Forbidden, message).hint("its workers are not yours"));
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
                let post = format!("The terminal of {name} shows:\n\n{mark}{text}");
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
                    format!("HELD — do not keep resending. The message waits at {name}, because {why}.")
                }
                Placement::Started if receipt.reason.is_some() => {
                    format!("It waits at {name}: tmux does not answer. It is typed in when it does again.")
                }
                Placement::Started => format!("It is typed in at {name} now."),
                _ => format!("It waits at {name} and is typed in when its turn is over."),
            })
        }
        TMUX_KILL => {
            let worker = worker(&workers, &by, input).await?;
            workers.kill(&by, &worker).await?;
            let name = worker.profile.terminal.as_deref().unwrap_or_default();
            Ok(format!("{name} was ended, with everything that it started."))
        }
        other => Err(Failure::new(Code::NotFound, format!("there is no tool `{other}`"))),
    }
}

/// Reads how many lines are wanted.
fn lines(input: &Value) -> Result<Option<u64>, Failure> {
    let Some(lines) = input.get("lines").filter(|lines| !lines.is_null()) else { return Ok(None) };
    let count = lines.as_u64().filter(|lines| *lines > 0);
    let bad =
        || Failure::new(Code::InvalidRequest, format!("`lines` is a number from 1 on, and {lines} is not"));
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
            Some(reason) => format!("HELD — do not start it again: the task waits, because {}.", arguments::held_words(Some(reason))),
            None => "Its answers are posted to the thread, and you are told when it has finished. Do not wait or poll: end \
                     your turn when you have nothing else to do.".to_owned(),
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
