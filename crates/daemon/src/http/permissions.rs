//! What agents ask, and what people answer.

use std::path::Path as FilePath;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use paseo_core::id::{ContentId, SessionId};
use paseo_core::item::PermissionExtra;
use paseo_core::permission::form::Given;
use paseo_core::permission::{Rule, Scope, Shape};
use paseo_core::session::{Ask, Session};
use paseo_runtime::git;
use paseo_store::Text;
use paseo_wire::error::Code;
use paseo_wire::permission::{
    AnswerPermission, AnsweredPermission, PermissionRequest, PermissionRequestPage, PermissionRequestQuery,
    QuestionAnswer,
};

use super::reply::Answer;
use super::request::{Asked, Body, Caller, Path};
use super::rules;
use super::sessions::resolve;
use super::{App, devices, forms};
use crate::failure::Failure;
use crate::sessions::{self, Command};

/// Most asks on one page, and the bytes of text after which it ends.
const PAGE: usize = 100;
const PAGE_BYTES: usize = 4 * 1024 * 1024;
/// How much of a question a list shows.
const HEAD_CHARS: usize = 160;

/// Where an ask stands in the list: oldest first. Contents are numbered in the order in which they were made, which tells
/// two of the same millisecond apart.
type Place = (i64, ContentId);

pub(crate) async fn list(
    State(app): State<App>,
    Caller(by): Caller,
    Asked(query): Asked<PermissionRequestQuery>,
) -> Answer<PermissionRequestPage> {
    let context = &app.sessions.context;
    let after = query.after.as_deref().map(cursor).transpose()?;
    let limit = query.limit.unwrap_or(PAGE);
    context.directory.caught_up(&context.journal).await;
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
        open.extend(asks.map(|ask| (place(ask), session.as_ref(), ask)));
    }
    open.sort_by_key(|(place, ..)| *place);
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
        let (headline, form) =
            extra.map_or_else(|| (head(&text), None), |extra| (extra.headline, extra.form));
        let forms::Offered { questions, plan, fields, link } =
            form.as_ref().map(forms::offered).unwrap_or_default();
        asks.push(PermissionRequest {
            session: session.id.into(),
            handle: context.directory.handle(session.id),
            name: session.naming.shown().map(str::to_owned),
            project: session.profile.project.clone(),
            hash: ask.hash.as_str().into(),
            tool: ask.tool.clone(),
            headline,
            text,
            questions,
            plan,
            fields,
            link,
            always: standing(ask).map(|(_, shape)| scope.standing(shape).words()),
            destructive: ask.destructive,
            since: ask.asked_at.into(),
            terminal: session.profile.terminal.clone(),
        });
        if asks.len() == limit || bytes >= PAGE_BYTES {
            let (at, content) = place;
            next = (index + 1 < open.len()).then(|| format!("{at}:{content}"));
            break;
        }
    }
    Ok(Json(PermissionRequestPage { seq, asks, next }))
}

fn given_answer(given: QuestionAnswer) -> Given {
    Given { chosen: given.chosen, text: given.text }
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
    let (rule, shown) = rule.map(|rule| rules::numbered(&app, rule)).unzip();
    let answer = sessions::Answer {
        by,
        hash: hash.clone(),
        allow: given.allow,
        message: given.message,
        answers: given.answers.map(|answers| answers.into_iter().map(given_answer).collect()),
        fields: given.fields,
        cancel: given.cancel,
        shown_ms: given.shown_ms,
        rule: rule.flatten(),
    };
    app.sessions.ask(id, |reply| Command::Answer(answer, reply)).await?;
    let (seq, allow) = (context.journal.head(), given.allow);
    Ok(Json(AnsweredPermission { seq, id: id.into(), handle, hash: hash.into(), allow, rule: shown }))
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
        let why = match (&ask.tool, &ask.shape) {
            (None, _) => "it is a question",
            (Some(_), None) => "it does not say exactly what the agent would do",
            (Some(_), Some(_)) => "it is too long for a rule",
        };
        return Err(Failure::new(Code::InvalidRequest, format!("this request can't be remembered: {why}"))
            .hint("answer it without `--always`; the request is still open"));
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

fn place(ask: &Ask) -> Place {
    (ask.asked_at.as_millis(), ask.text.id)
}

fn cursor(text: &str) -> Result<Place, Failure> {
    let read = || {
        let (at, content) = text.split_once(':')?;
        Some((at.parse().ok()?, content.parse().ok()?))
    };
    read().ok_or_else(|| Failure::no_cursor(text))
}
