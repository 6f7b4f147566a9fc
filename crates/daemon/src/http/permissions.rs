//! What agents ask, and what people answer.

use std::path::Path as FilePath;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use paseo_core::actor::Actor;
use paseo_core::id::SessionId;
use paseo_core::item::PermissionExtra;
use paseo_core::permission::{Rule, Scope, Shape};
use paseo_core::session::{Ask, Session};
use paseo_runtime::git;
use paseo_store::Text;
use paseo_wire::error::Code;
use paseo_wire::permission::{AnswerPermission, AnsweredPermission, AskPage, AskQuery, OpenAsk, RuleView};

use super::reply::Answer;
use super::request::{Asked, Body, Caller, Path};
use super::rules;
use super::sessions::resolve;
use super::{App, devices};
use crate::failure::Failure;
use crate::sessions::{self, Command};

/// Most asks on one page, and the bytes of text after which it ends.
const PAGE: usize = 100;
const PAGE_BYTES: usize = 4 * 1024 * 1024;
/// How much of a question a list shows.
const HEAD_CHARS: usize = 160;

/// Where an ask stands in the list: oldest first.
type Place = (i64, SessionId, String);

pub(crate) async fn list(
    State(app): State<App>,
    Caller(by): Caller,
    Asked(query): Asked<AskQuery>,
) -> Answer<AskPage> {
    let context = &app.sessions.context;
    let after = query.after.as_deref().map(cursor).transpose()?;
    let limit = query.limit.unwrap_or(PAGE).clamp(1, PAGE);
    let seq = context.directory.point(&context.journal);
    let sessions = match query.session.as_deref() {
        None => context.directory.all(),
        Some(typed) => {
            let id = resolve(&app, &by, typed).await?;
            context.journal.session(id).await?.map(|(session, _)| Arc::new(session)).into_iter().collect()
        }
    };
    let mut open: Vec<(Place, &Session, &Ask)> = Vec::new();
    for session in &sessions {
        let asks = session.turn.iter().flat_map(|turn| &turn.asks);
        open.extend(asks.map(|ask| (place(session, ask), session.as_ref(), ask)));
    }
    open.sort_by(|one, other| one.0.cmp(&other.0));
    if let Some(after) = &after {
        open.retain(|(place, ..)| place > after);
    }

    let (mut asks, mut bytes, mut next) = (Vec::new(), 0, None);
    for (index, (place, session, ask)) in open.iter().enumerate() {
        let Some(text) = context.journal.log.text(ask.text.id.uuid()).await? else { continue };
        bytes += text.len();
        let stored = context.journal.log.content(ask.text.id.uuid()).await?;
        let extra = stored.and_then(|row| serde_json::from_str::<PermissionExtra>(&row.extra?).ok());
        let scope = Scope::of(&session.profile);
        asks.push(OpenAsk {
            session: session.id.into(),
            handle: context.directory.handle(session.id),
            name: session.naming.shown().map(str::to_owned),
            project: session.profile.project.clone(),
            hash: ask.hash.clone(),
            tool: ask.tool.clone(),
            headline: extra.map_or_else(|| head(&text), |extra| extra.headline),
            text,
            always: standing(ask).map(|(_, shape)| scope.standing(shape).words()),
            since: ask.asked_at.into(),
            terminal: session.profile.terminal.clone(),
        });
        if asks.len() == limit || bytes >= PAGE_BYTES {
            let (at, session, hash) = place;
            next = (index + 1 < open.len()).then(|| format!("{at}:{session}:{hash}"));
            break;
        }
    }
    Ok(Json(AskPage { seq, asks, next }))
}

pub(crate) async fn answer(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, hash)): Path<(String, String)>,
    Body(given): Body<AnswerPermission>,
) -> Answer<AnsweredPermission> {
    let id = resolve(&app, &by, &typed).await?;
    if devices::is_browser(&by) && given.shown_ms.is_none() {
        return Err(Failure::new(
            Code::InvalidRequest,
            "a decision in a browser needs `shown_ms`, the time the request was displayed",
        )
        .hint("reload the page and decide again; nothing was decided"));
    }
    let context = &app.sessions.context;
    let handle = context.directory.handle(id);
    // Whether it can be kept is known before anything is decided: the hash stands for one shape for ever.
    let rule = if given.always { wanted(&app, id, &hash, given.allow).await? } else { None };
    let answer = sessions::Answer {
        by: by.clone(),
        hash: hash.clone(),
        allow: given.allow,
        message: given.message,
        shown_ms: given.shown_ms,
    };
    app.sessions.ask(id, |reply| Command::Answer(answer, reply)).await?;
    // Only the answer that won leaves a rule.
    let rule = match rule {
        Some(rule) => Some(keep(&app, &by, rule, given.allow).await?),
        None => None,
    };
    let seq = context.journal.head();
    Ok(Json(AnsweredPermission { seq, id: id.into(), handle, hash, allow: given.allow, rule }))
}

/// Returns the rule that a standing answer to an ask would be. `None` when the ask is not open or is
/// answered elsewhere, which the session itself tells.
async fn wanted(app: &App, id: SessionId, hash: &str, allow: bool) -> Result<Option<Rule>, Failure> {
    let Some((session, _)) = app.sessions.context.journal.session(id).await? else { return Ok(None) };
    if session.profile.terminal.is_some() {
        return Ok(None);
    }
    let Some(ask) = session.turn.iter().flat_map(|turn| &turn.asks).find(|ask| ask.hash == hash) else {
        return Ok(None);
    };
    let Some((tool, shape)) = standing(ask) else {
        return Err(Failure::new(
            Code::InvalidRequest,
            "this request can't be remembered: it is a question, or too long for a rule",
        )
        .hint("the request is still open; answer it without `--always`"));
    };
    rules::check_room(app)?;
    let scope = Scope::of(&session.profile);
    let root = match scope.repository() {
        Some(repository) => repository.to_owned(),
        None => root(&session.profile.directory).await,
    };
    Ok(Some(scope.rule(&root, tool, shape, allow)))
}

/// Returns the top of the checkout that a directory is in, or the directory itself.
async fn root(directory: &str) -> String {
    let found = git::repository(FilePath::new(directory)).await.ok().flatten();
    let root = found.and_then(|repository| repository.root.into_os_string().into_string().ok());
    root.unwrap_or_else(|| directory.to_owned())
}

async fn keep(app: &App, by: &Actor, rule: Rule, allow: bool) -> Result<RuleView, Failure> {
    rules::add(app, by, rule).await.map_err(|failure| {
        let done = if allow { "allowed" } else { "denied" };
        Failure {
            message: format!(
                "the request was {done} once, but the rule could not be saved: {}",
                failure.message
            ),
            ..failure
        }
    })
}

/// Returns what a standing answer to an ask would be about, when there can be one.
fn standing(ask: &Ask) -> Option<(&str, &Shape)> {
    Some((ask.tool.as_deref()?, ask.shape.as_ref().filter(|shape| shape.is_storable())?))
}

/// Says in a few words what a session waits for.
pub(super) async fn reason(app: &App, session: &Session) -> Result<Option<String>, Failure> {
    let Some(turn) = &session.turn else { return Ok(None) };
    let Some(first) = turn.asks.first() else { return Ok(None) };
    let words = match (&first.shape, &first.tool) {
        (Some(shape), _) => format!("asks for {}", head(&shape.words())),
        (None, tool) => {
            let stored = app.sessions.context.journal.log.content(first.text.id.uuid()).await?;
            match (stored.map(|row| (row.text, row.extra)), tool) {
                (Some((Text::Inline(text) | Text::Large { head: text, .. }, extra)), _) => {
                    let extra = extra.and_then(|extra| serde_json::from_str::<PermissionExtra>(&extra).ok());
                    format!("asks: {}", head(&extra.map_or(text, |extra| extra.headline)))
                }
                (Some((Text::Erased, _)) | None, Some(tool)) => format!("asks for the tool {}", head(tool)),
                (Some((Text::Erased, _)) | None, None) => "asks".to_owned(),
            }
        }
    };
    Ok(Some(match turn.asks.len() - 1 {
        0 => words,
        more => format!("{words} (and {more} more)"),
    }))
}

fn head(text: &str) -> String {
    let mut words: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = words.char_indices().nth(HEAD_CHARS) {
        words.truncate(end);
        words.push('…');
    }
    words
}

fn place(session: &Session, ask: &Ask) -> Place {
    (ask.asked_at.as_millis(), session.id, ask.hash.clone())
}

fn cursor(text: &str) -> Result<Place, Failure> {
    let mut parts = text.splitn(3, ':');
    let mut read =
        || Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.to_owned()));
    read().ok_or_else(|| Failure::new(Code::InvalidRequest, "`after` is not a cursor of this list"))
}
