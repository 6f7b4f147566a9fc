//! One timer for all leases: it knows which needs a look next.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use parking_lot::Mutex;
use paseo_core::team::{TaskId, TeamId};
use paseo_core::time::Timestamp;
use tokio::sync::Notify;

/// When which lease needs a look.
#[derive(Default)]
pub(super) struct Timer {
    queue: Mutex<Queue>,
    /// Something comes earlier than what is waited for.
    pub(super) sooner: Notify,
}

#[derive(Default)]
struct Queue {
    by_time: BTreeSet<(Timestamp, Key)>,
    by_key: HashMap<Key, Timestamp>,
}

type Key = (TeamId, TaskId);

impl Timer {
    /// Looks at a lease at a time, and at no other.
    pub(super) fn set(&self, team: &TeamId, task: TaskId, at: Option<Timestamp>) {
        let key = (team.clone(), task);
        let mut queue = self.queue.lock();
        let first = queue.first();
        if let Some(before) = queue.by_key.remove(&key) {
            queue.by_time.remove(&(before, key.clone()));
        }
        let Some(at) = at else { return };
        queue.by_key.insert(key.clone(), at);
        queue.by_time.insert((at, key));
        if first.is_none_or(|first| at < first) {
            self.sooner.notify_one();
        }
    }

    /// Returns the teams that have leases.
    pub(super) fn teams(&self) -> BTreeSet<TeamId> {
        self.queue.lock().by_key.keys().map(|(team, _)| team.clone()).collect()
    }

    /// Returns when something needs a look next.
    pub(super) fn next(&self) -> Option<Timestamp> {
        self.queue.lock().first()
    }

    /// Takes out what is due, by team.
    pub(super) fn due(&self, now: Timestamp) -> BTreeMap<TeamId, Vec<TaskId>> {
        let mut queue = self.queue.lock();
        let mut due: BTreeMap<TeamId, Vec<TaskId>> = BTreeMap::new();
        while queue.first().is_some_and(|at| at <= now) {
            let Some((_, key)) = queue.by_time.pop_first() else { break };
            queue.by_key.remove(&key);
            due.entry(key.0).or_default().push(key.1);
        }
        due
    }
}

impl Queue {
    fn first(&self) -> Option<Timestamp> {
        self.by_time.first().map(|(at, _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lease_is_looked_at_once_at_its_newest_time() {
        let at = Timestamp::from_millis;
        let (red, blue): (TeamId, TeamId) = ("red".parse().unwrap(), "blue".parse().unwrap());
        let timer = Timer::default();
        for task in 1..=10_000 {
            timer.set(&red, TaskId(task), Some(at(i64::from(task))));
        }
        timer.set(&red, TaskId(1), Some(at(20_000)));
        timer.set(&red, TaskId(2), None);
        timer.set(&blue, TaskId(3), Some(at(2)));
        assert_eq!(timer.next(), Some(at(2)));
        let due = timer.due(at(4));
        assert_eq!(due[&red], [TaskId(3), TaskId(4)]);
        assert_eq!(due[&blue], [TaskId(3)]);
        assert_eq!(timer.next(), Some(at(5)));
        assert_eq!(timer.due(at(30_000))[&red].len(), 10_000 - 3);
        assert_eq!((timer.next(), timer.queue.lock().by_key.len()), (None, 0));
    }
}
