//! How many harness processes may live at once. Idle ones sleep before a turn has to wait.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use paseo_core::id::SessionId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::sessions::Command;

/// A place among the living. Given back when dropped.
pub(crate) type Place = OwnedSemaphorePermit;

/// A session whose process has nothing to do, and how to tell it.
type Idle = (SessionId, mpsc::WeakSender<Command>);

/// The places that there are.
#[derive(Clone)]
pub(crate) struct Processes {
    places: Arc<Semaphore>,
    total: usize,
    waiting: Arc<AtomicUsize>,
    /// Sessions whose process has nothing to do, the longest idle first.
    idle: Arc<Mutex<VecDeque<Idle>>>,
}

impl Processes {
    pub(crate) fn new(total: usize) -> Self {
        Self { places: Arc::new(Semaphore::new(total)), total, waiting: Arc::default(), idle: Arc::default() }
    }

    /// Returns how many processes live.
    pub(crate) fn living(&self) -> usize {
        self.total - self.places.available_permits()
    }

    /// Returns how many may live.
    pub(crate) fn limit(&self) -> usize {
        self.total
    }

    /// Waits for a place; an idle process is told to sleep. `None` when the daemon stops.
    pub(crate) async fn place(&self) -> Option<Place> {
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            return Some(place);
        }
        let _waiting = Waiting::new(&self.waiting);
        self.send_one_to_sleep();
        Arc::clone(&self.places).acquire_owned().await.ok()
    }

    /// Notes that a session's process is idle. Returns whether it must sleep at once.
    pub(crate) fn rest(&self, session: SessionId, mailbox: mpsc::WeakSender<Command>) -> bool {
        // Under one lock with whoever looks for an idle process, so that neither misses the other.
        let mut idle = self.idle.lock();
        let wanted = self.waiting.load(Ordering::SeqCst) > 0;
        if !wanted {
            idle.push_back((session, mailbox));
        }
        wanted
    }

    /// Notes that a session's process is busy or gone.
    pub(crate) fn rouse(&self, session: SessionId) {
        self.idle.lock().retain(|(idle, _)| *idle != session);
    }

    fn send_one_to_sleep(&self) {
        while let Some((_, mailbox)) = self.pop_idle() {
            if mailbox.upgrade().is_some_and(|mailbox| mailbox.try_send(Command::Sleep).is_ok()) {
                return;
            }
        }
    }

    fn pop_idle(&self) -> Option<Idle> {
        self.idle.lock().pop_front()
    }
}

/// Counts one waiter for as long as it lives.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
