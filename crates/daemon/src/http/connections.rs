//! Open connections: how many each kind of client may have, and which one goes when there are too many.
//!
//! Over TCP a caller is unknown before a request brings a credential. Until then a connection belongs to a stranger,
//! and strangers only displace each other. What is left is kept for clients that are known: some of it for people
//! alone, some for people and the tool calls of agents.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Instant;

use futures_util::task::AtomicWaker;
use parking_lot::Mutex;
use paseo_core::actor::Actor;
use paseo_wire::error::Code;
use tokio::sync::Notify;

use crate::buffers::Buffers;
use crate::failure::Failure;

/// Connections at once, over the Unix socket and TCP together.
const CONNECTIONS: usize = 4096;
/// Connections of one client that is not a person, beside those that call tools.
const PER_CLIENT: usize = 64;
/// Connections of one agent that call tools over MCP.
const TOOL_CALLS_PER_AGENT: usize = 16;
/// Bytes that readers of streams may hold in sum.
const BUFFERED: usize = 64 * 1024 * 1024;
/// Bytes that one of them may hold for as long as it likes.
const BUFFER: usize = 64 * 1024;
/// Bytes of one connection that may wait to be written when the next piece is handed over.
const WINDOW: usize = 1024;
/// After how many seconds a client that was refused may try again.
const RETRY_SECONDS: u64 = 1;

/// Whose connection it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// It has brought no credential yet.
    Stranger,
    Person,
    /// An agent, or a program with a token that is not a person's.
    Client(Actor),
    /// An agent that calls tools over MCP.
    ToolCalls(Actor),
}

impl Kind {
    /// Returns the kind of connection that an actor's request belongs to.
    pub(crate) fn of(actor: &Actor, calls_tools: bool) -> Self {
        match actor {
            Actor::Human(_) | Actor::Daemon => Self::Person,
            Actor::Session(_) if calls_tools => Self::ToolCalls(actor.clone()),
            Actor::Session(_) | Actor::Seat(_) | Actor::Agent(_) => Self::Client(actor.clone()),
        }
    }
}

/// How many connections there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    all: usize,
    /// Of these, for people only.
    for_people: usize,
    /// Of these, for people and tool calls only.
    for_tool_calls: usize,
    strangers: usize,
}

impl Limits {
    /// Leaves half of the file descriptors for everything else: the log, agents and their pipes.
    pub(crate) fn within(descriptors: Option<u64>) -> Self {
        let half = descriptors.and_then(|count| usize::try_from(count / 2).ok()).unwrap_or(CONNECTIONS);
        let all = CONNECTIONS.min(half).max(16);
        Self { all, for_people: all / 4, for_tool_calls: all / 8, strangers: all / 8 }
    }

    /// Returns how many connections there may be in all for one of this kind to be added.
    fn room(&self, kind: &Kind) -> usize {
        match kind {
            Kind::Person => self.all,
            Kind::ToolCalls(_) => self.all - self.for_people,
            Kind::Client(_) | Kind::Stranger => self.all - self.for_people - self.for_tool_calls,
        }
    }

    /// Returns how many connections of this kind there may be.
    fn of_kind(&self, kind: &Kind) -> usize {
        match kind {
            Kind::Person => self.all,
            Kind::Stranger => self.strangers,
            Kind::Client(_) => PER_CLIENT,
            Kind::ToolCalls(_) => TOOL_CALLS_PER_AGENT,
        }
    }
}

/// All open connections. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Connections(Arc<Shared>);

struct Shared {
    limits: Limits,
    open: Mutex<Open>,
    buffers: Buffers,
    started: Instant,
}

#[derive(Default)]
struct Open {
    /// In the order in which they were opened.
    all: BTreeMap<u64, Entry>,
    counts: HashMap<Kind, usize>,
    next: u64,
}

struct Entry {
    kind: Kind,
    connection: Arc<State>,
}

/// An open connection. Dropping it makes room for another.
pub(crate) struct Connection {
    id: u64,
    shared: Arc<Shared>,
    pub(crate) state: Arc<State>,
}

/// What is known of an open connection.
pub(crate) struct State {
    /// Bytes that were handed over and not written to the socket yet.
    pending: AtomicUsize,
    /// Bytes that come after those, in the same piece of a response.
    rest: AtomicUsize,
    /// Woken when enough of them were written.
    writable: AtomicWaker,
    /// When bytes were last written, in milliseconds since the start.
    progress: AtomicU64,
    /// A reader of a stream: it may stall for as long as it holds little, and there is memory for all of them.
    is_stream: AtomicBool,
    /// It was accepted with one of the last file descriptors, which are kept for people.
    is_last_resort: bool,
    dropped: AtomicBool,
    closing: Notify,
}

impl Connections {
    pub(crate) fn new(limits: Limits, buffers: Buffers) -> Self {
        Self(Arc::new(Shared { limits, open: Mutex::default(), buffers, started: Instant::now() }))
    }

    /// Takes in a connection, or refuses it.
    pub(crate) fn admit(&self, kind: Kind, is_last_resort: bool) -> Result<Connection, Failure> {
        let shared = &self.0;
        let state = Arc::new(State {
            pending: AtomicUsize::new(0),
            rest: AtomicUsize::new(0),
            writable: AtomicWaker::new(),
            progress: AtomicU64::new(shared.now()),
            is_stream: AtomicBool::new(false),
            is_last_resort,
            dropped: AtomicBool::new(false),
            closing: Notify::new(),
        });
        check_last_resort(&state, &kind)?;
        let mut open = shared.open.lock();
        shared.make_room(&mut open, &kind)?;
        let id = open.next;
        open.next += 1;
        open.add(&kind);
        open.all.insert(id, Entry { kind, connection: Arc::clone(&state) });
        drop(open);
        Ok(Connection { id, shared: Arc::clone(shared), state })
    }

    /// Closes the connection that has been without a credential for longest. False when all have one.
    pub(crate) fn displace_stranger(&self) -> bool {
        self.0.open.lock().displace_stranger()
    }

    /// Returns how many have bytes to write.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        self.0.open.lock().all.values().filter(|entry| entry.connection.is_waiting()).count()
    }

    /// Returns how many there are.
    #[cfg(test)]
    fn count(&self) -> usize {
        self.0.open.lock().all.len()
    }
}

impl Shared {
    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn make_room(&self, open: &mut Open, kind: &Kind) -> Result<(), Failure> {
        let own = open.counts.get(kind).copied().unwrap_or(0);
        let is_full = own >= self.limits.of_kind(kind);
        if is_full && *kind != Kind::Stranger {
            return Err(overloaded(format!("this client has {own} connections open")));
        }
        if (is_full || open.counted() >= self.limits.room(kind)) && !open.displace_stranger() {
            return Err(overloaded(format!("{} connections are open", open.counted())));
        }
        Ok(())
    }

    /// Drops the slowest reader when all of them hold too much.
    fn relieve(&self) {
        if self.buffers.sum() <= BUFFERED {
            return;
        }
        let open = self.open.lock();
        let waiting = open.all.values().map(|entry| &entry.connection).filter(|state| state.is_waiting());
        if let Some(slowest) = waiting.min_by_key(|state| state.progress.load(Ordering::Relaxed)) {
            slowest.close();
            // Its buffer is about to be freed: no other connection has to be dropped in its place.
            self.buffers.release(slowest.pending.swap(0, Ordering::Relaxed));
        }
    }
}

impl Open {
    fn add(&mut self, kind: &Kind) {
        *self.counts.entry(kind.clone()).or_default() += 1;
    }

    fn remove(&mut self, kind: &Kind) {
        if let Some(count) = self.counts.get_mut(kind) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(kind);
            }
        }
    }

    /// Returns how many there are, without those that are about to close.
    fn counted(&self) -> usize {
        self.counts.values().sum()
    }

    fn displace_stranger(&mut self) -> bool {
        let mut strangers = self.all.iter().filter(|(_, entry)| entry.kind == Kind::Stranger);
        let Some((&id, _)) = strangers.next() else { return false };
        if let Some(entry) = self.all.remove(&id) {
            self.remove(&entry.kind);
            entry.connection.close();
        }
        true
    }
}

impl Connection {
    /// Notes whose connection it is, once a request says so. Refuses when that client has too many.
    pub(crate) fn belongs_to(&self, kind: Kind) -> Result<(), Failure> {
        check_last_resort(&self.state, &kind)?;
        let mut open = self.shared.open.lock();
        // One that was displaced is about to close.
        let Some(known) = open.all.get(&self.id).map(|entry| entry.kind.clone()) else { return Ok(()) };
        if known == kind {
            return Ok(());
        }
        open.remove(&known);
        // It is not displaced in its own favour.
        let entry = open.all.remove(&self.id);
        let room = self.shared.make_room(&mut open, &kind);
        let kind = if room.is_ok() { kind } else { known };
        open.add(&kind);
        if let Some(entry) = entry {
            open.all.insert(self.id, Entry { kind, ..entry });
        }
        room
    }

    /// Waits until so few bytes wait to be written that more may be handed over.
    pub(crate) fn poll_room(&self, cx: &Context<'_>) -> Poll<()> {
        let has_room = || self.state.pending.load(Ordering::Relaxed) < WINDOW;
        if has_room() {
            return Poll::Ready(());
        }
        self.state.writable.register(cx.waker());
        // Some may have been written in between.
        if has_room() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Counts bytes that wait to be written.
    pub(crate) fn took(&self, bytes: usize) {
        self.state.pending.fetch_add(bytes, Ordering::Relaxed);
        self.shared.buffers.add(bytes);
        self.shared.relieve();
    }

    /// Counts bytes that were written.
    pub(crate) fn wrote(&self, bytes: usize) {
        self.state.progress.store(self.shared.now(), Ordering::Relaxed);
        // Headers and what HTTP puts around each piece are written, too, and were never counted.
        let left = |pending: usize| Some(pending.saturating_sub(bytes));
        let before = self.state.pending.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
        let before = before.unwrap_or(0);
        self.shared.buffers.release(before.min(bytes));
        if before >= WINDOW && before.saturating_sub(bytes) < WINDOW {
            self.state.writable.wake();
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.buffers.release(self.state.pending.load(Ordering::Relaxed));
        let mut open = self.shared.open.lock();
        if let Some(entry) = open.all.remove(&self.id) {
            open.remove(&entry.kind);
        }
    }
}

impl State {
    /// Notes that a stream is read over it.
    pub(crate) fn streams(&self) {
        self.is_stream.store(true, Ordering::Relaxed);
    }

    /// Notes how many bytes come after those that wait to be written.
    pub(crate) fn has_left(&self, rest: usize) {
        self.rest.store(rest, Ordering::Relaxed);
    }

    /// Says whether it may stall: a stream is read over it, and what waits for its reader is little.
    pub(crate) fn may_stall(&self) -> bool {
        let held = self.pending.load(Ordering::Relaxed) + self.rest.load(Ordering::Relaxed);
        self.is_stream.load(Ordering::Relaxed) && held <= BUFFER
    }

    /// Waits until it has to close.
    pub(crate) async fn closing(&self) {
        self.closing.notified().await;
    }

    fn is_waiting(&self) -> bool {
        self.pending.load(Ordering::Relaxed) > 0 && !self.dropped.load(Ordering::Relaxed)
    }

    fn close(&self) {
        self.dropped.store(true, Ordering::Relaxed);
        self.closing.notify_one();
    }
}

/// Refuses everybody but people the last file descriptors. Strangers may turn out to be people.
fn check_last_resort(state: &State, kind: &Kind) -> Result<(), Failure> {
    match kind {
        Kind::Client(_) | Kind::ToolCalls(_) if state.is_last_resort => Err(Failure::new(
            Code::Overloaded,
            "the daemon is out of file descriptors, and the last ones are reserved for people",
        )
        .hint("close unused agents, or restart the daemon with a higher `ulimit -n`")
        .retry_after(RETRY_SECONDS)),
        Kind::Person | Kind::Stranger | Kind::Client(_) | Kind::ToolCalls(_) => Ok(()),
    }
}

fn overloaded(why: String) -> Failure {
    Failure::new(Code::Overloaded, format!("too many connections: {why}"))
        .hint("close some and try again")
        .retry_after(RETRY_SECONDS)
}

#[cfg(test)]
mod tests;
