//! What happened in a thread, in the protocol's envelope; and how more happens.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use paseo_core::id::ThreadId;
use paseo_core::limits::PAGE_ROWS;
use paseo_core::time::Timestamp;
use paseo_core::tool::THREADS_INVITE;
use paseo_store::Version;
use paseo_wire::bridge::{
    self, BridgeEvent, BridgeEvents, BridgePost, BridgeQuery, BridgeReceived, Place, Since,
};
use paseo_wire::error::Code;
use paseo_wire::words::BridgePostKind;
use serde_json::Value;

use super::whole::Whole;
use super::{Answer, App, Refusal, claims};
use crate::failure::Failure;
use crate::frames::Subject;
use crate::http::gate::granted;
use crate::http::pass::Pass;
use crate::http::request::{Asked, Body, Caller, Key, Path};
use crate::http::threads::{entered, say, stored};
use crate::http::topics::Following;
use crate::threads::{Words, view};

/// After so many bytes of words a page ends, however few events that are.
pub(in crate::http) const PAGE_BYTES: usize = 2 * 1024 * 1024;

/// Without a `limit` everything is read, as clients of the protocol expect.
pub(crate) async fn events(
    State(app): State<App>,
    Caller(by): Caller,
    pass: Pass,
    Path(typed): Path<String>,
    query: Result<Asked<BridgeQuery>, Failure>,
) -> Result<Response, Refusal> {
    let (thread, _) = entered(&app, &by, &typed).await?;
    let Asked(query) = query?;
    let after = match query.since.as_deref().filter(|since| !since.is_empty()) {
        None => 0,
        Some(since) => version(&app, thread.id, since).await?,
    };
    let Some(limit) = query.limit else {
        let following = Following::begin(&app, by, &Subject::Thread(thread.id).to_string(), false).await?;
        return Ok(Whole::after(app, pass, following, thread.id, after).await?.into_response());
    };
    let page = Page::read(&app, thread.id, after, limit.clamp(1, PAGE_ROWS)).await?;
    let page = BridgeEvents { count: page.events.len(), events: page.events, next: page.next };
    Ok(Json(page).into_response())
}

/// Finds the event that a client has seen last.
pub(super) async fn version(app: &App, id: ThreadId, since: &str) -> Result<Version, Failure> {
    match bridge::since(since) {
        // A newer position than the log has does not make a client miss events.
        Some(Since::Version(version)) => Ok(version.min(app.threads.version(id).await?)),
        Some(Since::Moment(moment)) => app.threads.version_at(id, moment).await,
        None => Err(Failure::new(Code::InvalidRequest, "`since` must be the `ts` of an event or a time")
            .hint("write times like 2026-01-31T12:00:00.000Z; leave out `since` to read all events")),
    }
}

/// Some of what happened in a thread, the oldest first.
pub(super) struct Page {
    pub(super) events: Vec<BridgeEvent>,
    /// Everything up to here was looked at.
    pub(super) reached: Version,
    /// From where on there is more.
    next: Option<String>,
}

impl Page {
    /// Reads on after a version: at least one event, if there is one.
    pub(super) async fn read(app: &App, id: ThreadId, after: Version, rows: usize) -> Result<Self, Failure> {
        let (thread, journal) = (id.to_string(), &app.sessions.context.journal);
        let mut page = Self { events: Vec::new(), reached: after, next: None };
        loop {
            let records = app.threads.events(id, page.reached, rows).await?;
            let (mut bytes, mut last) = (0, None);
            for record in &records {
                page.reached += 1;
                last = Some(Place { at: Timestamp::from_millis(record.ts).into(), version: page.reached });
                let event = view::event(journal, &thread, record).await?;
                let Some(event) = event.and_then(BridgeEvent::of) else { continue };
                bytes += event.content.as_str().map_or(0, str::len);
                page.events.push(event);
                if bytes >= PAGE_BYTES {
                    break;
                }
            }
            let more = page.reached < app.threads.version(id).await?;
            if !more || !page.events.is_empty() || records.is_empty() {
                page.next = last.filter(|_| more).map(|last| last.to_string());
                return Ok(page);
            }
        }
    }
}

pub(crate) async fn post(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    key: Result<Key, Failure>,
    body: Result<Body<BridgePost>, Failure>,
) -> Answer<BridgeReceived> {
    let (thread, speaker) = entered(&app, &by, &typed).await?;
    let told = Refusal::of(&thread, &speaker);
    let Body(request) = body.map_err(&told)?;
    claims(request.from.as_deref(), &speaker.id).map_err(&told)?;
    let event = match request.kind.clone().unwrap_or(BridgePostKind::Message) {
        BridgePostKind::Message => {
            let key = key.map_err(&told)?.bind(&by, "POST /threads/{thread}/events", &(&typed, &request));
            let words = words(&app, thread.id, request).await.map_err(&told)?;
            say(&app, &thread, &speaker, &words, key).await.map_err(&told)?
        }
        BridgePostKind::Control => {
            // The route is for what is said: who changes a thread by it needs what the route of controls asks for.
            granted(&app, &by, THREADS_INVITE).map_err(&told)?;
            let done = app.threads.control(&speaker, thread.id, &request.content).await;
            let (_, post) = done.map_err(&told)?;
            stored(&app, thread.id, post).await.map_err(&told)?
        }
        BridgePostKind::Other(other) => {
            let other: String = other.chars().take(60).flat_map(char::escape_debug).collect();
            return Err(told(
                Failure::new(Code::InvalidRequest, format!("cannot post events of type `{other}`"))
                    .hint("post a `message` or a `control`; `presence` has its own route"),
            ));
        }
    };
    let event = BridgeEvent::of(event)
        .ok_or_else(|| told(Failure::internal("the posted event has no name in the protocol")))?;
    Ok(Json(BridgeReceived { received: true, event }))
}

async fn words(app: &App, thread: ThreadId, request: BridgePost) -> Result<Words, Failure> {
    let meta = request.meta.unwrap_or_default();
    let text = match request.content {
        Value::String(text) => text,
        Value::Null => String::new(),
        // The protocol allows objects; words are what is passed on.
        other => other.to_string(),
    };
    if text.trim().is_empty() {
        return Err(Failure::new(Code::InvalidRequest, "a message needs `content`")
            .hint("put the text into `content`"));
    }
    let reply_to = match meta.reply_to.as_deref() {
        Some(typed) => Some(app.threads.said(thread, typed).await?.0),
        None => None,
    };
    Ok(Words { to: request.to.unwrap_or_default(), text, reply_to, tags: meta.tags() })
}
