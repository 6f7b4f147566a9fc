//! Who waits for whom right now. Nobody waits in a circle, and whoever waits is not told again by a notice.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use paseo_core::id::{SessionId, WatchId};
use paseo_core::time::Timestamp;
use paseo_core::wait;
use paseo_wire::error::Code;

use crate::failure::Failure;
use crate::mint;
use crate::processes::Lent;
use crate::sessions::{Command, Reply, Sessions, Spared};

/// How long a notice that is on its way may take.
const A_MOMENT: Duration = Duration::from_secs(2);

/// How many refusals are remembered.
const REFUSALS: usize = 20;

/// All waits of this moment. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Waits(Arc<Mutex<Vec<Wait>>>, Arc<AtomicU64>, Arc<Mutex<VecDeque<Refusal>>>);

/// A wait that was refused.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    pub(crate) at: Timestamp,
    pub(crate) why: wait::Refused,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wait {
    /// Two may wait for the same.
    number: u64,
    caller: SessionId,
    target: SessionId,
    watch: WatchId,
}

/// A wait under way. When it is dropped, whoever waited is told by a notice instead.
pub(crate) struct Waiting {
    sessions: Sessions,
    wait: Wait,
    over: bool,
    /// The other may need the place of whoever waits for it.
    _lent: Lent,
}

impl Waits {
    /// Says whether somebody waits for the news of a watch.
    pub(crate) fn is_waited(&self, watch: WatchId) -> bool {
        self.0.lock().iter().any(|wait| wait.watch == watch)
    }

    /// Returns whom a session waits for.
    pub(crate) fn of(&self, caller: SessionId) -> Vec<SessionId> {
        self.0.lock().iter().filter(|wait| wait.caller == caller).map(|wait| wait.target).collect()
    }

    /// Returns who waits for whom, each pair once.
    pub(crate) fn all(&self) -> BTreeSet<(SessionId, SessionId)> {
        self.0.lock().iter().map(|wait| (wait.caller, wait.target)).collect()
    }

    /// Returns the newest waits that were refused, the newest first.
    pub(crate) fn refused(&self) -> Vec<Refusal> {
        self.2.lock().iter().rev().cloned().collect()
    }

    /// Returns the watches behind the waits of one session for another.
    pub(crate) fn between(&self, caller: SessionId, target: SessionId) -> Vec<WatchId> {
        let waits = self.0.lock();
        let between = waits.iter().filter(|wait| wait.caller == caller && wait.target == target);
        // Two calls may wait for the same.
        between.map(|wait| wait.watch).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Begins a wait, unless that would be a circle or too long a chain.
    pub(crate) fn begin(
        &self,
        sessions: &Sessions,
        caller: SessionId,
        target: SessionId,
        watch: WatchId,
    ) -> Result<Waiting, wait::Refused> {
        let mut waits = self.0.lock();
        let edges: Vec<(SessionId, SessionId)> =
            waits.iter().map(|wait| (wait.caller, wait.target)).collect();
        if let Err(why) = wait::admit(&edges, caller, target) {
            let mut refused = self.2.lock();
            if refused.len() >= REFUSALS {
                refused.pop_front();
            }
            refused.push_back(Refusal { at: mint::now(), why: why.clone() });
            return Err(why);
        }
        let number = self.1.fetch_add(1, Ordering::Relaxed);
        let wait = Wait { number, caller, target, watch };
        waits.push(wait);
        let _lent = sessions.context.processes.lend(caller);
        Ok(Waiting { sessions: sessions.clone(), wait, over: false, _lent })
    }
}

impl Waiting {
    /// Ends the wait with its news taken: no notice is needed any more.
    pub(crate) async fn over(self) -> Result<(), Failure> {
        self.spare(Command::Spare).await
    }

    /// Ends the wait of a parent that knows that the other one left it.
    pub(crate) async fn parted(self) -> Result<(), Failure> {
        self.spare(Command::SpareFarewell).await
    }

    async fn spare(mut self, spare: fn(WatchId, Reply<Spared>) -> Command) -> Result<(), Failure> {
        self.over = true;
        loop {
            let changed = self.sessions.context.directory.changes();
            match self.sessions.ask(self.wait.target, |reply| spare(self.wait.watch, reply)).await {
                // They are told in a moment, and the watch is gone then; but nobody waits for that who keeps it up.
                Ok(Spared::OnItsWay) => {
                    if tokio::time::timeout(A_MOMENT, changed).await.is_err() {
                        return Ok(());
                    }
                }
                Ok(Spared::Done) => return Ok(()),
                Ok(Spared::Parted) => {
                    // A notice says so.
                    self.over = false;
                    return Ok(());
                }
                Err(failure) if failure.code == Code::NotFound => return Ok(()),
                Err(failure) => return Err(failure),
            }
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.sessions.context.waits.0.lock().retain(|wait| *wait != self.wait);
        if self.over {
            return;
        }
        let (sessions, target) = (self.sessions.clone(), self.wait.target);
        // Its outcome may be known already.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { sessions.tell(target, Command::TellWatchers).await });
        }
    }
}
