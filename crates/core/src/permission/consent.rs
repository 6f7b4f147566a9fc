//! Consent on a screen: a decision counts once the request could have been read.

use crate::limits::CONSENT_MS;

/// Why a decision made on a screen does not count. The times are in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TooEarly {
    #[error("the request was displayed for only {shown_ms} ms; decisions are accepted after {CONSENT_MS} ms")]
    Shown { shown_ms: u64 },
    #[error("the request is only {age_ms} ms old; decisions on a screen are accepted after {CONSENT_MS} ms")]
    Young { age_ms: u64 },
}

/// Checks that a request was displayed long enough, by the clock of the client and by that of the daemon.
///
/// The client's word alone is not enough: a page whose clock is wrong must not turn a misclick into consent.
pub fn check_shown(shown_ms: u64, age_ms: u64) -> Result<(), TooEarly> {
    if shown_ms < CONSENT_MS {
        return Err(TooEarly::Shown { shown_ms });
    }
    if age_ms < CONSENT_MS {
        return Err(TooEarly::Young { age_ms });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_counts_after_half_a_second_by_both_clocks() {
        assert_eq!(check_shown(500, 500), Ok(()));
        assert_eq!(check_shown(u64::MAX, u64::MAX), Ok(()));
        assert_eq!(check_shown(499, 10_000), Err(TooEarly::Shown { shown_ms: 499 }));
        assert_eq!(check_shown(0, 0), Err(TooEarly::Shown { shown_ms: 0 }));
        assert_eq!(check_shown(10_000, 499), Err(TooEarly::Young { age_ms: 499 }));
    }
}
