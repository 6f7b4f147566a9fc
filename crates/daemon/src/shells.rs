//! Shells that people open where agents work. Each is one person's own: the daemon types into it only what they send, and
//! nothing in it is the agent's.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use paseo_core::actor::Actor;
use paseo_core::id::SessionId;
use paseo_core::session::ShellEnd;
use paseo_core::settings::Key;
use paseo_core::terminal::{Attendance, CHUNK, PACE, Size, Tail};
use paseo_runtime::provider::TOKEN_VARIABLE;
use paseo_runtime::terminal::shell::{self, Launch, Life, Shell};
use paseo_wire::error::Code;
use tokio::sync::{OwnedMutexGuard, watch};
use tokio::time::{Instant, sleep, sleep_until};

use crate::failure::Failure;
use crate::sessions::{Command, Context, OF_OTHERS, Sessions, own_path};

/// Shells of one browser or token, and in all.
const PER_PERSON: usize = 4;
const IN_ALL: usize = 16;

/// All of them.
#[derive(Default)]
pub(crate) struct Shells {
    all: Mutex<HashMap<(SessionId, Actor), Arc<Open>>>,
    /// Held while one is opened, so that who asks twice at once gets one.
    opening: tokio::sync::Mutex<()>,
}

/// A shell that runs.
pub(crate) struct Open {
    shell: Shell,
    began: Instant,
    attendance: watch::Sender<Attendance>,
    /// Held by who reads what it prints: its viewer, or without one the daemon.
    reading: Arc<tokio::sync::Mutex<()>>,
    tail: Mutex<Tail>,
    /// Why it is to end.
    ending: watch::Sender<Option<ShellEnd>>,
}

/// The place of its viewer. Dropping it gives it back; the shell goes on for a while.
pub(crate) struct ShellSeat {
    open: Arc<Open>,
    number: u64,
    /// What it prints is read by this viewer alone.
    reading: Option<OwnedMutexGuard<()>>,
}

/// Why a viewer is no longer connected to a shell.
pub(crate) enum Over {
    /// The same person opened it elsewhere.
    Displaced,
    Ended(ShellEnd),
}

impl Shells {
    /// Returns the shell of a person where a session works; opens one if there is none. It also ends when `until` says so.
    pub(crate) async fn open(
        sessions: &Sessions,
        session: SessionId,
        by: &Actor,
        until: impl Future<Output = ShellEnd> + Send + 'static,
    ) -> Result<Arc<Open>, Failure> {
        let context = &sessions.context;
        let shells = &context.shells;
        check_on(context)?;
        let _opening = shells.opening.lock().await;
        if let Some(open) = shells.find(session, by) {
            return Ok(open);
        }
        shells.check_room(by)?;
        let directory = match context.directory.get(session) {
            Some(session) => session.profile.directory.clone(),
            None => return Err(Failure::new(Code::Closed, "the agent is closed")),
        };
        sessions.ask(session, |reply| Command::OpenShell(by.clone(), reply)).await?;
        let (shell, life) = match shell::start(&launch(context, &directory)) {
            Ok(started) => started,
            Err(error) => {
                close(sessions, session, by, ShellEnd::Exited).await;
                let why = format!("cannot start a shell in {directory}: {error}");
                return Err(Failure::new(Code::Conflict, why));
            }
        };
        let open = Arc::new(Open::new(shell));
        shells.all.lock().insert((session, by.clone()), Arc::clone(&open));
        // The agent may have been closed meanwhile.
        if context.directory.get(session).is_none() {
            open.end(ShellEnd::Gone);
        }
        tokio::spawn(Arc::clone(&open).keep(life, sessions.clone(), (session, by.clone()), until));
        Ok(open)
    }

    /// Ends those where a session works.
    pub(crate) fn end_all_of(&self, session: SessionId) {
        let all = self.all.lock();
        let of_session = all.iter().filter(|((of, _), _)| *of == session);
        of_session.for_each(|(_, open)| open.end(ShellEnd::Gone));
    }

    /// Says whether a process is that above everything in one of them.
    pub(crate) fn is_shim(&self, pid: u32) -> bool {
        self.all.lock().values().any(|open| open.shell.shim == pid)
    }

    fn find(&self, session: SessionId, by: &Actor) -> Option<Arc<Open>> {
        let all = self.all.lock();
        all.get(&(session, by.clone())).filter(|open| open.ending.borrow().is_none()).cloned()
    }

    fn check_room(&self, by: &Actor) -> Result<(), Failure> {
        let all = self.all.lock();
        let own = all.keys().filter(|(_, whose)| whose == by).count();
        let why = if own >= PER_PERSON {
            format!("you have {own} shells open already")
        } else if all.len() >= IN_ALL {
            format!("{IN_ALL} shells are open already")
        } else {
            return Ok(());
        };
        Err(Failure::new(Code::Overloaded, why).hint("end a shell that you do not need"))
    }
}

/// Refuses while people have not switched shells on.
pub(crate) fn check_on(context: &Context) -> Result<(), Failure> {
    match context.settings.get().is_on(Key::WebShell) {
        true => Ok(()),
        false => Err(Failure::new(Code::Forbidden, "shells in the web app are switched off")
            .hint("switch them on with `paseo settings set web_shell on`")),
    }
}

/// Notes the ends of shells that ended with the last daemon.
pub(crate) async fn after_restart(sessions: Sessions) {
    let shells = &sessions.context.shells;
    for session in sessions.context.directory.all() {
        for by in &session.history.shells {
            let _opening = shells.opening.lock().await;
            // They may have a new one already.
            if shells.find(session.id, by).is_none() {
                close(&sessions, session.id, by, ShellEnd::Restart).await;
            }
        }
    }
}

async fn close(sessions: &Sessions, session: SessionId, by: &Actor, reason: ShellEnd) {
    let closed = sessions.ask(session, |reply| Command::CloseShell(by.clone(), reason, reply)).await;
    // The next daemon notes what this one did not live to note.
    if let Err(failure) = closed
        && !matches!(reason, ShellEnd::Restart | ShellEnd::Gone)
    {
        tracing::warn!(%session, error = %failure.message, "cannot store the end of a shell");
    }
}

/// Returns how a shell is started: as the person's own, with nothing that is an agent's.
fn launch(context: &Context, directory: &str) -> Launch {
    let mut removed = context.definitions.withheld_keys("");
    removed.extend(OF_OTHERS.iter().chain(&[TOKEN_VARIABLE, "PASEO_URL"]).map(|name| (*name).to_owned()));
    let home = ("PASEO_HOME".to_owned(), context.home.display().to_string());
    Launch {
        shim: context.executable.clone(),
        shell: shell::program(),
        directory: directory.into(),
        environment: [home].into_iter().chain(own_path(context)).collect(),
        removed,
        size: Size::DEFAULT,
    }
}

impl Open {
    fn new(shell: Shell) -> Self {
        Self {
            shell,
            began: Instant::now(),
            attendance: watch::Sender::new(Attendance::new(Duration::ZERO)),
            reading: Arc::default(),
            tail: Mutex::default(),
            ending: watch::Sender::new(None),
        }
    }

    /// Ends it. The first reason counts.
    pub(crate) fn end(&self, reason: ShellEnd) {
        self.ending.send_if_modified(|ending| ending.is_none() && ending.replace(reason).is_none());
    }

    /// Makes a viewer the one that is connected. Waits until the one before has left.
    pub(crate) async fn join(self: Arc<Self>) -> ShellSeat {
        let mut number = 0;
        self.attendance.send_modify(|attendance| number = attendance.join());
        let reading = Arc::clone(&self.reading);
        let mut seat = ShellSeat { open: self, number, reading: None };
        seat.reading = Some(reading.lock_owned().await);
        seat
    }

    fn leave(&self, number: u64) {
        self.attendance.send_modify(|attendance| attendance.leave(number, self.began.elapsed()));
    }

    async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.shell.read(buffer).await?;
        self.tail.lock().push(&buffer[..count]);
        Ok(count)
    }

    /// Keeps it until it ends, and notes that.
    async fn keep(
        self: Arc<Self>,
        mut life: Life,
        sessions: Sessions,
        whose: (SessionId, Actor),
        until: impl Future<Output = ShellEnd> + Send + 'static,
    ) {
        let draining = tokio::spawn(Arc::clone(&self).drain());
        let reason = tokio::select! {
            // What it printed last is read to the end.
            () = life.ended() => ShellEnd::Exited,
            reason = until => reason,
            reason = self.asked_to_end() => reason,
            () = self.abandoned() => ShellEnd::Lost,
            () = switched_off(&sessions.context) => ShellEnd::Off,
        };
        if reason != ShellEnd::Exited {
            self.end(reason);
            life.end();
            life.ended().await;
        }
        draining.abort();
        {
            let mut all = sessions.context.shells.all.lock();
            if all.get(&whose).is_some_and(|open| Arc::ptr_eq(open, &self)) {
                all.remove(&whose);
            }
        }
        close(&sessions, whose.0, &whose.1, reason).await;
    }

    /// Reads what it prints while nobody looks: a program in it is not to wait for a viewer. Slowly, as a program that
    /// prints without end costs something.
    async fn drain(self: Arc<Self>) {
        let mut buffer = vec![0; CHUNK];
        loop {
            self.until(|attendance| attendance.viewer().is_none()).await;
            let _reading = self.reading.lock().await;
            loop {
                tokio::select! {
                    biased;
                    () = self.until(|attendance| attendance.viewer().is_some()) => break,
                    read = self.read(&mut buffer) => match read {
                        Ok(count) if count > 0 => sleep(PACE).await,
                        Ok(_) | Err(_) => return,
                    },
                }
            }
        }
    }

    async fn until(&self, is_so: impl Fn(&Attendance) -> bool) {
        // The sender is there as long as this is.
        let _ = self.attendance.subscribe().wait_for(|attendance| is_so(attendance)).await;
    }

    async fn asked_to_end(&self) -> ShellEnd {
        let mut ending = self.ending.subscribe();
        let asked = ending.wait_for(Option::is_some).await.ok().and_then(|ending| *ending);
        match asked {
            Some(reason) => reason,
            None => std::future::pending().await,
        }
    }

    /// Waits until nobody was connected to it for long.
    async fn abandoned(&self) {
        let mut attendance = self.attendance.subscribe();
        loop {
            let deadline = attendance.borrow_and_update().deadline();
            let over = async {
                match deadline {
                    Some(deadline) => sleep_until(self.began + deadline).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = over => return,
                changed = attendance.changed() => if changed.is_err() { return },
            }
        }
    }
}

/// Waits until people switch shells off.
async fn switched_off(context: &Context) {
    let mut settings = context.settings.watch();
    // The sender is there as long as the context is.
    let _ = settings.wait_for(|(_, settings)| !settings.is_on(Key::WebShell)).await;
}

impl ShellSeat {
    /// Returns what was printed last: what a new viewer draws.
    pub(crate) fn tail(&self) -> Vec<u8> {
        self.open.tail.lock().bytes()
    }

    /// Returns what is printed next; 0 when it has ended. May be cancelled.
    pub(crate) async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.open.read(buffer).await
    }

    /// Types bytes.
    pub(crate) async fn write(&self, bytes: &[u8]) -> io::Result<()> {
        self.open.shell.write(bytes).await
    }

    pub(crate) fn resize(&self, size: Size) -> io::Result<()> {
        self.open.shell.resize(size)
    }

    /// Ends the shell: its person wants that.
    pub(crate) fn close(&self) {
        self.open.end(ShellEnd::Closed);
    }

    /// Waits until this viewer is no longer connected to it.
    pub(crate) fn over(&self) -> impl Future<Output = Over> + Send + use<> {
        let (open, number) = (Arc::clone(&self.open), self.number);
        async move {
            tokio::select! {
                biased;
                reason = open.asked_to_end() => Over::Ended(reason),
                () = open.until(|attendance| attendance.viewer().is_some_and(|viewer| viewer != number)) => {
                    Over::Displaced
                }
            }
        }
    }
}

impl Drop for ShellSeat {
    fn drop(&mut self) {
        self.open.leave(self.number);
    }
}
