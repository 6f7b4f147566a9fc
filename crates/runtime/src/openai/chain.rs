//! Which model is asked next, and when not to ask any more. Pure: decided by status codes, never by words.

use std::time::Duration;

use paseo_core::backoff::Schedule;
use paseo_core::time::Timestamp;

use super::request::Refusal;
use crate::provider::FailureCode;

/// How often one request is sent to a server that fails.
const SCHEDULE: Schedule =
    Schedule { attempts: 5, first: Duration::from_millis(500), longest: Duration::from_secs(8) };
/// How often it is sent again.
pub(super) const RETRIES: u32 = SCHEDULE.attempts - 1;
/// Default rest of a model whose limit is reached.
const LIMITED: i64 = 60_000;
/// How long a model rests that does not exist, or not for this key.
const REFUSED: i64 = 5 * 60_000;
/// Longest rest of a model.
const LONGEST: i64 = 30 * 24 * 60 * 60_000;

/// What to do after a request came to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next {
    /// The same again, after a pause.
    Again {
        number: u32,
        pause: Duration,
    },
    /// The conversation may be too long for the model: summarise, then the same again.
    Compact,
    /// Another model.
    Switch {
        to: usize,
    },
    Fail {
        code: FailureCode,
        until: Option<Timestamp>,
    },
}

/// The models in the order in which they are tried.
#[derive(Debug)]
pub(super) struct Chain {
    /// Until when each is left alone.
    resting: Vec<Option<Timestamp>>,
    current: usize,
    /// Those that were asked for this answer, in vain.
    tried: Vec<usize>,
    retries: u32,
    compacted: bool,
}

impl Chain {
    pub(super) fn new(models: usize) -> Self {
        Self { resting: vec![None; models], current: 0, tried: Vec::new(), retries: 0, compacted: false }
    }

    /// Returns which model is asked.
    pub(super) fn current(&self) -> usize {
        self.current
    }

    /// Begins a turn: with the first model that does not rest. When all do, with the first: things may have changed.
    pub(super) fn begin(&mut self, now: Timestamp) {
        let awake = |until: &Option<Timestamp>| until.is_none_or(|until| until <= now);
        self.current = self.resting.iter().position(awake).unwrap_or(0);
        self.compacted = false;
        self.answered();
    }

    /// Takes in that there was an answer.
    pub(super) fn answered(&mut self) {
        self.tried.clear();
        self.retries = 0;
    }

    /// Says what to do about a refusal. `compactable`: the conversation could be made shorter.
    /// `jitter` is random.
    pub(super) fn refused(
        &mut self,
        refusal: &Refusal,
        compactable: bool,
        now: Timestamp,
        jitter: u32,
    ) -> Next {
        if refusal.is_passing()
            && let Some(pause) = SCHEDULE.wait(self.retries + 1, jitter, refusal.retry_after())
        {
            self.retries += 1;
            return Next::Again { number: self.retries, pause };
        }
        if refusal.may_be_too_long() && compactable && !self.compacted {
            self.compacted = true;
            return Next::Compact;
        }
        let until = self.rest(refusal, now);
        self.tried.push(self.current);
        self.retries = 0;
        let untried = |place: &usize| !self.tried.contains(place);
        let awake = |place: &usize| self.resting[*place].is_none_or(|until| until <= now);
        let places = || (0..self.resting.len()).filter(untried);
        match places().find(awake).or_else(|| places().next()) {
            Some(to) => {
                self.current = to;
                Next::Switch { to }
            }
            None => Next::Fail { code: refusal.code(), until },
        }
    }

    /// Lets a model rest that would refuse again. Returns until when its limit is reached, when it said so.
    fn rest(&mut self, refusal: &Refusal, now: Timestamp) -> Option<Timestamp> {
        let later = |millis: i64| Timestamp::from_millis(now.as_millis().saturating_add(millis.min(LONGEST)));
        let Refusal::Status { status, retry_after, .. } = refusal else { return None };
        let told = retry_after.map(|wait| later(i64::try_from(wait.as_millis()).unwrap_or(LONGEST)));
        self.resting[self.current] = match status {
            429 => Some(told.unwrap_or_else(|| later(LIMITED))),
            401..=404 => Some(later(REFUSED)),
            _ => None,
        };
        told.filter(|_| *status == 429)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn status(status: u16) -> Refusal {
        Refusal::Status { status, retry_after: None, words: String::new() }
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn what_passes_is_tried_again_with_longer_and_longer_pauses() {
        let mut chain = Chain::new(1);
        let pauses: Vec<Next> = (0..5).map(|_| chain.refused(&status(503), true, at(0), u32::MAX)).collect();
        let again = |number, pause| Next::Again { number, pause: Duration::from_millis(pause) };
        assert_eq!(pauses[..4], [again(1, 500), again(2, 1000), again(3, 2000), again(4, 4000)]);
        assert_eq!(pauses[4], Next::Fail { code: FailureCode::ModelError, until: None });
    }

    #[test]
    fn the_next_model_is_asked_before_anything_fails() {
        for code in [400, 401, 402, 403, 404, 413, 422, 429, 302] {
            let mut chain = Chain::new(2);
            assert_eq!(chain.refused(&status(code), false, at(0), 0), Next::Switch { to: 1 }, "{code}");
            assert!(matches!(chain.refused(&status(code), false, at(0), 0), Next::Fail { .. }), "{code}");
        }
    }

    #[test]
    fn a_code_says_what_kind_of_failure_it_is() {
        for (code, expected) in [
            (401, FailureCode::NotLoggedIn),
            (403, FailureCode::NotLoggedIn),
            (429, FailureCode::RateLimited),
            (404, FailureCode::HarnessError),
            (400, FailureCode::HarnessError),
        ] {
            let next = Chain::new(1).refused(&status(code), false, at(0), 0);
            assert_eq!(next, Next::Fail { code: expected, until: None }, "{code}");
        }
    }

    #[test]
    fn a_limit_says_until_when_and_the_model_rests_so_long() {
        let limited =
            Refusal::Status { status: 429, retry_after: Some(Duration::from_secs(60)), words: String::new() };
        let mut chain = Chain::new(1);
        let until = Some(at(61_000));
        assert_eq!(
            chain.refused(&limited, false, at(1000), 0),
            Next::Fail { code: FailureCode::RateLimited, until }
        );
        let mut chain = Chain::new(2);
        chain.refused(&limited, false, at(1000), 0);
        chain.begin(at(60_000));
        assert_eq!(chain.current(), 1);
        chain.begin(at(61_000));
        assert_eq!(chain.current(), 0);
    }

    #[test]
    fn a_conversation_is_made_shorter_once_in_a_turn() {
        let mut chain = Chain::new(1);
        assert_eq!(chain.refused(&status(400), true, at(0), u32::MAX), Next::Compact);
        assert!(matches!(chain.refused(&status(400), true, at(0), u32::MAX), Next::Fail { .. }));
        chain.begin(at(0));
        assert_eq!(chain.refused(&status(413), true, at(0), u32::MAX), Next::Compact);
        assert!(matches!(Chain::new(1).refused(&status(404), true, at(0), u32::MAX), Next::Fail { .. }));
    }

    proptest! {
        #[test]
        fn it_always_comes_to_an_end(
            models in 1_usize..5,
            codes in proptest::collection::vec(200_u16..600, 60),
            compactable: bool,
        ) {
            let mut chain = Chain::new(models);
            let end = codes.iter().position(|code| {
                matches!(chain.refused(&status(*code), compactable, at(0), 0), Next::Fail { .. })
            });
            prop_assert!(end.is_some_and(|end| end <= models * 6));
        }
    }
}
