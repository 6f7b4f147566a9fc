//! `team_tasks_*` and `team_threads_*`: an agent's part in its team. Who acts is the agent that calls, and nobody else.

use std::ops::Bound;
use std::sync::Arc;

use paseo_core::actor::Actor;
use paseo_core::limits::PAGE_ROWS;
use paseo_core::session::Session;
use paseo_core::team::{Malformed, Needs, TaskId, Team, TeamThread, ThreadAlias};
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
    let epoch = number("The epoch of your lease.");
    let ttl = number("How long you need the task, in milliseconds (default 300000, at most one day).");
    let summary = text("The outcome, in a few words.");
    let (message_thread, message) =
        (text("The thread of the message with the full report."), text("The id of that message."));
    let (words, properties, required): (&str, Value, &[&str]) = match name {
        TASKS_CREATE => (
            "Create a task for the team, small enough for one agent. List the tasks it depends on and the \
             files it needs exclusively: tasks that share them cannot be claimed at the same time.",
            json!({
                "title": text("The task in one line."),
                "description": text("Everything the agent that does the task needs to know."),
                "deps": texts("Tasks that must be completed first, such as task-0001."),
                "resources": texts("Files and directories in the project; `.` means all of it."),
            }),
            &["title"],
        ),
        TASKS_LIST => (
            "List your team's tasks with their status, owner, lease and dependencies.",
            json!({ "after": text("Continue after this task.") }),
            &[],
        ),
        TASKS_CLAIM => (
            "Claim a pending task for a limited time. Keep the epoch from the answer. Your lease is \
             renewed automatically while you are in a turn.",
            json!({ "taskId": task, "ttlMs": ttl }),
            &["taskId"],
        ),
        TASKS_RENEW => (
            "Renew your lease on a task, starting now.",
            json!({ "taskId": task, "epoch": epoch, "ttlMs": ttl }),
            &["taskId", "epoch"],
        ),
        TASKS_COMPLETE | TASKS_FAIL => (
            if name == TASKS_COMPLETE {
                "Mark a task you own as completed. Tasks that depend on it can start."
            } else {
                "Mark a task you own as failed, and say why. Tasks that depend on it are blocked until it \
                 is retried."
            },
            json!({
                "taskId": task, "epoch": epoch, "summary": summary,
                "threadId": message_thread, "messageId": message,
            }),
            &["taskId", "epoch"],
        ),
        TASKS_RELEASE => (
            "Release a task you own, unfinished, so that others can claim it.",
            json!({ "taskId": task, "epoch": epoch }),
            &["taskId", "epoch"],
        ),
        TASKS_CANCEL => (
            "Cancel a task for the whole team: one that you created or own, or any if you lead the team.",
            json!({ "taskId": task }),
            &["taskId"],
        ),
        TEAM_THREADS_START => (
            "Start a team thread to discuss something. You become a participant.",
            json!({
                "title": text("The topic in one line."),
                "participants": texts("Who is notified of messages: ids of agents in the team, or `user`."),
                "taskId": task,
            }),
            &[],
        ),
        TEAM_THREADS_POST => (
            "Post a message to a team thread. Its participants are notified.",
            json!({ "threadId": thread, "message": text("The message.") }),
            &["threadId", "message"],
        ),
        TEAM_THREADS_READ_TAIL => (
            "Read the newest messages of a team thread.",
            json!({ "threadId": thread, "limit": number("The number of messages (default 20, at most 200).") }),
            &["threadId"],
        ),
        TEAM_THREADS_SEARCH => (
            "Search the team's threads by title, task or participant.",
            json!({ "query": text("Part of any of these; empty lists all threads.") }),
            &["query"],
        ),
        _ => (
            "Link a thread to the task it is about.",
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
        Failure::new(Code::Forbidden, "this agent is not in a team")
            .hint("ask a person to start an agent in a team")
    })?;
    let team = teams.get(&seat.team).await?;
    let acting = teams.acting(&team, &Actor::Session(caller.id))?;
    let text = |name: &str| input.get(name).and_then(Value::as_str).map(str::to_owned);
    let ttl = input.get("ttlMs").filter(|ttl| !ttl.is_null());
    let ttl = ttl.map(|ttl| {
        let wrong = || {
            invalid(format!("invalid `ttlMs` {ttl}: give a whole number of milliseconds, at most one day"))
        };
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
        other => return Err(Failure::new(Code::NotFound, format!("unknown tool `{other}`"))),
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
    let task = view::task(&sessions.context.journal, team, Some(&Needs::of(team)), id, task).await?;
    Ok(shown(&json!({ "task": task })))
}

async fn tasks_json(sessions: &Sessions, team: &Team, after: Option<String>) -> Result<String, Failure> {
    let after = after.map(|after| parsed(&after)).transpose()?.unwrap_or(TaskId(0));
    let (mut tasks, mut more, needs) = (Vec::new(), false, Needs::of(team));
    for (id, task) in team.tasks.range((Bound::Excluded(after), Bound::Unbounded)) {
        if tasks.len() == PAGE_ROWS / 5 {
            more = true;
            break;
        }
        tasks.push(view::task(&sessions.context.journal, team, Some(&needs), *id, task).await?);
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
        .map(|said| json!({ "id": said.id, "from": said.from, "body": said.text(), "ts": said.ts }))
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
    epoch.ok_or_else(|| invalid("`epoch` is missing: use the epoch of your lease".to_owned()))
}

fn list(input: &Value, name: &str) -> Vec<String> {
    let texts = input.get(name).and_then(Value::as_array).into_iter().flatten();
    texts.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn shown(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
