//! How fast participants speak. In memory only: after a restart everybody begins anew.

use std::collections::HashMap;

use paseo_core::id::ThreadId;
use paseo_core::thread::{Pace, Thread, TooFast};
use paseo_core::time::Timestamp;
use paseo_wire::error::Code;

use super::{Shared, Speaker, Threads, refused};
use crate::failure::Failure;
use crate::mint;

/// Most participants that are remembered before those who were quiet are forgotten.
const SPEAKERS: usize = 4096;

/// Everybody's pace. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Paces(Shared<HashMap<(ThreadId, String), Pace>>);

impl Paces {
    /// Lets somebody speak now, and notes it: last, as only what is said counts. People are never too fast.
    pub(super) fn admit(&self, speaker: &Speaker, thread: ThreadId) -> Result<(), Failure> {
        self.ask(speaker, thread, Pace::admit)
    }

    /// Refuses whoever would be too fast, before any work is done for them.
    pub(super) fn check(&self, speaker: &Speaker, thread: ThreadId) -> Result<(), Failure> {
        self.ask(speaker, thread, Pace::check)
    }

    fn ask(
        &self,
        speaker: &Speaker,
        thread: ThreadId,
        may: impl Fn(&mut Pace, Timestamp) -> Result<(), TooFast>,
    ) -> Result<(), Failure> {
        if speaker.actor.is_human() {
            return Ok(());
        }
        let (now, mut all) = (mint::now(), self.0.lock());
        if all.len() >= SPEAKERS {
            all.retain(|_, pace| !pace.is_quiet(now));
        }
        may(all.entry((thread, speaker.id.clone())).or_default(), now).map_err(|fast| {
            Failure::new(Code::TooManyMessages, fast.to_string())
                .hint("combine what you have to say into fewer messages; nothing was posted")
                .retry_after(fast.seconds)
        })
    }
}

impl Threads {
    /// Refuses whoever may not speak now, at little cost: they may try it often.
    pub(super) fn may_speak(&self, thread: &Thread, speaker: &Speaker) -> Result<(), Failure> {
        let silenced = thread.silenced(&speaker.id).map(|why| refused(&why.denied(&speaker.id)));
        silenced.map_or_else(|| self.paces.check(speaker, thread.id), Err)
    }
}
