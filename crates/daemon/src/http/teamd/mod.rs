//! The teamd protocol, for clients that speak it: thin, over the same teams. Shapes, codes and statuses are theirs; who
//! acts is said by the credential alone.

mod fields;
mod refusal;
mod shapes;

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use paseo_core::actor::Actor;
use paseo_core::fold::{self, TeamHead};
use paseo_core::limits::{MESSAGE_BYTES, PAGE_ROWS};
use paseo_core::team::{Enrolled, Member, Reason, Refused, TaskId, Team, TeamId, ThreadAlias, check_agent};
use paseo_wire::error::Code;
use paseo_wire::teamd::{TeamdInboxQuery, TeamdQuery, TeamdSearchQuery, TeamdTailQuery, TeamdWriteQuery};
use paseo_wire::time::Moment;
use paseo_wire::words::{NoticeKind, TeamdCode, TeamdSchemaVersion, TeamdWriteReason};
use serde_json::{Value, json};

use fields::{Fields, In};
pub(crate) use refusal::Refusal;
use shapes::{message_shape, task_shape, team_shape, thread_shape};

use super::App;
use super::request::{Asked, Caller, Key, Path};
use super::teams::{asked_for, belongs_to};
use crate::directory::shown;
use crate::failure::Failure;
use crate::teams::{Act, Acting, NewTask, NewThread, search as search_threads};

/// Where its routes begin.
pub(super) const ROOT: &str = "/v1/";
/// The version of the protocol's records.
const SCHEMA: TeamdSchemaVersion = TeamdSchemaVersion::Current;
/// How many messages a tail has by default, and at most.
const TAIL: usize = 20;
const LONGEST_TAIL: usize = 200;
/// How much of a message an inbox shows, in characters.
const SUMMARY_CHARS: usize = 120;

type Told = Result<Response, Refusal>;
type Query<T> = In<Asked<T>>;

pub(crate) async fn teams(State(app): State<App>, Caller(by): Caller) -> Told {
    let mut teams = Vec::new();
    match belongs_to(&app, &by) {
        // A member that left has none.
        Some(own) => {
            teams.extend(found(&app, &by, &own).await.ok().map(|(team, _)| team_shape(&team)));
        }
        None => {
            for row in app.teams.list(None, PAGE_ROWS).await? {
                let head = fold::read(&row.stream, &row.head.state).map_err(Failure::internal)?;
                if let TeamHead::Team(team) = head
                    && team.closed_at.is_none()
                {
                    teams.push(team_shape(&team));
                }
            }
        }
    }
    Ok(told(200, json!({ "teams": teams })))
}

pub(crate) async fn create_team(State(app): State<App>, Caller(by): Caller, fields: Fields) -> Told {
    let named = fields.text("teamId")?;
    let id = named_team(&app, &by, named).unwrap_or_else(|| "default".parse().map_err(|_| no_team()))?;
    if let Some(own) = belongs_to(&app, &by) {
        // It has one, which is there; it makes no other.
        if id != own {
            let message = format!("team not found: you belong to {own}, and only people can create teams");
            return Err(Refusal::new(404, TeamdCode::TeamNotFound, message));
        }
        return Ok(told(201, json!({ "team": team_shape(&found(&app, &by, &id).await?.0) })));
    }
    let mut agents = Vec::new();
    for agent in fields.list("agents")? {
        let text = |name: &str| agent.get(name).and_then(Value::as_str).map(str::to_owned);
        let wrong =
            || Refusal::new(400, TeamdCode::InvalidTeam, "`agents` must be a list of {id, role, model?}");
        let (id, role) = (text("id").ok_or_else(wrong)?, text("role").ok_or_else(wrong)?);
        if agent.get("model").is_some_and(|model| !model.is_null() && !model.is_string()) {
            return Err(wrong());
        }
        if agents.iter().any(|known: &Enrolled| known.id == id) {
            return Err(Refusal::new(400, TeamdCode::InvalidTeam, Refused::SameId(id).to_string()));
        }
        agents.push(Enrolled { id, member: Member { role, model: text("model"), session: None }, by: None });
    }
    let team = match app.teams.create(&by, &id, None, agents).await {
        Ok(team) => team,
        Err(failure) if failure.code == Code::Conflict => match app.teams.get(&id).await {
            Ok(team) if team.closed_at.is_none() => team,
            _ => return Err(failure.into()),
        },
        Err(failure) => {
            return Err(Refusal::from(failure).about(TeamdCode::TeamNotFound, TeamdCode::InvalidTeam));
        }
    };
    Ok(told(201, json!({ "team": team_shape(&team) })))
}

pub(crate) async fn team(
    State(app): State<App>,
    Caller(by): Caller,
    In(Path(typed)): In<Path<String>>,
) -> Told {
    let (team, _) = entered(&app, &by, Some(typed)).await?;
    Ok(told(200, json!({ "team": team_shape(&team) })))
}

pub(crate) async fn tasks(
    State(app): State<App>,
    Caller(by): Caller,
    In(Asked(asked)): Query<TeamdQuery>,
) -> Told {
    let (team, _) = entered(&app, &by, given(asked.team_id.as_deref()).map(str::to_owned)).await?;
    let mut tasks = Vec::with_capacity(team.tasks.len());
    for id in team.tasks.keys() {
        tasks.push(task_shape(&app, &team, *id).await?);
    }
    Ok(told(200, json!({ "tasks": tasks })))
}

pub(crate) async fn create_task(
    State(app): State<App>,
    Caller(by): Caller,
    In(key): In<Key>,
    fields: Fields,
) -> Told {
    let (team, acting) = fields.acting(&app, &by).await?;
    let key = key.bind(&by, "POST /v1/tasks", &fields.0);
    // To the protocol, a dependency that is unknown or the task itself is a mistake in the task.
    let invalid = |refusal: Refusal| refusal.about(TeamdCode::InvalidTask, TeamdCode::InvalidTask).mistaken();
    let wanted = NewTask {
        title: fields.text("title").map_err(invalid)?.unwrap_or_default(),
        description: fields.text("description").map_err(invalid)?,
        deps: fields.texts("deps").map_err(invalid)?,
        resources: fields.texts("resources").map_err(invalid)?,
        literal: true,
    };
    let made = app.teams.create_task(&acting, &team.id, wanted, key).await;
    let (team, task, again) = made.map_err(|failure| invalid(failure.into()))?;
    let status = if again { 200 } else { 201 };
    Ok(told(status, json!({ "task": task_shape(&app, &team, task).await? })))
}

pub(crate) async fn task(
    State(app): State<App>,
    Caller(by): Caller,
    In(Path(task)): In<Path<String>>,
    In(Asked(asked)): Query<TeamdQuery>,
) -> Told {
    let (team, _) = entered(&app, &by, given(asked.team_id.as_deref()).map(str::to_owned)).await?;
    Ok(told(200, json!({ "task": task_shape(&app, &team, task_id(&task)?).await? })))
}

pub(crate) async fn claim(
    State(app): State<App>,
    Caller(by): Caller,
    In(Path(task)): In<Path<String>>,
    fields: Fields,
) -> Told {
    act(&app, &by, &task, &fields, |fields| Ok(Act::Claim { ttl: fields.integer("ttlMs")? })).await
}

pub(crate) async fn renew(
    State(app): State<App>,
    Caller(by): Caller,
    In(Path(task)): In<Path<String>>,
    fields: Fields,
) -> Told {
    let read = |fields: &Fields| Ok(Act::Renew { epoch: fields.epoch()?, ttl: fields.integer("ttlMs")? });
    act(&app, &by, &task, &fields, read).await
}

pub(crate) async fn complete(
    State(app): State<App>,
    Caller(by): Caller,
    In(Path(task)): In<Path<String>>,
    fields: Fields,
) -> Told {
    let read = |fields: &Fields| Ok(Act::Complete { epoch: fields.epoch()?, ending: fields.ending()? });
    act(&app, &by, &task, &fields, read).await
}

pub(crate) async fn fail(
    State(app): State<App>,
    Caller(by): Caller,
    In(Path(task)): In<Path<String>>,
    fields: Fields,
) -> Told {
    let read = |fields: &Fields| Ok(Act::Fail { epoch: fields.epoch()?, ending: fields.ending()? });
    act(&app, &by, &task, &fields, read).await
}

pub(crate) async fn release(
    State(app): State<App>,
    Caller(by): Caller,
    In(Path(task)): In<Path<String>>,
    fields: Fields,
) -> Told {
    act(&app, &by, &task, &fields, |fields| Ok(Act::Release { epoch: fields.epoch()? })).await
}

pub(crate) async fn cancel(
    State(app): State<App>,
    Caller(by): Caller,
    In(Path(task)): In<Path<String>>,
    fields: Fields,
) -> Told {
    act(&app, &by, &task, &fields, |_| Ok(Act::Cancel)).await
}

pub(crate) async fn retry(
    State(app): State<App>,
    Caller(by): Caller,
    In(Path(task)): In<Path<String>>,
    fields: Fields,
) -> Told {
    act(&app, &by, &task, &fields, |_| Ok(Act::Retry)).await
}

pub(crate) async fn inbox(
    State(app): State<App>,
    Caller(by): Caller,
    In(Asked(asked)): Query<TeamdInboxQuery>,
) -> Told {
    let (team, acting) = entered(&app, &by, given(asked.team_id.as_deref()).map(str::to_owned)).await?;
    let agent = asked.agent_id.as_deref();
    if agent.is_some_and(|agent| check_agent(agent).is_err() && agent != acting.id()) {
        return Err(Refusal::new(400, TeamdCode::InvalidAgentId, "`agentId` is not a valid agent id"));
    }
    let agent = asked_for(&acting, agent)?;
    let since = match given(asked.since.as_deref()).map(str::parse::<u64>) {
        None => 0,
        Some(Ok(since)) => since,
        Some(Err(_)) => {
            return Err(Refusal::new(
                400,
                TeamdCode::InvalidRequest,
                "`since` must be a `nextSince`, a number",
            ));
        }
    };
    let (told_of, next, _) = app.teams.told(&team, Some(&agent), since, PAGE_ROWS).await?;
    let (mut events, mut before) = (Vec::with_capacity(told_of.len()), (0, 0));
    for one in &told_of {
        before = if before.0 == one.cursor { (one.cursor, before.1 + 1) } else { (one.cursor, 0) };
        let suffix = if before.1 == 0 { String::new() } else { format!("-{}", before.1) };
        let notice = &one.notice;
        let mut event = json!({
            "schemaVersion": SCHEMA,
            "id": format!("inbox-{:08}{suffix}", one.cursor),
            "cursor": one.cursor,
            "type": NoticeKind::from(notice.kind),
            "teamId": team.id.as_str(),
            "agentId": agent,
            "actor": notice.actor,
            "ts": Moment::from(one.at),
        });
        // What is said in a thread is about the thread, whichever task that is linked to.
        if let Some(task) = notice.task.filter(|_| notice.thread.is_none()) {
            event["taskId"] = json!(task.to_string());
        }
        if let Some(thread) = notice.thread {
            event["threadId"] = json!(thread.to_string());
        }
        event["summary"] = json!(notice.summary());
        if let Some((_, text)) = &notice.said {
            let words = app.sessions.context.journal.log.text(text.id.uuid()).await;
            let words = words.map_err(Failure::from)?.unwrap_or_default();
            event["summary"] = json!(words.chars().take(SUMMARY_CHARS).collect::<String>());
            event["content"] = json!(words);
        }
        events.push(event);
    }
    // Clients read strings only: one that gets a number never moves its cursor.
    Ok(told(200, json!({ "events": events, "nextSince": next.to_string() })))
}

pub(crate) async fn start_thread(State(app): State<App>, Caller(by): Caller, fields: Fields) -> Told {
    let (team, acting) = fields.acting(&app, &by).await?;
    let invalid = |refusal: Refusal| refusal.about(TeamdCode::ThreadNotFound, TeamdCode::InvalidThread);
    let wanted = NewThread {
        title: fields.text("title")?.unwrap_or_else(|| "Thread".to_owned()),
        participants: fields.texts("participants").map_err(invalid)?,
        task: fields.text("taskId")?.as_deref().map(task_id).transpose()?,
    };
    let started = app.teams.start_thread(&acting, &team.id, wanted).await;
    let (team, alias) = started
        .map_err(|failure| Refusal::from(failure).about(TeamdCode::TaskNotFound, TeamdCode::InvalidThread))?;
    Ok(told(201, json!({ "thread": thread_shape(alias, &team.threads[&alias]) })))
}

pub(crate) async fn search(
    State(app): State<App>,
    Caller(by): Caller,
    In(Asked(asked)): Query<TeamdSearchQuery>,
) -> Told {
    let (team, _) = entered(&app, &by, given(asked.team_id.as_deref()).map(str::to_owned)).await?;
    // Its tool calls it `query`.
    let text = asked.q.or(asked.query).unwrap_or_default();
    let threads: Vec<Value> =
        search_threads(&team, &text).map(|(alias, thread)| thread_shape(alias, thread)).collect();
    Ok(told(200, json!({ "threads": threads })))
}

pub(crate) async fn post_message(
    State(app): State<App>,
    Caller(by): Caller,
    In(Path(thread)): In<Path<String>>,
    fields: Fields,
) -> Told {
    let (team, acting) = fields.acting(&app, &by).await?;
    let (alias, text) = (alias(&thread)?, fields.text("message")?.unwrap_or_default());
    if text.trim().is_empty() || text.len() > MESSAGE_BYTES {
        let most = MESSAGE_BYTES / 1024;
        let message = format!("`message` must be a non-empty string of at most {most} KB");
        return Err(Refusal::new(400, TeamdCode::InvalidThreadMessage, message));
    }
    let posted = app.teams.post(&acting, &team.id, alias, &text).await;
    let post = posted.map_err(|failure| {
        Refusal::from(failure).about(TeamdCode::ThreadNotFound, TeamdCode::InvalidThreadMessage)
    })?;
    let message = message_shape(alias, &post.to_string(), acting.id(), &text, post.made_at().into());
    Ok(told(201, json!({ "message": message })))
}

pub(crate) async fn tail(
    State(app): State<App>,
    Caller(by): Caller,
    In(Path(thread)): In<Path<String>>,
    In(Asked(asked)): Query<TeamdTailQuery>,
) -> Told {
    let (team, _) = entered(&app, &by, given(asked.team_id.as_deref()).map(str::to_owned)).await?;
    let alias = alias(&thread)?;
    let limit = given(asked.limit.as_deref()).and_then(|limit| limit.parse().ok()).filter(|limit| *limit > 0);
    let limit = limit.unwrap_or(TAIL).min(LONGEST_TAIL);
    let tail = app.teams.tail(&team.id, alias, limit).await;
    let (team, messages) = tail.map_err(|failure| {
        Refusal::from(failure).about(TeamdCode::ThreadNotFound, TeamdCode::InvalidRequest)
    })?;
    let messages: Vec<Value> = messages
        .iter()
        .map(|event| {
            let words = event.text();
            message_shape(alias, &event.id, &event.from, words, event.ts)
        })
        .collect();
    let thread = thread_shape(alias, &team.threads[&alias]);
    Ok(told(200, json!({ "thread": thread, "messages": messages })))
}

pub(crate) async fn link(
    State(app): State<App>,
    Caller(by): Caller,
    In(Path(thread)): In<Path<String>>,
    fields: Fields,
) -> Told {
    let (team, acting) = fields.acting(&app, &by).await?;
    let alias = alias(&thread)?;
    if !team.threads.contains_key(&alias) {
        return Err(Refusal::new(404, TeamdCode::ThreadNotFound, format!("{alias} not found in this team")));
    }
    let task = task_id(&fields.text("taskId")?.unwrap_or_default())?;
    let linked = app.teams.link(&acting, &team.id, alias, task).await;
    let team = linked.map_err(|failure| {
        Refusal::from(failure).about(TeamdCode::TaskNotFound, TeamdCode::InvalidRequest)
    })?;
    Ok(told(200, json!({ "thread": thread_shape(alias, &team.threads[&alias]) })))
}

/// Whatever is asked, the answer is whether it is allowed, and why.
pub(crate) async fn can_write(
    State(app): State<App>,
    Caller(by): Caller,
    In(Asked(asked)): Query<TeamdWriteQuery>,
) -> Told {
    let refused = |reason: TeamdWriteReason, advice: String| {
        told(200, json!({ "allow": false, "reason": reason, "advice": advice }))
    };
    let (team, acting) = match entered(&app, &by, given(asked.team_id.as_deref()).map(str::to_owned)).await {
        Ok(entered) => entered,
        Err(refusal) => return Ok(refused(TeamdWriteReason::TeamNotFound, refusal.message)),
    };
    let agent = match asked_for(&acting, asked.agent_id.as_deref()) {
        Ok(agent) => agent,
        Err(failure) => {
            return Ok(refused(TeamdWriteReason::IdentityMismatch, Refusal::from(failure).message));
        }
    };
    let path = match asked.path.as_deref().unwrap_or_default() {
        // As teamd has it: nothing is all of the project, and slashes alone are no path.
        "" => ".",
        slashes if slashes.trim_matches('/').is_empty() => {
            return Ok(refused(TeamdWriteReason::InvalidPath, Reason::InvalidPath.advice()));
        }
        path => path,
    };
    let permit = app.teams.can_write(&team, &agent, path).await;
    let (reason, advice) = (TeamdWriteReason::from(permit.reason.word()), permit.reason.advice());
    Ok(told(200, json!({ "allow": permit.allow, "reason": reason, "advice": advice })))
}

async fn act(
    app: &App,
    by: &Actor,
    task: &str,
    fields: &Fields,
    read: impl Fn(&Fields) -> Result<Act, Refusal>,
) -> Told {
    let (team, acting) = fields.acting(app, by).await?;
    let (task, act) = (task_id(task)?, read(fields)?);
    let leases = matches!(act, Act::Claim { .. } | Act::Renew { .. });
    let done = app.teams.act(&acting, &team.id, task, act).await;
    let team = done.map_err(|failure| {
        Refusal::from(failure).about(TeamdCode::TaskNotFound, TeamdCode::InvalidRequest)
    })?;
    let mut answer = json!({ "task": task_shape(app, &team, task).await? });
    if leases {
        answer["lease"] = answer["task"]["lease"].clone();
    }
    Ok(told(200, answer))
}

async fn entered(app: &App, by: &Actor, named: Option<String>) -> Result<(Arc<Team>, Acting), Refusal> {
    let id = match named_team(app, by, named) {
        Some(id) => id?,
        // With a single one there is no doubt.
        None => match app.teams.open(2).await?.as_slice() {
            [one] => one.clone(),
            _ => return Err(Refusal::new(404, TeamdCode::TeamNotFound, "choose a team with `teamId`")),
        },
    };
    found(app, by, &id).await
}

async fn found(app: &App, by: &Actor, id: &TeamId) -> Result<(Arc<Team>, Acting), Refusal> {
    let team = app.teams.get(id).await.map_err(|failure| {
        Refusal::from(failure).about(TeamdCode::TeamNotFound, TeamdCode::InvalidRequest)
    })?;
    // Another's team is one that is not there, and so is, for its agents, one that was closed.
    let acting = app.teams.acting(&team, by).map_err(|_| no_team())?;
    if let (Err(closed), false) = (team.open(), by.is_human()) {
        return Err(Refusal::new(404, TeamdCode::TeamNotFound, closed.to_string()));
    }
    Ok((team, acting))
}

/// Returns the team that a request names, or that its credential is for.
fn named_team(app: &App, by: &Actor, named: Option<String>) -> Option<Result<TeamId, Refusal>> {
    let own = belongs_to(app, by);
    match named {
        Some(named) => Some(named.parse().map_err(|_| no_team())),
        None => own.map(Ok),
    }
}

/// Returns a parameter of the query; an empty one counts as absent.
fn given(asked: Option<&str>) -> Option<&str> {
    asked.map(str::trim).filter(|value| !value.is_empty())
}

fn no_team() -> Refusal {
    Refusal::new(404, TeamdCode::TeamNotFound, "team not found")
}

fn task_id(text: &str) -> Result<TaskId, Refusal> {
    text.parse()
        .map_err(|_| Refusal::new(404, TeamdCode::TaskNotFound, format!("task `{}` not found", shown(text))))
}

fn alias(text: &str) -> Result<ThreadAlias, Refusal> {
    text.parse().map_err(|_| {
        Refusal::new(404, TeamdCode::ThreadNotFound, format!("thread `{}` not found", shown(text)))
    })
}

fn told(status: u16, body: Value) -> Response {
    (StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), Json(body)).into_response()
}
