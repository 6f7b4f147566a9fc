//! The event stream: the past from a point on, then the present, without a gap and without a duplicate.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use http::HeaderMap;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use paseo_store::Seq;
use paseo_wire::error::{Code, ErrorBody};
use paseo_wire::stream::{Frame, ResumeFrame, StreamQuery};
use tokio::time::{Instant, Sleep};

use super::App;
use super::connections::Connection;
use super::pass::Pass;
use super::request::{Asked, Caller};
use super::topics::Following;
use crate::bell::News;
use crate::failure::Failure;
use crate::frames::{PIECE, Pieces, Subject};
use crate::live::{Listener, Wants};
use crate::tail::{self, CATCH_UP, Reading, Tail};

/// A comment is sent this often, so that a dead connection is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(25);
/// Events that pass a reader by before its cursor is moved for it.
const CURSOR_EVERY: Seq = 256;
/// Pieces of live text that a reader is given at most before stored events that wait.
const LIVE_PIECES: usize = 16;
/// A reader that comes back this far behind is told to connect again.
const TOO_FAR: Seq = 50_000;

pub(crate) async fn stream(
    State(app): State<App>,
    Caller(by): Caller,
    pass: Pass,
    connection: Option<Extension<Arc<Connection>>>,
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
            format!("the log ends at {head}; position {cursor} does not exist yet"),
        )
        .hint("fetch the page again and stream from its `seq`"));
    }
    if let Some(Extension(connection)) = connection {
        connection.state.streams();
    }
    let sessions = following.topics.each.iter().filter_map(|subject| match subject {
        Subject::Session(id) => Some(*id),
        Subject::Thread(_) | Subject::Team(_) | Subject::Cause(_) => None,
    });
    let live = app.sessions.context.live.listen(sessions);
    let reader = Reader {
        pass,
        tail: app.tail.clone(),
        reading: app.tail.join(),
        live,
        live_seen: 0,
        live_pieces: 0,
        following,
        looked: None,
        cursor,
        told: cursor,
        ready: Pieces::One(Bytes::from_static(b": paseo\n\n")),
        appetite: CATCH_UP,
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

/// One connection. It holds a cursor, not a queue: a reader that stalls costs no more than what is on its way to it.
struct Reader {
    pass: Pass,
    tail: Tail,
    reading: Reading,
    live: Listener,
    /// How many live frames there were when it had looked at all of them.
    live_seen: u64,
    /// How many pieces of live text it was given while stored events waited.
    live_pieces: usize,
    following: Following,
    /// Up to which event it was looked whether it may still see this.
    looked: Option<Seq>,
    cursor: Seq,
    /// The last id that the client was told.
    told: Seq,
    /// What goes to the client next.
    ready: Pieces,
    /// How many events it reads from the log at once.
    appetite: usize,
    /// It was up to date once: from then on, falling far behind means that it is too slow.
    caught_up: bool,
    over: bool,
    /// When something was last sent.
    spoke: Instant,
    /// Runs on while frames are sent: resetting it for each frame and reader is not free.
    keep_alive: Pin<Box<Sleep>>,
}

impl Reader {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(bytes) = self.ready.take(&self.tail.buffers) {
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
            if news.live > self.live_seen || self.live.has_past() {
                self.take_live(news);
            }
            if self.ready.len() > 0 && self.live_pieces < LIVE_PIECES {
                continue;
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
        // A member that loses its membership loses its token, too: the membership says more.
        if self.looked.replace(reached) != Some(reached) {
            self.following.check().await?;
        }
        self.pass.check()
    }

    async fn catch_up(&mut self, reached: Seq) {
        self.live_pieces = 0;
        if self.caught_up && reached - self.cursor > TOO_FAR {
            return self.send_away();
        }
        match self.tail.after(self.cursor, &self.following.topics, self.appetite).await {
            Ok(handful) => {
                if let (Some(told), Some(bytes)) = (handful.told, handful.bytes) {
                    self.told = told;
                    self.ready.push(&bytes);
                }
                (self.cursor, self.appetite) = (handful.reached, handful.appetite);
                if self.cursor - self.told >= CURSOR_EVERY {
                    self.ready.push(&Bytes::from(format!("id: {}\n\n", self.cursor)));
                    self.told = self.cursor;
                }
            }
            Err(failure) => {
                tracing::error!(error = %failure.message, "cannot read the log for a stream");
                self.send_away();
            }
        }
    }

    /// Takes live frames whose past the reader has seen, as many as go in one piece.
    ///
    /// While stored events wait, a reader that cannot keep up with live text misses some of it.
    fn take_live(&mut self, news: News) {
        let (topics, ready) = (&self.following.topics, &mut self.ready);
        let all = self.live.each(
            |session| topics.each.contains(&Subject::Session(session)),
            self.cursor,
            |bytes| {
                ready.push(bytes);
                if ready.len() < PIECE { Wants::More } else { Wants::Enough }
            },
        );
        let are_waiting = !all && self.ready.len() > 0 && news.reached > self.cursor;
        self.live_pieces = if are_waiting { self.live_pieces + 1 } else { 0 };
        if self.live_pieces == LIVE_PIECES {
            self.live.skip();
        }
        if all || self.live_pieces == LIVE_PIECES {
            self.live_seen = news.live;
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
        let resume = tail::sse(None, Frame::RESUME, &ResumeFrame { after: self.cursor });
        self.ready.push(&Bytes::from(resume));
        self.over = true;
    }
}

/// Returns the last frame for one who may not see this any more.
pub(super) fn ending(why: Failure) -> Bytes {
    Bytes::from(tail::sse(None, Frame::ENDED, &ErrorBody::from(why)))
}
