//! One-time codes: how a browser becomes a device.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::mint;

/// How long a code is good for.
pub(crate) const LIFETIME: Duration = Duration::from_secs(paseo_core::limits::LOGIN_SECONDS);
/// Codes that may be open at once; the oldest goes first.
const OPEN: usize = 16;
/// Wrong codes that are answered alike within [`LIFETIME`]. A code cannot be guessed; this keeps the noise down.
const MISTAKES: usize = 30;

/// The codes that are open. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Logins(Arc<Mutex<Open>>);

#[derive(Default)]
struct Open {
    /// By the hash of the code, with the moment it ends.
    codes: HashMap<[u8; 32], Instant>,
    mistakes: Vec<Instant>,
}

/// What a code is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Worth {
    /// It was good, and is used up now.
    Good,
    /// It was used, has ended, or never was.
    Nothing,
    /// It was nothing, and too many wrong ones came before.
    NotNow,
}

impl Logins {
    /// Opens a code.
    pub(crate) fn open(&self, code: &str) {
        let mut open = self.0.lock();
        let now = Instant::now();
        open.codes.retain(|_, ends| *ends > now);
        if open.codes.len() >= OPEN
            && let Some(oldest) = open.codes.iter().min_by_key(|(_, ends)| **ends).map(|(hash, _)| *hash)
        {
            open.codes.remove(&oldest);
        }
        open.codes.insert(mint::sha256(code.as_bytes()), now + LIFETIME);
    }

    /// Uses a code up.
    pub(crate) fn redeem(&self, code: &str) -> Worth {
        let mut open = self.0.lock();
        let now = Instant::now();
        open.mistakes.retain(|at| now.duration_since(*at) < LIFETIME);
        match open.codes.remove(&mint::sha256(code.as_bytes())) {
            // Also after many wrong ones: an attacker must not lock the others out.
            Some(ends) if ends > now => Worth::Good,
            Some(_) | None if open.mistakes.len() >= MISTAKES => Worth::NotNow,
            Some(_) | None => {
                open.mistakes.push(now);
                Worth::Nothing
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_code_is_good_once_and_for_five_minutes() {
        let logins = Logins::default();
        logins.open("a");
        assert_eq!(logins.redeem("a"), Worth::Good);
        assert_eq!(logins.redeem("a"), Worth::Nothing);
        logins.open("b");
        tokio::time::advance(LIFETIME - Duration::from_secs(1)).await;
        logins.open("c");
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(logins.redeem("b"), Worth::Nothing);
        assert_eq!(logins.redeem("c"), Worth::Good);
    }

    #[tokio::test(start_paused = true)]
    async fn guessing_is_cut_off_and_locks_nobody_out() {
        let logins = Logins::default();
        logins.open("right");
        for n in 0..MISTAKES {
            assert_eq!(logins.redeem(&n.to_string()), Worth::Nothing);
        }
        assert_eq!(logins.redeem("one more"), Worth::NotNow);
        assert_eq!(logins.redeem("right"), Worth::Good);
        tokio::time::advance(LIFETIME).await;
        assert_eq!(logins.redeem("one more"), Worth::Nothing);
    }

    #[tokio::test]
    async fn only_so_many_codes_are_open() {
        let logins = Logins::default();
        for n in 0..=OPEN {
            logins.open(&n.to_string());
        }
        assert_eq!(logins.redeem("0"), Worth::Nothing);
        assert_eq!(logins.redeem(&OPEN.to_string()), Worth::Good);
    }
}
