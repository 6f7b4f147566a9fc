//! Who waits for whom right now. Nobody waits in a circle, and whoever waits is not told again by a notice.

use std::sync::Arc;

use parking_lot::Mutex;
use paseo_core::id::{SessionId, WatchId};
use paseo_core::wait;
use paseo_wire::error::Code;

use crate::failure::Failure;
use crate::processes::Lent;
use crate::sessions::{Command, Sessions};

/// All waits of this moment. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Waits(Arc<Mutex<Vec<Wait>>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wait {
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
        wait::admit(&edges, caller, target)?;
        let wait = Wait { caller, target, watch };
        waits.push(wait);
        let _lent = sessions.context.processes.lend(caller);
        Ok(Waiting { sessions: sessions.clone(), wait, over: false, _lent })
    }
}

impl Waiting {
    /// Ends the wait with its news taken: no notice is needed any more.
    pub(crate) async fn over(mut self) -> Result<(), Failure> {
        self.over = true;
        let directory = &self.sessions.context.directory;
        loop {
            let changed = directory.changes();
            let spare = |reply| Command::Spare(self.wait.watch, reply);
            match self.sessions.ask(self.wait.target, spare).await {
                // They are told in a moment, and the watch is gone then.
                Ok(false) => changed.await,
                Ok(true) => return Ok(()),
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
        // What became of it may be known already.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { sessions.tell(target, Command::TellWatchers).await });
        }
    }
}
