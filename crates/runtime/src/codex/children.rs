//! Threads of subagents: who started them, and what they are doing.

use std::collections::HashMap;

/// The threads beside the session's own.
#[derive(Debug, Default)]
pub(super) struct Children(HashMap<String, Child>);

#[derive(Debug, Default)]
struct Child {
    /// The call that started it.
    call: Option<String>,
    /// The turn that runs.
    turn: Option<String>,
    /// It was stopped: what it still says is late.
    stopped: bool,
}

impl Children {
    /// Notes that a call started these.
    pub(super) fn adopt(&mut self, call: &str, threads: &[String]) {
        for thread in threads {
            self.0.entry(thread.clone()).or_default().call = Some(call.to_owned());
        }
    }

    /// Notes that a turn of one began. `call` is the one that seems to have started it, until that is known.
    pub(super) fn begin(&mut self, thread: &str, turn: &str, call: Option<&str>) {
        let child = self.0.entry(thread.to_owned()).or_default();
        child.turn = Some(turn.to_owned());
        child.stopped = false;
        if child.call.is_none() {
            child.call = call.map(str::to_owned);
        }
    }

    pub(super) fn end(&mut self, thread: &str) {
        if let Some(child) = self.0.get_mut(thread) {
            child.turn = None;
        }
    }

    /// Stops listening to all that run, and returns their threads and turns.
    pub(super) fn stop(&mut self) -> Vec<(String, String)> {
        let mut running = Vec::new();
        for (thread, child) in &mut self.0 {
            if let Some(turn) = child.turn.take() {
                child.stopped = true;
                running.push((thread.clone(), turn));
            }
        }
        running
    }

    /// Returns the call that one was started by; `None` outside when its output is no longer wanted.
    #[allow(clippy::option_option)] // Not heard and not known are two things here.
    pub(super) fn parent(&self, thread: &str) -> Option<Option<String>> {
        match self.0.get(thread) {
            Some(child) if child.stopped => None,
            Some(child) => Some(child.call.clone()),
            None => Some(None),
        }
    }
}
