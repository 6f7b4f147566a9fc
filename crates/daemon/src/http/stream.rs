//! The event stream: the past from a point on, then the present, without a gap and without a duplicate.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use http::HeaderMap;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use paseo_store::Seq;
use paseo_wire::error::{Code, ErrorBody};
use paseo_wire::stream::{Frame, ResumeFrame};
use serde::Deserialize;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::TryRecvError;
use tokio::time::{Instant, Sleep};

use super::App;
use super::pass::Pass;
use super::request::{Asked, Caller};
use super::topics::Following;
use crate::failure::Failure;
use crate::frames::{Pieces, Subject};
use crate::live::LiveBytes;
use crate::tail::{self, Reading, Tail};

/// A comment is sent this often, so that a dead connection is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(25);
/// Events that pass a reader by before its cursor is moved for it.
const CURSOR_EVERY: Seq = 256;
/// Live frames that a reader holds back; more are dropped, as the stored item replaces them.
const EARLY: usize = 256;
/// A reader that comes back this far behind is told to connect again.
const TOO_FAR: Seq = 50_000;

/// The query of the stream.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct StreamQuery {
    after: Option<Seq>,
    topics: Option<String>,
    /// `true`: of the topic `sessions`, only those with `ui=true` and those below them.
    #[serde(default)]
    ui: bool,
}

pub(crate) async fn stream(
    State(app): State<App>,
    Caller(by): Caller,
    pass: Pass,
    headers: HeaderMap,
    Asked(query): Asked<StreamQuery>,
) -> Result<Response, Failure> {
    let typed = query.topics.as_deref().unwrap_or("sessions");
    let following = Following::begin(&app, by, typed, query.ui).await?;
    let head = app.sessions.context.journal.head();
    let last_seen = match headers.get("last-event-id") {
        None => query.after,
        Some(id) => {
            let id = id.to_str().ok().and_then(|id| id.parse().ok());
            Some(id.ok_or_else(|| {
                Failure::new(Code::InvalidRequest, "Last-Event-ID is not a sequence number")
            })?)
        }
    };
    let cursor = last_seen.unwrap_or(head);
    if cursor > head {
        return Err(Failure::new(
            Code::InvalidRequest,
            format!("the log ends at {head}; {cursor} is not there yet"),
        )
        .hint("read the page again and stream from its `seq`"));
    }
    let reader = Reader {
        pass,
        tail: app.tail.clone(),
        reading: app.tail.join(),
        live: app.sessions.context.live.subscribe(),
        live_seen: 0,
        following,
        looked: None,
        cursor,
        told: cursor,
        ready: Pieces::One(Bytes::from_static(b": paseo\n\n")),
        early: VecDeque::new(),
        caught_up: false,
        over: false,
        spoke: Instant::now(),
        keep_alive: Box::pin(tokio::time::sleep(KEEP_ALIVE)),
    };
    let body = Body::from_stream(stream::unfold(reader, |mut reader| async move {
        let bytes = reader.next().await?;
        Some((Ok::<_, std::convert::Infallible>(bytes), reader))
    }));
    Ok(([(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")], body).into_response())
}

/// One connection. It holds a cursor, not a queue: a reader that stalls costs nothing.
struct Reader {
    pass: Pass,
    tail: Tail,
    reading: Reading,
    live: broadcast::Receiver<Arc<LiveBytes>>,
    /// Up to which live frame it has looked.
    live_seen: u64,
    following: Following,
    /// Up to which event it was looked whether it may still see this.
    looked: Option<Seq>,
    cursor: Seq,
    /// The last id that the client was told.
    told: Seq,
    /// What goes to the client next.
    ready: Pieces,
    /// Live frames that wait for what was stored before them.
    early: VecDeque<Arc<LiveBytes>>,
    /// It was up to date once: from then on, falling far behind means that it is too slow.
    caught_up: bool,
    over: bool,
    /// When something was last sent.
    spoke: Instant,
    /// Runs on while frames are sent: setting it anew for each of them, for each reader, is not free.
    keep_alive: Pin<Box<Sleep>>,
}

impl Reader {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(bytes) = self.ready.take() {
                self.spoke = Instant::now();
                return Some(bytes);
            }
            if self.over {
                return None;
            }
            let news = *self.reading.news.borrow_and_update();
            if let Err(why) = self.may_go_on(news.reached).await {
                self.end(why);
                continue;
            }
            if news.live > self.live_seen {
                self.live_seen = news.live;
                self.take_live();
            }
            if news.reached > self.cursor {
                self.catch_up(news.reached).await;
                continue;
            }
            self.caught_up = true;
            if news.over {
                self.over = true;
                continue;
            }
            tokio::select! {
                biased;
                changed = self.reading.news.changed() => self.over = changed.is_err(),
                () = self.keep_alive.as_mut() => self.keep_alive(),
                () = self.pass.lapsed() => self.looked = None,
            }
        }
    }

    /// Refuses what it may not see any more, before it is given what happened up to a point.
    async fn may_go_on(&mut self, reached: Seq) -> Result<(), Failure> {
        // Whoever loses its place loses its token, too: the place says more.
        if self.looked.replace(reached) != Some(reached) {
            self.following.check().await?;
        }
        self.pass.check()
    }

    async fn catch_up(&mut self, reached: Seq) {
        if self.caught_up && reached - self.cursor > TOO_FAR {
            return self.send_away();
        }
        match self.tail.after(self.cursor, &self.following.topics).await {
            Ok(handful) => {
                if let (Some(told), Some(bytes)) = (handful.told, handful.bytes) {
                    self.told = told;
                    self.ready.push(&bytes);
                }
                self.cursor = handful.reached;
                if self.cursor - self.told >= CURSOR_EVERY {
                    self.ready.push(&Bytes::from(format!("id: {}\n\n", self.cursor)));
                    self.told = self.cursor;
                }
                self.release_early();
            }
            Err(failure) => {
                tracing::error!(error = %failure.message, "cannot read the log for a stream");
                self.send_away();
            }
        }
    }

    fn take_live(&mut self) {
        loop {
            match self.live.try_recv() {
                Ok(frame)
                    if self.following.topics.each.contains(&Subject::Session(frame.session))
                        && self.early.len() < EARLY =>
                {
                    self.early.push_back(frame);
                    self.release_early();
                }
                // One that was missed is replaced by the stored item anyway.
                Ok(_) | Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            }
        }
    }

    /// Lets live frames through whose past the reader has seen.
    fn release_early(&mut self) {
        while self.early.front().is_some_and(|frame| frame.after <= self.cursor) {
            if let Some(frame) = self.early.pop_front() {
                self.ready.push(&frame.bytes);
            }
        }
    }

    /// Sends a comment when nothing else was sent for a while.
    fn keep_alive(&mut self) {
        if self.spoke.elapsed() >= KEEP_ALIVE {
            self.ready.push(&Bytes::from_static(b":\n\n"));
            self.spoke = Instant::now();
        }
        self.keep_alive.as_mut().reset(self.spoke + KEEP_ALIVE);
    }

    /// Tells why it is over.
    fn end(&mut self, why: Failure) {
        self.ready.push(&ending(why));
        self.over = true;
    }

    fn send_away(&mut self) {
        self.ready.push(&tail::sse(None, Frame::RESUME, &ResumeFrame { after: self.cursor }));
        self.over = true;
    }
}

/// Returns the last frame for one who may not see this any more.
pub(super) fn ending(why: Failure) -> Bytes {
    tail::sse(None, Frame::ENDED, &ErrorBody::from(why))
}
