//! Sessions: start, show, change, end. Lists are in `listing`.

use std::path::Path as FilePath;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use paseo_core::actor::Actor;
use paseo_core::definition::{DEFAULT, Definition};
use paseo_core::id::SessionId;
use paseo_core::label::{Label, Labels, Malformed};
use paseo_core::limits::{MESSAGE_BYTES, PATH_BYTES};
use paseo_core::name;
use paseo_core::permission::Mode;
use paseo_core::session::{OptionsChange, Session, Status};
use paseo_core::team::{self, Member};
use paseo_wire::error::Code;
use paseo_wire::message::CreatedSession;
use paseo_wire::session::{
    ActionAnswer, CreateSession, ForceQuery, PatchSession, PromptView, SeenNews, SessionAnswer, SessionLine,
    SessionView,
};
use paseo_wire::time::Moment;
use paseo_wire::words::{Guard, PermissionMode, TeamRole};
use paseo_wire::worktree::WorktreeEntry;

use super::messages::noticed;
use super::reply::Answer;
use super::request::{Asked, Body, Caller, Key, Path};
use super::{App, permissions};
use crate::attachments::Claimed;
use crate::checks;
use crate::directory::Reach;
use crate::failure::Failure;
use crate::glimpse;
use crate::previews;
use crate::sessions::{self, Command, NewSession, Order, Reply, RequestKey, Seen, routing, to_the_end};
use crate::teams::Joining;
use crate::worktrees::{self, Wish};

/// The longest name of a model that an agent is given after its start.
const MODEL_BYTES: usize = 200;

pub(crate) async fn create(
    State(app): State<App>,
    Caller(by): Caller,
    key: Key,
    Body(request): Body<CreateSession>,
) -> Answer<CreatedSession> {
    let context = &app.sessions.context;
    let attachments = context.attachments.fingerprints(&by, &request.attachments).await?;
    let key = key.bind(&by, "POST /api/sessions", &CreateSession { attachments, ..request.clone() });
    if let Some(key) = &key
        && let Some(first) = context.journal.log.receipt(&key.scope, &key.key, key.body).await?
    {
        return serde_json::from_str(&first).map(Json).map_err(Failure::internal);
    }
    match &request.prompt {
        Some(prompt) => check_text(prompt)?,
        None if request.output_schema.is_some() => {
            return Err(Failure::new(Code::InvalidRequest, "output_schema needs a message to answer")
                .hint("say what to do in `prompt`"));
        }
        None if request.attachments.is_empty() => {}
        None => {
            return Err(Failure::new(Code::InvalidRequest, "files are attached without a message")
                .hint("set `prompt` to say what to do with them"));
        }
    }
    let labels =
        request.labels.iter().map(|(key, value)| labelled(key, value)).collect::<Result<Vec<_>, _>>()?;
    let project = directory(&request.directory)?;
    let slug = request.agent.as_deref().unwrap_or(DEFAULT);
    let definition = routing::for_person(context, &project, slug)?;
    let order = Order {
        by,
        directory: match &request.cwd {
            Some(chosen) => directory(chosen)?,
            None => own_place(&definition, &project)?,
        },
        definition,
        project,
        provider: request.provider,
        default_provider: request.default_provider,
        model: request.model.map(named_model).transpose()?,
        effort: request.effort,
        labels: Labels::from_flags(labels, false).map_err(malformed)?,
        name: request.name.as_deref().map(check_name).transpose()?.flatten(),
        aside: false,
        guarded: request.guard.as_ref().map(guarded).transpose()?.unwrap_or(false),
    };
    let mode = request.permissions.as_ref().map(mode).transpose()?;
    let wish = Wish { make: request.worktree, name: request.worktree_name, base: request.base };
    let team = request
        .team
        .map(|team| joining(&team, request.team_agent.map(Into::into), request.team_role))
        .transpose()?;
    let schema = context.usable_schema(request.output_schema.as_ref()).await?;
    let attachments = context.attachments.claimed(&order.by, &request.attachments).await?;
    let prompt = request.prompt.map(|text| Prompt { text, attachments, schema });
    let created = start(&app, order, mode, wish, prompt, key, team).await?;
    let receipt = created.receipt.map(|receipt| noticed(&app, receipt)).transpose()?;
    Ok(Json(CreatedSession { receipt, ..created }))
}

/// What a new session is to do first.
pub(super) struct Prompt {
    pub(super) text: String,
    pub(super) attachments: Vec<Claimed>,
    pub(super) schema: Option<String>,
}

fn joining(team: &str, agent: Option<String>, role: Option<TeamRole>) -> Result<(Joining, String), Failure> {
    let team = team
        .parse()
        .map_err(|malformed: team::Malformed| Failure::new(Code::InvalidRequest, malformed.to_string()))?;
    Ok((Joining { team, agent }, role.unwrap_or(TeamRole::Worker).to_string()))
}

/// Starts a session for a person, in a worktree if there is to be one.
pub(super) async fn start(
    app: &App,
    order: Order,
    mode: Option<Mode>,
    wish: Wish,
    prompt: Option<Prompt>,
    key: Option<RequestKey>,
    team: Option<(Joining, String)>,
) -> Result<CreatedSession, Failure> {
    let context = &app.sessions.context;
    // One that runs elsewhere works in no directory of ours.
    let shown = order.labels.is_ui() && !order.definition.is_external();
    let new = order.by_person(context, mode)?;
    let app = app.clone();
    let new = match prompt {
        Some(Prompt { text, attachments, schema }) => {
            NewSession { prompt: Some(text), attachments, schema, key, ..new }
        }
        None => NewSession { key, ..new },
    };
    // Before anything is made for it on the disk.
    app.sessions.check_attachments(&new)?;
    // The caller may disconnect: no slot is kept for a session that is never created.
    to_the_end(async move { settle(&app, new, shown, wish, team).await }).await
}

/// Gives a session its place on the disk and in its team, and lets it begin. If it does not, both are given back.
async fn settle(
    app: &App,
    new: NewSession,
    shown: bool,
    wish: Wish,
    team: Option<(Joining, String)>,
) -> Result<CreatedSession, Failure> {
    let (id, by) = (new.id, new.by.clone());
    let home = &app.sessions.context.home;
    let place = worktrees::prepare(home, id, new.directory.clone(), shown, wish).await?;
    let seat = match &team {
        Some((joining, role)) => {
            let base = new.definition.as_deref().unwrap_or(&new.provider);
            let member = Member { role: role.clone(), model: new.model.clone(), session: Some(id) };
            app.teams.join(&by, joining, base, member).await.map(Some)
        }
        None => Ok(None),
    };
    let (seat, created) = match seat {
        Ok(seat) => {
            let new = NewSession {
                team: seat.as_ref().map(|(seat, _)| seat.clone()),
                directory: place.directory.clone(),
                worktree: place.made.as_ref().map(|made| made.worktree.clone()),
                notes: place.notes(),
                ..new
            };
            (seat, app.sessions.create(new).await)
        }
        Err(refused) => (None, Err(refused)),
    };
    let came_to_be = created.as_ref().is_ok_and(|created| created.session.id == id.to_string());
    if !came_to_be {
        if let Some((seat, before)) = seat {
            app.teams.stayed_away(&by, &seat.team, id, before).await;
        }
        if let Some(made) = place.made {
            made.undo().await;
        }
    }
    created
}

/// Returns where a definition's sessions run, if there is such a place.
pub(super) fn own_place(definition: &Definition, project: &str) -> Result<String, Failure> {
    if definition.directory.is_none() {
        return Ok(project.to_owned());
    }
    directory(&routing::place(definition, project)).map_err(|failure| {
        Failure::new(
            Code::Conflict,
            format!("agent `{}` has no directory to run in: {}", definition.slug, failure.message),
        )
        .hint("create the directory, correct it in the definition, or pass --cwd")
    })
}

fn guarded(guard: &Guard) -> Result<bool, Failure> {
    match guard {
        Guard::Lease => Ok(true),
        Guard::Other(word) => Err(Failure::new(Code::InvalidRequest, format!("unknown guard `{word}`"))
            .hint(format!("use {}", Guard::Lease))),
    }
}

fn mode(word: &PermissionMode) -> Result<Mode, Failure> {
    Mode::parse(word.as_str()).ok_or_else(|| {
        Failure::new(Code::InvalidRequest, format!("unknown permission mode `{word}`"))
            .hint(format!("choose one of {}", Mode::ALL.map(Mode::word).join(", ")))
    })
}

pub(crate) async fn show(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
) -> Answer<SessionAnswer> {
    let id = resolve(&app, &by, &typed).await?;
    answer(&app, id).await
}

/// Shows what was added to the prompt of the newest harness, to the letter.
pub(crate) async fn prompt(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
) -> Answer<PromptView> {
    let id = resolve(&app, &by, &typed).await?;
    let (session, _) = app
        .sessions
        .context
        .journal
        .session(id)
        .await?
        .ok_or_else(|| Failure::new(Code::NotFound, "the agent was deleted"))?;
    let context = &app.sessions.context;
    let given = match &session.history.prompt {
        Some(given) => context.journal.log.text(given.id.uuid()).await?,
        None => None,
    };
    // Before its first process there is only what it would be given.
    Ok(Json(PromptView { prompt: given.unwrap_or_else(|| context.prompt(&session)) }))
}

pub(crate) async fn patch(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Body(request): Body<PatchSession>,
) -> Answer<SessionAnswer> {
    let id = resolve(&app, &by, &typed).await?;
    let patch = sessions::Patch {
        by,
        name: request.name.as_deref().map(check_name).transpose()?,
        set: request.set_labels.iter().map(|(key, value)| labelled(key, value)).collect::<Result<_, _>>()?,
        unset: request.unset_labels,
        pinned: request.pinned,
        awaited: request.notify_when_finished,
        attributes: request.attributes,
        options: OptionsChange {
            model: request.model.map(next_model).transpose()?,
            effort: request.effort.map(chosen),
            permissions: request.permissions.as_ref().map(mode).transpose()?,
        },
    };
    app.sessions.ask(id, |reply| Command::Patch(patch, reply)).await?;
    answer(&app, id).await
}

pub(crate) async fn remove(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(ForceQuery { force }): Asked<ForceQuery>,
) -> Answer<ActionAnswer> {
    let id = resolve(&app, &by, &typed).await?;
    let session = app.sessions.context.journal.session(id).await?.map(|(session, _)| session);
    let lost = session.as_ref().map_or(0, |session| session.queue.len());
    let seq = app.sessions.context.journal.head();
    let handle = app.sessions.context.directory.handle(id);
    let closed_with = app.sessions.delete(id, &by, force).await?;
    let nobodys = |entry| WorktreeEntry { session: None, handle: None, open: false, ..entry };
    let worktree = left(&app, session).await.map(nobodys);
    Ok(Json(ActionAnswer { seq, changed: true, handle, id: id.into(), lost, worktree, closed_with }))
}

pub(crate) async fn stop(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
) -> Answer<ActionAnswer> {
    act(app, by.clone(), typed, |reply| Command::Stop(by, reply)).await
}

pub(crate) async fn close(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
) -> Answer<ActionAnswer> {
    let id = resolve(&app, &by, &typed).await?;
    let context = &app.sessions.context;
    let handle = context.directory.handle(id);
    let (changed, closed_with) = app.sessions.close(id, &by).await?;
    let session = context.journal.session(id).await?.map(|(session, _)| session);
    let worktree = left(&app, session.filter(|_| changed)).await;
    let seq = context.journal.head();
    Ok(Json(ActionAnswer { seq, changed, handle, id: id.into(), lost: 0, closed_with, worktree }))
}

pub(crate) async fn reopen(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
) -> Answer<ActionAnswer> {
    act(app, by.clone(), typed, |reply| Command::Reopen(by, reply)).await
}

pub(crate) async fn clear(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
) -> Answer<ActionAnswer> {
    act(app, by.clone(), typed, |reply| Command::Clear(by, reply)).await
}

pub(crate) async fn promote(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    key: Key,
) -> Answer<ActionAnswer> {
    let id = resolve(&app, &by, &typed).await?;
    let key = key.bind(&by, "POST /api/sessions/{id}/promote", &id);
    let changed = app.sessions.promote(id, by, key).await?;
    Ok(Json(acted(&app, id, changed)))
}

/// Says what came of something that was done to a session.
pub(super) fn acted(app: &App, id: SessionId, changed: bool) -> ActionAnswer {
    let context = &app.sessions.context;
    ActionAnswer {
        seq: context.journal.head(),
        changed,
        handle: context.directory.handle(id),
        id: id.into(),
        lost: 0,
        closed_with: 0,
        worktree: None,
    }
}

/// Notes that a person has looked at what an agent came to.
pub(crate) async fn looked(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Body(SeenNews { news: upto }): Body<SeenNews>,
) -> Answer<ActionAnswer> {
    act(app, by.clone(), typed, |reply| Command::See { by, what: Seen::Looked, upto, reply }).await
}

/// Takes an agent out of the inbox until something new happens.
pub(crate) async fn archive(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Body(SeenNews { news: upto }): Body<SeenNews>,
) -> Answer<ActionAnswer> {
    act(app, by.clone(), typed, |reply| Command::See { by, what: Seen::Archived, upto, reply }).await
}

/// Finds the session that a caller means.
pub(super) async fn resolve(app: &App, by: &Actor, typed: &str) -> Result<SessionId, Failure> {
    let reach = if by.is_human() { Reach::OpenThenClosed } else { Reach::Open };
    let context = &app.sessions.context;
    let found = context.directory.resolve(typed, reach, &context.journal).await;
    match found {
        Err(unknown) if unknown.code == Code::NotFound && by.is_human() => {
            Err(app.teams.ended(typed).await?.unwrap_or(unknown))
        }
        found => found,
    }
}

/// Refuses a message that is empty or too long.
pub(super) fn check_text(text: &str) -> Result<(), Failure> {
    if text.trim().is_empty() {
        return Err(
            Failure::new(Code::InvalidRequest, "the message is empty").hint("say what the agent should do")
        );
    }
    if text.len() > MESSAGE_BYTES {
        return Err(Failure::new(
            Code::TooLarge,
            format!("the message has {} bytes; the limit is {MESSAGE_BYTES}", text.len()),
        )
        .hint("put the text into a file and tell the agent to read it"));
    }
    Ok(())
}

async fn act(
    app: App,
    by: Actor,
    typed: String,
    command: impl FnOnce(Reply<bool>) -> Command,
) -> Answer<ActionAnswer> {
    let id = resolve(&app, &by, &typed).await?;
    let handle = app.sessions.context.directory.handle(id);
    let changed = app.sessions.ask(id, command).await?;
    Ok(Json(ActionAnswer { handle, ..acted(&app, id, changed) }))
}

/// Shows the worktree that a session leaves behind.
pub(super) async fn left(app: &App, session: Option<Session>) -> Option<WorktreeEntry> {
    let listed = worktrees::left_by(&Arc::new(session?)).await?;
    Some(super::worktrees::entry(app, &listed))
}

async fn answer(app: &App, id: SessionId) -> Answer<SessionAnswer> {
    let seq = app.sessions.context.journal.head();
    let session = whole(app, id).await?;
    Ok(Json(SessionAnswer { seq, session }))
}

/// Shows a session with everything that is known about it.
pub(super) async fn whole(app: &App, id: SessionId) -> Result<SessionView, Failure> {
    let context = &app.sessions.context;
    // From the log: a client that has seen an event must not read a state from before it.
    let (session, _) = context
        .journal
        .session(id)
        .await?
        .ok_or_else(|| Failure::new(Code::NotFound, "the agent was deleted"))?;
    let mut children = context.directory.all();
    children.retain(|other| other.profile.parent == Some(id));
    let waits_for = context.waits.of(id).into_iter().map(|other| context.directory.handle(other));
    let shown = shown(app, &session).await?;
    // Lists have no preview of a closed one.
    let last_snippet = match session.is_open() {
        true => shown.last_snippet.clone(),
        false => previews::read(&context.journal, &session).await?.said.map(Into::into),
    };
    Ok(SessionView {
        last_snippet,
        todo: glimpse::todo(&context.journal, &session).await?,
        children: Some(children.iter().map(|child| child.id.into()).collect()),
        guard: context.is_guarded_process(&session).then_some(Guard::Lease),
        last_cause: session.last_cause().map(Into::into),
        waits_for: Some(waits_for.collect::<Vec<_>>()).filter(|waits| !waits.is_empty()),
        check: checks::newest(&context.journal, &session).await?,
        notice: context.definitions.notice(&session),
        ..shown
    })
}

/// Shows a session, with what the log does not know.
pub(super) async fn shown(app: &App, session: &Session) -> Result<SessionView, Failure> {
    let (context, status_reason) = (&app.sessions.context, status_reason(app, session).await?);
    Ok(SessionView { status_reason, heard_at: heard_at(app, session), ..context.view(session).await })
}

/// Shows a session in one line, with what the log does not know.
pub(super) async fn line(app: &App, session: &Session) -> Result<SessionLine, Failure> {
    let (context, status_reason) = (&app.sessions.context, status_reason(app, session).await?);
    let member = context.member(session).await.map(Into::into);
    let heard_at = heard_at(app, session);
    Ok(SessionLine { member, heard_at, ..context.directory.line(session, status_reason) })
}

/// Says when the harness was last heard of in the turn under way. One that has said nothing yet was given it then.
fn heard_at(app: &App, session: &Session) -> Option<Moment> {
    let turn = session.turn.as_ref().filter(|_| session.condition.status == Status::Running)?;
    Some(app.sessions.context.signs.last(session.id).unwrap_or(turn.opened_at).into())
}

/// Says why a session has not got further, when only this moment knows.
async fn status_reason(app: &App, session: &Session) -> Result<Option<String>, Failure> {
    let context = &app.sessions.context;
    let unseen = session.profile.terminal.is_some() && session.is_open() && context.terminals.is_silent();
    match context.processes.reason(session.id) {
        Some(reason) => Ok(Some(reason)),
        None if unseen => Ok(Some("tmux does not respond".to_owned())),
        None => permissions::reason(app, session).await,
    }
}

pub(super) fn label(text: &str) -> Result<Label, Failure> {
    text.parse().map_err(malformed)
}

/// Reads a label whose parts are given apart: `=` in a key would belong to the value.
fn labelled(key: &str, value: &str) -> Result<Label, Failure> {
    let text = format!("{key}={value}");
    if key.contains('=') {
        let key = crate::directory::shown(key);
        return Err(Failure::new(
            Code::InvalidRequest,
            format!("invalid label key `{key}`: it contains `=`"),
        )
        .hint("use a key without `=`; the value may contain it"));
    }
    label(&text)
}

fn malformed(error: Malformed) -> Failure {
    let code = if matches!(error, Malformed::Long(_)) { Code::TooLarge } else { Code::InvalidRequest };
    Failure::new(code, error.to_string())
}

/// Checks the name of a model, as far as no provider has to be asked: an unset variable is no name.
pub(super) fn named_model(model: String) -> Result<String, Failure> {
    if model.trim().is_empty() || model.chars().any(char::is_control) {
        return Err(Failure::new(
            Code::InvalidRequest,
            "a model name must be one or more printable characters",
        )
        .hint("leave it out to use the default"));
    }
    Ok(model)
}

/// Reads the model of the next turn. It stands in an event, which stays small.
fn next_model(model: String) -> Result<Option<String>, Failure> {
    if model.len() > MODEL_BYTES {
        let message = format!("a model name has at most {MODEL_BYTES} bytes");
        return Err(Failure::new(Code::InvalidRequest, message));
    }
    chosen(model).map(named_model).transpose()
}

/// Reads a choice; an empty one is the provider's default.
fn chosen(word: String) -> Option<String> {
    Some(word).filter(|word| !word.trim().is_empty())
}

/// Reads a name; an empty one takes it away.
fn check_name(name: &str) -> Result<Option<String>, Failure> {
    let name = name.trim();
    if !name.is_empty() && !name::fits(name) {
        return Err(Failure::new(Code::InvalidRequest, name::optional_limit("a name")));
    }
    Ok((!name.is_empty()).then(|| name.to_owned()))
}

/// Reads the path of a directory.
pub(super) fn directory(text: &str) -> Result<String, Failure> {
    let told = |code: Code, why: &str| {
        Failure::new(code, format!("`{text}` {why}")).hint("give the absolute path of an existing directory")
    };
    let (refused, missing) =
        (|why: &str| told(Code::InvalidRequest, why), |why: &str| told(Code::NotFound, why));
    let path = FilePath::new(text);
    if !path.is_absolute() {
        return Err(refused("is not an absolute path"));
    }
    let path = path.canonicalize().map_err(|_| missing("does not exist"))?;
    if path.as_os_str().len() > PATH_BYTES {
        return Err(refused("is too long"));
    }
    if !path.is_dir() {
        return Err(missing("is not a directory"));
    }
    path.into_os_string().into_string().map_err(|_| refused("is not valid UTF-8"))
}
