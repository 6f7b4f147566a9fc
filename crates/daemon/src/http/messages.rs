//! Messages: send one, and ask what became of it.

use axum::Json;
use axum::extract::State;
use paseo_core::actor::Actor;
use paseo_core::codec;
use paseo_core::content::ContentRef;
use paseo_core::id::{CauseId, DeliveryId, SessionId};
use paseo_core::session::{
    self, Checked, Class, Conclusion, Event, Outcome, Receipt as Stage, Verb, Verdict,
};
use paseo_store::Text;
use paseo_wire::error::Code;
use paseo_wire::message::{self, DeliveryView, Queue, QueuedMessage, Receipt, SendMessage};

use super::App;
use super::reply::Answer;
use super::request::{Body, Caller, Key, Path};
use super::sessions::{check_text, resolve};
use crate::attachments;
use crate::failure::Failure;
use crate::sessions::{Command, Message};
use crate::{checks, tools, view};

/// Events that are read at once.
const PAGE: usize = 500;
/// How much of a waiting message is shown.
const HEAD_CHARS: usize = 500;

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
        verb: match request.verb {
            message::Verb::Queue => Verb::Queue,
            message::Verb::Steer => Verb::Steer,
            message::Verb::Interrupt => Verb::Interrupt,
        },
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

/// Adds why the agent follows another version of its definition than its file holds.
pub(super) fn noticed(app: &App, receipt: Receipt) -> Result<Receipt, Failure> {
    let context = &app.sessions.context;
    let id: SessionId = receipt.session.parse().map_err(Failure::internal)?;
    let session = context.directory.get(id);
    let notice = session.and_then(|session| context.definitions.notice(&session));
    Ok(Receipt { notice, ..receipt })
}

/// Lists what waits. There is no page: the queue itself is bounded.
pub(crate) async fn queue(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
) -> Answer<Queue> {
    let id = resolve(&app, &by, &typed).await?;
    let context = &app.sessions.context;
    let seq = context.journal.head();
    let (session, _) = context
        .journal
        .session(id)
        .await?
        .ok_or_else(|| Failure::new(Code::NotFound, "the agent was deleted"))?;
    let mut messages = Vec::with_capacity(session.queue.len());
    for pending in &session.queue {
        let (stage, reason, _) = view::receipt(pending.held.map_or(Stage::Queued, Stage::Held));
        let stored = context.journal.log.content(pending.text.id.uuid()).await?;
        let attachments = attachments::listed(stored.as_ref().and_then(|row| row.extra.as_deref()));
        let text = match stored.map(|row| row.text) {
            Some(Text::Inline(text) | Text::Large { head: text, .. }) => text,
            Some(Text::Erased) | None => String::new(),
        };
        messages.push(QueuedMessage {
            delivery: pending.id.into(),
            origin: pending.origin.to_string(),
            cause: pending.cause.into(),
            since: pending.accepted_at.into(),
            stage,
            reason,
            text: text.chars().take(HEAD_CHARS).collect(),
            full_length: pending.text.len,
            attachments,
        });
    }
    Ok(Json(Queue { seq, session: id.into(), handle: context.directory.handle(id), messages }))
}

pub(crate) async fn delivery(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, delivery)): Path<(String, String)>,
) -> Answer<DeliveryView> {
    let id = resolve(&app, &by, &typed).await?;
    let unknown = || Failure::new(Code::NotFound, "message not found for this agent");
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

/// Returns what an agent's message descends from; a person's begins anew.
fn inherited(app: &App, by: &Actor, target: SessionId) -> Result<Option<(CauseId, u32)>, Failure> {
    let sender = app.sessions.context.directory.acting(by)?;
    sender.map(|sender| tools::admitted(&app.sessions, &sender, target)).transpose()
}

/// How a message ended that the state no longer holds.
pub(super) struct Past {
    pub(super) stage: Stage,
    /// How the check of its answer ended.
    checked: Option<Checked>,
}

/// Finds out from the log what became of a message that the state has forgotten.
pub(super) async fn settled_long_ago(
    app: &App,
    id: SessionId,
    delivery: DeliveryId,
) -> Result<Option<Past>, Failure> {
    let (stream, log) = (session::stream(id), &app.sessions.context.journal.log);
    let (mut after, mut turn, mut stage) = (0, None, None);
    let (mut checked, mut corrections, mut found): (Option<Checked>, u8, Option<ContentRef>) =
        (None, 0, None);
    loop {
        let records = log.read_stream(&stream, after, PAGE).await?;
        let Some(paseo_store::Body::Control { version }) = records.last().map(|record| record.body.clone())
        else {
            return Ok(stage.map(|stage| Past { stage, checked }));
        };
        after = version;
        for record in records {
            let Some(data) = &record.data else { continue };
            match codec::decode::<Event>(&record.kind, record.v, data).map_err(Failure::internal)? {
                Some(Event::TurnOpened { turn: opened, deliveries, .. })
                    if deliveries.contains(&delivery) =>
                {
                    turn = Some(opened)
                }
                Some(Event::Handing { delivery: handing, turn: into }) if handing == delivery => {
                    turn = Some(into)
                }
                Some(Event::Cancelled { delivery: cancelled }) if cancelled == delivery => {
                    stage = Some(Stage::Cancelled)
                }
                Some(Event::TurnEnded { turn: ended, outcome, .. }) if turn == Some(ended) => {
                    stage = Some(match outcome {
                        Outcome::Completed => Stage::Answered,
                        Outcome::Failed => Stage::Failed,
                        Outcome::Interrupted => Stage::Interrupted,
                    });
                }
                Some(Event::AnswerChecked { delivery: of, verdict, violations, .. }) if of == delivery => {
                    found = violations;
                    let (receipt, conclusion) = match verdict {
                        Verdict::Correct => {
                            corrections += 1;
                            continue;
                        }
                        Verdict::Valid => (Stage::Answered, Conclusion::Valid),
                        Verdict::Invalid => (Stage::Failed, Conclusion::Invalid),
                        Verdict::Unchecked => (Stage::Failed, Conclusion::Unchecked),
                    };
                    stage = Some(receipt);
                    checked = Some(Checked { conclusion, corrections, violations: found.clone() });
                }
                Some(Event::AnswerAbandoned { delivery: of, reason }) if of == delivery => {
                    stage = Some(reason.receipt());
                    let conclusion = Conclusion::Abandoned(reason);
                    checked = Some(Checked { conclusion, corrections, violations: found.clone() });
                }
                _ => {}
            }
        }
    }
}
