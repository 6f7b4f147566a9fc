//! Messages: send one, and read its outcome.

use axum::Json;
use axum::extract::State;
use paseo_core::actor::Actor;
use paseo_core::id::{CauseId, DeliveryId, SessionId};
use paseo_core::session::{Class, Receipt as Stage, Verb};
use paseo_wire::error::Code;
use paseo_wire::message::{self, DeliveryView, Receipt, SendMessage};

use super::App;
use super::reply::Answer;
use super::request::{Body, Caller, Key, Path};
use super::sessions::{check_text, resolve};
use super::settled::{self, Past, Settling};
use crate::directory::shown;
use crate::failure::Failure;
use crate::sessions::{Command, Message};
use crate::{checks, tools, view};

pub(crate) async fn send(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    key: Key,
    Body(request): Body<SendMessage>,
) -> Answer<Receipt> {
    check_text(&request.text)?;
    // Who waits like this is not seen by those who look for circles.
    if request.wait && by.session().is_some() {
        return Err(Failure::new(
            Code::Forbidden,
            "agents cannot wait for the answer to a message they send",
        )
        .hint("leave out --wait; use the tools agents_message and retrieve to wait"));
    }
    let verb = verb(&request.verb)?;
    let id = resolve(&app, &by, &typed).await?;
    let attachments = app.sessions.context.attachments.fingerprints(&by, &request.attachments).await?;
    let body = SendMessage { attachments, ..request.clone() };
    let key = key.bind(&by, "POST /api/sessions/{id}/messages", &(id, &body));
    if let Some(key) = &key
        && let Some(first) = app.sessions.context.journal.log.receipt(&key.scope, &key.key, key.body).await?
    {
        return serde_json::from_str(&first).map(Json).map_err(Failure::internal);
    }
    // A closed one comes back, if it can.
    if app.sessions.context.directory.get(id).is_some_and(|session| session.profile.terminal.is_some()) {
        app.sessions.context.terminals.look().await?;
    }
    let schema = app.sessions.context.usable_schema(request.output_schema.as_ref()).await?;
    let attachments = app.sessions.context.attachments.claimed(&by, &request.attachments).await?;
    let message = Message {
        attachments,
        cause: inherited(&app, &by, id)?,
        origin: by,
        text: request.text,
        verb,
        class: Class::Message,
        waited: request.wait,
        aside: false,
        schema,
        notify: None,
        key,
    };
    let receipt = app.sessions.ask(id, |reply| Command::Deliver(message, reply)).await?;
    Ok(Json(noticed(&app, receipt)?))
}

/// Reads how a message is to enter a busy session.
fn verb(word: &message::Verb) -> Result<Verb, Failure> {
    match word {
        message::Verb::Queue => Ok(Verb::Queue),
        message::Verb::Steer => Ok(Verb::Steer),
        message::Verb::Interrupt => Ok(Verb::Interrupt),
        message::Verb::Other(word) => {
            let message = format!("unknown verb `{}`", shown(word));
            Err(Failure::new(Code::InvalidRequest, message).hint("use queue, steer or interrupt"))
        }
    }
}

/// Adds why the agent follows another version of its definition than its file holds.
pub(super) fn noticed(app: &App, receipt: Receipt) -> Result<Receipt, Failure> {
    let context = &app.sessions.context;
    let id: SessionId = receipt.session.parse().map_err(Failure::internal)?;
    let session = context.directory.get(id);
    let notice = session.and_then(|session| context.definitions.notice(&session));
    Ok(Receipt { notice, ..receipt })
}

pub(crate) async fn delivery(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, delivery)): Path<(String, String)>,
) -> Answer<DeliveryView> {
    let id = resolve(&app, &by, &typed).await?;
    let unknown =
        || Failure::new(Code::NotFound, format!("message `{}` not found for this agent", shown(&delivery)));
    let delivery: DeliveryId = delivery.parse().map_err(|_| unknown())?;
    let context = &app.sessions.context;
    let seq = context.journal.head();
    let (session, _) = context.journal.session(id).await?.ok_or_else(unknown)?;
    let (stage, check) = match session.receipt(delivery) {
        Some(stage) => (stage, checks::of_delivery(&context.journal, &session, delivery).await?),
        None => {
            let past = settled_long_ago(&app, id, delivery).await?.ok_or_else(unknown)?;
            let check = match &past.checked {
                Some(checked) => Some(checks::over(&context.journal, delivery, checked).await?),
                None => None,
            };
            (past.stage, check)
        }
    };
    let checked = session.check.as_ref().filter(|check| check.delivery == delivery);
    let turn = session
        .recent
        .iter()
        .find(|settled| settled.id == delivery)
        .and_then(|settled| settled.turn)
        .or(checked.map(|check| check.turn))
        .or_else(|| {
            session
                .turn
                .as_ref()
                .filter(|_| matches!(stage, Stage::Handing(_) | Stage::Handed))
                .map(|turn| turn.id)
        });
    let (stage, reason, attempt) = view::receipt(stage);
    Ok(Json(DeliveryView {
        seq,
        delivery: delivery.into(),
        session: id.into(),
        stage,
        reason,
        attempt,
        turn: turn.map(Into::into),
        check,
    }))
}

/// Returns the cause that an agent's message descends from; a person's starts a new one.
fn inherited(app: &App, by: &Actor, target: SessionId) -> Result<Option<(CauseId, u32)>, Failure> {
    let sender = app.sessions.context.directory.acting(by)?;
    sender.map(|sender| tools::admitted(&app.sessions, &sender, target)).transpose()
}

/// Reads from the log the outcome of a message that the state has forgotten.
pub(super) async fn settled_long_ago(
    app: &App,
    id: SessionId,
    delivery: DeliveryId,
) -> Result<Option<Past>, Failure> {
    let settling = Settling::of([(delivery, None)]);
    Ok(settled::read(app, id, 0, settling).await?.past(delivery))
}
