//! Workers: start, list, look at, write to, end.

use axum::Json;
use axum::extract::State;
use paseo_core::actor::Actor;
use paseo_core::team::{Team, TeamId, ThreadAlias};
use paseo_wire::error::Code;
use paseo_wire::message::Receipt;
use paseo_wire::session::ActionAnswer;
use paseo_wire::worker::{
    AttachView, Capture, CaptureQuery, SendToWorker, StartWorker, StartedWorker, WorkerAnswer, WorkerList,
    WorkerQuery,
};

use super::App;
use super::pages::Paged;
use super::reply::Answer;
use super::request::{Asked, Body, Caller, Key, Path};
use super::sessions::{check_text, directory, left, named_model};
use super::teams::{entered, team_id};
use crate::failure::Failure;
use crate::workers::{NewWorker, Workers, alias, terminal_gone};

pub(crate) async fn list(
    State(app): State<App>,
    Caller(by): Caller,
    Asked(query): Asked<WorkerQuery>,
) -> Answer<WorkerList> {
    let seq = app.sessions.context.journal.head();
    let team: Option<TeamId> = query.team.as_deref().map(team_id).transpose()?;
    if let Some(team) = &team {
        app.teams.get(team).await?;
    }
    let workers = Workers::of(&app.sessions)?.list(&by, team.as_ref(), query.prefix.as_deref()).await?;
    WorkerList { seq, workers, next: None }.page(query.after.as_deref(), query.limit).map(Json)
}

pub(crate) async fn start(
    State(app): State<App>,
    Caller(by): Caller,
    key: Key,
    Body(request): Body<StartWorker>,
) -> Answer<StartedWorker> {
    let key = key.bind(&by, "POST /api/workers", &request);
    let (team, acting) = entered(&app, &by, request.team.as_deref().unwrap_or("-")).await?;
    let wanted = NewWorker {
        task: request.task,
        definition: request.agent,
        provider: request.provider,
        // An agent's environment says nothing about what it wants.
        default_provider: request.default_provider.filter(|_| by.is_human()),
        model: request.model.map(named_model).transpose()?,
        thread: match request.thread.as_deref() {
            Some(typed) => Some(thread_of(&app, &by, &team, typed).await?),
            None => None,
        },
        title: request.title,
        prefix: request.prefix,
        // People say it from wherever they are.
        directory: match (request.directory, by.is_human()) {
            (Some(place), true) => Some(directory(&place)?),
            (place, _) => place,
        },
        worktree: request.worktree,
        guard: request.guard,
        key,
    };
    Workers::of(&app.sessions)?.start(&acting, &team.id, wanted).await.map(Json)
}

/// Finds a thread of a team by what the team calls it, its name or its id.
async fn thread_of(app: &App, by: &Actor, team: &Team, typed: &str) -> Result<ThreadAlias, Failure> {
    // Agents are not told which other threads there are.
    if typed.parse::<ThreadAlias>().is_ok() || !by.is_human() {
        return alias(typed);
    }
    let thread = app.threads.find(typed).await?;
    let known = team.thread(thread.id).map(|(alias, _)| alias);
    known.ok_or_else(|| {
        Failure::new(
            Code::InvalidRequest,
            format!("thread `{}` does not belong to team {}", thread.name, team.id),
        )
        .hint(format!("run `paseo team show {}` to list its threads", team.id))
    })
}

pub(crate) async fn show(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
) -> Answer<WorkerAnswer> {
    let workers = Workers::of(&app.sessions)?;
    let worker = workers.show(&*workers.find(&by, &typed).await?).await?;
    Ok(Json(WorkerAnswer { seq: app.sessions.context.journal.head(), worker }))
}

pub(crate) async fn capture(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(query): Asked<CaptureQuery>,
) -> Answer<Capture> {
    let workers = Workers::of(&app.sessions)?;
    let session = workers.find(&by, &typed).await?;
    let shown = workers.capture(&session, query.lines.map(u64::from)).await?;
    let name = session.profile.terminal.clone().unwrap_or_default();
    Ok(Json(Capture { name, text: shown.text, truncated: shown.cut }))
}

pub(crate) async fn attach(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
) -> Answer<AttachView> {
    let workers = Workers::of(&app.sessions)?;
    let session = workers.find(&by, &typed).await?;
    let name = session.profile.terminal.clone().unwrap_or_default();
    let pane = app.sessions.context.terminals.pane(&name, session.id).await?;
    let pane = pane.ok_or_else(|| terminal_gone(&name))?;
    let (argv, command) = workers.attach(&session, Some(&pane));
    Ok(Json(AttachView { name, argv, command }))
}

pub(crate) async fn send(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Body(SendToWorker { message }): Body<SendToWorker>,
) -> Answer<Receipt> {
    check_text(&message)?;
    let workers = Workers::of(&app.sessions)?;
    let session = workers.find(&by, &typed).await?;
    workers.send(&by, &session, &message).await.map(Json)
}

pub(crate) async fn kill(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
) -> Answer<ActionAnswer> {
    let workers = Workers::of(&app.sessions)?;
    let session = workers.find(&by, &typed).await?;
    let (handle, seq) =
        (app.sessions.context.directory.handle(session.id), app.sessions.context.journal.head());
    workers.kill(&by, &session).await?;
    let id = session.id.to_string();
    let ended = app.sessions.context.journal.session(session.id).await?.map(|(session, _)| session);
    let worktree = left(&app, ended).await;
    Ok(Json(ActionAnswer { seq, changed: true, handle, id: id.into(), lost: 0, worktree, closed_with: 0 }))
}
