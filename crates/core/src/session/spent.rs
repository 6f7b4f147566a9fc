//! What a session has used, by day and model.

use serde::{Deserialize, Serialize};

use super::Session;
use crate::item::Usage;
use crate::time::Timestamp;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// What one day has used of one model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Days since 1970-01-01, in UTC.
    pub day: i64,
    /// `None`: the provider's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub usage: Usage,
}

/// Returns the day of a moment, in UTC.
pub fn day(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(DAY_MS)
}

impl Session {
    /// Adds to what this day has used.
    pub(super) fn spend(&mut self, usage: Usage, at: Timestamp) {
        self.history.usage = self.history.usage.plus(usage);
        let (day, model) = (day(at), &self.profile.model);
        let spent = &mut self.history.spent;
        // Days come in order: it is among the last.
        match spent.iter_mut().rev().take_while(|spent| spent.day >= day).find(|spent| spent.model == *model)
        {
            Some(known) => known.usage = known.usage.plus(usage),
            None => spent.push(Spent { day, model: model.clone(), usage }),
        }
    }
}
