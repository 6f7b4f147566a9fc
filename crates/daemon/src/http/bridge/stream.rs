//! A thread as it goes on, by server-sent events.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream as streams;
use http::HeaderMap;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use paseo_core::id::ThreadId;
use paseo_store::{Seq, Version};
use paseo_wire::bridge::{BridgeEvent, BridgeStreamQuery};
use paseo_wire::error::Code;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::events::{Page, version};
use super::{App, Refusal};
use crate::failure::Failure;
use crate::frames::Subject;
use crate::http::connections::Connection;
use crate::http::pass::Pass;
use crate::http::request::{Asked, Caller, Path};
use crate::http::stream::ending;
use crate::http::threads::entered;
use crate::http::topics::Following;

/// A comment is sent this often, as clients of the protocol expect.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Events that one reader holds at once: it may stall with them in its hands, and messages can be long.
const HANDFUL: usize = 2;

pub(crate) async fn stream(
    State(app): State<App>,
    Caller(by): Caller,
    pass: Pass,
    connection: Option<Extension<Arc<Connection>>>,
    Path(typed): Path<String>,
    headers: HeaderMap,
    query: Result<Asked<BridgeStreamQuery>, Failure>,
) -> Result<Response, Refusal> {
    let (thread, _) = entered(&app, &by, &typed).await?;
    let following = Following::begin(&app, by, &Subject::Thread(thread.id).to_string(), false).await?;
    let Asked(query) = query?;
    let last_seen =
        match headers.get("last-event-id") {
            None => query.since,
            Some(id) => Some(id.to_str().map(str::to_owned).map_err(|_| {
                Failure::new(Code::InvalidRequest, "Last-Event-ID is not the `ts` of an event")
            })?),
        };
    let cursor = match last_seen.as_deref() {
        None => app.threads.version(thread.id).await?,
        Some(since) => version(&app, thread.id, since).await?,
    };
    if let Some(Extension(connection)) = connection {
        connection.state.streams();
    }
    let head = app.sessions.context.journal.log.watch();
    let ready = VecDeque::from([Bytes::from_static(b": paseo\n\n")]);
    let (thread, spoke) = (thread.id, Instant::now());
    let reader = Reader { pass, following, app, thread, cursor, head, ready, over: false, spoke };
    let body = Body::from_stream(streams::unfold(reader, |mut reader| async move {
        let bytes = reader.next().await?;
        Some((Ok::<_, std::convert::Infallible>(bytes), reader))
    }));
    Ok(([(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")], body).into_response())
}

/// One connection. It holds a cursor, and reads what it sends from the log.
struct Reader {
    pass: Pass,
    following: Following,
    app: App,
    thread: ThreadId,
    cursor: Version,
    head: watch::Receiver<Seq>,
    /// What goes to the client next.
    ready: VecDeque<Bytes>,
    over: bool,
    /// When something was last sent.
    spoke: Instant,
}

impl Reader {
    /// Refuses what it may not see any more.
    async fn may_go_on(&self) -> Result<(), Failure> {
        self.following.check().await?;
        self.pass.check()
    }

    /// Makes ready what is new, if there is anything.
    async fn more(&mut self) -> Result<bool, Failure> {
        self.may_go_on().await?;
        let new = self.app.threads.version(self.thread).await? > self.cursor;
        if new {
            let page = Page::read(&self.app, self.thread, self.cursor, HANDFUL).await?;
            self.cursor = page.reached;
            let buffers = &self.app.tail.buffers;
            self.ready.extend(page.events.iter().map(|event| buffers.count(frame(event))));
        }
        Ok(new)
    }

    /// Returns what comes next; `None` when the daemon stops, the thread is gone or it may not be seen any more.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(bytes) = self.ready.pop_front() {
                self.spoke = Instant::now();
                return Some(bytes);
            }
            if self.over {
                return None;
            }
            // Before looking, so that nothing is missed in between.
            self.head.borrow_and_update();
            match self.more().await {
                Ok(false) => {}
                Ok(true) => continue,
                // It may not be seen any more, or the thread is gone: its followers are told.
                Err(why) => {
                    self.ready.push_back(ending(why));
                    self.over = true;
                    continue;
                }
            }
            tokio::select! {
                changed = self.head.changed() => changed.ok()?,
                () = self.app.stop.requested() => return None,
                () = self.pass.lapsed() => {}
                () = sleep_until(self.spoke + KEEP_ALIVE) => {
                    self.ready.push_back(Bytes::from_static(b": keep-alive\n\n"));
                }
            }
        }
    }
}

/// The protocol's frame has no name; the id is ours, so that a client that reconnects continues where it was.
fn frame(event: &BridgeEvent) -> Vec<u8> {
    // Plain data with string keys always serialises, on one line.
    let json = serde_json::to_string(event).unwrap_or_default();
    format!("id: {}\ndata: {json}\n\n", event.ts).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn these_numbers_are_promised() {
        assert_eq!(KEEP_ALIVE.as_secs(), 15);
    }
}
