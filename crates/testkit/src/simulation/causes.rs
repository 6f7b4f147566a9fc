//! The causes that a decision draws from, with what it adds to them.

use std::collections::BTreeMap;

use paseo_core::cause::{Cause, Event};
use paseo_core::id::CauseId;
use paseo_core::time::Timestamp;

use super::log::{Append, Log, Stream};

pub(super) struct Causes<'a> {
    log: &'a Log,
    now: Timestamp,
    touched: BTreeMap<CauseId, (Cause, Vec<Event>)>,
}

impl<'a> Causes<'a> {
    pub(super) fn new(log: &'a Log, now: Timestamp) -> Self {
        Self { log, now, touched: BTreeMap::new() }
    }

    pub(super) fn state(&mut self, id: CauseId) -> &Cause {
        &self.entry(id).0
    }

    pub(super) fn push(&mut self, id: CauseId, event: Event) {
        let now = self.now;
        let (cause, events) = self.entry(id);
        cause.apply(&event, now);
        events.push(event);
    }

    fn entry(&mut self, id: CauseId) -> &mut (Cause, Vec<Event>) {
        let log = self.log;
        self.touched.entry(id).or_insert_with(|| (log.cause(id), Vec::new()))
    }

    /// Returns what is to be written.
    pub(super) fn appends(self) -> Vec<Append> {
        let written = self.touched.into_iter().filter(|(_, (_, events))| !events.is_empty());
        written
            .map(|(id, (_, events))| Append::cause(id, self.log.version(Stream::Cause(id)), events))
            .collect()
    }
}
