//! Who watches terminals in browsers, who has their keyboards, and what all viewers are told of them.
//!
//! A keyboard changes hands in turns, see [`Viewing::turn`]: who gives it back has it until that is stored and the terminal
//! has its old size, so that what follows from one take-over never happens to the next.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use paseo_core::actor::Actor;
use paseo_core::id::SessionId;
use paseo_core::session::TakeOverEnd;
use paseo_core::terminal::{Keyboard, Left, Take};
use paseo_wire::error::Code;
use tokio::sync::{Notify, OwnedMutexGuard, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use super::Pane;
use crate::failure::Failure;
use crate::sessions::{Command, Context, Sessions};

/// Viewers of one terminal, of one device, and in all.
const PER_TERMINAL: usize = 8;
const PER_DEVICE: usize = 16;
const IN_ALL: usize = 64;

/// How often terminals are looked at, for all viewers together.
const LOOK: Duration = Duration::from_secs(1);

/// All viewers of a daemon.
pub(crate) struct Viewing {
    rooms: Mutex<Rooms>,
    seen: watch::Sender<Seen>,
    /// Has the terminals looked at now.
    look: Notify,
    /// A terminal may have the size that a person gave it who types there no more.
    resized: AtomicBool,
    began: Instant,
}

impl Default for Viewing {
    fn default() -> Self {
        Self {
            rooms: Mutex::default(),
            seen: watch::Sender::new(Seen::default()),
            look: Notify::new(),
            resized: AtomicBool::new(false),
            began: Instant::now(),
        }
    }
}

#[derive(Default)]
struct Rooms {
    /// The number of the next viewer.
    next: u64,
    all: BTreeMap<SessionId, Room>,
}

/// The viewers of one terminal.
struct Room {
    keyboard: Keyboard,
    viewers: BTreeMap<u64, Actor>,
    holder: watch::Sender<Option<Holder>>,
    /// Held while the keyboard changes hands.
    turn: Arc<tokio::sync::Mutex<()>>,
}

/// Who has the keyboard of a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Holder {
    pub(crate) by: Actor,
    pub(crate) viewer: u64,
}

/// What was seen of all terminals.
#[derive(Debug, Clone, Default)]
pub(crate) enum Seen {
    #[default]
    Nothing,
    Panes(Arc<BTreeMap<String, Pane>>),
    /// tmux does not answer.
    Silent(Option<u32>),
}

/// The place of one viewer. Dropping it gives it back; the keyboard stays reserved for a while.
pub(crate) struct Seat {
    viewing: Arc<Viewing>,
    session: SessionId,
    number: u64,
    by: Actor,
    pub(crate) holder: watch::Receiver<Option<Holder>>,
    pub(crate) seen: watch::Receiver<Seen>,
}

impl Viewing {
    /// Takes in a viewer, unless there are too many.
    pub(crate) fn join(self: &Arc<Self>, session: SessionId, by: &Actor) -> Result<Seat, Failure> {
        let mut rooms = self.rooms.lock();
        rooms.check(session, by)?;
        rooms.next += 1;
        let number = rooms.next;
        let room = rooms.all.entry(session).or_insert_with(Room::new);
        room.viewers.insert(number, by.clone());
        let holder = room.holder.subscribe();
        drop(rooms);
        self.look.notify_one();
        let seen = self.seen.subscribe();
        Ok(Seat { viewing: Arc::clone(self), session, number, by: by.clone(), holder, seen })
    }

    /// Returns how many watch a terminal.
    pub(crate) fn count(&self, session: SessionId) -> usize {
        self.rooms.lock().all.get(&session).map_or(0, |room| room.viewers.len())
    }

    /// Has the terminals looked at now.
    pub(crate) fn look_now(&self) {
        self.look.notify_one();
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn is_empty(&self) -> bool {
        self.rooms.lock().all.is_empty()
    }

    /// Waits until the keyboard of a terminal may change hands, and lets nobody else change that meanwhile.
    async fn turn(&self, session: SessionId) -> OwnedMutexGuard<()> {
        let turn = self.with(session, |room, _| Arc::clone(&room.turn));
        turn.lock_owned().await
    }

    fn is_held(&self, session: SessionId) -> bool {
        self.rooms.lock().all.get(&session).is_some_and(|room| room.keyboard.holder().is_some())
    }

    /// Begins to take the keyboards from holders who are gone, or type nothing.
    fn expire(&self) -> Vec<(SessionId, u64, Actor, Left)> {
        let (now, mut rooms) = (self.now(), self.rooms.lock());
        let mut ended = Vec::new();
        for (session, room) in &mut rooms.all {
            if let Some((viewer, by, left)) = room.keyboard.expire(now) {
                ended.push((*session, viewer, by, left));
            }
        }
        rooms.all.retain(|_, room| !room.is_empty());
        ended
    }

    fn with<T>(&self, session: SessionId, act: impl FnOnce(&mut Room, Duration) -> T) -> T {
        let (now, mut rooms) = (self.now(), self.rooms.lock());
        act(rooms.all.entry(session).or_insert_with(Room::new), now)
    }
}

impl Rooms {
    fn check(&self, session: SessionId, by: &Actor) -> Result<(), Failure> {
        let all = || self.all.values().flat_map(|room| room.viewers.values());
        let here = self.all.get(&session).map_or(0, |room| room.viewers.len());
        let why = if here >= PER_TERMINAL {
            format!("{here} viewers watch this terminal already")
        } else if all().filter(|viewer| *viewer == by).count() >= PER_DEVICE {
            format!("you watch {PER_DEVICE} terminals already")
        } else if all().count() >= IN_ALL {
            format!("{IN_ALL} terminals are watched already")
        } else {
            return Ok(());
        };
        Err(Failure::new(Code::Overloaded, why).hint("close a terminal that you do not need"))
    }
}

impl Room {
    fn new() -> Self {
        Self {
            keyboard: Keyboard::default(),
            viewers: BTreeMap::new(),
            holder: watch::Sender::new(None),
            turn: Arc::default(),
        }
    }

    fn is_empty(&self) -> bool {
        let is_settled = Arc::strong_count(&self.turn) == 1;
        self.viewers.is_empty() && self.keyboard.holder().is_none() && is_settled
    }
}

impl Seat {
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Waits until the keyboard may change hands; see [`Self::take`].
    pub(crate) async fn turn(&self) -> OwnedMutexGuard<()> {
        self.viewing.turn(self.session).await
    }

    /// Takes the keyboard. Refuses with the holder's name. It is this viewer's turn until the log has it.
    pub(crate) fn take(&self, _turn: &OwnedMutexGuard<()>, force: bool) -> Result<Take, Actor> {
        self.with(|room, now| {
            let taken = room.keyboard.take(self.number, &self.by, force, now)?;
            room.holder.send_replace(Some(Holder { by: self.by.clone(), viewer: self.number }));
            Ok(taken)
        })
    }

    /// Says whether this viewer may type, and notes that it does.
    pub(crate) fn types(&self) -> bool {
        self.with(|room, now| room.keyboard.typed(self.number, now))
    }

    /// Says whether this viewer has the keyboard.
    pub(crate) fn holds(&self) -> bool {
        self.with(|room, _| room.keyboard.is_held_by(self.number))
    }

    /// Gives the keyboard back, if it is this viewer's: nothing more is typed from now on. The rest is done even if nobody
    /// waits for it.
    pub(crate) fn give_back(&self, sessions: &Sessions, reason: TakeOverEnd) -> Option<JoinHandle<()>> {
        let by = self.with(|room, _| room.keyboard.end(self.number))?;
        Some(tokio::spawn(end_take_over(sessions.clone(), self.session, self.number, by, reason)))
    }

    fn with<T>(&self, act: impl FnOnce(&mut Room, Duration) -> T) -> T {
        // It is there as long as this viewer is.
        self.viewing.with(self.session, act)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut rooms = self.viewing.rooms.lock();
        let Some(room) = rooms.all.get_mut(&self.session) else { return };
        room.viewers.remove(&self.number);
        room.keyboard.lose(self.number, self.viewing.now());
        if room.is_empty() {
            rooms.all.remove(&self.session);
        }
    }
}

/// Looks at the terminals for all viewers, and ends take-overs whose holders are gone.
pub(crate) async fn follow(sessions: Sessions) {
    let viewing = Arc::clone(&sessions.context.terminals.viewing);
    after_restart(&sessions).await;
    loop {
        if viewing.is_empty() && !viewing.resized.load(Ordering::Relaxed) {
            viewing.look.notified().await;
        }
        let seen = look(&sessions.context).await;
        if let Seen::Panes(panes) = &seen {
            restore_sizes(&sessions.context, panes).await;
        }
        viewing.seen.send_replace(seen);
        for (session, viewer, by, left) in viewing.expire() {
            let reason = match left {
                Left::Lost => TakeOverEnd::Lost,
                Left::Idle => TakeOverEnd::Idle,
            };
            tokio::spawn(end_take_over(sessions.clone(), session, viewer, by, reason));
        }
        tokio::select! {
            () = sleep(LOOK) => {}
            () = viewing.look.notified() => {}
        }
    }
}

async fn look(context: &Context) -> Seen {
    let terminals = &context.terminals;
    match terminals.all().await {
        Ok(panes) => {
            Seen::Panes(Arc::new(panes.into_iter().map(|pane| (pane.name().to_owned(), pane)).collect()))
        }
        Err(failure) => {
            tracing::warn!(error = %failure.message, "cannot look at the terminals");
            if failure.code == Code::TmuxNotInstalled {
                terminals.viewing.resized.store(false, Ordering::Relaxed);
            }
            Seen::Silent(terminals.server())
        }
    }
}

/// Ends take-overs that the last daemon did not see the end of.
async fn after_restart(sessions: &Sessions) {
    let context = &sessions.context;
    let viewing = &context.terminals.viewing;
    for session in context.directory.all() {
        if session.profile.terminal.is_some() {
            // Its end may be stored, and its size not be restored.
            viewing.resized.store(true, Ordering::Relaxed);
        }
        if session.history.keyboard.is_some() {
            let _turn = viewing.turn(session.id).await;
            // Another viewer of this daemon may have it already: then the log tells that.
            if !viewing.is_held(session.id) {
                note_end(sessions, session.id, None, TakeOverEnd::Restart).await;
            }
        }
    }
}

/// Does what follows when a viewer types no more, unless another has taken the keyboard since: notes that the take-over has
/// ended, gives the terminal its size back, and then lets others have the keyboard.
async fn end_take_over(sessions: Sessions, session: SessionId, viewer: u64, by: Actor, reason: TakeOverEnd) {
    let viewing = Arc::clone(&sessions.context.terminals.viewing);
    let turn = viewing.turn(session).await;
    if !viewing.with(session, |room, _| room.keyboard.is_ending(viewer)) {
        return;
    }
    note_end(&sessions, session, Some(by), reason).await;
    if let Err(failure) = restore_size(&sessions.context, session).await {
        tracing::warn!(%session, error = %failure.message, "cannot restore the size of a terminal yet");
        viewing.resized.store(true, Ordering::Relaxed);
    }
    viewing.with(session, |room, _| {
        room.keyboard.free(viewer);
        room.holder.send_replace(None);
    });
    drop(turn);
    viewing.look_now();
}

async fn note_end(sessions: &Sessions, session: SessionId, by: Option<Actor>, reason: TakeOverEnd) {
    let context = &sessions.context;
    let noted = context.directory.get(session).and_then(|known| known.history.keyboard.as_deref().cloned());
    let name = noted.as_ref().map_or_else(String::new, |by| context.person(by));
    // Who took it by force may have lost it before that was noted. Then the one before has it in the log, and nobody does.
    let by = by.filter(|by| noted.as_ref() == Some(by));
    let noted = sessions.ask(session, |reply| Command::EndTakeOver { by, name, reason, reply }).await;
    if let Err(failure) = noted {
        tracing::warn!(%session, error = %failure.message, "cannot store the end of a take-over");
    }
}

/// Gives a terminal the size back that it had before a person took it over. Nobody has its keyboard.
async fn restore_size(context: &Context, session: SessionId) -> Result<(), Failure> {
    let known = context.directory.get(session);
    let Some(name) = known.and_then(|session| session.profile.terminal.clone()) else { return Ok(()) };
    match context.terminals.pane(&name, session).await? {
        Some(pane) => context.terminals.restore(&pane).await,
        None => Ok(()),
    }
}

/// Gives terminals their sizes back for which that failed before, or that the last daemon left so.
async fn restore_sizes(context: &Context, panes: &BTreeMap<String, Pane>) {
    let viewing = &context.terminals.viewing;
    viewing.resized.store(false, Ordering::Relaxed);
    let resized = panes.values().filter(|pane| pane.screen().restore.is_some());
    for session in resized.filter_map(Pane::owner).filter(|session| !viewing.is_held(*session)) {
        let _turn = viewing.turn(session).await;
        if viewing.is_held(session) {
            continue;
        }
        if let Err(failure) = restore_size(context, session).await {
            tracing::warn!(%session, error = %failure.message, "cannot restore the size of a terminal yet");
            viewing.resized.store(true, Ordering::Relaxed);
        }
    }
}

impl Context {
    /// Returns what people call a person who acts: their browser, or their token.
    pub(crate) fn person(&self, by: &Actor) -> String {
        let Actor::Human(name) = by else { return by.to_string() };
        let settings = self.settings.get();
        let browser = name.strip_prefix("device:").and_then(|id| settings.devices.get(&id.parse().ok()?));
        match (browser, name.strip_prefix("token:")) {
            (Some(browser), _) => browser.name.clone(),
            (None, Some(token)) => format!("token {token}"),
            (None, None) => name.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(name: &str) -> Actor {
        Actor::Human(name.to_owned())
    }

    fn session(number: u8) -> SessionId {
        SessionId::from_random([number; 16])
    }

    #[test]
    fn viewers_are_counted_by_terminal_by_device_and_in_all() {
        let viewing = Arc::new(Viewing::default());
        let join = |number: u8, who: &str| viewing.join(session(number), &person(who));
        let told = |joined: Result<Seat, Failure>| joined.err().map(|failure| failure.message);
        let first: Vec<_> = (0..8).map(|_| join(1, "ann").unwrap()).collect();
        assert_eq!(told(join(1, "bob")).as_deref(), Some("8 viewers watch this terminal already"));
        let more: Vec<_> = (0..8).map(|_| join(2, "ann").unwrap()).collect();
        assert_eq!(told(join(3, "ann")).as_deref(), Some("you watch 16 terminals already"));
        let others: Vec<_> = (0..48).map(|number| join(10 + number, &format!("{number}")).unwrap()).collect();
        assert_eq!(told(join(3, "bob")).as_deref(), Some("64 terminals are watched already"));
        drop((first, more));
        assert_eq!((viewing.count(session(1)), viewing.count(session(10))), (0, 1));
        assert!(join(3, "ann").is_ok());
        drop(others);
        assert!(viewing.is_empty());
    }

    #[tokio::test]
    async fn a_keyboard_outlives_its_viewer_for_a_while() {
        let viewing = Arc::new(Viewing::default());
        let ann = viewing.join(session(1), &person("ann")).unwrap();
        let turn = ann.turn().await;
        assert_eq!(ann.take(&turn, false), Ok(Take::Free));
        drop(ann);
        assert!(!viewing.is_empty() && viewing.count(session(1)) == 0);
        let bob = viewing.join(session(1), &person("bob")).unwrap();
        assert_eq!(bob.take(&turn, false), Err(person("ann")));
        let back = viewing.join(session(1), &person("ann")).unwrap();
        assert_eq!(back.take(&turn, false), Ok(Take::Resumed));
        assert_eq!(bob.holder.borrow().as_ref().map(|holder| holder.viewer), Some(back.number()));
    }
}
