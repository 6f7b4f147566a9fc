//! Why a turn failed, by the status that the model's server answered with and never by pi's words.

use std::time::Duration;

use paseo_core::time::Timestamp;

use super::parse::Failure;
use crate::provider::{Failed, FailureCode};

/// Returns why a request failed. Without a status there was no answer, or none to its end.
pub(super) fn failed(failure: &Failure, text: String, now: Timestamp) -> Failed {
    let code = match failure.status {
        Some(401) => FailureCode::NotLoggedIn,
        Some(429) => FailureCode::RateLimited,
        Some(500..=599) | None => FailureCode::ModelError,
        Some(_) => FailureCode::HarnessError,
    };
    let seconds = failure.retry_after.as_deref().and_then(|after| after.trim().parse::<u64>().ok());
    let until = seconds.filter(|_| code == FailureCode::RateLimited).map(|seconds| after(now, seconds));
    Failed { code, text, until }
}

fn after(now: Timestamp, seconds: u64) -> Timestamp {
    let millis = i64::try_from(Duration::from_secs(seconds).as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(now.as_millis().saturating_add(millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_decides_and_never_the_words() {
        let now = Timestamp::from_millis(1_000);
        let code = |status| {
            let failure = Failure { status, retry_after: None };
            failed(&failure, "401 Unauthorized, rate limit, 500".to_owned(), now).code
        };
        assert_eq!(code(Some(401)), FailureCode::NotLoggedIn);
        assert_eq!(code(Some(429)), FailureCode::RateLimited);
        assert_eq!(code(Some(503)), FailureCode::ModelError);
        assert_eq!(code(Some(404)), FailureCode::HarnessError);
        assert_eq!(code(None), FailureCode::ModelError);
    }

    #[test]
    fn a_limit_lasts_as_long_as_the_server_says() {
        let now = Timestamp::from_millis(1_000);
        let until = |status, after: &str| {
            let failure = Failure { status: Some(status), retry_after: Some(after.to_owned()) };
            failed(&failure, String::new(), now).until
        };
        assert_eq!(until(429, "60"), Some(Timestamp::from_millis(61_000)));
        assert_eq!(until(429, "soon"), None);
        assert_eq!(until(500, "60"), None);
    }
}
