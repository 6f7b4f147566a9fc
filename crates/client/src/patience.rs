//! How long a daemon that is away is waited for.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::{Client, Error};

/// Longer than any restart takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
const FIRST_PAUSE: Duration = Duration::from_millis(25);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// A time without a daemon, while it lasts.
#[derive(Debug, Default)]
pub(crate) struct Outage {
    since: Option<Instant>,
    failures: u32,
    /// When to try again.
    next: Option<Instant>,
}

impl Outage {
    /// Notes that the daemon did not answer. Gives the error back when it is no use to try again.
    pub(crate) fn note(&mut self, error: Error, patience: Duration) -> Result<(), Error> {
        let now = Instant::now();
        let since = *self.since.get_or_insert(now);
        if !error.is_passing() || now.duration_since(since) >= patience {
            return Err(error);
        }
        self.failures += 1;
        // The last attempt is made when the time is up, not a pause before that.
        self.next = Some((now + pause(self.failures)).min(since + patience));
        Ok(())
    }

    /// Waits until it is time to try again. May be cancelled.
    pub(crate) async fn pause(&self) {
        if let Some(next) = self.next {
            sleep_until(next).await;
        }
    }

    /// Says whether the daemon is away.
    pub(crate) fn lasts(&self) -> bool {
        self.since.is_some()
    }
}

impl Client {
    /// Asks until there is an answer: a daemon that is away may come back, within the client's patience.
    ///
    /// For requests that may be repeated.
    pub async fn insist<T, F>(&self, mut ask: impl FnMut() -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let mut outage = Outage::default();
        loop {
            match ask().await {
                Ok(answer) => return Ok(answer),
                Err(error) => outage.note(error, self.patience())?,
            }
            outage.pause().await;
        }
    }
}

fn pause(failures: u32) -> Duration {
    FIRST_PAUSE.saturating_mul(1 << failures.saturating_sub(1).min(10)).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    fn away() -> Error {
        Error::Unreachable { target: "here".to_owned(), reason: io::ErrorKind::NotFound.into() }
    }

    #[test]
    fn pauses_grow_up_to_a_bound() {
        let all: Vec<Duration> = (1..=16).map(pause).collect();
        assert!(all.is_sorted());
        assert_eq!((all[0], all[15]), (FIRST_PAUSE, LONGEST_PAUSE));
    }

    #[tokio::test]
    async fn patience_ends_and_what_will_not_pass_ends_it_at_once() {
        let mut outage = Outage::default();
        assert!(outage.note(away(), PATIENCE).is_ok() && outage.lasts());
        assert!(outage.note(away(), Duration::ZERO).is_err());
        assert!(Outage::default().note(Error::Protocol(String::new()), PATIENCE).is_err());
    }
}
