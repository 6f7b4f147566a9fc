//! Server-sent events as they leave, one after the other: with pauses, cut off, or never coming to an end.

use std::io;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::Value;

/// Long enough for a harness to read what it was given, on a busy machine as well: what it has not read when the
/// connection is cut, it never gets.
const FLUSH: Duration = Duration::from_millis(100);

/// One thing on the way to the harness.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Frame {
    Event {
        pause: Duration,
        name: Option<&'static str>,
        data: String,
    },
    /// The connection ends in the middle.
    Cut,
    /// Nothing follows, and the connection stays.
    Hang,
}

impl Frame {
    /// An event whose name is its `type`, as two of the three APIs have it.
    pub(crate) fn named(pause: Duration, name: &'static str, mut data: Value) -> Self {
        data["type"] = name.into();
        Self::Event { pause, name: Some(name), data: data.to_string() }
    }

    /// Data without a name.
    pub(crate) fn data(pause: Duration, data: impl ToString) -> Self {
        Self::Event { pause, name: None, data: data.to_string() }
    }
}

/// Sends frames as an event stream.
pub(crate) fn stream(frames: Vec<Frame>) -> Response {
    let body = stream::unfold(frames.into_iter(), |mut frames| async move {
        let sent = match frames.next()? {
            Frame::Event { pause, name, data } => {
                if !pause.is_zero() {
                    tokio::time::sleep(pause).await;
                }
                let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
                Ok(format!("{name}data: {data}\n\n"))
            }
            Frame::Cut => {
                // An error throws away what was not written yet, and what was said shall arrive.
                tokio::time::sleep(FLUSH).await;
                Err(io::Error::from(io::ErrorKind::ConnectionReset))
            }
            Frame::Hang => std::future::pending().await,
        };
        Some((sent, frames))
    });
    ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(body)).into_response()
}
