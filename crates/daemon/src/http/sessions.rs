//! Sessions: list, start, show, change, end.

use std::path::Path as FilePath;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use paseo_core::actor::Actor;
use paseo_core::id::SessionId;
use paseo_core::label::{Filter, Label, Labels, Malformed};
use paseo_core::limits::{MESSAGE_BYTES, NAME_CHARS, PAGE_ROWS, PATH_BYTES};
use paseo_core::permission::Mode;
use paseo_core::session::Session;
use paseo_runtime::provider::Check;
use paseo_wire::error::Code;
use paseo_wire::message::CreatedSession;
use paseo_wire::session::{
    ActionAnswer, CreateSession, Hidden, PatchSession, PromptView, SessionAnswer, SessionPage, SessionQuery,
    SessionView,
};
use paseo_wire::worktree::WorktreeEntry;
use serde::Deserialize;

use super::reply::Answer;
use super::request::{Asked, Body, Caller, Key, Path};
use super::{App, permissions};
use crate::directory::{Directory, Reach};
use crate::failure::Failure;
use crate::mint;
use crate::sessions::{self, Command, NewSession, Reply};
use crate::worktrees::{self, Wish};

/// The query of a deletion.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Force {
    #[serde(default)]
    force: bool,
}

pub(crate) async fn list(State(app): State<App>, Asked(query): Asked<SessionQuery>) -> Answer<SessionPage> {
    let context = &app.sessions.context;
    let seq = context.directory.point(&context.journal);
    let labels: Vec<Label> =
        query.labels.iter().flat_map(|text| text.split(',')).map(listed_label).collect::<Result<_, _>>()?;
    let filter =
        if query.any_labels { Filter::All(Vec::new()) } else { Filter::from_flags(labels, query.ui) };
    let limit = query.limit.unwrap_or(PAGE_ROWS).clamp(1, PAGE_ROWS);

    let place = query.project.as_deref().map(|directory| Place::of(directory, &context.directory.all()));
    let in_project = |session: &Session| place.as_ref().is_none_or(|place| place.has(session));
    let mut hidden = Hidden::default();
    let after = query.after.as_deref().map(cursor).transpose()?;
    let (found, next) = match after {
        Some(Cursor::Closed(stream)) => closed_page(&app, stream.as_deref(), &filter, &in_project).await?,
        after => {
            let mut found = context.directory.all();
            let all = found.len();
            found.retain(|session| in_project(session));
            hidden.project = all - found.len();
            let here = found.len();
            found.retain(|session| filter.matches(&session.labels));
            hidden.labels = here - found.len();
            if !query.all_statuses {
                hidden.status = match &place {
                    Some(place) => {
                        place.projects.iter().map(|under| context.directory.closed(Some(under))).sum()
                    }
                    None => context.directory.closed(None),
                };
            }
            found.sort_by_key(|session| place_of(session));
            if let Some(Cursor::Open(place)) = after {
                found.retain(|session| place_of(session) > place);
            }
            let more = found.len() > limit;
            found.truncate(limit);
            let next = match found.last() {
                Some(last) if more => Some(format!("{}:{}", last.updated_at.as_millis(), last.id)),
                _ if query.all_statuses => Some(CLOSED.to_owned()),
                _ => None,
            };
            (found, next)
        }
    };
    let mut sessions = Vec::with_capacity(found.len());
    for session in &found {
        sessions.push(shown(&app, session).await?);
    }
    Ok(Json(SessionPage { seq, sessions, next, hidden }))
}

/// Where a list is asked for.
struct Place {
    directory: String,
    /// The directory itself, and the projects of those in whose worktree it is: no one under another.
    projects: Vec<String>,
}

impl Place {
    fn of(directory: &str, open: &[Arc<Session>]) -> Self {
        let mut projects = vec![directory.to_owned()];
        for session in open.iter().filter(|session| is_in_worktree(session, directory)) {
            let project = &session.profile.project;
            if !projects.iter().any(|other| FilePath::new(project).starts_with(other)) {
                projects.retain(|other| !FilePath::new(other).starts_with(project));
                projects.push(project.clone());
            }
        }
        Self { directory: directory.to_owned(), projects }
    }

    fn has(&self, session: &Session) -> bool {
        let project = FilePath::new(&session.profile.project);
        self.projects.iter().any(|under| project.starts_with(under))
            || is_in_worktree(session, &self.directory)
    }
}

/// Says whether a directory is in a session's own worktree.
fn is_in_worktree(session: &Session, directory: &str) -> bool {
    let worktree = session.profile.worktree.as_ref();
    worktree.is_some_and(|worktree| FilePath::new(directory).starts_with(&worktree.path))
}

/// Where a list goes on: open sessions come by age, closed ones after them by id.
enum Cursor {
    Open((std::cmp::Reverse<i64>, SessionId)),
    Closed(Option<String>),
}

/// What the cursor of the closed ones starts with.
const CLOSED: &str = "closed";

fn place_of(session: &Session) -> (std::cmp::Reverse<i64>, SessionId) {
    (std::cmp::Reverse(session.updated_at.as_millis()), session.id)
}

async fn closed_page(
    app: &App,
    after: Option<&str>,
    filter: &Filter,
    in_project: &(impl Fn(&Session) -> bool + Sync),
) -> Result<(Vec<Arc<Session>>, Option<String>), Failure> {
    let (mut found, next) = Directory::closed_page(&app.sessions.context.journal, after).await?;
    found.retain(|session| in_project(session) && filter.matches(&session.labels));
    Ok((found, next.map(|stream| format!("{CLOSED}:{stream}"))))
}

pub(crate) async fn create(
    State(app): State<App>,
    Caller(by): Caller,
    key: Key,
    Body(request): Body<CreateSession>,
) -> Answer<CreatedSession> {
    let context = &app.sessions.context;
    let key = key.bind(&by, "POST /api/sessions", &request);
    if let Some(key) = &key
        && let Some(first) = context.journal.log.receipt(&key.scope, &key.key, key.body).await?
    {
        return serde_json::from_str(&first).map(Json).map_err(Failure::internal);
    }
    if let Some(prompt) = &request.prompt {
        check_text(prompt)?;
    }
    let labels = request
        .labels
        .iter()
        .map(|(key, value)| label(&format!("{key}={value}")))
        .collect::<Result<Vec<_>, _>>()?;
    let labels = Labels::from_flags(labels, false).map_err(malformed)?;
    let name = request.name.as_deref().map(check_name).transpose()?.flatten();
    let directory = directory(&request.directory)?;
    let permissions = request.permissions.as_deref().map(mode).transpose()?.unwrap_or_default();
    let check = Check {
        directory: directory.clone().into(),
        model: request.model.clone(),
        effort: request.effort.clone(),
        permissions,
    };
    let chosen = context.providers.choose(request.provider.as_deref(), &check)?;
    let id = mint::session();
    let wish = Wish { make: request.worktree, name: request.worktree_name, base: request.base };
    let place = worktrees::prepare(&context.home, id, directory.clone(), labels.is_ui(), wish).await?;
    let new = NewSession {
        id,
        by,
        provider: chosen.provider.name().to_owned(),
        provider_reason: chosen.reason.word().to_owned(),
        model: request.model,
        effort: request.effort,
        permissions,
        labels,
        name,
        project: directory,
        directory: place.directory.clone(),
        worktree: place.made.as_ref().map(|made| made.worktree.clone()),
        notes: place.notes(),
        prompt: request.prompt,
        key,
    };
    let created = app.sessions.create(new).await;
    let came_to_be = created.as_ref().is_ok_and(|created| created.session.id == id.to_string());
    if let Some(made) = place.made.filter(|_| !came_to_be) {
        made.undo().await;
    }
    created.map(Json)
}

fn mode(word: &str) -> Result<Mode, Failure> {
    Mode::parse(word).ok_or_else(|| {
        Failure::new(Code::InvalidRequest, format!("there is no permission mode `{word}`"))
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

/// Shows what is added to the harness's prompt, from where the harness gets it.
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
    Ok(Json(PromptView { prompt: paseo_core::prompt::build(&session) }))
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
        set: request
            .set_labels
            .iter()
            .map(|(key, value)| label(&format!("{key}={value}")))
            .collect::<Result<_, _>>()?,
        unset: request.unset_labels,
    };
    app.sessions.ask(id, |reply| Command::Patch(patch, reply)).await?;
    answer(&app, id).await
}

pub(crate) async fn remove(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(Force { force }): Asked<Force>,
) -> Answer<ActionAnswer> {
    let id = resolve(&app, &by, &typed).await?;
    let session = app.sessions.context.journal.session(id).await?.map(|(session, _)| session);
    let lost = session.as_ref().map_or(0, |session| session.queue.len());
    let Json(done) =
        act(app.clone(), by.clone(), typed, |reply| Command::Delete { by, force, reply }).await?;
    let nobodys = |entry| WorktreeEntry { session: None, handle: None, open: false, ..entry };
    let worktree = left(&app, session).await.map(nobodys);
    Ok(Json(ActionAnswer { lost, worktree, ..done }))
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
    let Json(done) = act(app.clone(), by.clone(), typed, |reply| Command::Close(by, reply)).await?;
    let session = app.sessions.context.journal.session(id).await?.map(|(session, _)| session);
    let worktree = left(&app, session.filter(|_| done.changed)).await;
    Ok(Json(ActionAnswer { worktree, ..done }))
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

/// Finds the session that a caller means.
pub(super) async fn resolve(app: &App, by: &Actor, typed: &str) -> Result<SessionId, Failure> {
    let reach = if by.is_human() { Reach::OpenThenClosed } else { Reach::Open };
    let context = &app.sessions.context;
    context.directory.resolve(typed, reach, &context.journal).await
}

/// Refuses a message that is empty or too long.
pub(super) fn check_text(text: &str) -> Result<(), Failure> {
    if text.trim().is_empty() {
        return Err(
            Failure::new(Code::InvalidRequest, "the message is empty").hint("say what the agent shall do")
        );
    }
    if text.len() > MESSAGE_BYTES {
        return Err(Failure::new(
            Code::TooLarge,
            format!("the message has {} bytes; at most {MESSAGE_BYTES} are allowed", text.len()),
        )
        .hint("put it into a file and tell the agent to read that"));
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
    let context = &app.sessions.context;
    let handle = context.directory.handle(id);
    let changed = app.sessions.ask(id, command).await?;
    Ok(Json(ActionAnswer {
        seq: context.journal.head(),
        changed,
        handle,
        id: id.to_string(),
        lost: 0,
        worktree: None,
    }))
}

/// Shows the worktree that a session leaves behind.
async fn left(app: &App, session: Option<Session>) -> Option<WorktreeEntry> {
    let listed = worktrees::left_by(&Arc::new(session?)).await?;
    Some(super::worktrees::entry(app, &listed))
}

async fn answer(app: &App, id: SessionId) -> Answer<SessionAnswer> {
    let context = &app.sessions.context;
    let seq = context.journal.head();
    // From the log: whoever has seen an event must not read a state from before it.
    let (session, _) = context
        .journal
        .session(id)
        .await?
        .ok_or_else(|| Failure::new(Code::NotFound, "the agent was deleted"))?;
    let view = shown(app, &session).await?;
    Ok(Json(SessionAnswer { seq, session: view }))
}

/// Shows a session, with what the log does not know.
async fn shown(app: &App, session: &Session) -> Result<SessionView, Failure> {
    let context = &app.sessions.context;
    let status_reason = match context.processes.reason(session.id) {
        Some(reason) => Some(reason),
        None => permissions::reason(app, session).await?,
    };
    Ok(SessionView { status_reason, ..context.directory.view(session) })
}

fn label(text: &str) -> Result<Label, Failure> {
    text.parse().map_err(malformed)
}

/// Reads a label of a list, in which commas are written `%2C` and percent signs `%25`.
fn listed_label(text: &str) -> Result<Label, Failure> {
    label(&text.replace("%2C", ",").replace("%25", "%"))
}

fn malformed(error: Malformed) -> Failure {
    Failure::new(Code::InvalidRequest, error.to_string())
}

/// Reads a name; an empty one takes it away.
fn check_name(name: &str) -> Result<Option<String>, Failure> {
    let name = name.trim();
    if name.chars().count() > NAME_CHARS || name.chars().any(char::is_control) {
        return Err(Failure::new(
            Code::InvalidRequest,
            format!("a name is one line of at most {NAME_CHARS} characters"),
        ));
    }
    Ok((!name.is_empty()).then(|| name.to_owned()))
}

fn directory(text: &str) -> Result<String, Failure> {
    let refused = |why: &str| {
        Failure::new(Code::InvalidRequest, format!("`{text}` {why}"))
            .hint("give the absolute path of a directory")
    };
    let path = FilePath::new(text);
    if !path.is_absolute() {
        return Err(refused("is not an absolute path"));
    }
    let path = path.canonicalize().map_err(|_| refused("does not exist"))?;
    if path.as_os_str().len() > PATH_BYTES {
        return Err(refused("is too long a path"));
    }
    if !path.is_dir() {
        return Err(refused("is not a directory"));
    }
    path.into_os_string().into_string().map_err(|_| refused("is not valid UTF-8"))
}

fn cursor(text: &str) -> Result<Cursor, Failure> {
    if let Some(stream) = text.strip_prefix(CLOSED) {
        return Ok(Cursor::Closed(stream.strip_prefix(':').map(str::to_owned)));
    }
    let parsed = text
        .split_once(':')
        .and_then(|(at, id)| Some((std::cmp::Reverse(at.parse().ok()?), id.parse().ok()?)));
    parsed
        .map(Cursor::Open)
        .ok_or_else(|| Failure::new(Code::InvalidRequest, "`after` is not a cursor of this list"))
}
