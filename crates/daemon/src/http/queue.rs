//! The queue of an agent: what waits, and what people do to it.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use paseo_core::actor::Actor;
use paseo_core::id::{DeliveryId, SessionId};
use paseo_core::session::{self, Position, Receipt as Stage, Session};
use paseo_store::Text;
use paseo_wire::error::Code;
use paseo_wire::message::{EditMessage, MoveMessage, Queue, QueuePosition, QueuedMessage};
use paseo_wire::page::PageQuery;
use paseo_wire::session::ActionAnswer;

use super::App;
use super::pages::Paged;
use super::reply::Answer;
use super::request::{Asked, Body, Caller, Key, Path, one};
use super::sessions::{acted, check_text, resolve};
use crate::directory::shown;
use crate::failure::Failure;
use crate::sessions::{Command, Rearrange, Rearrangement, RequestKey};
use crate::{attachments, view};

/// How much of a waiting message is shown.
const HEAD_CHARS: usize = 500;

/// Lists what waits.
pub(crate) async fn list(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(query): Asked<PageQuery>,
) -> Answer<Queue> {
    let id = resolve(&app, &by, &typed).await?;
    let context = &app.sessions.context;
    let seq = context.journal.head();
    let session = known(&app, id).await?;
    let mut messages = Vec::with_capacity(session.queue.len());
    for (position, pending) in (1..).zip(&session.queue) {
        let (stage, reason, _) = view::receipt(pending.held.map_or(Stage::Queued, Stage::Held));
        let stored = context.journal.log.content(pending.text.id.uuid()).await?;
        let attachments = attachments::listed(stored.as_ref().and_then(|row| row.extra.as_deref()));
        let text = match stored.map(|row| row.text) {
            Some(Text::Inline(text) | Text::Large { head: text, .. }) => text,
            Some(Text::Erased) | None => String::new(),
        };
        messages.push(QueuedMessage {
            delivery: pending.id.into(),
            origin: (&pending.origin).into(),
            cause: pending.cause.into(),
            since: pending.accepted_at.into(),
            stage,
            reason,
            position,
            editable: session::is_editable(&session, pending),
            movable: session::is_movable(pending),
            releasable: session::is_releasable(&session, pending),
            text: text.chars().take(HEAD_CHARS).collect(),
            full_length: pending.text.len,
            attachments,
        });
    }
    let handle = context.directory.handle(id);
    Queue { seq, session: id.into(), handle, messages, next: None }.asked(&query).map(Json)
}

/// Reads all of a message that waits.
pub(crate) async fn text(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, delivery)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let id = resolve(&app, &by, &typed).await?;
    let session = known(&app, id).await?;
    let delivery = meant(&app, &session, &delivery)?;
    let pending = session.queue.iter().find(|pending| pending.id == delivery).ok_or_else(|| {
        Failure::new(Code::NotFound, "message not found in this agent's queue")
            .hint(format!("run `paseo queue {}`", app.sessions.context.directory.handle(id)))
    })?;
    let text = app.sessions.context.journal.log.text(pending.text.id.uuid()).await?.unwrap_or_default();
    Ok(([(CONTENT_TYPE, "text/plain; charset=utf-8"), (X_CONTENT_TYPE_OPTIONS, "nosniff")], text)
        .into_response())
}

pub(crate) async fn edit(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, delivery)): Path<(String, String)>,
    key: Key,
    Body(request): Body<EditMessage>,
) -> Answer<ActionAnswer> {
    check_text(&request.text)?;
    let (id, delivery) = found(&app, &by, &typed, &delivery).await?;
    let key = key.bind(&by, "PATCH /api/sessions/{id}/queue/{delivery}", &(id, delivery, &request));
    rearrange(&app, by, id, Rearrangement::Edit(delivery, request.text), key).await
}

pub(crate) async fn cancel(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, delivery)): Path<(String, String)>,
    key: Key,
) -> Answer<ActionAnswer> {
    let (id, delivery) = found(&app, &by, &typed, &delivery).await?;
    let key = key.bind(&by, "DELETE /api/sessions/{id}/queue/{delivery}", &(id, delivery));
    rearrange(&app, by, id, Rearrangement::Cancel(delivery), key).await
}

pub(crate) async fn move_to(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, delivery)): Path<(String, String)>,
    key: Key,
    Body(request): Body<MoveMessage>,
) -> Answer<ActionAnswer> {
    let (id, delivery) = found(&app, &by, &typed, &delivery).await?;
    let position = match (&request.to, &request.before) {
        (QueuePosition::First, None) => Position::First,
        (QueuePosition::Last, None) => Position::Last,
        (QueuePosition::Before, Some(other)) => {
            Position::Before(meant(&app, &known(&app, id).await?, other)?)
        }
        (QueuePosition::Before, None) => {
            return Err(Failure::new(Code::InvalidRequest, "`before` is missing")
                .hint("set `before` to the id of a queued message"));
        }
        (QueuePosition::Other(word), _) => {
            let message = format!("unknown position `{}`", shown(word));
            return Err(Failure::new(Code::InvalidRequest, message).hint("use first, last or before"));
        }
        (QueuePosition::First | QueuePosition::Last, Some(_)) => {
            return Err(Failure::new(Code::InvalidRequest, "`before` requires `to: before`")
                .hint("leave out `before`, or set `to` to `before`"));
        }
    };
    let key = key.bind(&by, "POST /api/sessions/{id}/queue/{delivery}/move", &(id, delivery, &request));
    rearrange(&app, by, id, Rearrangement::Move(delivery, position), key).await
}

pub(crate) async fn release(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, delivery)): Path<(String, String)>,
    key: Key,
) -> Answer<ActionAnswer> {
    let (id, delivery) = found(&app, &by, &typed, &delivery).await?;
    let key = key.bind(&by, "POST /api/sessions/{id}/queue/{delivery}/release", &(id, delivery));
    rearrange(&app, by, id, Rearrangement::Release(delivery), key).await
}

pub(crate) async fn release_all(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    key: Key,
) -> Answer<ActionAnswer> {
    let id = resolve(&app, &by, &typed).await?;
    let key = key.bind(&by, "POST /api/sessions/{id}/queue/release", &id);
    rearrange(&app, by, id, Rearrangement::ReleaseAll, key).await
}

async fn rearrange(
    app: &App,
    by: Actor,
    id: SessionId,
    what: Rearrangement,
    key: Option<RequestKey>,
) -> Answer<ActionAnswer> {
    let wish = Rearrange { by, what, key };
    let changed = app.sessions.ask(id, |reply| Command::Rearrange(wish, reply)).await?;
    Ok(Json(acted(app, id, changed)))
}

/// Finds an agent and one of its messages.
async fn found(
    app: &App,
    by: &Actor,
    typed: &str,
    delivery: &str,
) -> Result<(SessionId, DeliveryId), Failure> {
    let id = resolve(app, by, typed).await?;
    let session = known(app, id).await?;
    Ok((id, meant(app, &session, delivery)?))
}

/// Reads the id of a message; of those that wait, the beginning is enough.
fn meant(app: &App, session: &Session, typed: &str) -> Result<DeliveryId, Failure> {
    // Whether it still waits is for the rules to say.
    if let Ok(delivery) = typed.parse() {
        return Ok(delivery);
    }
    let waiting = session.queue.iter().map(|pending| pending.id);
    let handle = app.sessions.context.directory.handle(session.id);
    one(typed, waiting, "queued message", &format!("paseo queue {handle}"))
}

async fn known(app: &App, id: SessionId) -> Result<Session, Failure> {
    let session = app.sessions.context.journal.session(id).await?;
    session.map(|(session, _)| session).ok_or_else(|| Failure::new(Code::NotFound, "the agent was deleted"))
}
