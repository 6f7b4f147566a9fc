//! The clock that leases run on.

use std::time::Duration;

use paseo_core::time::Timestamp;
use rustix::time::{ClockId, clock_gettime};

use crate::mint;

/// Goes on with the machine, asleep or awake, whatever happens to its wall clock: no lease ends, or lasts, because
/// the system time is changed. Between two runs of the daemon it never goes back behind what was noted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    began: Timestamp,
    at: Duration,
}

impl Clock {
    /// Starts it, not before a time.
    pub(super) fn not_before(noted: Timestamp) -> Self {
        Self { began: mint::now().max(noted), at: since_boot() }
    }

    /// Returns the present.
    pub(super) fn now(&self) -> Timestamp {
        let passed = since_boot().saturating_sub(self.at).as_millis();
        Timestamp::from_millis(self.began.as_millis() + i64::try_from(passed).unwrap_or(i64::MAX / 2))
    }
}

fn since_boot() -> Duration {
    let time = clock_gettime(ClockId::Boottime);
    let (seconds, nanos) =
        (u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0));
    Duration::new(seconds, nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_on_and_never_behind_what_was_noted() {
        let later = Timestamp::from_millis(mint::now().as_millis() + 3_600_000);
        let clock = Clock::not_before(later);
        let (one, other) = (clock.now(), clock.now());
        assert!(later <= one && one <= other && other.as_millis() < later.as_millis() + 60_000);
    }
}
