//! Who is there right now. In memory only: whoever is there says so again.

use std::collections::BTreeMap;

use paseo_core::id::ThreadId;
use paseo_core::thread::Presence;

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

    /// Returns what everybody said last, by id.
    pub(crate) fn said(&self, thread: ThreadId) -> BTreeMap<String, Presence> {
        self.0.lock().get(&thread).cloned().unwrap_or_default()
    }

    /// Forgets whoever is not here any more.
    pub(super) fn keep(&self, thread: ThreadId, here: impl Fn(&str) -> bool) {
        if let Some(said) = self.0.lock().get_mut(&thread) {
            said.retain(|who, _| here(who));
        }
    }
}
