//! Why a turn failed, by the codes of codex and never by its words; and until when a limit is reached.

use paseo_core::time::Timestamp;
use serde_json::Value;

use super::parse::TurnError;
use crate::provider::{Failed, FailureCode, Retry};

/// What codex told about the limits of the account.
#[derive(Debug, Default)]
pub(super) struct Limits {
    windows: Vec<Window>,
}

#[derive(Debug)]
struct Window {
    name: &'static str,
    used_percent: f64,
    resets_at: Option<i64>,
}

impl Limits {
    /// Takes in the limits as the app server tells them or, in other letters, as they stand in a conversation's file.
    /// A window that they do not mention stays as it was.
    pub(super) fn update(&mut self, limits: &Value) {
        for name in ["primary", "secondary"] {
            let Some(window) = limits.get(name).filter(|window| window.is_object()) else { continue };
            let field = |told: &str, written: &str| window.get(told).or_else(|| window.get(written));
            self.windows.retain(|known| known.name != name);
            self.windows.push(Window {
                name,
                used_percent: field("usedPercent", "used_percent").and_then(Value::as_f64).unwrap_or(0.0),
                resets_at: field("resetsAt", "resets_at").and_then(Value::as_i64),
            });
        }
    }

    /// Returns when all windows that are used up are open again.
    fn until(&self) -> Option<Timestamp> {
        let used_up = self.windows.iter().filter(|window| window.used_percent >= 100.0);
        let seconds = used_up.filter_map(|window| window.resets_at).max()?;
        Some(Timestamp::from_millis(seconds.saturating_mul(1000)))
    }
}

/// Returns why a turn failed, `retried` being why its last request was tried again.
///
/// When a stream breaks once too often, codex calls it `other`; what it was is told with the retries.
pub(super) fn failed(error: &TurnError, retried: Option<&TurnError>, limits: &Limits) -> Failed {
    let told = retried.filter(|_| error.codex_error_info == "other").unwrap_or(error);
    let code = code(&told.codex_error_info);
    let until = limits.until().filter(|_| code == FailureCode::RateLimited);
    Failed { code, text: words(error), until }
}

/// Returns which attempt follows. Codex says so nowhere but at the end of its words: `Reconnecting... 1/5`.
pub(super) fn retry(error: &TurnError) -> Retry {
    let counted = error.message.rsplit(' ').next().and_then(|last| last.split_once('/'));
    let (attempt, of) = counted.unwrap_or_default();
    match (attempt.parse(), of.parse()) {
        (Ok(attempt), Ok(of)) => Retry { attempt: Some(attempt), of: Some(of) },
        _ => Retry::default(),
    }
}

/// Returns what codex said about an error.
pub(super) fn words(error: &TurnError) -> String {
    match error.additional_details.as_deref().filter(|details| !details.is_empty()) {
        Some(details) => format!("{}: {details}", error.message),
        None => error.message.clone(),
    }
}

fn code(info: &Value) -> FailureCode {
    let word = match info {
        Value::Object(info) => info.keys().next().map(String::as_str),
        info => info.as_str(),
    };
    let status = info.as_object().and_then(|info| info.values().next()?.get("httpStatusCode")?.as_u64());
    match (word, status) {
        (Some("unauthorized"), _) | (_, Some(401)) => FailureCode::NotLoggedIn,
        (Some("usageLimitExceeded" | "rateLimitExceeded"), _) | (_, Some(429)) => FailureCode::RateLimited,
        (_, Some(500..=599)) => FailureCode::ModelError,
        (_, Some(400..=499)) => FailureCode::HarnessError,
        (
            Some(
                "serverOverloaded"
                | "internalServerError"
                | "flexUnavailable"
                | "httpConnectionFailed"
                | "responseStreamConnectionFailed"
                | "responseStreamDisconnected"
                | "responseTooManyFailedAttempts",
            ),
            _,
        ) => FailureCode::ModelError,
        _ => FailureCode::HarnessError,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn codes_decide_and_words_do_not() {
        for (info, expected) in [
            (json!("unauthorized"), FailureCode::NotLoggedIn),
            (json!({"httpConnectionFailed": {"httpStatusCode": 401}}), FailureCode::NotLoggedIn),
            (json!("usageLimitExceeded"), FailureCode::RateLimited),
            (json!("rateLimitExceeded"), FailureCode::RateLimited),
            (json!({"responseTooManyFailedAttempts": {"httpStatusCode": 429}}), FailureCode::RateLimited),
            (json!({"responseTooManyFailedAttempts": {"httpStatusCode": 502}}), FailureCode::ModelError),
            (json!({"responseStreamDisconnected": {"httpStatusCode": null}}), FailureCode::ModelError),
            (json!({"httpConnectionFailed": {"httpStatusCode": null}}), FailureCode::ModelError),
            (json!({"httpConnectionFailed": {"httpStatusCode": 404}}), FailureCode::HarnessError),
            (json!("serverOverloaded"), FailureCode::ModelError),
            (json!("internalServerError"), FailureCode::ModelError),
            (json!("contextWindowExceeded"), FailureCode::HarnessError),
            (json!("other"), FailureCode::HarnessError),
            (json!({"somethingNew": 1}), FailureCode::HarnessError),
            (Value::Null, FailureCode::HarnessError),
        ] {
            let error = TurnError {
                message: "unexpected status 401 Unauthorized, usage limit".into(),
                codex_error_info: info.clone(),
                additional_details: None,
            };
            assert_eq!(failed(&error, None, &Limits::default()).code, expected, "{info}");
        }
    }

    #[test]
    fn what_broke_once_too_often_is_what_was_retried() {
        let error = |info| TurnError { codex_error_info: info, ..TurnError::default() };
        let broken = error(json!({"responseStreamDisconnected": {"httpStatusCode": null}}));
        let code = |info, retried| failed(&error(info), retried, &Limits::default()).code;
        assert_eq!(code(json!("other"), Some(&broken)), FailureCode::ModelError);
        assert_eq!(code(json!("other"), None), FailureCode::HarnessError);
        assert_eq!(code(json!("contextWindowExceeded"), Some(&broken)), FailureCode::HarnessError);
    }

    #[test]
    fn a_limit_lasts_until_the_last_window_that_is_used_up_opens() {
        let mut limits = Limits::default();
        limits.update(&json!({
            "primary": {"usedPercent": 100, "resetsAt": 2000}, "secondary": {"usedPercent": 40, "resetsAt": 9000},
        }));
        limits.update(&json!({"primary": null, "secondary": null}));
        let error = |info| TurnError { codex_error_info: info, ..TurnError::default() };
        let until = |limits: &Limits, info| failed(&error(info), None, limits).until;
        assert_eq!(until(&limits, json!("usageLimitExceeded")), Some(Timestamp::from_millis(2_000_000)));
        assert_eq!(until(&limits, json!("other")), None);
        limits.update(&json!({"primary": {"usedPercent": 3, "resetsAt": 2000}}));
        assert_eq!(until(&limits, json!("usageLimitExceeded")), None);
        limits.update(&json!({"secondary": {"used_percent": 100.0, "resets_at": 3000}}));
        assert_eq!(until(&limits, json!("usageLimitExceeded")), Some(Timestamp::from_millis(3_000_000)));
    }
}
