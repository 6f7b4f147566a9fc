//! Teams: make, join, plan, work, be told.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use paseo_core::actor::Actor;
use paseo_core::fold::{self, TeamHead};
use paseo_core::settings::Event as Setting;
use paseo_core::team::{self, Enrolled, Member, Needs, Permit, TaskId, Team, TeamId};
use paseo_core::thread;
use paseo_wire::error::Code;
use paseo_wire::past::PastQuery;
use paseo_wire::settings::CreatedToken;
use paseo_wire::team::{
    AgainQuery, AgentOfTeam, ClaimTask, CreateTask, CreateTeam, EditTask, EndTask, EnrolAgent, InboxQuery,
    NoticePage, NoticeQuery, ReassignTask, RefusalList, RefusalQuery, ReleaseTask, RenewTask, TaskAnswer,
    TaskPage, TaskQuery, TeamAnswer, TeamPage, TeamQuery, WriteAnswer, WriteQuery,
};
use paseo_wire::words::TeamRole;

use super::App;
use super::pages::Paged;
use super::reply::Answer;
use super::request::{Asked, Body, Caller, Key, Path};
use super::sessions::directory;
use crate::directory::shown;
use crate::failure::Failure;
use crate::mint;
use crate::past;
use crate::teams::{Act, Acting, EditedTask, NewTask, ending, view};

pub(crate) async fn list(State(app): State<App>, Asked(query): Asked<TeamQuery>) -> Answer<TeamPage> {
    let seq = app.sessions.context.journal.head();
    let limit = query.limit.unwrap_or(100);
    // A cursor is a position in the list: no team needs to be there, or could be.
    let after = query.after.as_deref();
    if let Some(after) = after.filter(|after| !thread::is_name(after) && !thread::is_reserved(after)) {
        return Err(Failure::no_cursor(after));
    }
    let heads = app.teams.list(after, limit).await?;
    let next = heads
        .last()
        .filter(|_| heads.len() == limit)
        .map(|last| last.stream.trim_start_matches("team/").to_owned());
    let mut teams = Vec::with_capacity(heads.len());
    for row in &heads {
        if let TeamHead::Team(team) = fold::read(&row.stream, &row.head.state).map_err(Failure::internal)? {
            teams.push(view::team(&team, &app.sessions.context.directory));
        }
    }
    Ok(Json(TeamPage { seq, teams, next }))
}

pub(crate) async fn create(
    State(app): State<App>,
    Caller(by): Caller,
    Body(request): Body<CreateTeam>,
) -> Answer<TeamAnswer> {
    let id = request.id.parse::<TeamId>().map_err(|malformed| {
        Failure::new(Code::InvalidRequest, malformed.to_string())
            .hint("use an id like `red`: `paseo team create red`")
    })?;
    let place = request.directory.as_deref().map(directory).transpose()?;
    request.agents.iter().try_for_each(|agent| check_role(&agent.role))?;
    let agents = request.agents.into_iter().map(enrolled).collect();
    let made = app.teams.create(&by, &id, place, agents).await?;
    answer(&app, &made).await
}

pub(crate) async fn show(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(PastQuery { at, version }): Asked<PastQuery>,
) -> Answer<TeamAnswer> {
    let (team, _) = entered(&app, &by, &typed).await?;
    let Json(present) = answer(&app, &team).await?;
    let Some(point) = past::point(at, version)? else { return Ok(Json(present)) };
    let past = past::read(&app.sessions.context.journal, &*team, &team.id, point).await?;
    let team = view::past_team(&past, &app.sessions.context).await?;
    Ok(Json(TeamAnswer { team, ..present }))
}

pub(crate) async fn enrol(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Body(request): Body<EnrolAgent>,
) -> Answer<TeamAnswer> {
    let (team, _) = entered(&app, &by, &typed).await?;
    request.role.as_ref().map(check_role).transpose()?;
    let known = team.agents.get(request.id.as_str()).cloned();
    let known = known.unwrap_or(Member { role: "worker".to_owned(), model: None, session: None });
    let member = Member {
        role: request.role.map_or(known.role, |role| role.to_string()),
        model: request.model.or(known.model),
        session: known.session,
    };
    let team = app.teams.enrol(&by, &team.id, &request.id, member).await?;
    answer(&app, &team).await
}

pub(crate) async fn take_out(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, agent)): Path<(String, String)>,
) -> Answer<TeamAnswer> {
    if let Some(team) = left_before(&app, &by, &typed, &agent).await? {
        return ended(&app, &team, false).await;
    }
    let (team, acting) = entered(&app, &by, &typed).await?;
    let agent = match (agent.as_str(), &acting.agent) {
        ("-", Some(own)) => own.clone(),
        ("-", None) => {
            return Err(Failure::new(
                Code::Conflict,
                "you are not a member of this team, so name the member that leaves it",
            )
            .hint("pass --agent ID; `paseo team show` lists the members"));
        }
        _ => agent,
    };
    let there = team.agents.contains_key(&agent);
    let team = app.teams.take_out(&acting, &team.id, &agent).await?;
    ended(&app, &team, there).await
}

/// Returns the team of a session that leaves it once more: it is out already.
async fn left_before(app: &App, by: &Actor, typed: &str, agent: &str) -> Result<Option<Arc<Team>>, Failure> {
    let context = &app.sessions.context;
    let Some(session) = by.session().and_then(|id| context.directory.get(id)) else { return Ok(None) };
    let Some(seat) = &session.profile.team else { return Ok(None) };
    if ![seat.team.as_str(), "-"].contains(&typed) || ![seat.agent.as_str(), "-"].contains(&agent) {
        return Ok(None);
    }
    let team = app.teams.get(&seat.team).await?;
    let there = team.agent_of(session.id).is_some() || context.is_seated(&session, &team, &seat.agent);
    Ok(Some(team).filter(|_| !there))
}

pub(crate) async fn close(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
) -> Answer<TeamAnswer> {
    let (team, acting) = entered(&app, &by, &typed).await?;
    let open = team.closed_at.is_none();
    let team = app.teams.close(&acting, &team.id).await?;
    ended(&app, &team, open).await
}

pub(crate) async fn create_token(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, agent)): Path<(String, String)>,
    Asked(AgainQuery { again }): Asked<AgainQuery>,
) -> Answer<CreatedToken> {
    let (team, _) = entered(&app, &by, &typed).await?;
    app.teams.let_in(&by, &team.id, &agent, again).await?;
    let (token, secret) = (mint::token(), mint::secret().map_err(Failure::internal)?);
    let actor = Actor::Agent(format!("{}/{agent}", team.id));
    let name = format!("{agent} of {}", team.id);
    let sha256 = mint::hex(&mint::sha256(secret.as_bytes()));
    let event =
        Setting::TokenCreated { token, name: name.clone(), actor: actor.clone(), sha256, directory: None };
    let context = &app.sessions.context;
    context.settings.change(&context.journal, &by, event).await?;
    Ok(Json(CreatedToken { id: token.into(), name, actor: (&actor).into(), directory: None, secret }))
}

pub(crate) async fn tasks(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(query): Asked<TaskQuery>,
) -> Answer<TaskPage> {
    let seq = app.sessions.context.journal.head();
    let (mut team, _) = entered(&app, &by, &typed).await?;
    if let Some(point) = past::point(query.at, query.version)? {
        team = Arc::new(past::read(&app.sessions.context.journal, &*team, &team.id, point).await?);
    }
    let limit = query.limit.unwrap_or(100);
    let after = query.after.as_deref().map(task_id).transpose()?.unwrap_or(TaskId(0));
    let rest = team.tasks.range((std::ops::Bound::Excluded(after), std::ops::Bound::Unbounded));
    let (mut tasks, needs) = (Vec::new(), Needs::of(&team));
    for (id, task) in rest.take(limit) {
        tasks.push(view::task(&app.sessions.context.journal, &team, Some(&needs), *id, task).await?);
    }
    let next = tasks.last().filter(|_| tasks.len() == limit).map(|last| last.id.clone());
    Ok(Json(TaskPage { seq, now: app.teams.now().into(), tasks, next: next.map(Into::into) }))
}

pub(crate) async fn create_task(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    key: Key,
    Body(request): Body<CreateTask>,
) -> Answer<TaskAnswer> {
    let (team, acting) = entered(&app, &by, &typed).await?;
    let key = key.bind(&by, "POST /api/teams/{team}/tasks", &(&typed, &request));
    let CreateTask { title, description, deps, resources } = request;
    let deps = deps.into_iter().map(Into::into).collect();
    let wanted = NewTask { title, description, deps, resources, literal: false };
    let (team, task, _) = app.teams.create_task(&acting, &team.id, wanted, key).await?;
    answered(&app, &team, task).await
}

pub(crate) async fn task(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, task)): Path<(String, String)>,
) -> Answer<TaskAnswer> {
    let (team, _) = entered(&app, &by, &typed).await?;
    answered(&app, &team, task_id(&task)?).await
}

pub(crate) async fn edit_task(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, task)): Path<(String, String)>,
    Body(request): Body<EditTask>,
) -> Answer<TaskAnswer> {
    let (team, acting) = entered(&app, &by, &typed).await?;
    let task = task_id(&task)?;
    let EditTask { title, description, deps, resources } = request;
    let deps = deps.map(|deps| deps.into_iter().map(Into::into).collect());
    let wanted = EditedTask { title, description, deps, resources };
    let team = app.teams.edit(&acting, &team.id, task, wanted).await?;
    answered(&app, &team, task).await
}

pub(crate) async fn claim(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, task)): Path<(String, String)>,
    Body(request): Body<ClaimTask>,
) -> Answer<TaskAnswer> {
    act(&app, &by, &typed, &task, Act::Claim { ttl: request.ttl_ms }).await
}

pub(crate) async fn renew(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, task)): Path<(String, String)>,
    Body(RenewTask { epoch, ttl_ms }): Body<RenewTask>,
) -> Answer<TaskAnswer> {
    act(&app, &by, &typed, &task, Act::Renew { epoch, ttl: ttl_ms }).await
}

pub(crate) async fn complete(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, task)): Path<(String, String)>,
    Body(request): Body<EndTask>,
) -> Answer<TaskAnswer> {
    let (epoch, ending) = (request.epoch, ending(request.summary, request.message)?);
    act(&app, &by, &typed, &task, Act::Complete { epoch, ending }).await
}

pub(crate) async fn fail(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, task)): Path<(String, String)>,
    Body(request): Body<EndTask>,
) -> Answer<TaskAnswer> {
    let (epoch, ending) = (request.epoch, ending(request.summary, request.message)?);
    act(&app, &by, &typed, &task, Act::Fail { epoch, ending }).await
}

pub(crate) async fn release(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, task)): Path<(String, String)>,
    Body(ReleaseTask { epoch }): Body<ReleaseTask>,
) -> Answer<TaskAnswer> {
    act(&app, &by, &typed, &task, Act::Release { epoch }).await
}

pub(crate) async fn cancel(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, task)): Path<(String, String)>,
) -> Answer<TaskAnswer> {
    act(&app, &by, &typed, &task, Act::Cancel).await
}

pub(crate) async fn retry(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, task)): Path<(String, String)>,
) -> Answer<TaskAnswer> {
    act(&app, &by, &typed, &task, Act::Retry).await
}

pub(crate) async fn reassign(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, task)): Path<(String, String)>,
    Body(ReassignTask { to, ttl_ms }): Body<ReassignTask>,
) -> Answer<TaskAnswer> {
    act(&app, &by, &typed, &task, Act::Reassign { to: to.map(Into::into), ttl: ttl_ms }).await
}

pub(crate) async fn inbox(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(query): Asked<InboxQuery>,
) -> Answer<NoticePage> {
    let (team, acting) = entered(&app, &by, &typed).await?;
    let agent = asked_for(&acting, query.agent.as_deref())?;
    belongs(&team, query.agent.as_deref())?;
    notices(&app, &team, Some(&agent), NoticeQuery { after: query.after, limit: query.limit, newest: false })
        .await
}

pub(crate) async fn audit(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(query): Asked<NoticeQuery>,
) -> Answer<NoticePage> {
    let (team, _) = entered(&app, &by, &typed).await?;
    if query.newest {
        let (told, next) = app.teams.told_lately(&team, query.after, query.limit.unwrap_or(100)).await?;
        return Ok(Json(NoticePage { notices: told.iter().map(view::notice).collect(), next }));
    }
    notices(&app, &team, None, query).await
}

pub(crate) async fn refusals(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(query): Asked<RefusalQuery>,
) -> Answer<RefusalList> {
    let (team, _) = entered(&app, &by, &typed).await?;
    belongs(&team, query.agent.as_deref())?;
    let refusals = app.teams.refusals(&team, query.agent.as_deref()).await?;
    Ok(Json(RefusalList { refusals, next: None }.page(query.after.as_deref(), query.limit)?))
}

pub(crate) async fn can_write(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(query): Asked<WriteQuery>,
) -> Answer<WriteAnswer> {
    let (team, acting) = entered(&app, &by, &typed).await?;
    let agent = asked_for(&acting, query.agent.as_deref())?;
    belongs(&team, query.agent.as_deref())?;
    let Permit { allow, reason } = app.teams.can_write(&team, &agent, &query.path).await;
    let advice = reason.advice_about(&agent, acting.id());
    let reason = reason.word().into();
    Ok(Json(WriteAnswer { allow, reason, advice }))
}

/// Finds a team, and as whom the caller is in it.
pub(super) async fn entered(app: &App, by: &Actor, typed: &str) -> Result<(Arc<Team>, Acting), Failure> {
    let id = if typed == "-" { own(app, by).await? } else { team_id(typed)? };
    let team = app.teams.get(&id).await?;
    let acting = app.teams.acting(&team, by)?;
    Ok((team, acting))
}

/// How many teams, and how many agents of one, an error lists.
const LISTED: usize = 8;

/// Refuses an agent that does not belong to a team.
fn belongs(team: &Team, agent: Option<&str>) -> Result<(), Failure> {
    let Some(agent) = agent.filter(|agent| *agent != thread::USER && !team.agents.contains_key(*agent))
    else {
        return Ok(());
    };
    let agent: String = agent.chars().take(64).flat_map(char::escape_debug).collect();
    let there: Vec<&str> = team.agents.keys().take(LISTED).map(String::as_str).collect();
    let hint = match there.as_slice() {
        [] => "add one with `paseo run --team`; the team has no members yet".to_owned(),
        some => {
            let more = if team.agents.len() > LISTED { ", …" } else { "" };
            format!("members: {}{more}", some.join(", "))
        }
    };
    Err(Failure::new(Code::NotFound, format!("`{agent}` is not in team {}", team.id)).hint(hint))
}

/// Returns the team of the caller; for people the only one there is.
async fn own(app: &App, by: &Actor) -> Result<TeamId, Failure> {
    if let Some(own) = belongs_to(app, by) {
        return Ok(own);
    }
    if !by.is_human() {
        return Err(Failure::new(Code::NotFound, "you are not in a team"));
    }
    let teams = app.teams.open(LISTED).await?;
    let names: Vec<&str> = teams.iter().map(TeamId::as_str).collect();
    match names.as_slice() {
        [one] => team_id(one),
        [] => {
            let name = app.teams.suggested().await?;
            Err(Failure::new(Code::NotFound, "no team is open")
                .hint(format!("create one: `paseo team create {name}`")))
        }
        several => {
            let more = if several.len() == LISTED { ", …" } else { "" };
            let message = format!("several teams exist: {}{more}", several.join(", "));
            Err(Failure::new(Code::Ambiguous, message).hint(format!("choose one with --team {}", several[0])))
        }
    }
}

/// Returns the team that an agent belongs to.
pub(super) fn belongs_to(app: &App, by: &Actor) -> Option<TeamId> {
    match by {
        Actor::Agent(agent) => agent.split_once('/')?.0.parse().ok(),
        Actor::Session(session) => {
            let session = app.sessions.context.directory.get(*session)?;
            session.profile.team.as_ref().map(|seat| seat.team.clone())
        }
        Actor::Human(_) | Actor::Seat(_) | Actor::Daemon => None,
    }
}

/// Returns whom a caller asks about: people may ask about anyone, others about themselves.
pub(super) fn asked_for(acting: &Acting, agent: Option<&str>) -> Result<String, Failure> {
    match agent {
        None => Ok(acting.id().to_owned()),
        Some(agent) if agent == acting.id() || acting.agent.is_none() => Ok(agent.to_owned()),
        Some(_) => Err(mismatch(acting)),
    }
}

/// Says that a credential acts only as whom it was made for.
pub(super) fn mismatch(acting: &Acting) -> Failure {
    let message = format!("this token belongs to `{}`", acting.id());
    Failure::new(Code::IdentityMismatch, message).hint("leave out the agent, or use that agent's own token")
}

/// Reads the id of a team. No team has a malformed one.
pub(super) fn team_id(text: &str) -> Result<TeamId, Failure> {
    text.parse().map_err(|_: team::Malformed| {
        Failure::new(Code::NotFound, format!("team `{}` not found", shown(text))).hint("run `paseo team ls`")
    })
}

/// Reads the id of a task.
pub(super) fn task_id(text: &str) -> Result<TaskId, Failure> {
    text.parse().map_err(|malformed: team::Malformed| {
        Failure::new(Code::NotFound, malformed.to_string()).hint("run `paseo task ls`")
    })
}

fn enrolled(agent: AgentOfTeam) -> Enrolled {
    let AgentOfTeam { id, role, model, .. } = agent;
    Enrolled { id: id.into(), member: Member { role: role.to_string(), model, session: None }, by: None }
}

/// Refuses roles that mean nothing here.
fn check_role(role: &TeamRole) -> Result<(), Failure> {
    let TeamRole::Other(role) = role else { return Ok(()) };
    let role: String = role.chars().take(64).flat_map(char::escape_debug).collect();
    Err(Failure::new(Code::InvalidRequest, format!("invalid role `{role}`")).hint(format!(
        "use {} or {}",
        team::LEADER,
        team::WORKER
    )))
}

async fn act(app: &App, by: &Actor, typed: &str, task: &str, act: Act) -> Answer<TaskAnswer> {
    let (team, acting) = entered(app, by, typed).await?;
    let task = task_id(task)?;
    let team = app.teams.act(&acting, &team.id, task, act).await?;
    answered(app, &team, task).await
}

async fn notices(app: &App, team: &Team, agent: Option<&str>, query: NoticeQuery) -> Answer<NoticePage> {
    let limit = query.limit.unwrap_or(100);
    let (told, next, more) = app.teams.told(team, agent, query.after.unwrap_or(0), limit).await?;
    Ok(Json(NoticePage { notices: told.iter().map(view::notice).collect(), next: more.then_some(next) }))
}

async fn answered(app: &App, team: &Team, id: TaskId) -> Answer<TaskAnswer> {
    let task = team.task(id).map_err(crate::teams::refused)?;
    let journal = &app.sessions.context.journal;
    let task = view::task(journal, team, Some(&Needs::of(team)), id, task).await?;
    Ok(Json(TaskAnswer { seq: journal.head(), now: app.teams.now().into(), team: (&team.id).into(), task }))
}

async fn answer(app: &App, team: &Team) -> Answer<TeamAnswer> {
    let context = &app.sessions.context;
    Ok(Json(TeamAnswer {
        seq: context.journal.head(),
        now: app.teams.now().into(),
        changed: None,
        team: view::whole(team, context).await?,
    }))
}

/// Answers that a member left, or that the team was closed, and whether that changed anything.
async fn ended(app: &App, team: &Team, changed: bool) -> Answer<TeamAnswer> {
    let Json(answer) = answer(app, team).await?;
    Ok(Json(TeamAnswer { changed: Some(changed), ..answer }))
}
