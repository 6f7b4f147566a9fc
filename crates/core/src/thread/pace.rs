//! How fast a participant may speak. One that is stuck in a loop must not bury what the others say.

use std::collections::VecDeque;

use crate::limits::THREAD_POSTS_PER_MINUTE;
use crate::time::Timestamp;

const MINUTE_MILLIS: i64 = 60_000;

/// When a participant spoke lately, the oldest first.
#[derive(Debug, Clone, Default)]
pub struct Pace(VecDeque<Timestamp>);

/// A participant speaks too fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "limit reached: a participant can post {THREAD_POSTS_PER_MINUTE} messages per minute; wait {seconds} \
     seconds"
)]
pub struct TooFast {
    /// After so many it may speak again.
    pub seconds: u64,
}

impl Pace {
    /// Lets a participant speak now, and notes it; what is refused does not count.
    pub fn admit(&mut self, now: Timestamp) -> Result<(), TooFast> {
        self.check(now)?;
        self.0.push_back(now);
        Ok(())
    }

    /// Says whether a participant could speak now.
    pub fn check(&mut self, now: Timestamp) -> Result<(), TooFast> {
        self.0.retain(|at| is_recent(*at, now));
        if self.0.len() < THREAD_POSTS_PER_MINUTE {
            return Ok(());
        }
        let oldest = self.0.front().map_or(now.as_millis(), |at| at.as_millis());
        let wait = (oldest + MINUTE_MILLIS - now.as_millis()).clamp(1, MINUTE_MILLIS);
        Err(TooFast { seconds: wait.unsigned_abs().div_ceil(1000) })
    }

    /// Says whether it was quiet for so long that nothing needs to be remembered.
    pub fn is_quiet(&self, now: Timestamp) -> bool {
        !self.0.iter().any(|at| is_recent(*at, now))
    }
}

/// A clock that was set back harms no participant: posts that seem to come later do not count.
fn is_recent(at: Timestamp, now: Timestamp) -> bool {
    (0..MINUTE_MILLIS).contains(&(now.as_millis() - at.as_millis()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn a_flood_is_stopped_and_a_conversation_is_not() {
        let mut pace = Pace::default();
        let limit = THREAD_POSTS_PER_MINUTE as i64;
        assert!((0..limit).all(|number| pace.admit(at(number)).is_ok()));
        assert_eq!(pace.admit(at(30_000)), Err(TooFast { seconds: 30 }));
        assert_eq!(pace.admit(at(59_999)), Err(TooFast { seconds: 1 }));
        // What was refused did not count, and each that is a minute old makes place for one.
        assert_eq!(pace.admit(at(60_000)), Ok(()));
        assert!(pace.admit(at(60_000)).is_err());
        // One a second goes on for ever.
        let mut pace = Pace::default();
        assert!((0..10_000).all(|number| pace.admit(at(number * 60_000 / limit)).is_ok()));
    }

    #[test]
    fn a_clock_that_is_set_back_silences_nobody() {
        let mut pace = Pace::default();
        assert!((0..THREAD_POSTS_PER_MINUTE).all(|_| pace.admit(at(1_000_000)).is_ok()));
        assert!(!pace.is_quiet(at(1_000_000)));
        assert_eq!(pace.admit(at(0)), Ok(()));
        assert!(pace.is_quiet(at(60_000)));
    }
}
