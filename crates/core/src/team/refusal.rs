//! Writes that the guard refused, as far as a team remembers them: enough to say why an agent does not get on, and never
//! more than a bounded number, however often it tries.

use super::{Event, Team, WriteRefused};
use crate::limits::{REFUSALS_KEPT, REFUSALS_PER_MINUTE};
use crate::time::Timestamp;

const MINUTE_MS: i64 = 60_000;

/// Notes that the guard refused a member something. Nothing for the same again within a minute, for one too many in a
/// minute, and those of callers who are not members.
pub fn write_refused(team: &Team, refused: WriteRefused, now: Timestamp) -> Option<Event> {
    if team.closed_at.is_some() || !team.agents.contains_key(&refused.agent) {
        return None;
    }
    let known = team.refusals.get(&refused.agent).map_or(&[][..], |known| &known[..]);
    let lately = |at: Timestamp| now.as_millis() - at.as_millis() < MINUTE_MS;
    let recent = known.iter().filter(|known| lately(known.at));
    let again = |one: &super::Refusal| {
        one.what.sha256 == refused.what.sha256 && one.reason == refused.reason && one.why == refused.why
    };
    let (mut count, mut repeated) = (0, false);
    for one in recent {
        (count, repeated) = (count + 1, repeated || again(one));
    }
    (count < REFUSALS_PER_MINUTE && !repeated).then(|| Event::WriteRefused(Box::new(refused)))
}

impl Team {
    /// Keeps the newest refusals of a member.
    pub(super) fn keep_refusal(&mut self, refused: &WriteRefused, at: Timestamp) {
        let WriteRefused { agent, what, reason, why, .. } = refused.clone();
        let kept = self.refusals.entry(agent).or_default();
        kept.push(super::Refusal { at, what, reason, why });
        let old = kept.len().saturating_sub(REFUSALS_KEPT);
        kept.drain(..old);
    }
}
