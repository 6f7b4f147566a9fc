//! How the APIs fail: the bodies and headers that the harnesses read.

use std::time::{SystemTime, UNIX_EPOCH};

use axum::Json;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::script::Status;

/// Whose words a failure is told in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Anthropic,
    OpenAi,
    Google,
}

/// Writes a failure.
pub(super) fn respond(status: &Status, dialect: Dialect) -> Response {
    let resets_at = status.reset.map(|seconds| now() + seconds);
    let mut headers = HeaderMap::new();
    if let Some(seconds) = status.retry_after {
        headers.insert("retry-after", seconds.into());
    }
    let body = match dialect {
        Dialect::Anthropic => {
            if let Some(at) = resets_at {
                headers.insert("anthropic-ratelimit-unified-status", HeaderValue::from_static("rejected"));
                headers.insert("anthropic-ratelimit-unified-reset", at.into());
                let claim = HeaderValue::from_static("five_hour");
                headers.insert("anthropic-ratelimit-unified-representative-claim", claim);
            }
            anthropic(status)
        }
        Dialect::OpenAi => {
            if let Some(at) = resets_at {
                headers.insert("x-codex-primary-used-percent", HeaderValue::from_static("100"));
                headers.insert("x-codex-primary-window-minutes", HeaderValue::from_static("300"));
                headers.insert("x-codex-primary-reset-at", at.into());
            }
            openai(status, resets_at)
        }
        Dialect::Google => google(status),
    };
    let code = StatusCode::from_u16(status.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (code, headers, Json(body)).into_response()
}

fn anthropic(status: &Status) -> Value {
    let (kind, message) = match status.code {
        401 => ("authentication_error", "invalid x-api-key"),
        403 => ("permission_error", "Your account does not have permission to use this resource"),
        404 => ("not_found_error", "model not found"),
        413 => ("request_too_large", "Request exceeds the maximum size"),
        429 => (
            "rate_limit_error",
            "This request would exceed your account's rate limit. Please try again later.",
        ),
        529 => ("overloaded_error", "Overloaded"),
        500..=599 => ("api_error", "Internal server error"),
        _ => ("invalid_request_error", "scripted failure"),
    };
    let message = status.message.as_deref().unwrap_or(message);
    json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "req_scripted" })
}

fn openai(status: &Status, resets_at: Option<u64>) -> Value {
    let (kind, code, message) = match status.code {
        401 => ("invalid_request_error", Some("invalid_api_key"), "Incorrect API key provided."),
        // A plan that is used up, as opposed to too many requests at once.
        429 if resets_at.is_some() => ("usage_limit_reached", None, "The usage limit has been reached"),
        429 => ("requests", Some("rate_limit_exceeded"), "Rate limit reached. Please try again later."),
        500..=599 => ("server_error", None, "The server had an error while processing your request."),
        _ => ("invalid_request_error", None, "scripted failure"),
    };
    let message = status.message.as_deref().unwrap_or(message);
    let mut error = json!({ "type": kind, "code": code, "message": message, "param": null });
    if let Some(at) = resets_at {
        error["plan_type"] = "pro".into();
        error["resets_at"] = at.into();
    }
    json!({ "error": error })
}

fn google(status: &Status) -> Value {
    let (word, message) = match status.code {
        400 => ("INVALID_ARGUMENT", "scripted failure"),
        401 => ("UNAUTHENTICATED", "API key not valid. Please pass a valid API key."),
        403 => ("PERMISSION_DENIED", "The caller does not have permission"),
        404 => ("NOT_FOUND", "model not found"),
        429 => ("RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
        503 => ("UNAVAILABLE", "The model is overloaded. Please try again later."),
        500..=599 => ("INTERNAL", "An internal error has occurred."),
        _ => ("UNKNOWN", "scripted failure"),
    };
    let message = status.message.as_deref().unwrap_or(message);
    json!({ "error": { "code": status.code, "message": message, "status": word } })
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map(|since| since.as_secs()).unwrap_or_default()
}
