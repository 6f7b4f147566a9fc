//! What goes over a connection: how much of it waits in memory, and how long it may take.

use std::error::Error;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use super::connections::Connection;
use crate::frames::PIECE;

/// How long a client may take to send the body of a request.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a client may leave an answer unread. Readers of streams may stall, unless something long waits for them.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);

/// A socket that tells how much was written, and gives up when the client does not read.
pub(super) struct Socket<S> {
    stream: S,
    connection: Arc<Connection>,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> Socket<S> {
    pub(super) fn new(stream: S, connection: Arc<Connection>) -> Self {
        Self { stream, connection, stalled: None }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Socket<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Socket<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        match Pin::new(&mut this.stream).poll_write(cx, bytes) {
            Poll::Ready(written) => {
                this.stalled = None;
                if let Ok(count) = written {
                    this.connection.wrote(count);
                }
                Poll::Ready(written)
            }
            Poll::Pending if this.connection.state.may_stall() => Poll::Pending,
            Poll::Pending => {
                let stalled = this.stalled.get_or_insert_with(|| Box::pin(sleep(STALL_TIMEOUT)));
                stalled.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

/// The body of an answer, in pieces: the connection copies each of them into its buffer, whose size they determine.
pub(super) struct Pieces {
    body: Body,
    rest: Bytes,
    connection: Arc<Connection>,
}

impl Pieces {
    pub(super) fn new(body: Body, connection: Arc<Connection>) -> Self {
        Self { body, rest: Bytes::new(), connection }
    }
}

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        std::task::ready!(this.connection.poll_room(cx));
        if this.rest.is_empty() {
            match std::task::ready!(Pin::new(&mut this.body).poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => this.rest = data,
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
                end => return Poll::Ready(end),
            }
        }
        let piece = this.rest.split_to(PIECE.min(this.rest.len()));
        this.connection.state.has_left(this.rest.len());
        this.connection.took(piece.len());
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (mut hint, rest) = (self.body.size_hint(), self.rest.len() as u64);
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(hint.lower() + rest);
        hint
    }
}

/// The body of a request, which has to arrive in time.
pub(super) struct Timely {
    body: Incoming,
    /// Runs from when the body is first asked for; of a file, from when the last of it came.
    deadline: Option<Pin<Box<Sleep>>>,
    is_file: bool,
}

impl Timely {
    /// Takes the body of a request; `is_file` when it may be large, and only has to keep coming.
    pub(super) fn new(body: Incoming, is_file: bool) -> Self {
        Self { body, deadline: None, is_file }
    }
}

impl HttpBody for Timely {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let this = self.get_mut();
        match Pin::new(&mut this.body).poll_frame(cx) {
            Poll::Ready(frame) => {
                if this.is_file {
                    this.deadline = None;
                }
                Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
            }
            Poll::Pending => {
                let deadline = this.deadline.get_or_insert_with(|| Box::pin(sleep(BODY_TIMEOUT)));
                std::task::ready!(deadline.as_mut().poll(cx));
                Poll::Ready(Some(Err(Late.into())))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body did not arrive in time.
#[derive(Debug, thiserror::Error)]
#[error("the request did not arrive within {} seconds", BODY_TIMEOUT.as_secs())]
pub(super) struct Late;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn these_numbers_are_promised() {
        assert_eq!((BODY_TIMEOUT.as_secs(), STALL_TIMEOUT.as_secs()), (30, 30));
    }
}
