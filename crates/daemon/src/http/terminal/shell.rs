//! The viewer of a person's own shell beside an agent: the same frames as for a worker's terminal, whose keyboard it has.

use std::sync::Arc;

use axum::extract::ws::{Message, WebSocket};
use paseo_core::id::SessionId;
use paseo_core::session::ShellEnd;
use paseo_core::terminal::{CHUNK, Size};
use paseo_runtime::terminal::tmux::pasteable;
use paseo_wire::terminal::{ClientFrame, PASTE, close};
use paseo_wire::words::TerminalRole;
use tokio::time::{sleep_until, timeout};

use super::link::{End, Link, PATIENCE, Watching, keys, part};
use crate::failure::Failure;
use crate::http::server::Lasting;
use crate::sessions::told_shell_end;
use crate::shells::{Open, Over, ShellSeat, Shells};

impl Watching {
    /// Serves the viewer of a shell until one of both has enough. The shell goes on for a while.
    pub(super) async fn run_shell(
        self,
        mut socket: WebSocket,
        found: Result<SessionId, Failure>,
        lasting: Option<Lasting>,
    ) {
        let interrupted = self.interrupted();
        tokio::pin!(interrupted);
        let joined = tokio::select! {
            biased;
            end = &mut interrupted => Err(end),
            joined = async { Ok(self.shell(found?, lasting).await?.join().await) } => joined,
        };
        let end = match joined {
            Ok(seat) => {
                let over = seat.over();
                let mut typist = Typist { seat, link: Link::new(), size: Size::DEFAULT };
                tokio::select! {
                    biased;
                    end = &mut interrupted => end,
                    over = over => end_of(&over),
                    end = typist.serve(&self, &mut socket) => end,
                }
            }
            Err(end) => end,
        };
        part(socket, end).await;
    }

    /// Returns the person's shell, which ends when they lose the right to have it.
    async fn shell(&self, session: SessionId, lasting: Option<Lasting>) -> Result<Arc<Open>, Failure> {
        let (mut pass, stop) = (self.pass.clone(), self.app.stop.clone());
        let until = async move {
            let reason = tokio::select! {
                () = pass.lapsed() => ShellEnd::Revoked,
                () = stop.requested() => ShellEnd::Restart,
            };
            // The daemon waits for it as it does for sockets.
            drop(lasting);
            reason
        };
        Shells::open(&self.app.sessions, session, &self.by, until).await
    }
}

fn end_of(over: &Over) -> End {
    match over {
        Over::Displaced => End::new(close::GONE, "you opened this shell in another place"),
        Over::Ended(ShellEnd::Revoked) => End::revoked(),
        Over::Ended(ShellEnd::Restart) => End::stopping(),
        Over::Ended(reason) => {
            End::new(close::GONE, format!("the shell has ended: {}", told_shell_end(*reason)))
        }
    }
}

/// A viewer that is connected to its shell.
struct Typist {
    seat: ShellSeat,
    link: Link,
    size: Size,
}

impl Typist {
    async fn serve(&mut self, watching: &Watching, socket: &mut WebSocket) -> End {
        match self.go_on(watching, socket).await {
            Ok(never) => match never {},
            Err(end) => end,
        }
    }

    async fn go_on(
        &mut self,
        watching: &Watching,
        socket: &mut WebSocket,
    ) -> Result<std::convert::Infallible, End> {
        self.begin_screen(socket).await?;
        let mut buffer = vec![0; CHUNK];
        loop {
            let (room, next) = (self.link.room(), self.link.deadline([None, None]));
            tokio::select! {
                message = socket.recv() => {
                    let Some(Ok(message)) = message else { return Err(End::gone()) };
                    if watching.pass.check().is_err() {
                        return Err(End::revoked());
                    }
                    self.received(socket, message).await?;
                }
                read = self.seat.read(&mut buffer[..room]), if room > 0 => match read {
                    Ok(count) if count > 0 => self.link.took(socket, &buffer[..count]).await?,
                    Ok(_) | Err(_) => {
                        self.link.flush(socket).await?;
                        return Err(end_of(&Over::Ended(ShellEnd::Exited)));
                    }
                },
                () = sleep_until(next) => self.link.do_due(socket).await?,
            }
        }
    }

    /// Begins with what was printed last.
    async fn begin_screen(&mut self, socket: &mut WebSocket) -> Result<(), End> {
        self.link.begin_screen(socket, self.size, TerminalRole::Hold, None).await?;
        let tail = self.seat.tail();
        self.link.took(socket, &tail).await
    }

    async fn received(&mut self, socket: &mut WebSocket, message: Message) -> Result<(), End> {
        let frame = match message {
            Message::Binary(bytes) => return self.write(keys(&bytes)?).await,
            Message::Close(_) => return Err(End::gone()),
            Message::Ping(_) | Message::Pong(_) => return Ok(()),
            Message::Text(text) => serde_json::from_str(&text)
                .map_err(|error| End::protocol(format!("unknown frame: {error}")))?,
        };
        match frame {
            ClientFrame::Ack { epoch, n } => {
                let now = self.link.now();
                Ok(self.link.flow.acknowledge(epoch, n, now)?)
            }
            ClientFrame::Size { cols, rows } => {
                self.size = Size::usable(cols, rows);
                self.seat.resize(self.size).map_err(|_| end_of(&Over::Ended(ShellEnd::Exited)))
            }
            ClientFrame::Paste { text } if text.len() > PASTE => {
                Err(End::protocol(format!("more than {PASTE} bytes to paste")))
            }
            ClientFrame::Paste { text } => self.write(pasteable(&text).replace('\n', "\r").as_bytes()).await,
            ClientFrame::Redraw {} => self.begin_screen(socket).await,
            // Its keyboard is nobody else's.
            ClientFrame::Take { .. } => Ok(()),
            ClientFrame::Release {} => {
                self.seat.close();
                Ok(())
            }
        }
    }

    async fn write(&self, bytes: &[u8]) -> Result<(), End> {
        match timeout(PATIENCE, self.seat.write(bytes)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(end_of(&Over::Ended(ShellEnd::Exited))),
            Err(_) => Err(End::new(close::SILENT, "the program in the shell takes no input")),
        }
    }
}
