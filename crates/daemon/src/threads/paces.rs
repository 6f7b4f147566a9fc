//! How fast participants speak. In memory only: after a restart everybody begins anew.

use std::collections::HashMap;

use paseo_core::id::ThreadId;
use paseo_core::thread::Pace;
use paseo_wire::error::Code;

use super::{Shared, Speaker};
use crate::failure::Failure;
use crate::mint;

/// Most participants that are remembered before those who were quiet are forgotten.
const SPEAKERS: usize = 4096;

/// Everybody's pace. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Paces(Shared<HashMap<(ThreadId, String), Pace>>);

impl Paces {
    /// Lets somebody speak now. People are never too fast.
    pub(super) fn admit(&self, speaker: &Speaker, thread: ThreadId) -> Result<(), Failure> {
        if speaker.actor.is_human() {
            return Ok(());
        }
        let (now, mut all) = (mint::now(), self.0.lock());
        if all.len() >= SPEAKERS {
            all.retain(|_, pace| !pace.is_quiet(now));
        }
        all.entry((thread, speaker.id.clone())).or_default().admit(now).map_err(|fast| {
            Failure::new(Code::TooManyMessages, fast.to_string())
                .hint("say it in fewer messages; nothing was posted")
                .retry_after(fast.seconds)
        })
    }
}
