//! How many harness processes may live at once. Idle ones sleep before a turn has to wait.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use paseo_core::id::SessionId;
use tokio::sync::{mpsc, oneshot};

use crate::sessions::Command;

/// The places that there are. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Processes(Arc<Mutex<Places>>);

/// All under one lock, so that whoever looks for a place and whoever gives one up do not miss each other.
struct Places {
    total: usize,
    /// How many are taken.
    taken: usize,
    /// Sessions whose process is on its way out.
    leaving: BTreeSet<SessionId>,
    /// Turns that wait for a place, the first first.
    waiting: VecDeque<(SessionId, oneshot::Sender<()>)>,
    /// Sessions whose process has nothing to do, the longest idle first, and how to tell them.
    idle: VecDeque<(SessionId, mpsc::WeakSender<Command>)>,
    /// Sessions that wait for others, and for how many.
    lent: BTreeMap<SessionId, usize>,
}

/// A place among the living. Given back when dropped.
pub(crate) struct Place {
    processes: Processes,
    session: SessionId,
}

/// A place that is free for others while whoever has it waits for them. Taken back when dropped.
pub(crate) struct Lent {
    processes: Processes,
    session: SessionId,
}

/// A turn that waits for a place.
struct Waiter<'a> {
    processes: &'a Processes,
    /// `None` once the place is taken.
    given: Option<oneshot::Receiver<()>>,
}

impl Places {
    /// Gives free places to those who wait, and sends idle processes to sleep where more are wanted than there are.
    fn settle(&mut self) {
        // Whoever waits for others needs no processor, and they may need its place.
        let places = self.total + self.lent.len();
        while self.taken < places {
            let Some((_, waiter)) = self.waiting.pop_front() else { break };
            // One that has given up takes nothing.
            self.taken += usize::from(waiter.send(()).is_ok());
        }
        let staying = self.taken.saturating_sub(self.leaving.len());
        let mut excess = (staying + self.waiting.len()).saturating_sub(places);
        while excess > 0 {
            let Some((session, mailbox)) = self.idle.pop_front() else { break };
            if mailbox.upgrade().is_some_and(|mailbox| mailbox.try_send(Command::Sleep).is_ok()) {
                self.leaving.insert(session);
                excess -= 1;
            }
        }
    }

    fn forget_idle(&mut self, session: SessionId) {
        self.idle.retain(|(idle, _)| *idle != session);
    }
}

impl Processes {
    pub(crate) fn new(total: usize) -> Self {
        Self(Arc::new(Mutex::new(Places {
            total,
            taken: 0,
            leaving: BTreeSet::new(),
            waiting: VecDeque::new(),
            idle: VecDeque::new(),
            lent: BTreeMap::new(),
        })))
    }

    /// Returns how many processes live.
    pub(crate) fn living(&self) -> usize {
        self.0.lock().taken
    }

    /// Returns how many may live.
    pub(crate) fn limit(&self) -> usize {
        self.0.lock().total
    }

    /// Returns how many turns wait for a place.
    pub(crate) fn waiting(&self) -> usize {
        self.0.lock().waiting.len()
    }

    /// Says what a session waits for, if it is a place.
    pub(crate) fn reason(&self, session: SessionId) -> Option<String> {
        let places = self.0.lock();
        let waits = places.waiting.iter().any(|(waiting, _)| *waiting == session);
        waits.then(|| format!("waits for one of {} processes", places.total))
    }

    /// Waits for a place; an idle process is told to sleep.
    pub(crate) async fn place(&self, session: SessionId) -> Place {
        let (sender, given) = oneshot::channel();
        let mut waiter = Waiter { processes: self, given: Some(given) };
        {
            let mut places = self.0.lock();
            places.waiting.push_back((session, sender));
            places.settle();
        }
        if let Some(given) = &mut waiter.given {
            // The sender is kept until the place is given.
            let _ = given.await;
        }
        waiter.given = None;
        Place { processes: self.clone(), session }
    }

    /// Notes that a session's process is idle.
    pub(crate) fn rest(&self, session: SessionId, mailbox: mpsc::WeakSender<Command>) {
        let mut places = self.0.lock();
        places.forget_idle(session);
        places.idle.push_back((session, mailbox));
        places.settle();
    }

    /// Notes that a session's process is busy: it does not sleep, whoever told it to.
    pub(crate) fn rouse(&self, session: SessionId) {
        let mut places = self.0.lock();
        places.forget_idle(session);
        if places.leaving.remove(&session) {
            places.settle();
        }
    }

    /// Notes that a session's process is being ended.
    pub(crate) fn leave(&self, session: SessionId) {
        let mut places = self.0.lock();
        places.forget_idle(session);
        places.leaving.insert(session);
    }

    /// Lends a session's place while it waits for others, so that these do not wait for it in turn.
    pub(crate) fn lend(&self, session: SessionId) -> Lent {
        let mut places = self.0.lock();
        *places.lent.entry(session).or_default() += 1;
        places.settle();
        Lent { processes: self.clone(), session }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut places = self.processes.0.lock();
        places.taken = places.taken.saturating_sub(1);
        places.leaving.remove(&self.session);
        places.forget_idle(self.session);
        places.settle();
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut places = self.processes.0.lock();
        let waits = places.lent.get_mut(&self.session).map_or(0, |waits| {
            *waits -= 1;
            *waits
        });
        if waits == 0 {
            places.lent.remove(&self.session);
            places.settle();
        }
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let Some(mut given) = self.given.take() else { return };
        let mut places = self.processes.0.lock();
        // Given in the moment in which nobody wanted it any more.
        if given.try_recv().is_ok() {
            places.taken = places.taken.saturating_sub(1);
        }
        drop(given);
        places.waiting.retain(|(_, sender)| !sender.is_closed());
        places.settle();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::mint;

    struct Agent {
        id: SessionId,
        mailbox: mpsc::Sender<Command>,
        commands: mpsc::Receiver<Command>,
    }

    fn agent() -> Agent {
        let (mailbox, commands) = mpsc::channel(4);
        Agent { id: mint::session(), mailbox, commands }
    }

    impl Agent {
        fn rest(&self, processes: &Processes) {
            processes.rest(self.id, self.mailbox.downgrade());
        }

        fn is_told_to_sleep(&mut self) -> bool {
            matches!(self.commands.try_recv(), Ok(Command::Sleep))
        }
    }

    #[tokio::test]
    async fn whoever_waits_for_others_lends_its_place() {
        let processes = Processes::new(1);
        let waiter = mint::session();
        let own = processes.place(waiter).await;
        let (one, two) = (processes.lend(waiter), processes.lend(waiter));
        let others = processes.place(mint::session()).await;
        assert_eq!(processes.living(), 2);
        drop((one, two));
        drop(others);
        // The place that was lent is not given to a third.
        assert!(processes.place(mint::session()).now_or_never().is_none());
        drop(own);
        assert!(processes.place(mint::session()).now_or_never().is_some());
    }

    #[tokio::test]
    async fn after_a_wait_an_idle_process_too_many_makes_room() {
        let processes = Processes::new(2);
        let (mut parent, mut child) = (agent(), agent());
        let (parents, another) = (processes.place(parent.id).await, processes.place(mint::session()).await);
        let lent = processes.lend(parent.id);
        let childs = processes.place(child.id).await;
        child.rest(&processes);
        drop(lent);
        assert!(child.is_told_to_sleep(), "three live where two may");
        drop(childs);
        parent.rest(&processes);
        assert!(!parent.is_told_to_sleep(), "nobody wants its place");
        let next = processes.place(mint::session());
        tokio::pin!(next);
        assert!(next.as_mut().now_or_never().is_none());
        assert!(parent.is_told_to_sleep());
        drop(parents);
        assert!(next.now_or_never().is_some());
        drop(another);
    }

    #[tokio::test]
    async fn a_process_that_got_work_instead_of_sleep_is_replaced_by_another() {
        let processes = Processes::new(2);
        let (mut one, mut two) = (agent(), agent());
        let (_ones, twos) = (processes.place(one.id).await, processes.place(two.id).await);
        one.rest(&processes);
        two.rest(&processes);
        let next = processes.place(mint::session());
        tokio::pin!(next);
        assert!(next.as_mut().now_or_never().is_none());
        assert!(one.is_told_to_sleep() && !two.is_told_to_sleep());
        processes.rouse(one.id);
        assert!(two.is_told_to_sleep());
        drop(twos);
        assert!(next.now_or_never().is_some());
    }

    #[tokio::test]
    async fn whoever_gives_up_waiting_keeps_nobody_from_a_place() {
        let processes = Processes::new(1);
        let own = processes.place(mint::session()).await;
        {
            let gives_up = processes.place(mint::session());
            tokio::pin!(gives_up);
            assert!(gives_up.as_mut().now_or_never().is_none());
            drop(own);
            // It was given the place and never came for it.
        }
        assert_eq!((processes.waiting(), processes.living()), (0, 0));
        assert!(processes.place(mint::session()).now_or_never().is_some());
    }
}
