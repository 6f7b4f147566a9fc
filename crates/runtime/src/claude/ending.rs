//! How a turn ended and what it cost, as the `result` line says it.

use paseo_core::item::Usage;
use paseo_core::time::Timestamp;

use super::parse::{RateLimitInfo, TurnResult};
use crate::provider::{Failed, FailureCode, TurnEnd};

/// What was said about failed requests in the course of a turn.
#[derive(Debug, Clone, Default)]
pub(super) struct Troubles {
    /// The program's own word for the last failure.
    pub code: Option<String>,
    pub status: Option<u64>,
    /// What the program said about it.
    pub text: Option<String>,
    /// A limit that is used up, and until when.
    pub limit: Option<Option<Timestamp>>,
}

impl Troubles {
    /// Notes what a limit says of itself.
    pub(super) fn note_limit(&mut self, info: &RateLimitInfo) {
        let until = info.resets_at.map(|seconds| Timestamp::from_millis(seconds.saturating_mul(1000)));
        self.limit = (info.status == "rejected").then_some(until);
    }
}

/// Says how a turn ended. `interrupting`: we asked for its end.
pub(super) fn end_of(result: &TurnResult, troubles: &Troubles, interrupting: bool) -> TurnEnd {
    let aborted = match &result.terminal_reason {
        Some(reason) => reason.starts_with("aborted"),
        // Older programs give no reason.
        None => interrupting && result.is_error,
    };
    if aborted {
        return TurnEnd::Interrupted;
    }
    if !result.is_error && result.subtype == "success" {
        return TurnEnd::Completed;
    }
    let code = code_of(result, troubles);
    let until = troubles.limit.flatten().filter(|_| code == FailureCode::RateLimited);
    TurnEnd::Failed(Failed { code, text: text_of(result, troubles), until })
}

/// Decides by status and codes, never by words.
fn code_of(result: &TurnResult, troubles: &Troubles) -> FailureCode {
    let status = result.api_error_status.or(troubles.status);
    let word = troubles.code.as_deref();
    match (status, word) {
        _ if troubles.limit.is_some() => FailureCode::RateLimited,
        (Some(429), _) => FailureCode::RateLimited,
        (Some(401 | 403), _) => FailureCode::NotLoggedIn,
        (Some(500..), _) => FailureCode::ModelError,
        (Some(_), _) => FailureCode::HarnessError,
        (None, Some("rate_limit")) => FailureCode::RateLimited,
        (None, Some("authentication_failed" | "oauth_org_not_allowed")) => FailureCode::NotLoggedIn,
        (None, Some("server_error" | "overloaded")) => FailureCode::ModelError,
        // A request that got no answer at all has no status.
        (None, None | Some("unknown")) if result.terminal_reason.as_deref() == Some("api_error") => {
            FailureCode::ModelError
        }
        (None, _) => FailureCode::HarnessError,
    }
}

fn text_of(result: &TurnResult, troubles: &Troubles) -> String {
    let said = [result.result.as_deref(), troubles.text.as_deref()].into_iter().flatten();
    let mut said = said.filter(|text| !text.trim().is_empty());
    match said.next() {
        Some(text) => text.to_owned(),
        None if !result.errors.is_empty() => result.errors.join("\n"),
        None => format!("Claude Code ended the turn with `{}`.", result.subtype),
    }
}

/// Returns what a turn used.
pub(super) fn usage(result: &TurnResult, cost_micros: Option<u64>) -> Usage {
    let tokens = result.usage;
    let input = tokens.input_tokens.saturating_add(tokens.cache_creation_input_tokens);
    Usage {
        input_tokens: input.saturating_add(tokens.cache_read_input_tokens),
        output_tokens: tokens.output_tokens,
        cached_tokens: tokens.cache_read_input_tokens,
        cost_micros,
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::TokenCount;
    use super::*;

    fn failed(status: Option<u64>, word: Option<&str>, reason: &str) -> FailureCode {
        let result = TurnResult {
            subtype: "success".into(),
            is_error: true,
            api_error_status: status,
            terminal_reason: Some(reason.into()),
            result: Some("Not logged in, rate limit, overloaded: words mean nothing".into()),
            ..TurnResult::default()
        };
        let troubles = Troubles { code: word.map(str::to_owned), ..Troubles::default() };
        match end_of(&result, &troubles, false) {
            TurnEnd::Failed(failed) => failed.code,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_failure_is_told_by_status_and_code() {
        assert_eq!(failed(Some(401), Some("authentication_failed"), "api_error"), FailureCode::NotLoggedIn);
        assert_eq!(failed(Some(403), None, "api_error"), FailureCode::NotLoggedIn);
        assert_eq!(failed(Some(429), Some("rate_limit"), "api_error"), FailureCode::RateLimited);
        assert_eq!(failed(Some(500), Some("server_error"), "api_error"), FailureCode::ModelError);
        assert_eq!(failed(Some(529), Some("overloaded"), "api_error"), FailureCode::ModelError);
        assert_eq!(failed(None, Some("server_error"), "api_error"), FailureCode::ModelError);
        assert_eq!(failed(None, Some("unknown"), "api_error"), FailureCode::ModelError);
        assert_eq!(failed(Some(400), Some("unknown"), "api_error"), FailureCode::HarnessError);
        assert_eq!(failed(None, None, "max_turns"), FailureCode::HarnessError);
    }

    #[test]
    fn a_used_up_limit_says_until_when() {
        let mut troubles = Troubles::default();
        troubles.note_limit(&RateLimitInfo { status: "allowed_warning".into(), ..RateLimitInfo::default() });
        assert_eq!(troubles.limit, None);
        let info = RateLimitInfo {
            status: "rejected".into(),
            resets_at: Some(1_794_749_490),
            ..RateLimitInfo::default()
        };
        troubles.note_limit(&info);
        let result = TurnResult { is_error: true, api_error_status: Some(429), ..TurnResult::default() };
        let TurnEnd::Failed(failed) = end_of(&result, &troubles, false) else { panic!("not failed") };
        assert_eq!(failed.code, FailureCode::RateLimited);
        assert_eq!(failed.until, Some(Timestamp::from_millis(1_794_749_490_000)));
    }

    #[test]
    fn an_aborted_turn_is_interrupted_and_not_failed() {
        for reason in ["aborted_streaming", "aborted_tools"] {
            let result = TurnResult {
                subtype: "error_during_execution".into(),
                is_error: true,
                terminal_reason: Some(reason.into()),
                ..TurnResult::default()
            };
            assert_eq!(end_of(&result, &Troubles::default(), true), TurnEnd::Interrupted);
        }
        let old = TurnResult { is_error: true, ..TurnResult::default() };
        assert_eq!(end_of(&old, &Troubles::default(), true), TurnEnd::Interrupted);
        assert!(matches!(end_of(&old, &Troubles::default(), false), TurnEnd::Failed(_)));
    }

    #[test]
    fn what_was_read_from_the_cache_counts_as_input() {
        let tokens = TokenCount {
            input_tokens: 2400,
            output_tokens: 10,
            cache_creation_input_tokens: 100,
            cache_read_input_tokens: 500,
        };
        let result = TurnResult { usage: tokens, ..TurnResult::default() };
        let expected =
            Usage { input_tokens: 3000, output_tokens: 10, cached_tokens: 500, cost_micros: Some(7500) };
        assert_eq!(usage(&result, Some(7500)), expected);
    }
}
