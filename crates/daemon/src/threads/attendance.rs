//! Who is there right now. In memory only: whoever is there says so again.

use std::collections::BTreeMap;

use paseo_core::id::ThreadId;
use paseo_core::thread::{self, Presence, Shown};

use super::Shared;
use crate::mint;

/// Most who are remembered in one thread: anybody who may speak may say that they are there.
const PEOPLE: usize = 256;
/// Most threads that are remembered.
const THREADS: usize = 4096;

/// Everybody's presence. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Attendance(Shared<BTreeMap<ThreadId, BTreeMap<String, Presence>>>);

impl Attendance {
    /// Takes in what somebody says that they are doing.
    pub(crate) fn says(&self, thread: ThreadId, who: &str, state: &str, details: Option<String>) {
        let mut all = self.0.lock();
        if all.len() >= THREADS && !all.contains_key(&thread) {
            all.pop_first();
        }
        let here = all.entry(thread).or_default();
        if here.len() >= PEOPLE && !here.contains_key(who) {
            return;
        }
        let said = Presence::says(here.get(who), state, details, mint::now());
        here.insert(who.to_owned(), said);
    }

    /// Returns what others see of everybody who said something, by id.
    pub(crate) fn shown(&self, thread: ThreadId) -> Vec<(String, Presence, Shown)> {
        let all = self.0.lock();
        let here = all.get(&thread).into_iter().flatten();
        let now = mint::now();
        here.map(|(id, said)| (id.clone(), said.clone(), thread::shown(Some(said), now))).collect()
    }
}
