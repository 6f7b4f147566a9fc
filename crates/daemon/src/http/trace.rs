//! The history of a message, read from the log.

use std::collections::BTreeSet;

use axum::Json;
use axum::extract::State;
use paseo_core::codec;
use paseo_core::id::{CauseId, DeliveryId, SessionId, TurnId};
use paseo_core::session::{self, Event};
use paseo_core::thread;
use paseo_core::time::Timestamp;
use paseo_store::{Body, Record};
use paseo_wire::error::Code;
use paseo_wire::trace::{DeliveryTrace, TraceStep};

use super::App;
use super::reply::Answer;
use super::request::Path;
use crate::directory::shown;
use crate::failure::Failure;
use crate::journal::SKEW_MS;
use crate::view;

/// Events that are read at once.
const PAGE: usize = 500;

pub(crate) async fn delivery(State(app): State<App>, Path(typed): Path<String>) -> Answer<DeliveryTrace> {
    let unknown = || {
        Failure::new(Code::NotFound, format!("message `{}` not found", shown(&typed)))
            .hint("use an id printed by `paseo send -q`, or an agent's handle")
    };
    let delivery: DeliveryId = typed.parse().map_err(|_| unknown())?;
    let (session, cause) = match told(&app, delivery).await?.ok_or_else(unknown)? {
        Told::Agent(session, cause) => (session, cause),
        Told::Thread(cause) => {
            let message = "this message was posted to a thread and may have gone to several agents";
            return Err(Failure::new(Code::NotFound, message)
                .hint(format!("run `paseo cause {cause}` to see what it led to")));
        }
    };
    let mut trace = Vec::new();
    let mut turns: BTreeSet<TurnId> = BTreeSet::new();
    let mut last = None;
    for (record, event) in events(&app, session).await? {
        let concerns = match &event {
            Event::Accepted(accepted) => accepted.delivery == delivery,
            Event::DeliveriesHeld { deliveries, .. } | Event::DeliveriesReleased { deliveries, .. } => {
                deliveries.contains(&delivery)
            }
            Event::Handing { delivery: one, turn } => {
                *one == delivery && {
                    turns.insert(*turn);
                    true
                }
            }
            Event::Handed { delivery: one }
            | Event::Returned { delivery: one, .. }
            | Event::Cancelled { delivery: one }
            | Event::Edited { delivery: one, .. }
            | Event::Moved { delivery: one, .. }
            | Event::AnswerChecked { delivery: one, .. }
            | Event::AnswerAbandoned { delivery: one, .. } => *one == delivery,
            Event::TurnOpened { turn, deliveries, .. } => {
                deliveries.contains(&delivery) && {
                    turns.insert(*turn);
                    true
                }
            }
            Event::TurnHanded { turn } | Event::TurnEnded { turn, .. } => turns.contains(turn),
            Event::Released {} => matches!(last, Some("delivery.held")),
            _ => false,
        };
        if matches!(event, Event::Returned { delivery: one, .. } if one == delivery) {
            turns.clear();
        }
        if concerns {
            last = Some(if record.kind == "delivery.held" { "delivery.held" } else { "" });
            trace.push(step(record, event));
        }
    }
    let context = &app.sessions.context;
    let (state, _) = context.journal.session(session).await?.ok_or_else(unknown)?;
    let stage = match state.receipt(delivery) {
        Some(stage) => stage,
        None => super::messages::settled_long_ago(&app, session, delivery).await?.ok_or_else(unknown)?.stage,
    };
    Ok(Json(DeliveryTrace {
        delivery: delivery.into(),
        session: session.into(),
        handle: context.directory.handle(session),
        cause: cause.into(),
        stage: view::receipt(stage).0,
        steps: trace,
    }))
}

/// To whom something was said, and what it descends from.
pub(super) enum Told {
    Agent(SessionId, CauseId),
    Thread(CauseId),
}

/// Finds where a message was accepted or posted. Its id tells when that was, and the log is in the order of time.
pub(super) async fn told(app: &App, delivery: DeliveryId) -> Result<Option<Told>, Failure> {
    let log = &app.sessions.context.journal.log;
    let Some((seconds, nanos)) = delivery.uuid().get_timestamp().map(|at| at.to_unix()) else {
        return Ok(None);
    };
    let made = i64::try_from(seconds).unwrap_or(0) * 1000 + i64::from(nanos / 1_000_000);
    let mut low = app.sessions.context.journal.before(Timestamp::from_millis(made)).await?;
    loop {
        let records = log.read(low, PAGE).await?;
        let Some(last) = records.last() else { return Ok(None) };
        low = last.seq;
        let too_late = last.ts > made + SKEW_MS;
        for record in &records {
            let found = session::from_stream(&record.stream).filter(|_| record.kind == "delivery.accepted");
            if let Some(session) = found
                && let Some(Event::Accepted(accepted)) = decode(record)?
                && accepted.delivery == delivery
            {
                return Ok(Some(Told::Agent(session, accepted.cause)));
            }
            if record.kind == "thread.posted"
                && let Some(thread::Event::Posted(posted)) = decode(record)?
                && posted.post.uuid() == delivery.uuid()
            {
                return Ok(Some(Told::Thread(posted.cause)));
            }
        }
        if too_late {
            return Ok(None);
        }
    }
}

async fn events(app: &App, session: SessionId) -> Result<Vec<(Record, Event)>, Failure> {
    let mut events = Vec::new();
    for record in records(app, &session::stream(session)).await? {
        if let Some(event) = decode(&record)? {
            events.push((record, event));
        }
    }
    Ok(events)
}

async fn records(app: &App, stream: &str) -> Result<Vec<Record>, Failure> {
    let (mut all, mut after) = (Vec::new(), 0);
    loop {
        let page = app.sessions.context.journal.log.read_stream(stream, after, PAGE).await?;
        let Some(Body::Control { version }) = page.last().map(|record| record.body.clone()) else {
            return Ok(all);
        };
        after = version;
        all.extend(page);
    }
}

pub(super) fn decode<E: serde::de::DeserializeOwned>(record: &Record) -> Result<Option<E>, Failure> {
    let Some(data) = &record.data else { return Ok(None) };
    codec::decode(&record.kind, record.v, data).map_err(Failure::internal)
}

fn step(record: Record, event: Event) -> TraceStep {
    TraceStep {
        seq: record.seq,
        ts: Timestamp::from_millis(record.ts).into(),
        actor: record.actor.into(),
        change: view::change::of_session(event),
    }
}
