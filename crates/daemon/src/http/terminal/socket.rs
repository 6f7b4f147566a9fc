//! One viewer of a terminal: what it is shown, and what it may do. All rules are in `paseo_core::terminal`.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use paseo_core::id::SessionId;
use paseo_core::session::Session;
use paseo_core::session::TakeOverEnd::Released;
use paseo_core::terminal::{CHUNK, Resizes, Size};
use paseo_runtime::terminal::tmux::{Role, Viewer};
use paseo_wire::terminal::{self as wire, ClientFrame, PASTE, ServerFrame, close};
use paseo_wire::words::TerminalRole;
use tokio::time::{sleep_until, timeout};

use super::link::{End, Link, PATIENCE, Watching, keys, part};
use crate::failure::Failure;
use crate::sessions::Command;
use crate::workers::{Holder, Pane, Seat, Seen, terminal_gone};

impl Watching {
    /// Serves a viewer until one of both has enough.
    pub(super) async fn run(self, mut socket: WebSocket, found: Result<Arc<Session>, Failure>) {
        let interrupted = self.interrupted();
        tokio::pin!(interrupted);
        let joined = tokio::select! {
            biased;
            end = &mut interrupted => Err(end),
            joined = async { self.join(&*found?).await } => joined,
        };
        let end = match joined {
            Ok(mut viewer) => {
                let end = tokio::select! {
                    biased;
                    end = &mut interrupted => end,
                    end = viewer.serve(&mut socket) => end,
                };
                viewer.leave(&end);
                end
            }
            Err(end) => end,
        };
        part(socket, end).await;
    }

    async fn join(self, session: &Session) -> Result<Watched, End> {
        let terminals = &self.app.sessions.context.terminals;
        let name = session.profile.terminal.clone().unwrap_or_default();
        let seat = terminals.viewing.join(session.id, &self.by)?;
        let pane = terminals.pane(&name, session.id).await?.ok_or_else(|| terminal_gone(&name))?;
        let size = pane.screen().size;
        let client = terminals.view(&pane, Role::View, size).await?;
        Ok(Watched {
            watching: self,
            session: session.id,
            name,
            seat,
            client,
            role: Role::View,
            size,
            link: Link::new(),
            resizes: Resizes::default(),
            buffer: vec![0; CHUNK],
            first: None,
            state: None,
            stalled: false,
        })
    }
}

/// A viewer that is attached.
struct Watched {
    watching: Watching,
    session: SessionId,
    name: String,
    seat: Seat,
    client: Viewer,
    role: Role,
    /// The size of the client's terminal.
    size: Size,
    link: Link,
    resizes: Resizes,
    buffer: Vec<u8>,
    /// Until when the client has to show something.
    first: Option<Duration>,
    /// What was last told about the terminal.
    state: Option<wire::State>,
    stalled: bool,
}

impl Watched {
    async fn serve(&mut self, socket: &mut WebSocket) -> End {
        match self.go_on(socket).await {
            Ok(never) => match never {},
            Err(end) => end,
        }
    }

    async fn go_on(&mut self, socket: &mut WebSocket) -> Result<std::convert::Infallible, End> {
        self.begin_screen(socket).await?;
        loop {
            let room = self.link.room();
            let next = self.link.deadline([self.resizes.due(), self.first]);
            tokio::select! {
                message = socket.recv() => self.received(socket, message).await?,
                changed = self.seat.holder.changed() => {
                    changed.map_err(|_| End::gone())?;
                    self.holder_changed(socket).await?;
                }
                changed = self.seat.seen.changed() => {
                    changed.map_err(|_| End::stopping())?;
                    self.saw(socket).await?;
                }
                read = self.client.read(&mut self.buffer[..room]), if room > 0 => match read {
                    Ok(count) if count > 0 => {
                        self.first = None;
                        self.link.took(socket, &self.buffer[..count]).await?;
                    }
                    Ok(_) | Err(_) => self.client_ended(socket).await?,
                },
                () = sleep_until(next) => self.do_due(socket).await?,
            }
        }
    }

    async fn do_due(&mut self, socket: &mut WebSocket) -> Result<(), End> {
        let now = self.link.now();
        if self.first.is_some_and(|deadline| deadline <= now) {
            return Err(End::new(close::SILENT, "tmux does not answer"));
        }
        if let Some(size) = self.resizes.take(now) {
            self.resize(socket, size).await?;
            self.watching.app.sessions.context.terminals.viewing.look_now();
        }
        self.link.do_due(socket).await
    }

    async fn tell(&mut self, socket: &mut WebSocket, frame: &ServerFrame) -> Result<(), End> {
        self.link.tell(socket, frame).await
    }

    /// Begins a new screen, which the client draws from its first byte.
    async fn begin_screen(&mut self, socket: &mut WebSocket) -> Result<(), End> {
        self.first = Some(self.link.now() + PATIENCE);
        let role = match self.role {
            Role::View => TerminalRole::View,
            Role::Hold { .. } => TerminalRole::Hold,
        };
        let holder = self.holder();
        self.link.begin_screen(socket, self.size, role, holder).await
    }

    /// Puts another client in the place of this one.
    async fn attach(
        &mut self,
        socket: &mut WebSocket,
        client: Viewer,
        role: Role,
        size: Size,
    ) -> Result<(), End> {
        (self.client, self.role, self.size) = (client, role, size);
        self.begin_screen(socket).await
    }

    async fn resize(&mut self, socket: &mut WebSocket, size: Size) -> Result<(), End> {
        self.link.flush(socket).await?;
        self.size = size;
        self.client.resize(size).map_err(|_| End::new(close::DETACHED, "the viewer was detached"))?;
        self.begin_screen(socket).await
    }

    /// Takes in what was seen of all terminals.
    async fn saw(&mut self, socket: &mut WebSocket) -> Result<(), End> {
        let seen = self.seat.seen.borrow_and_update().clone();
        let pane = match &seen {
            Seen::Nothing => return Ok(()),
            Seen::Silent(pid) => {
                if !std::mem::replace(&mut self.stalled, true) {
                    self.tell(socket, &ServerFrame::Stalled { pid: *pid }).await?;
                }
                return Ok(());
            }
            Seen::Panes(panes) => panes.get(&self.name).filter(|pane| pane.is_of(self.session)),
        };
        let Some(pane) = pane else {
            // What was seen may be older than the terminal.
            return match self.pane().await {
                Ok(_) => Ok(()),
                Err(end) => Err(end),
            };
        };
        let size = pane.screen().size;
        if self.role != (Role::Hold { fit: true }) && size != self.size {
            self.resize(socket, size).await?;
        }
        let (exit, signal) = pane.exit().unwrap_or_default();
        let state = wire::State {
            title: pane.screen().title.clone(),
            alive: pane.exit().is_none(),
            exit,
            signal,
            scrolled: pane.is_scrolled(),
            history: pane.screen().history,
        };
        if std::mem::take(&mut self.stalled) || self.state.as_ref() != Some(&state) {
            self.state = Some(state.clone());
            self.tell(socket, &ServerFrame::State(state)).await?;
        }
        Ok(())
    }

    /// Returns the terminal as it is now.
    async fn pane(&self) -> Result<Pane, End> {
        let terminals = &self.watching.app.sessions.context.terminals;
        terminals.pane(&self.name, self.session).await?.ok_or_else(|| End::terminal_gone(&self.name))
    }

    /// Goes on as a watcher when the client of a take-over was detached because that is over.
    async fn client_ended(&mut self, socket: &mut WebSocket) -> Result<(), End> {
        match self.role {
            Role::Hold { .. } if !self.seat.holds() => self.watch_again(socket).await,
            Role::Hold { .. } | Role::View => Err(self.detached().await),
        }
    }

    /// Says why the client has ended: its terminal is gone, or somebody detached it.
    async fn detached(&self) -> End {
        match self.pane().await {
            Ok(_) => End::new(close::DETACHED, "the viewer was detached"),
            Err(End { code: close::SILENT, .. }) => End::terminal_gone(&self.name),
            Err(end) => end,
        }
    }

    fn holder(&self) -> Option<wire::Holder> {
        let holder = self.seat.holder.borrow().clone()?;
        let Holder { by, viewer } = holder;
        let name = self.watching.app.sessions.context.person(&by);
        Some(wire::Holder { who: by.into(), name, you: viewer == self.seat.number() })
    }

    async fn holder_changed(&mut self, socket: &mut WebSocket) -> Result<(), End> {
        let holder = { self.seat.holder.borrow_and_update().clone() };
        let is_own = holder.is_some_and(|holder| holder.viewer == self.seat.number());
        let frame = ServerFrame::Holder { holder: self.holder() };
        self.tell(socket, &frame).await?;
        // Another took it, or it was taken back.
        if self.role != Role::View && !is_own {
            self.watch_again(socket).await?;
        }
        Ok(())
    }

    async fn watch_again(&mut self, socket: &mut WebSocket) -> Result<(), End> {
        let pane = self.pane().await?;
        let size = pane.screen().size;
        let terminals = &self.watching.app.sessions.context.terminals;
        let client = terminals.view(&pane, Role::View, size).await?;
        self.attach(socket, client, Role::View, size).await
    }

    async fn received(
        &mut self,
        socket: &mut WebSocket,
        message: Option<Result<Message, axum::Error>>,
    ) -> Result<(), End> {
        let Some(Ok(message)) = message else { return Err(End::gone()) };
        if self.watching.pass.check().is_err() {
            return Err(End::revoked());
        }
        match message {
            Message::Binary(bytes) => self.keys(&bytes).await,
            Message::Text(text) => match serde_json::from_str(&text) {
                Ok(frame) => self.asked(socket, frame).await,
                Err(error) => Err(End::protocol(format!("unknown frame: {error}"))),
            },
            Message::Close(_) => Err(End::gone()),
            Message::Ping(_) | Message::Pong(_) => Ok(()),
        }
    }

    /// Types keys. Those of a viewer that does not have the keyboard go nowhere: emulators answer questions of tmux.
    async fn keys(&mut self, frame: &[u8]) -> Result<(), End> {
        let keys = keys(frame)?;
        if self.role == Role::View || !self.seat.types() {
            return Ok(());
        }
        match timeout(PATIENCE, self.client.write(keys)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(self.detached().await),
            Err(_) => Err(End::new(close::SILENT, "tmux does not answer")),
        }
    }

    async fn asked(&mut self, socket: &mut WebSocket, frame: ClientFrame) -> Result<(), End> {
        match frame {
            ClientFrame::Ack { epoch, n } => {
                let now = self.link.now();
                Ok(self.link.flow.acknowledge(epoch, n, now)?)
            }
            ClientFrame::Take { fit, cols, rows, force } => {
                let wanted = fit.then(|| Size::usable(cols, rows));
                self.take(socket, wanted, force).await
            }
            ClientFrame::Release {} => match self.seat.give_back(&self.watching.app.sessions, Released) {
                None => Ok(()),
                Some(ending) => {
                    // It fails only together with the runtime.
                    let _ = ending.await;
                    self.watch_again(socket).await
                }
            },
            ClientFrame::Size { cols, rows } => {
                if self.role == (Role::Hold { fit: true }) {
                    self.resizes.want(Size::usable(cols, rows));
                }
                Ok(())
            }
            ClientFrame::Paste { text } => self.paste(socket, &text).await,
            ClientFrame::Redraw {} => {
                let size = self.size;
                self.resize(socket, size).await
            }
        }
    }

    async fn take(&mut self, socket: &mut WebSocket, wanted: Option<Size>, force: bool) -> Result<(), End> {
        if self.role == (Role::Hold { fit: wanted.is_some() }) && self.seat.types() {
            // It has the keyboard already; only the size may be another.
            wanted.into_iter().for_each(|size| self.resizes.want(size));
            return Ok(());
        }
        let turn = self.seat.turn().await;
        if self.seat.take(&turn, force).is_err() {
            drop(turn);
            let holder = self.holder();
            let message = match &holder {
                Some(holder) => format!("{} has the keyboard", holder.name),
                None => "another person has the keyboard".to_owned(),
            };
            return self.tell(socket, &ServerFrame::Refused { message, holder }).await;
        }
        // Once more only if it is lost from now on.
        self.seat.holder.borrow_and_update();
        let held = self.hold(wanted).await;
        drop(turn);
        match held {
            Ok((client, role, size)) => {
                self.attach(socket, client, role, size).await?;
                self.watching.app.sessions.context.terminals.viewing.look_now();
                Ok(())
            }
            Err(failure) => {
                self.seat.give_back(&self.watching.app.sessions, Released);
                let refused = ServerFrame::Refused { message: failure.in_one(), holder: None };
                self.tell(socket, &refused).await
            }
        }
    }

    /// Stores that this viewer has the keyboard, then attaches a client that can type.
    async fn hold(&mut self, wanted: Option<Size>) -> Result<(Viewer, Role, Size), Failure> {
        let (sessions, by) = (&self.watching.app.sessions, self.watching.by.clone());
        let terminals = &sessions.context.terminals;
        let pane =
            terminals.pane(&self.name, self.session).await?.ok_or_else(|| terminal_gone(&self.name))?;
        let name = sessions.context.person(&by);
        sessions.ask(self.session, |reply| Command::TakeOver { by, name, reply }).await?;
        terminals.prepare(&pane, wanted.is_some()).await?;
        let (role, size) = match wanted {
            Some(size) => (Role::Hold { fit: true }, size),
            None => (Role::Hold { fit: false }, pane.screen().size),
        };
        Ok((terminals.view(&pane, role, size).await?, role, size))
    }

    async fn paste(&mut self, socket: &mut WebSocket, text: &str) -> Result<(), End> {
        if text.len() > PASTE {
            return Err(End::protocol(format!("more than {PASTE} bytes to paste")));
        }
        if text.is_empty() || self.role == Role::View || !self.seat.types() {
            return Ok(());
        }
        let pasted = self.watching.app.sessions.context.terminals.paste(&self.name, text).await;
        match pasted {
            Ok(()) => Ok(()),
            Err(failure) => {
                let holder = self.holder();
                self.tell(socket, &ServerFrame::Refused { message: failure.in_one(), holder }).await
            }
        }
    }

    /// Ends the client, and the take-over unless it may be taken up again.
    fn leave(self, end: &End) {
        if let Some(reason) = end.take_over {
            self.seat.give_back(&self.watching.app.sessions, reason);
        }
    }
}
