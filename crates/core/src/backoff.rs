//! When something that failed is tried again: later each time, never in step with others, and not for ever.

use std::time::Duration;

/// How often, and how far apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// How often it is tried in all.
    pub attempts: u32,
    /// The wait after the first attempt; each one after it is twice as long.
    pub first: Duration,
    /// The longest wait, whatever the other side asks for.
    pub longest: Duration,
}

impl Schedule {
    /// Returns how long to wait after this many attempts, or `None` when that was the last one.
    ///
    /// `jitter` is random: it takes off up to half of the wait, so that many who failed at once do not come back at
    /// once. `asked` is what the other side wants to be left alone for, and never cut short but by the longest wait.
    pub fn wait(&self, made: u32, jitter: u32, asked: Option<Duration>) -> Option<Duration> {
        if made >= self.attempts {
            return None;
        }
        let doubled = 1u32.checked_shl(made.saturating_sub(1)).unwrap_or(u32::MAX);
        let whole = self.first.saturating_mul(doubled).min(self.longest);
        let half = whole / 2;
        let own = half + half.mul_f64(f64::from(jitter) / f64::from(u32::MAX));
        Some(own.max(asked.unwrap_or_default()).min(self.longest))
    }

    /// Returns the longest that all attempts together may be apart.
    pub fn span(&self) -> Duration {
        (1..self.attempts).filter_map(|made| self.wait(made, u32::MAX, None)).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SCHEDULE: Schedule =
        Schedule { attempts: 9, first: Duration::from_secs(1), longest: Duration::from_secs(120) };

    #[test]
    fn waits_double_and_end() {
        let waits: Vec<_> = (1..10).map(|made| SCHEDULE.wait(made, u32::MAX, None)).collect();
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let expected = [1, 2, 4, 8, 16, 32, 64, 120].map(seconds).into_iter().chain([None]);
        assert_eq!(waits, expected.collect::<Vec<_>>());
        assert_eq!(SCHEDULE.span(), Duration::from_secs(247));
    }

    #[test]
    fn what_the_other_side_asks_for_counts_up_to_the_longest_wait() {
        let asked = |seconds| SCHEDULE.wait(1, 0, Some(Duration::from_secs(seconds)));
        assert_eq!(asked(30), Some(Duration::from_secs(30)));
        assert_eq!(asked(0), Some(Duration::from_millis(500)));
        assert_eq!(asked(86_400), Some(Duration::from_secs(120)));
    }

    proptest! {
        #[test]
        fn jitter_takes_off_at_most_half(made in 1u32..9, jitter: u32) {
            let whole = SCHEDULE.wait(made, u32::MAX, None).unwrap();
            let wait = SCHEDULE.wait(made, jitter, None).unwrap();
            prop_assert!(wait <= whole && wait >= whole / 2);
        }

        #[test]
        fn any_schedule_ends(attempts: u32, first in 0u64..u64::MAX, longest in 0u64..u64::MAX, made: u32, jitter: u32) {
            let schedule = Schedule {
                attempts,
                first: Duration::from_millis(first),
                longest: Duration::from_millis(longest),
            };
            let wait = schedule.wait(made, jitter, None);
            prop_assert_eq!(wait.is_some(), made < attempts);
            prop_assert!(wait.unwrap_or_default() <= schedule.longest);
        }
    }
}
