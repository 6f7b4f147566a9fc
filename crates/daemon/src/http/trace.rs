//! What became of a message, and what descends from a request: read from the log.

use std::collections::{BTreeMap, BTreeSet};

use axum::Json;
use axum::extract::State;
use paseo_core::actor::Actor;
use paseo_core::cause::{self, Cause};
use paseo_core::codec;
use paseo_core::id::{CauseId, DeliveryId, SessionId, TurnId};
use paseo_core::item::Usage;
use paseo_core::limits::WAKES_PER_CAUSE;
use paseo_core::session::{self, Event, Session};
use paseo_core::thread;
use paseo_core::time::Timestamp;
use paseo_store::{Body, Record, Seq};
use paseo_wire::error::Code;
use paseo_wire::trace::{CauseAgent, CauseTurn, CauseView, DeliveryTrace, TraceStep};
use paseo_wire::words::TracedStatus;

use super::App;
use super::reply::Answer;
use super::request::{Caller, Path};
use super::sessions::resolve;
use crate::failure::Failure;
use crate::journal::Entries;
use crate::sessions::{Command, gone_is_fine};
use crate::view;

/// Events that are read at once.
const PAGE: usize = 500;
/// Clocks may disagree by this much, in milliseconds.
const SKEW: i64 = 10_000;

pub(crate) async fn delivery(State(app): State<App>, Path(delivery): Path<String>) -> Answer<DeliveryTrace> {
    let unknown = || {
        Failure::new(Code::NotFound, "message not found")
            .hint("use an id printed by `paseo send -q`, or an agent's handle")
    };
    let delivery: DeliveryId = delivery.parse().map_err(|_| unknown())?;
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
            Event::DeliveriesHeld { deliveries, .. } => deliveries.contains(&delivery),
            Event::Handing { delivery: one, turn } => {
                *one == delivery && {
                    turns.insert(*turn);
                    true
                }
            }
            Event::Handed { delivery: one }
            | Event::Returned { delivery: one, .. }
            | Event::Cancelled { delivery: one }
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

pub(crate) async fn cause(
    State(app): State<App>,
    Caller(by): Caller,
    Path(cause): Path<String>,
) -> Answer<CauseView> {
    let (id, state) = known(&app, &by, &cause).await?;
    shown(&app, id, state).await.map(Json)
}

pub(crate) async fn stop_cause(
    State(app): State<App>,
    Caller(by): Caller,
    Path(cause): Path<String>,
) -> Answer<CauseView> {
    let (id, _) = known(&app, &by, &cause).await?;
    let context = &app.sessions.context;
    loop {
        let (state, version) = context.journal.cause(id).await?;
        if state.stopped {
            break;
        }
        let batch =
            Entries::by(&by).stream(cause::stream(id), version, &[cause::Event::Stopped {}]).into_batch();
        match context.journal.log.append(batch).await {
            Ok(_) => break,
            Err(paseo_store::Error::Conflict { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let descends = |session: &Session| session.turn.as_ref().is_some_and(|turn| turn.cause == id);
    for session in context.directory.all().into_iter().filter(|session| descends(session)) {
        let by = by.clone();
        gone_is_fine(app.sessions.ask(session.id, |reply| Command::Stop(by, reply)).await)?;
    }
    let waits = |session: &Session| session.queue.iter().any(|pending| pending.cause == id);
    for session in context.directory.all().into_iter().filter(|session| waits(session)) {
        let by = by.clone();
        gone_is_fine(app.sessions.ask(session.id, |reply| Command::HoldCause(by, id, reply)).await)?;
    }
    let (state, _) = context.journal.cause(id).await?;
    shown(&app, id, state).await.map(Json)
}

/// Finds the request that is meant: by its id, or by an agent, whose running or last turn descends from it.
async fn known(app: &App, by: &Actor, typed: &str) -> Result<(CauseId, Cause), Failure> {
    let journal = &app.sessions.context.journal;
    if let Ok(id) = typed.parse::<CauseId>() {
        let (state, version) = journal.cause(id).await?;
        if version > 0 {
            return Ok((id, state));
        }
    }
    let unknown = || {
        Failure::new(Code::NotFound, "cause or agent not found")
            .hint("use the cause shown by `paseo inspect`, or an agent's handle for its latest cause")
    };
    let agent = match resolve(app, by, typed).await {
        Ok(agent) => agent,
        Err(failure) if failure.code == Code::Ambiguous => return Err(failure),
        Err(_) => return Err(unknown()),
    };
    let last = journal.session(agent).await?.and_then(|(session, _)| session.last_cause());
    let id = last.ok_or_else(|| {
        let handle = app.sessions.context.directory.handle(agent);
        Failure::new(Code::NotFound, format!("{handle} has not worked on anything yet"))
            .hint(format!("give it a task: `paseo send {handle} …`"))
    })?;
    Ok((id, journal.cause(id).await?.0))
}

async fn shown(app: &App, id: CauseId, state: Cause) -> Result<CauseView, Failure> {
    let mut agents = taking_part(app, id).await?;
    let mut woken: BTreeSet<TurnId> = BTreeSet::new();
    for record in records(app, &cause::stream(id)).await? {
        if let Some(cause::Event::Woken { session, turn, .. }) = decode(&record)? {
            woken.insert(turn);
            if let Some(agent) = agents.iter_mut().find(|agent| agent.id == session) {
                agent.wakes += 1;
            }
        }
    }
    let mut turns: BTreeMap<TurnId, (CauseTurn, Usage)> = BTreeMap::new();
    let mut shown = Vec::with_capacity(agents.len());
    for mut agent in agents {
        let session = agent.id;
        let handle = app.sessions.context.directory.handle(session);
        let (mut own, mut count) = (Usage::default(), 0);
        for (record, event) in events(app, session).await? {
            let at = Timestamp::from_millis(record.ts);
            match event {
                Event::Accepted(accepted) if accepted.cause == id && !agent.asked => {
                    agent.by = agent.by.or_else(|| accepted.origin.session());
                }
                Event::TurnOpened { turn, cause, hop, .. } if cause == id => {
                    count += 1;
                    let view = CauseTurn {
                        session: session.into(),
                        handle: handle.clone(),
                        turn: turn.into(),
                        hop,
                        woken: woken.contains(&turn),
                        opened_at: at.into(),
                        ended_at: None,
                        outcome: None,
                        usage: view::usage(Usage::default()),
                    };
                    turns.insert(turn, (view, Usage::default()));
                }
                Event::TurnEnded { turn, outcome, .. } => {
                    if let Some((view, _)) = turns.get_mut(&turn) {
                        view.ended_at = Some(at.into());
                        view.outcome = Some(outcome.into());
                    }
                }
                Event::UsageAdded { turn, usage } => {
                    if let Some((_, sum)) = turns.get_mut(&turn) {
                        *sum = sum.plus(usage);
                        own = own.plus(usage);
                    }
                }
                _ => {}
            }
        }
        let now = app.sessions.context.journal.session(session).await?.map(|(session, _)| session);
        let waits = |session: &Session| session.queue.iter().filter(|pending| pending.cause == id).count();
        shown.push(CauseAgent {
            session: session.into(),
            handle,
            name: now.as_ref().and_then(|session| session.naming.shown()).map(str::to_owned),
            status: now.as_ref().map_or(TracedStatus::Deleted, |session| session.condition.status.into()),
            by: agent.by.map(Into::into),
            spawned: agent.spawned,
            wakes: agent.wakes,
            turns: count,
            waiting: now.as_ref().map_or(0, waits),
            usage: view::usage(own),
        });
    }
    let total = turns.values().fold(Usage::default(), |total, (_, usage)| total.plus(*usage));
    let Cause { opened, begun, .. } = state;
    // What began in a thread began there; whom it woke comes after.
    let asked = begun.as_ref().map(|begun| (&begun.by, begun.at));
    let asked = asked.or_else(|| opened.as_ref().map(|opened| (&opened.by, opened.at)));
    Ok(CauseView {
        cause: id.into(),
        opened_by: asked.map(|(by, _)| by.to_string()),
        opened_at: asked.map(|(_, at)| at.into()),
        session: opened.as_ref().map(|opened| opened.session.into()),
        delivery: opened.as_ref().map(|opened| opened.delivery.into()),
        thread: begun.as_ref().map(|begun| begun.thread.into()),
        post: begun.as_ref().map(|begun| begun.post.into()),
        wakes: state.woken,
        wakes_allowed: WAKES_PER_CAUSE,
        stopped: state.stopped,
        usage: view::usage(total),
        agents: shown,
        turns: turns
            .into_values()
            .map(|(view, usage)| CauseTurn { usage: view::usage(usage), ..view })
            .collect(),
    })
}

/// A session that takes part in a cause.
struct Part {
    id: SessionId,
    by: Option<SessionId>,
    /// By a person.
    asked: bool,
    spawned: bool,
    wakes: u32,
}

/// Returns the sessions that take part in a cause: those that were asked, then in the order in which they came in.
async fn taking_part(app: &App, id: CauseId) -> Result<Vec<Part>, Failure> {
    let (mut parts, records): (Vec<Part>, _) = (Vec::new(), records(app, &cause::stream(id)).await?);
    for record in &records {
        if let Some(cause::Event::Opened { session, .. }) = decode(record)?
            && !parts.iter().any(|part| part.id == session)
        {
            parts.push(Part { id: session, by: None, asked: true, spawned: false, wakes: 0 });
        }
    }
    let mut join = |id: SessionId, by: Option<SessionId>, spawned: bool| {
        if !parts.iter().any(|part| part.id == id) {
            parts.push(Part { id, by, asked: false, spawned, wakes: 0 });
        }
    };
    for record in &records {
        match decode(record)? {
            Some(cause::Event::Woken { session, .. }) => join(session, None, false),
            Some(cause::Event::Spawned { by, session }) => join(session, Some(by), true),
            _ => {}
        }
    }
    // Those that never came to it: what they were to do waits.
    for session in app.sessions.context.directory.all() {
        if session.queue.iter().any(|pending| pending.cause == id) {
            join(session.id, None, false);
        }
    }
    Ok(parts)
}

/// To whom something was said, and what it descends from.
enum Told {
    Agent(SessionId, CauseId),
    Thread(CauseId),
}

/// Finds where a message was accepted or posted. Its id tells when that was, and the log is in the order of time.
async fn told(app: &App, delivery: DeliveryId) -> Result<Option<Told>, Failure> {
    let log = &app.sessions.context.journal.log;
    let Some((seconds, nanos)) = delivery.uuid().get_timestamp().map(|at| at.to_unix()) else {
        return Ok(None);
    };
    let made = i64::try_from(seconds).unwrap_or(0) * 1000 + i64::from(nanos / 1_000_000);
    let (mut low, mut high): (Seq, Seq) = (0, app.sessions.context.journal.head());
    while low < high {
        let middle = low + (high - low) / 2;
        let before = log.read(middle, 1).await?.first().is_none_or(|record| record.ts >= made - SKEW);
        if before { high = middle } else { low = middle + 1 }
    }
    loop {
        let records = log.read(low, PAGE).await?;
        let Some(last) = records.last() else { return Ok(None) };
        low = last.seq;
        let too_late = last.ts > made + SKEW;
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

fn decode<E: serde::de::DeserializeOwned>(record: &Record) -> Result<Option<E>, Failure> {
    let Some(data) = &record.data else { return Ok(None) };
    codec::decode(&record.kind, record.v, data).map_err(Failure::internal)
}

fn step(record: Record, event: Event) -> TraceStep {
    TraceStep {
        seq: record.seq,
        ts: Timestamp::from_millis(record.ts).into(),
        actor: record.actor,
        change: view::change::of_session(event),
    }
}
