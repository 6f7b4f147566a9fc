//! The bridge protocol over our threads, so that its clients need nothing but a token. Nothing is decided here: who may
//! say what, and whom it wakes, is the same by every way.

mod events;
mod refusal;
mod stream;
mod whole;

use axum::Json;
use axum::extract::State;
use http::HeaderMap;
use paseo_core::actor::Actor;
use paseo_core::fold::{self, ThreadHead};
use paseo_core::id::ThreadId;
use paseo_core::limits::PAGE_ROWS;
use paseo_core::thread::{USER, speaks_for};
use paseo_wire::bridge::{
    BridgeCreate, BridgeCreated, BridgePing, BridgePresence, BridgePresenceList, BridgePresent,
    BridgePresentView, BridgeStateAnswer, BridgeThread, BridgeThreads, BridgeThreadsQuery, as_details,
};
use paseo_wire::error::Code;
use paseo_wire::words::{BridgeServer, BridgeVersion, HealthStatus};
use serde_json::Value;

pub(super) use events::PAGE_BYTES;
pub(crate) use events::{events, post};
pub(crate) use refusal::Refusal;
pub(crate) use stream::stream;

use super::App;
use super::gate::token;
use super::request::{Asked, Body, Caller, Path};
use super::sessions::directory;
use super::threads::{be_there, cursor, entered};
use crate::failure::Failure;
use crate::mint;
use crate::threads::{Speaker, view};

/// How a thread is called that was given no name.
const UNNAMED: &str = "Untitled";

/// What a handler of these routes returns.
type Answer<T> = Result<Json<T>, Refusal>;

pub(crate) async fn list(
    State(app): State<App>,
    Caller(by): Caller,
    query: Result<Asked<BridgeThreadsQuery>, Failure>,
) -> Answer<BridgeThreads> {
    let Asked(query) = query?;
    if !by.is_human() {
        let own = own_thread(&app, &by).await?;
        let (thread, _) = entered(&app, &by, &own.to_string()).await?;
        return Ok(Json(BridgeThreads { threads: vec![view::thread(&thread).into()], next: None }));
    }
    let after = query.after.as_ref().map(cursor).transpose()?;
    let heads = app.threads.list(after.as_deref(), PAGE_ROWS).await?;
    let last = heads.last().filter(|_| heads.len() == PAGE_ROWS);
    let next = last.map(|last| last.stream.trim_start_matches("thread/").to_owned());
    let mut threads: Vec<BridgeThread> = Vec::with_capacity(heads.len());
    for row in &heads {
        match fold::read(&row.stream, &row.head.state).map_err(Failure::internal)? {
            ThreadHead::Thread(thread) => threads.push(view::thread(&thread).into()),
            ThreadHead::Deleted => {}
        }
    }
    Ok(Json(BridgeThreads { threads, next }))
}

/// Returns the thread in which a caller that is not a person is a participant.
async fn own_thread(app: &App, by: &Actor) -> Result<ThreadId, Failure> {
    let thread = match by {
        Actor::Seat(seat) => seat.split_once('/').and_then(|(thread, _)| thread.parse().ok()),
        Actor::Session(id) => {
            let session = app.sessions.context.journal.session(*id).await?;
            session.and_then(|(session, _)| session.profile.seat).map(|seat| seat.thread)
        }
        Actor::Human(_) | Actor::Agent(_) | Actor::Daemon => None,
    };
    thread.ok_or_else(|| {
        Failure::new(Code::Forbidden, "you are not a participant in any thread")
            .hint("ask a person to invite you")
    })
}

pub(crate) async fn create(
    State(app): State<App>,
    Caller(by): Caller,
    headers: HeaderMap,
    body: Result<Body<BridgeCreate>, Failure>,
) -> Answer<BridgeCreated> {
    let Body(request) = body?;
    claims(request.from.as_deref(), USER)?;
    // Clients of the protocol know no directories: it is that of their token.
    let settings = app.sessions.context.settings.get();
    let minted = || token(&settings, &headers).and_then(|(_, token)| token.directory.as_deref());
    let place = request.directory.as_deref().or_else(minted).map(directory).transpose()?;
    let speaker = Speaker { actor: by, id: USER.to_owned(), cause: None };
    let name = request.name.as_deref().filter(|name| !name.trim().is_empty()).unwrap_or(UNNAMED);
    let made = app.threads.create(&speaker, name, place, None).await?;
    Ok(Json(BridgeCreated { id: made.id.into(), name: made.name }))
}

/// Answers clients that look whether a server is there, as the protocol's own server does.
pub(crate) async fn ping() -> Json<BridgePing> {
    let (server, version) = (BridgeServer::AgentBridge, BridgeVersion::Current);
    Json(BridgePing { status: HealthStatus::Ok, server, version, timestamp: mint::now().into() })
}

pub(crate) async fn presence(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
) -> Answer<BridgePresenceList> {
    let (thread, _) = entered(&app, &by, &typed).await?;
    Ok(Json(app.threads.attending(&thread).into()))
}

pub(crate) async fn say_presence(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    body: Result<Body<BridgePresence>, Failure>,
) -> Answer<BridgePresent> {
    let (thread, speaker) = entered(&app, &by, &typed).await?;
    let Body(request) = body?;
    claims(request.from.as_deref(), &speaker.id)?;
    let state = request.state.unwrap_or_default();
    let details = match request.details {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    };
    be_there(&app, &thread, &speaker.id, &state, details)?;
    let said = app.threads.attendance.said(thread.id).remove(&speaker.id);
    let presence = BridgePresentView {
        thread: thread.id.into(),
        participant: speaker.id.into(),
        state,
        updated_at: said.as_ref().map_or_else(mint::now, |said| said.updated_at).into(),
        details: as_details(said.and_then(|said| said.details)),
    };
    Ok(Json(BridgePresent { received: true, presence }))
}

pub(crate) async fn state(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
) -> Answer<BridgeStateAnswer> {
    let (thread, _) = entered(&app, &by, &typed).await?;
    Ok(Json(BridgeStateAnswer { thread: thread.id.into(), state: view::state(&thread).into() }))
}

/// Checks that the caller claims the identity of its credential, or none.
fn claims(from: Option<&str>, own: &str) -> Result<(), Failure> {
    speaks_for(from, own).map_err(|mismatch| {
        Failure::new(Code::IdentityMismatch, mismatch.to_string()).hint(
            "leave out `from`, or use that participant's token: `paseo thread token THREAD --as PARTICIPANT`",
        )
    })
}
