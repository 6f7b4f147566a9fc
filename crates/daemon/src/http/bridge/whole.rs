//! Everything that happened in a thread, in one answer of any length. It is written while it is read: a reader that
//! stalls holds a few events, however long the thread is.

use std::collections::VecDeque;
use std::io;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream as streams;
use http::header::CONTENT_TYPE;
use paseo_core::id::ThreadId;
use paseo_store::{Record, Version};
use paseo_wire::bridge::BridgeEvent;

use super::App;
use crate::failure::Failure;
use crate::http::pass::Pass;
use crate::http::topics::Following;
use crate::threads::view;

/// Records that are read at once. They hold no text of messages.
const RECORDS: usize = 64;
/// A piece of the answer is sent once it has this many bytes.
const PIECE_BYTES: usize = 32 * 1024;

/// One answer `{"events": […], "count": n}` on its way.
pub(super) struct Whole {
    pub(super) app: App,
    /// Reading goes on for as long as these allow it.
    pub(super) pass: Pass,
    pub(super) following: Following,
    pub(super) thread: ThreadId,
    records: VecDeque<Record>,
    /// Everything up to here was read.
    reached: Version,
    /// The thread's newest event when the answer began.
    end: Version,
    count: usize,
    stage: Stage,
}

enum Stage {
    Beginning,
    Events,
    Over,
}

impl Whole {
    /// Begins an answer with everything after a version.
    pub(super) async fn after(
        app: App,
        pass: Pass,
        following: Following,
        thread: ThreadId,
        after: Version,
    ) -> Result<Self, Failure> {
        let end = app.threads.version(thread).await?;
        let (records, stage) = (VecDeque::new(), Stage::Beginning);
        Ok(Self { app, pass, following, thread, records, reached: after, end, count: 0, stage })
    }

    pub(super) fn into_response(self) -> Response {
        let body = Body::from_stream(streams::unfold(self, |mut whole| async move {
            let piece = whole.next().await?;
            Some((piece, whole))
        }));
        ([(CONTENT_TYPE, "application/json")], body).into_response()
    }

    /// Returns the next piece. After an error nothing more comes, so that no client takes the half for the whole.
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        if matches!(self.stage, Stage::Over) {
            return None;
        }
        let piece = self.piece().await.map_err(|failure| {
            self.stage = Stage::Over;
            tracing::debug!(thread = %self.thread, error = %failure.message, "reading a whole thread ended early");
            io::Error::other(failure.message)
        });
        Some(piece)
    }

    async fn piece(&mut self) -> Result<Bytes, Failure> {
        let mut piece = String::new();
        if matches!(self.stage, Stage::Beginning) {
            piece.push_str(r#"{"events":["#);
            self.stage = Stage::Events;
        }
        while piece.len() < PIECE_BYTES {
            let Some(event) = self.event().await? else {
                piece.push_str(&format!(r#"],"count":{}}}"#, self.count));
                self.stage = Stage::Over;
                break;
            };
            if self.count > 0 {
                piece.push(',');
            }
            piece.push_str(&serde_json::to_string(&event).map_err(Failure::internal)?);
            self.count += 1;
        }
        // A thread that was deleted meanwhile reads as empty: what was just read is only good if it is still there.
        self.app.threads.version(self.thread).await?;
        Ok(Bytes::from(piece))
    }

    async fn event(&mut self) -> Result<Option<BridgeEvent>, Failure> {
        loop {
            if self.records.is_empty() && self.reached < self.end {
                self.following.check().await?;
                self.pass.check()?;
                self.records = self.app.threads.events(self.thread, self.reached, RECORDS).await?.into();
            }
            let Some(record) = self.records.pop_front().filter(|_| self.reached < self.end) else {
                return Ok(None);
            };
            self.reached += 1;
            let journal = &self.app.sessions.context.journal;
            let event = view::event(journal, &self.thread.to_string(), &record).await?;
            if let Some(event) = event.and_then(BridgeEvent::of) {
                return Ok(Some(event));
            }
        }
    }
}
