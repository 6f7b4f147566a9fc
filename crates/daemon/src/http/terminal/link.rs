//! The way to one viewer of a terminal: how much is on its way, when more is sent, and why it ends.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use bytes::Bytes;
use paseo_core::actor::Actor;
use paseo_core::session::TakeOverEnd;
use paseo_core::terminal::{BadAck, CHUNK, Flow, Pace, Size};
use paseo_wire::error::Code;
use paseo_wire::terminal::{BYTES, Holder, KEYS, ServerFrame, close};
use paseo_wire::words::TerminalRole;
use tokio::time::{Instant, timeout};

use crate::failure::Failure;
use crate::http::App;
use crate::http::connections::Connection;
use crate::http::pass::Pass;
use crate::workers::terminal_gone;

/// How often a connection is shown to be alive.
const PING: Duration = Duration::from_secs(20);
/// How long a viewer may take to be told why it is over.
const PARTING: Duration = Duration::from_secs(1);
/// How long one frame may take to be sent.
const STALLED: Duration = Duration::from_secs(30);
/// How long a terminal may take to take keys.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// Who watches, and with what.
pub(super) struct Watching {
    pub(super) app: App,
    pub(super) by: Actor,
    pub(super) pass: Pass,
    pub(super) connection: Option<Arc<Connection>>,
}

/// Why it is over.
pub(super) struct End {
    pub(super) code: u16,
    pub(super) message: String,
    /// What it means for a keyboard that was taken over; `None`: it may be taken up again.
    pub(super) take_over: Option<TakeOverEnd>,
}

impl End {
    pub(super) fn new(code: u16, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), take_over: None }
    }

    /// The socket is gone: there is nobody to be told.
    pub(super) fn gone() -> Self {
        Self::new(0, "")
    }

    pub(super) fn stopping() -> Self {
        Self::new(close::GOING_AWAY, "the daemon stops")
    }

    pub(super) fn revoked() -> Self {
        let message = "this browser was logged out, or its token revoked";
        Self { take_over: Some(TakeOverEnd::Revoked), ..Self::new(close::REVOKED, message) }
    }

    pub(super) fn protocol(message: impl Into<String>) -> Self {
        Self::new(close::PROTOCOL, message)
    }

    pub(super) fn terminal_gone(name: &str) -> Self {
        let message = terminal_gone(name).message;
        Self { take_over: Some(TakeOverEnd::Gone), ..Self::new(close::GONE, message) }
    }

    fn too_slow() -> Self {
        Self::new(close::TOO_SLOW, "the viewer is too slow")
    }
}

impl From<Failure> for End {
    fn from(failure: Failure) -> Self {
        let code = match failure.code {
            Code::SessionNotFound | Code::NotFound | Code::Closed | Code::Forbidden | Code::Conflict => {
                close::GONE
            }
            Code::Overloaded => close::TOO_MANY,
            _ => close::SILENT,
        };
        Self::new(code, failure.in_one())
    }
}

impl From<BadAck> for End {
    fn from(bad: BadAck) -> Self {
        Self::protocol(bad.to_string())
    }
}

impl Watching {
    /// Waits for what ends a viewer whatever it does meanwhile, and whatever its terminal does.
    pub(super) fn interrupted(&self) -> impl Future<Output = End> + use<> {
        let (mut pass, stop) = (self.pass.clone(), self.app.stop.clone());
        let connection = self.connection.clone();
        async move {
            let closing = async {
                match connection {
                    Some(connection) => connection.state.closing().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = pass.lapsed() => End::revoked(),
                () = stop.requested() => End::stopping(),
                () = closing => End::gone(),
            }
        }
    }
}

/// Tells a viewer why it is over. It may be gone, or not read.
pub(super) async fn part(mut socket: WebSocket, end: End) {
    if end.code == 0 {
        return;
    }
    let told = serde_json::to_string(&ServerFrame::End { code: end.code, message: end.message });
    let last = async {
        socket.send(Message::text(told.unwrap_or_default())).await?;
        socket.send(Message::Close(Some(CloseFrame { code: end.code, reason: "".into() }))).await
    };
    let _ = timeout(PARTING, last).await;
}

/// Returns the keys of a binary frame.
pub(super) fn keys(frame: &[u8]) -> Result<&[u8], End> {
    let Some((&BYTES, keys)) = frame.split_first() else {
        return Err(End::protocol("unknown kind of binary frame"));
    };
    match keys.len() > KEYS {
        true => Err(End::protocol(format!("more than {KEYS} bytes of keys in one frame"))),
        false => Ok(keys),
    }
}

/// What is on its way to one viewer.
pub(super) struct Link {
    began: Instant,
    pub(super) flow: Flow,
    pace: Pace,
    /// Output that is sent next.
    waiting: Vec<u8>,
    ping: Duration,
}

impl Link {
    pub(super) fn new() -> Self {
        let start = Duration::ZERO;
        Self {
            began: Instant::now(),
            flow: Flow::new(start),
            pace: Pace::default(),
            waiting: Vec::with_capacity(CHUNK),
            ping: PING,
        }
    }

    /// Returns the time since it was made, as everything here is measured.
    pub(super) fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// Returns how many bytes of output may be read now.
    pub(super) fn room(&self) -> usize {
        if self.flow.is_open() { CHUNK.saturating_sub(self.waiting.len()) } else { 0 }
    }

    /// Returns when [`Self::do_due`] has something to do, or when it is one of these moments.
    pub(super) fn deadline(&self, others: [Option<Duration>; 2]) -> Instant {
        let sending = (!self.waiting.is_empty()).then(|| self.pace.due());
        let own = [sending, self.flow.deadline(), Some(self.ping)];
        let next = own.into_iter().chain(others).flatten().min().unwrap_or(self.ping);
        Instant::now() + next.saturating_sub(self.now())
    }

    /// Does what it is time for.
    pub(super) async fn do_due(&mut self, socket: &mut WebSocket) -> Result<(), End> {
        let now = self.now();
        if self.flow.deadline().is_some_and(|deadline| deadline <= now) {
            return Err(End::too_slow());
        }
        if self.ping <= now {
            self.ping = now + PING;
            self.send(socket, Message::Ping(Bytes::new())).await?;
        }
        self.send_due(socket).await
    }

    /// Takes output in, and sends it if it is time.
    pub(super) async fn took(&mut self, socket: &mut WebSocket, output: &[u8]) -> Result<(), End> {
        self.waiting.extend_from_slice(output);
        self.send_due(socket).await
    }

    async fn send_due(&mut self, socket: &mut WebSocket) -> Result<(), End> {
        if self.pace.due() > self.now() {
            return Ok(());
        }
        self.flush(socket).await
    }

    /// Sends the output that waits.
    pub(super) async fn flush(&mut self, socket: &mut WebSocket) -> Result<(), End> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let mut frame = Vec::with_capacity(self.waiting.len() + 1);
        frame.push(BYTES);
        frame.append(&mut self.waiting);
        let bytes = frame.len() - 1;
        self.send(socket, Message::binary(frame)).await?;
        let now = self.now();
        self.flow.sent(bytes, now);
        self.pace.sent(now);
        Ok(())
    }

    /// Begins a new screen, which the viewer draws from its first byte.
    pub(super) async fn begin_screen(
        &mut self,
        socket: &mut WebSocket,
        size: Size,
        role: TerminalRole,
        holder: Option<Holder>,
    ) -> Result<(), End> {
        self.waiting.clear();
        let epoch = self.flow.begin(self.now());
        let Size { columns: cols, rows } = size;
        self.tell(socket, &ServerFrame::Screen { epoch, cols, rows, role, holder }).await
    }

    pub(super) async fn tell(&self, socket: &mut WebSocket, frame: &ServerFrame) -> Result<(), End> {
        let text = serde_json::to_string(frame).map_err(|error| End::protocol(error.to_string()))?;
        self.send(socket, Message::text(text)).await
    }

    async fn send(&self, socket: &mut WebSocket, message: Message) -> Result<(), End> {
        match timeout(STALLED, socket.send(message)).await {
            Ok(sent) => sent.map_err(|_| End::gone()),
            Err(_) => Err(End::too_slow()),
        }
    }
}
