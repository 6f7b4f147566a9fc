//! Whether an agent that is at work gets anywhere.

use paseo_wire::session::RetryView;
use paseo_wire::time::Moment;

/// A harness that says nothing for longer than this is called silent: models think, and commands run, for a while.
const SILENT_MS: i64 = 60_000;

/// What is known of a turn under way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signs {
    pub(crate) retry: Option<RetryView>,
    pub(crate) heard_at: Option<Moment>,
    pub(crate) now_ms: i64,
}

impl Signs {
    /// Returns the attempt that it is at. One that has said something is no longer worth a word.
    pub(crate) fn retry(self) -> Option<RetryView> {
        let spoke = |retry: &RetryView| {
            self.heard_at.is_some_and(|heard| heard.as_millis() > retry.since.as_millis())
        };
        self.retry.filter(|retry| !spoke(retry))
    }

    /// Says in a few words what keeps it, if anything does.
    pub(crate) fn told(self) -> Option<String> {
        if let Some(retry) = self.retry() {
            return Some(format!("{} for {}", attempt(retry), lasted(self.now_ms - retry.since.as_millis())));
        }
        let silent = self.now_ms - self.heard_at?.as_millis();
        (silent >= SILENT_MS).then(|| format!("silent for {}", lasted(silent)))
    }
}

/// Says which attempt it is.
pub(crate) fn attempt(retry: RetryView) -> String {
    match (retry.attempt, retry.of) {
        (Some(attempt), Some(of)) => format!("attempt {attempt} of {of}"),
        (Some(attempt), None) => format!("attempt {attempt}"),
        (None, _) => "another attempt".to_owned(),
    }
}

fn lasted(ms: i64) -> String {
    match ms.max(0) / 1000 {
        seconds @ ..60 => format!("{seconds}s"),
        seconds @ 60..3600 => format!("{}m", seconds / 60),
        seconds => format!("{}h", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn moment(second: u32) -> Moment {
        serde_json::from_value(json!(format!("2026-01-31T12:00:{second:02}.000Z"))).unwrap()
    }

    #[test]
    fn an_attempt_counts_until_it_says_something() {
        let retry = RetryView { attempt: Some(2), of: Some(5), since: moment(10) };
        let signs = |heard: u32| Signs {
            retry: Some(retry),
            heard_at: Some(moment(heard)),
            now_ms: moment(22).as_millis(),
        };
        assert_eq!(signs(10).told().as_deref(), Some("attempt 2 of 5 for 12s"));
        assert_eq!(signs(11).told(), None);
        assert_eq!(attempt(RetryView { of: None, ..retry }), "attempt 2");
        assert_eq!(attempt(RetryView { attempt: None, ..retry }), "another attempt");
    }

    #[test]
    fn a_minute_without_a_word_is_silence() {
        let signs =
            |ms: i64| Signs { retry: None, heard_at: Some(moment(0)), now_ms: moment(0).as_millis() + ms };
        assert_eq!(signs(59_999).told(), None);
        assert_eq!(signs(60_000).told().as_deref(), Some("silent for 1m"));
        assert_eq!(signs(7_300_000).told().as_deref(), Some("silent for 2h"));
    }
}
