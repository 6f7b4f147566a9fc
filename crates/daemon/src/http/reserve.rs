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
pub(super) struct Reserve(Arc<Mutex<State>>);

struct State {
    spare: Vec<File>,
    loans: usize,
}

/// File descriptors that one connection may use. They go back to the reserve when this is dropped.
pub(super) struct Loan(Reserve);

impl Reserve {
    pub(super) fn new() -> Self {
        let reserve = Self(Arc::new(Mutex::new(State { spare: Vec::with_capacity(RESERVE), loans: 0 })));
        reserve.refill();
        reserve
    }

    /// Frees enough file descriptors for one connection. `None` when there are not as many.
    pub(super) fn lend(&self) -> Option<Loan> {
        let mut state = self.0.lock();
        let left = state.spare.len().checked_sub(LOAN)?;
        state.spare.truncate(left);
        state.loans += 1;
        tracing::warn!(left, "out of file descriptors; serving a connection from the reserve");
        Some(Loan(self.clone()))
    }

    /// Says whether this process can open no further file.
    pub(super) fn is_needed() -> bool {
        open().is_none()
    }

    /// Fills the reserve up again, as far as possible. What is lent stays free for its connection.
    pub(super) fn refill(&self) {
        let mut state = self.0.lock();
        let full = RESERVE.saturating_sub(LOAN * state.loans);
        while state.spare.len() < full {
            let Some(file) = open() else { return };
            state.spare.push(file);
        }
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        self.0.0.lock().loans -= 1;
        self.0.refill();
    }
}

fn open() -> Option<File> {
    File::open("/dev/null").ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spare(reserve: &Reserve) -> usize {
        reserve.0.lock().spare.len()
    }

    #[test]
    fn a_reserve_is_lent_in_parts_and_filled_again() {
        let reserve = Reserve::new();
        let loans: Vec<_> = std::iter::from_fn(|| reserve.lend()).collect();
        assert_eq!((loans.len(), spare(&reserve)), (RESERVE / LOAN, 0));
        drop(loans);
        assert_eq!(spare(&reserve), RESERVE);
    }

    #[test]
    fn what_is_lent_is_not_taken_back_before_its_connection_ends() {
        let reserve = Reserve::new();
        let loan = reserve.lend();
        reserve.refill();
        assert_eq!(spare(&reserve), RESERVE - LOAN);
        drop(loan);
        assert_eq!(spare(&reserve), RESERVE);
    }
}
