//! How many harness processes may live at once. Idle ones sleep before a turn has to wait.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use paseo_core::id::SessionId;
use paseo_core::places::{Beneficiary, Load};
use tokio::sync::{mpsc, oneshot};

use crate::sessions::Command;

/// The places that there are. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Processes(Arc<Mutex<Places>>);

/// All under one lock, so that a request for a slot and its release do not miss each other.
struct Places {
    total: usize,
    /// How many are taken.
    taken: usize,
    /// Who has one, and for whom they work.
    holders: BTreeMap<SessionId, Beneficiary>,
    /// Sessions whose process is on its way out.
    leaving: BTreeSet<SessionId>,
    /// Turns that wait for a place, the first first.
    waiting: VecDeque<Waiting>,
    /// Sessions whose process has nothing to do, the longest idle first, and how to tell them.
    idle: VecDeque<(SessionId, mpsc::WeakSender<Command>)>,
    /// Sessions that wait for others, and for how many.
    lent: BTreeMap<SessionId, usize>,
}

/// A turn that waits for a place, as the others see it.
struct Waiting {
    session: SessionId,
    beneficiary: Beneficiary,
    given: oneshot::Sender<()>,
}

/// A place among the living. Given back when dropped.
pub(crate) struct Place {
    processes: Processes,
    session: SessionId,
}

/// A slot that others may use while its owner waits for them. Taken back when dropped.
pub(crate) struct Lent {
    processes: Processes,
    session: SessionId,
}

/// A turn that waits for a place.
struct Waiter<'a> {
    processes: &'a Processes,
    session: SessionId,
    /// `None` once the place is taken.
    given: Option<oneshot::Receiver<()>>,
}

impl Places {
    /// Gives free places to those who wait, and sends idle processes to sleep where more are wanted than there are.
    fn settle(&mut self) {
        let next = |places: &Self| places.load().next(places.waiting.iter().map(|one| one.beneficiary));
        while let Some(waiting) = next(self).and_then(|at| self.waiting.remove(at)) {
            // One that has given up takes nothing.
            if waiting.given.send(()).is_ok() {
                self.taken += 1;
                self.holders.insert(waiting.session, waiting.beneficiary);
            }
        }
        let is_others = |waiting: &&Waiting| waiting.beneficiary == Beneficiary::Others;
        let others_waiting = self.waiting.iter().filter(is_others).count();
        let people_waiting = self.waiting.len() - others_waiting;
        let too_many = self.staying().too_many_others(others_waiting);
        self.send_to_sleep(too_many, |places, session| places.is_others(session));
        let too_many = self.staying().too_many(people_waiting, others_waiting);
        self.send_to_sleep(too_many, |_, _| true);
    }

    /// Tells so many idle processes to sleep, the longest idle first.
    fn send_to_sleep(&mut self, count: usize, may: impl Fn(&Self, SessionId) -> bool) {
        for _ in 0..count {
            loop {
                let Some(at) = self.idle.iter().position(|(session, _)| may(self, *session)) else { return };
                let Some((session, mailbox)) = self.idle.remove(at) else { return };
                if mailbox.upgrade().is_some_and(|mailbox| mailbox.try_send(Command::Sleep).is_ok()) {
                    self.leaving.insert(session);
                    break;
                }
            }
        }
    }

    /// Returns how the places are taken.
    fn load(&self) -> Load {
        let others = self.holders.keys().filter(|session| self.is_others(**session)).count();
        let people = self.taken.saturating_sub(others);
        Load { total: self.total, lent: self.lent.len(), people, others }
    }

    /// Returns how they are taken once those have left who are about to.
    fn staying(&self) -> Load {
        let others = self.leaving.iter().filter(|session| self.is_others(**session)).count();
        let (load, people) = (self.load(), self.leaving.len() - others);
        Load {
            people: load.people.saturating_sub(people),
            others: load.others.saturating_sub(others),
            ..load
        }
    }

    fn is_others(&self, session: SessionId) -> bool {
        self.holders.get(&session) == Some(&Beneficiary::Others)
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
            holders: BTreeMap::new(),
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
        let waits = places.waiting.iter().any(|waiting| waiting.session == session);
        waits.then(|| format!("waits for a process slot (limit {})", places.total))
    }

    /// Waits for a slot for a turn; an idle process is told to sleep.
    pub(crate) async fn place(&self, session: SessionId, beneficiary: Beneficiary) -> Place {
        let (sender, given) = oneshot::channel();
        let mut waiter = Waiter { processes: self, session, given: Some(given) };
        {
            let mut places = self.0.lock();
            places.waiting.push_back(Waiting { session, beneficiary, given: sender });
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

    /// Notes for whom a session works now. One that waits for a place while a person writes to it waits for a person.
    pub(crate) fn work_for(&self, session: SessionId, beneficiary: Beneficiary) {
        let mut places = self.0.lock();
        for waiting in places.waiting.iter_mut().filter(|waiting| waiting.session == session) {
            waiting.beneficiary = beneficiary;
        }
        if let Some(holder) = places.holders.get_mut(&session) {
            *holder = beneficiary;
        }
        places.settle();
    }

    /// Notes that a session's process is busy: it does not sleep, even if it was told to.
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
        places.holders.remove(&self.session);
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
        // Granted in the moment in which the waiter gave up.
        if given.try_recv().is_ok() {
            places.taken = places.taken.saturating_sub(1);
            places.holders.remove(&self.session);
        }
        drop(given);
        places.waiting.retain(|waiting| !waiting.given.is_closed());
        places.settle();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::Beneficiary::{Others, Person};
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
        let own = processes.place(waiter, Person).await;
        let (one, two) = (processes.lend(waiter), processes.lend(waiter));
        let others = processes.place(mint::session(), Person).await;
        assert_eq!(processes.living(), 2);
        drop((one, two));
        drop(others);
        // The place that was lent is not given to a third.
        assert!(processes.place(mint::session(), Person).now_or_never().is_none());
        drop(own);
        assert!(processes.place(mint::session(), Person).now_or_never().is_some());
    }

    #[tokio::test]
    async fn after_a_wait_an_idle_process_too_many_makes_room() {
        let processes = Processes::new(2);
        let (mut parent, mut child) = (agent(), agent());
        let (parents, another) =
            (processes.place(parent.id, Person).await, processes.place(mint::session(), Person).await);
        let lent = processes.lend(parent.id);
        let childs = processes.place(child.id, Person).await;
        child.rest(&processes);
        drop(lent);
        assert!(child.is_told_to_sleep(), "three live where two may");
        drop(childs);
        parent.rest(&processes);
        assert!(!parent.is_told_to_sleep(), "nobody wants its place");
        let next = processes.place(mint::session(), Person);
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
        let (_ones, twos) = (processes.place(one.id, Person).await, processes.place(two.id, Person).await);
        one.rest(&processes);
        two.rest(&processes);
        let next = processes.place(mint::session(), Person);
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
        let own = processes.place(mint::session(), Person).await;
        {
            let gives_up = processes.place(mint::session(), Person);
            tokio::pin!(gives_up);
            assert!(gives_up.as_mut().now_or_never().is_none());
            drop(own);
            // It was given the place and never came for it.
        }
        assert_eq!((processes.waiting(), processes.living()), (0, 0));
        assert!(processes.place(mint::session(), Person).now_or_never().is_some());
    }

    #[tokio::test]
    async fn the_last_place_is_for_a_person() {
        let processes = Processes::new(3);
        let mut children: Vec<_> =
            (0..5).map(|_| Box::pin(processes.place(mint::session(), Others))).collect();
        let got: Vec<_> = children.iter_mut().filter_map(|child| child.as_mut().now_or_never()).collect();
        assert_eq!((got.len(), processes.living(), processes.waiting()), (2, 2, 3));
        let mut persons = agent();
        let place = processes.place(persons.id, Person).now_or_never().unwrap();
        persons.rest(&processes);
        assert!(!persons.is_told_to_sleep(), "those who wait may not have its place");
        // A person who comes later goes first, and puts it to sleep.
        let next = processes.place(mint::session(), Person);
        tokio::pin!(next);
        assert!(next.as_mut().now_or_never().is_none());
        assert!(persons.is_told_to_sleep());
        drop(place);
        let next = next.now_or_never().unwrap();
        assert_eq!(processes.waiting(), 3);
        drop((got, next));
    }

    #[tokio::test]
    async fn what_works_for_others_makes_room_for_others() {
        let processes = Processes::new(2);
        let (mut child, mut persons) = (agent(), agent());
        let _persons = processes.place(persons.id, Person).await;
        let childs = processes.place(child.id, Others).await;
        persons.rest(&processes);
        child.rest(&processes);
        let another = mint::session();
        let next = processes.place(another, Others);
        tokio::pin!(next);
        assert!(next.as_mut().now_or_never().is_none());
        assert!(child.is_told_to_sleep() && !persons.is_told_to_sleep());
        // A person writes to the one that waits.
        processes.work_for(another, Person);
        drop(childs);
        let _next = next.now_or_never().unwrap();
        assert!(processes.place(mint::session(), Others).now_or_never().is_none());
    }
}
