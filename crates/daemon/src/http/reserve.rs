//! A reserve of file descriptors. When there is no other left, people can still ask the daemon what is wrong.

use std::fs::File;
use std::sync::Arc;

use parking_lot::Mutex;

/// File descriptors in the reserve.
const RESERVE: usize = 32;
/// How many one connection needs: its own, and some to find out who it is and to answer.
const LOAN: usize = 4;

/// Files that are open only to be closed. Cheap to clone.
#[derive(Clone)]
pub(super) struct Reserve(Arc<Mutex<Vec<File>>>);

impl Reserve {
    pub(super) fn new() -> Self {
        let reserve = Self(Arc::new(Mutex::new(Vec::with_capacity(RESERVE))));
        reserve.refill();
        reserve
    }

    /// Frees enough file descriptors for one connection. False when there are not as many.
    pub(super) fn lend(&self) -> bool {
        let mut files = self.0.lock();
        match files.len().checked_sub(LOAN) {
            Some(left) => {
                files.truncate(left);
                tracing::warn!(left, "out of file descriptors: accepting a connection from the reserve");
                true
            }
            None => false,
        }
    }

    /// Fills the reserve up again, as far as possible.
    pub(super) fn refill(&self) {
        let mut files = self.0.lock();
        while files.len() < RESERVE {
            let Ok(file) = File::open("/dev/null") else { return };
            files.push(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reserve_is_lent_in_parts_and_filled_again() {
        let reserve = Reserve::new();
        let lent = (0..).take_while(|_| reserve.lend()).count();
        assert_eq!((lent, reserve.0.lock().len()), (RESERVE / LOAN, 0));
        reserve.refill();
        assert_eq!(reserve.0.lock().len(), RESERVE);
    }
}
