//! `team_tasks_*` and `team_threads_*`: an agent's part in its team. Who acts is the agent that calls, and nobody else.

use std::ops::Bound;
use std::sync::Arc;

use paseo_core::actor::Actor;
use paseo_core::limits::PAGE_ROWS;
use paseo_core::session::Session;
use paseo_core::team::{Malformed, TaskId, Team, TeamThread, ThreadAlias};
use paseo_core::tool::{
    TASKS_CANCEL, TASKS_CLAIM, TASKS_COMPLETE, TASKS_CREATE, TASKS_FAIL, TASKS_LIST, TASKS_RELEASE,
    TASKS_RENEW, TEAM_THREADS_LINK, TEAM_THREADS_POST, TEAM_THREADS_READ_TAIL, TEAM_THREADS_SEARCH,
    TEAM_THREADS_START,
};
use paseo_wire::error::Code;
use paseo_wire::time::Moment;
use serde_json::{Value, json};

use super::arguments::{self, invalid};
use super::catalogue::object;
use crate::failure::Failure;
use crate::sessions::Sessions;
use crate::teams::{Act, Acting, NewTask, NewThread, Teams, ending, referred, search, view};

/// Most messages of a tail.
const TAIL: u64 = 200;

/// What agents read about them.
pub(super) fn described(name: &str) -> (String, Value) {
    let text = |what: &str| json!({ "type": "string", "description": what });
    let texts = |what: &str| json!({ "type": "array", "items": { "type": "string" }, "description": what });
    let number = |what: &str| json!({ "type": "integer", "description": what });
    let (task, thread) = (text("task-0001 and so on."), text("thread-0001 and so on."));
    let epoch = number("The epoch that came with your lease.");
    let ttl =
        number("How long you have it, in milliseconds: 300000 unless you say otherwise, at most a day.");
    let summary = text("What came of it, in few words.");
    let (message_thread, message) =
        (text("The thread of the message that tells the whole."), text("The id of that message."));
    let (words, properties, required): (&str, Value, &[&str]) = match name {
        TASKS_CREATE => (
            "Makes a task for the team. Small enough for one agent; name what it waits for and which files it needs for \
             itself: nobody else gets a task that shares them meanwhile.",
            json!({
                "title": text("What is to be done, on one line."),
                "description": text("Everything that whoever does it has to know."),
                "deps": texts("Tasks that must be completed before, as task-0001."),
                "resources": texts("Files and directories of the project; `.` is all of it."),
            }),
            &["title"],
        ),
        TASKS_LIST => (
            "Lists the tasks of your team: their state, who has them until when, and what they wait for.",
            json!({ "after": text("Go on after this task.") }),
            &[],
        ),
        TASKS_CLAIM => (
            "Takes a task that is pending: it is yours for a time. Keep the epoch of the answer. While you are in a turn \
             your lease is kept for you.",
            json!({ "taskId": task, "ttlMs": ttl }),
            &["taskId"],
        ),
        TASKS_RENEW => (
            "Keeps a task of yours longer, from now on.",
            json!({ "taskId": task, "epoch": epoch, "ttlMs": ttl }),
            &["taskId", "epoch"],
        ),
        TASKS_COMPLETE | TASKS_FAIL => (
            if name == TASKS_COMPLETE {
                "Says that a task of yours is done. What waited for it can go on."
            } else {
                "Says that a task of yours cannot be done, and why. What waits for it is stuck until it is tried again."
            },
            json!({
                "taskId": task, "epoch": epoch, "summary": summary,
                "threadId": message_thread, "messageId": message,
            }),
            &["taskId", "epoch"],
        ),
        TASKS_RELEASE => (
            "Gives a task of yours back unfinished, for others to take.",
            json!({ "taskId": task, "epoch": epoch }),
            &["taskId", "epoch"],
        ),
        TASKS_CANCEL => (
            "Gives a task up for the whole team: one that you made or have, or any if you lead the team.",
            json!({ "taskId": task }),
            &["taskId"],
        ),
        TEAM_THREADS_START => (
            "Begins a thread of the team, to talk about something. You take part in it.",
            json!({
                "title": text("What it is about, on one line."),
                "participants": texts("Who is told of what is said there: ids of agents of the team, or `user`."),
                "taskId": task,
            }),
            &[],
        ),
        TEAM_THREADS_POST => (
            "Says something in a thread of the team. Those who take part in it are told.",
            json!({ "threadId": thread, "message": text("What to say.") }),
            &["threadId", "message"],
        ),
        TEAM_THREADS_READ_TAIL => (
            "Reads the newest messages of a thread of the team.",
            json!({ "threadId": thread, "limit": number("How many: 20 unless you say otherwise, at most 200.") }),
            &["threadId"],
        ),
        TEAM_THREADS_SEARCH => (
            "Finds threads of the team by their title, their task, or who takes part.",
            json!({ "query": text("A part of any of these; empty for all threads.") }),
            &["query"],
        ),
        _ => (
            "Says which task a thread is about.",
            json!({ "threadId": thread, "taskId": task }),
            &["threadId", "taskId"],
        ),
    };
    (words.to_owned(), object(properties, required))
}

/// Does what an agent asks for in its team, and returns it as JSON.
pub(super) async fn call(
    sessions: &Sessions,
    caller: &Session,
    name: &str,
    input: &Value,
) -> Result<String, Failure> {
    let teams = sessions.context.teams()?;
    let seat = caller.profile.team.as_ref().ok_or_else(|| {
        Failure::new(Code::Forbidden, "this agent belongs to no team")
            .hint("a person starts agents of a team")
    })?;
    let team = teams.get(&seat.team).await?;
    let acting = teams.acting(&team, &Actor::Session(caller.id))?;
    let text = |name: &str| input.get(name).and_then(Value::as_str).map(str::to_owned);
    let ttl = input.get("ttlMs").filter(|ttl| !ttl.is_null());
    let ttl = ttl.map(|ttl| {
        let wrong =
            || invalid(format!("`ttlMs` is a whole number of milliseconds, at most a day, and {ttl} is not"));
        ttl.as_i64().ok_or_else(wrong)
    });
    let ttl = ttl.transpose()?;
    let act = match name {
        TASKS_CREATE => {
            let wanted = NewTask {
                title: arguments::text(input, "title")?.to_owned(),
                description: text("description"),
                deps: list(input, "deps"),
                resources: list(input, "resources"),
                literal: false,
            };
            let (team, task, _) = teams.create_task(&acting, &team.id, wanted, None).await?;
            return task_json(sessions, &team, task).await;
        }
        TASKS_LIST => return tasks_json(sessions, &team, text("after")).await,
        TEAM_THREADS_START => {
            let wanted = NewThread {
                title: text("title").unwrap_or_else(|| "Thread".to_owned()),
                participants: list(input, "participants"),
                task: text("taskId").map(|task| parsed(&task)).transpose()?,
            };
            let (team, alias) = teams.start_thread(&acting, &team.id, wanted).await?;
            return Ok(shown(&json!({ "thread": thread_json(alias, &team.threads[&alias]) })));
        }
        TEAM_THREADS_POST => {
            let (alias, message) = (thread(input)?, arguments::message(input, "message")?);
            let post = teams.post(&acting, &team.id, alias, message).await?;
            let said = json!({ "id": post.to_string(), "threadId": alias.to_string(), "from": acting.id() });
            return Ok(shown(&json!({ "message": said })));
        }
        TEAM_THREADS_READ_TAIL => return tail_json(teams, &team, input).await,
        TEAM_THREADS_SEARCH => {
            let query = text("query").unwrap_or_default();
            let found: Vec<Value> = search(&team, &query).map(|(alias, of)| thread_json(alias, of)).collect();
            return Ok(shown(&json!({ "threads": found })));
        }
        TEAM_THREADS_LINK => {
            let (alias, task) = (thread(input)?, task(input)?);
            let team = teams.link(&acting, &team.id, alias, task).await?;
            return Ok(shown(&json!({ "thread": thread_json(alias, &team.threads[&alias]) })));
        }
        TASKS_CLAIM => Act::Claim { ttl },
        TASKS_RENEW => Act::Renew { epoch: epoch(input)?, ttl },
        TASKS_COMPLETE | TASKS_FAIL => {
            let message = referred(text("threadId"), text("messageId"))?;
            let (epoch, ending) = (epoch(input)?, ending(text("summary"), message)?);
            if name == TASKS_COMPLETE { Act::Complete { epoch, ending } } else { Act::Fail { epoch, ending } }
        }
        TASKS_RELEASE => Act::Release { epoch: epoch(input)? },
        TASKS_CANCEL => Act::Cancel,
        other => return Err(Failure::new(Code::NotFound, format!("there is no tool `{other}`"))),
    };
    acted(sessions, teams, &acting, &team, task(input)?, act).await
}

async fn acted(
    sessions: &Sessions,
    teams: &Teams,
    acting: &Acting,
    team: &Team,
    task: TaskId,
    act: Act,
) -> Result<String, Failure> {
    let team = teams.act(acting, &team.id, task, act).await?;
    task_json(sessions, &team, task).await
}

async fn task_json(sessions: &Sessions, team: &Arc<Team>, id: TaskId) -> Result<String, Failure> {
    let task = team.task(id).map_err(crate::teams::refused)?;
    let task = view::task(&sessions.context.journal, team, id, task).await?;
    Ok(shown(&json!({ "task": task })))
}

async fn tasks_json(sessions: &Sessions, team: &Team, after: Option<String>) -> Result<String, Failure> {
    let after = after.map(|after| parsed(&after)).transpose()?.unwrap_or(TaskId(0));
    let (mut tasks, mut more) = (Vec::new(), false);
    for (id, task) in team.tasks.range((Bound::Excluded(after), Bound::Unbounded)) {
        if tasks.len() == PAGE_ROWS / 5 {
            more = true;
            break;
        }
        tasks.push(view::task(&sessions.context.journal, team, *id, task).await?);
    }
    let next = tasks.last().filter(|_| more).map(|last| last.id.clone());
    Ok(shown(&json!({ "team": team.id.as_str(), "tasks": tasks, "next": next })))
}

async fn tail_json(teams: &Teams, team: &Team, input: &Value) -> Result<String, Failure> {
    let limit = input.get("limit").and_then(Value::as_u64).unwrap_or(20).clamp(1, TAIL);
    let alias = thread(input)?;
    let (team, messages) = teams.tail(&team.id, alias, limit as usize).await?;
    let messages: Vec<Value> = messages
        .into_iter()
        .map(|said| json!({ "id": said.id, "from": said.from, "body": said.content, "ts": said.ts }))
        .collect();
    Ok(shown(&json!({ "thread": thread_json(alias, &team.threads[&alias]), "messages": messages })))
}

fn thread_json(alias: ThreadAlias, thread: &TeamThread) -> Value {
    json!({
        "id": alias.to_string(),
        "title": thread.title,
        "participants": thread.participants,
        "taskId": thread.task.map(|task| task.to_string()),
        "updatedAt": Moment::from(thread.updated_at),
    })
}

fn task(input: &Value) -> Result<TaskId, Failure> {
    parsed(arguments::text(input, "taskId")?)
}

fn thread(input: &Value) -> Result<ThreadAlias, Failure> {
    arguments::text(input, "threadId")?.parse().map_err(|malformed: Malformed| invalid(malformed.to_string()))
}

fn parsed(text: &str) -> Result<TaskId, Failure> {
    text.parse().map_err(|malformed: Malformed| invalid(malformed.to_string()))
}

fn epoch(input: &Value) -> Result<u64, Failure> {
    let epoch = input.get("epoch").and_then(Value::as_u64);
    epoch.ok_or_else(|| invalid("`epoch` is missing: it came with your lease".to_owned()))
}

fn list(input: &Value, name: &str) -> Vec<String> {
    let texts = input.get(name).and_then(Value::as_array).into_iter().flatten();
    texts.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn shown(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
