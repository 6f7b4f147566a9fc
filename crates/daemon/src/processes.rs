//! How many harness processes may live at once. Idle ones sleep before a turn has to wait.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

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
    /// Sessions whose turn waits for a place.
    waiting: Arc<Mutex<BTreeSet<SessionId>>>,
    /// Sessions whose process has nothing to do, the longest idle first.
    idle: Arc<Mutex<VecDeque<Idle>>>,
    /// Sessions that wait for others, and for how many.
    lent: Arc<Mutex<BTreeMap<SessionId, usize>>>,
}

/// A place that is free for others while whoever has it waits for them. Taken back when dropped.
pub(crate) struct Lent {
    processes: Processes,
    session: SessionId,
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut lent = self.processes.lent.lock();
        if let Some(waits) = lent.get_mut(&self.session) {
            *waits -= 1;
            if *waits > 0 {
                return;
            }
            lent.remove(&self.session);
        }
        let places = Arc::clone(&self.processes.places);
        if places.forget_permits(1) == 0
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            // All are taken: the next that becomes free is the one.
            runtime.spawn(async move { places.acquire_owned().await.map(Place::forget) });
        }
    }
}

impl Processes {
    pub(crate) fn new(total: usize) -> Self {
        let places = Arc::new(Semaphore::new(total));
        Self { places, total, waiting: Arc::default(), idle: Arc::default(), lent: Arc::default() }
    }

    /// Returns how many processes live.
    pub(crate) fn living(&self) -> usize {
        (self.total + self.lent.lock().len()).saturating_sub(self.places.available_permits())
    }

    /// Returns how many may live.
    pub(crate) fn limit(&self) -> usize {
        self.total
    }

    /// Returns how many turns wait for a place.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.lock().len()
    }

    /// Says what a session waits for, if it is a place.
    pub(crate) fn reason(&self, session: SessionId) -> Option<String> {
        let waits = self.waiting.lock().contains(&session);
        waits.then(|| format!("waits for one of {} processes", self.total))
    }

    /// Waits for a place; an idle process is told to sleep. `None` when the daemon stops.
    pub(crate) async fn place(&self, session: SessionId) -> Option<Place> {
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            return Some(place);
        }
        let _waiting = Waiting::new(&self.waiting, session);
        self.send_one_to_sleep();
        Arc::clone(&self.places).acquire_owned().await.ok()
    }

    /// Notes that a session's process is idle. Returns whether it must sleep at once.
    pub(crate) fn rest(&self, session: SessionId, mailbox: mpsc::WeakSender<Command>) -> bool {
        // Under one lock with whoever looks for an idle process, so that neither misses the other.
        let mut idle = self.idle.lock();
        let wanted = !self.waiting.lock().is_empty();
        if !wanted {
            idle.push_back((session, mailbox));
        }
        wanted
    }

    /// Notes that a session's process is busy or gone.
    pub(crate) fn rouse(&self, session: SessionId) {
        self.idle.lock().retain(|(idle, _)| *idle != session);
    }

    /// Lends a session's place while it waits for others, so that these do not wait for it in turn.
    pub(crate) fn lend(&self, session: SessionId) -> Lent {
        let mut lent = self.lent.lock();
        let waits = lent.entry(session).or_default();
        *waits += 1;
        if *waits == 1 {
            self.places.add_permits(1);
        }
        Lent { processes: self.clone(), session }
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

/// Lists one waiter for as long as it lives.
struct Waiting<'a> {
    all: &'a Mutex<BTreeSet<SessionId>>,
    session: SessionId,
}

impl<'a> Waiting<'a> {
    fn new(all: &'a Mutex<BTreeSet<SessionId>>, session: SessionId) -> Self {
        all.lock().insert(session);
        Self { all, session }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.all.lock().remove(&self.session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mint;

    #[tokio::test]
    async fn whoever_waits_for_others_lends_its_place() {
        let processes = Processes::new(1);
        let waiter = mint::session();
        let own = processes.place(waiter).await.unwrap();
        let (one, two) = (processes.lend(waiter), processes.lend(waiter));
        let others = processes.place(mint::session()).await.unwrap();
        assert_eq!((processes.places.available_permits(), processes.living()), (0, 2));
        drop((one, two));
        // The place that was lent is not given to a third.
        drop(others);
        tokio::task::yield_now().await;
        assert_eq!((processes.places.available_permits(), processes.living()), (0, 1));
        drop(own);
        assert_eq!((processes.places.available_permits(), processes.living()), (1, 0));
    }
}
