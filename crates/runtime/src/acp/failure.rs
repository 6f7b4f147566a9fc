//! Why something failed, by the codes of the agent and never by its words.

use serde_json::{Map, Value};

use super::parse::{AUTH_REQUIRED, RpcError, text};
use crate::provider::{Failed, FailureCode};

/// Where agents put what went wrong, within the `data` of an error.
const DETAILS: [&str; 7] = ["details", "detail", "message", "errorMessage", "reason", "error", "cause"];
/// How many characters of it are shown.
const LONGEST: usize = 2_000;

/// Returns what an error of the agent comes to.
pub(super) fn failed(agent: &str, error: &RpcError, logins: &[String]) -> Failed {
    let code = code(error);
    let said = words(error);
    let text = match (&code, logins) {
        (FailureCode::NotLoggedIn, []) => format!("{agent} needs a login: {said}"),
        (FailureCode::NotLoggedIn, logins) => {
            format!("{agent} needs a login: {said}\nLogin methods: {}", logins.join("; "))
        }
        _ => format!("{agent}: {said}"),
    };
    Failed { code, text, until: None }
}

/// Returns what an error says, with its details: many agents keep what went wrong out of the message.
pub(super) fn words(error: &RpcError) -> String {
    let message = match error.message.trim() {
        "" => format!("error {}", error.code),
        // Gemini passes on what the model server said, as it came.
        message => serde_json::from_str::<Value>(message)
            .ok()
            .filter(Value::is_object)
            .and_then(|data| details(&data))
            .unwrap_or_else(|| message.to_owned()),
    };
    match details(&error.data) {
        Some(details) if message.contains(&details) => message,
        Some(details) if details.contains(&message) => details,
        Some(details) => format!("{message}: {details}"),
        None => message,
    }
}

/// Returns the details of an error, cut to what a person reads. JSON-RPC leaves their shape to the agents.
fn details(data: &Value) -> Option<String> {
    let whole = match data {
        Value::Null => return None,
        Value::String(words) => words.trim().to_owned(),
        Value::Object(fields) => {
            let told = DETAILS.iter().find_map(|name| details(fields.get(*name)?));
            let rest = || {
                // The ways to log in are told apart from it.
                let rest = fields.iter().filter(|(name, _)| *name != "authMethods");
                let rest: Map<String, Value> =
                    rest.map(|(name, value)| (name.clone(), value.clone())).collect();
                if rest.is_empty() { String::new() } else { Value::Object(rest).to_string() }
            };
            told.unwrap_or_else(rest)
        }
        other => other.to_string(),
    };
    let cut: String = whole.chars().take(LONGEST).collect();
    let shown = if cut.len() < whole.len() { format!("{cut} …") } else { cut };
    (!shown.is_empty()).then_some(shown)
}

/// Returns a failure without a code of the agent.
pub(super) fn broken(text: String) -> Failed {
    Failed { code: FailureCode::HarnessError, text, until: None }
}

fn code(error: &RpcError) -> FailureCode {
    if error.code == AUTH_REQUIRED {
        return FailureCode::NotLoggedIn;
    }
    // Some give the status of the model server as the code, others beside it.
    let beside =
        ["statusCode", "status", "httpStatusCode"].iter().find_map(|field| error.data.get(field)?.as_i64());
    let status = beside.or_else(|| details(&error.data).as_deref().and_then(leading_status));
    match status.unwrap_or(error.code) {
        401 | 403 => FailureCode::NotLoggedIn,
        429 => FailureCode::RateLimited,
        500..=599 => FailureCode::ModelError,
        _ => by_name(&error.data),
    }
}

/// Returns the status of the model server that details begin with, as qwen's do: `401 Incorrect API key`.
fn leading_status(details: &str) -> Option<i64> {
    let (number, _) = details.split_once(' ')?;
    let status = number.parse().ok().filter(|status| (400..600).contains(status))?;
    (number.len() == 3).then_some(status)
}

/// Opencode names its errors.
fn by_name(data: &Value) -> FailureCode {
    match text(data, "errorName") {
        "ProviderAuthError" => FailureCode::NotLoggedIn,
        "APIError" => FailureCode::ModelError,
        _ => FailureCode::HarnessError,
    }
}

/// Returns the ways to log in that an agent offers, in words.
pub(super) fn logins(methods: &Value) -> Vec<String> {
    let methods = methods.as_array().map(Vec::as_slice).unwrap_or_default();
    let words = methods.iter().map(|method| match (text(method, "name"), text(method, "description")) {
        (name, "") => name.to_owned(),
        (name, description) => format!("{name} ({description})"),
    });
    words.filter(|words| !words.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn codes_decide_and_words_do_not() {
        let of = |code: i64, data: Value| {
            failed("x", &RpcError { code, message: "401 rate limit login".to_owned(), data }, &[]).code
        };
        assert_eq!(of(-32000, Value::Null), FailureCode::NotLoggedIn);
        assert_eq!(of(429, Value::Null), FailureCode::RateLimited);
        assert_eq!(of(-32603, json!({ "statusCode": 401 })), FailureCode::NotLoggedIn);
        assert_eq!(of(-32603, json!({ "status": 503 })), FailureCode::ModelError);
        assert_eq!(of(-32603, json!({ "errorName": "APIError" })), FailureCode::ModelError);
        assert_eq!(of(-32603, Value::Null), FailureCode::HarnessError);
        assert_eq!(of(-32603, json!({ "details": "401 bad key" })), FailureCode::NotLoggedIn);
        assert_eq!(of(-32603, json!({ "details": "the code is 401 " })), FailureCode::HarnessError);
    }

    #[test]
    fn details_are_told_whatever_their_shape_and_only_once() {
        let told =
            |message: &str, data: Value| words(&RpcError { code: -32603, message: message.into(), data });
        let why = "--dangerously-skip-permissions cannot be used with root";
        for data in [
            json!({ "details": why }),
            json!(why),
            json!({ "message": why, "service": "x" }),
            json!({ "error": { "code": 400, "message": why } }),
        ] {
            assert_eq!(told("Internal error", data), format!("Internal error: {why}"));
        }
        assert_eq!(told("Internal error", json!({ "service": "x" })), r#"Internal error: {"service":"x"}"#);
        assert_eq!(told("a b c", json!({ "details": "b" })), "a b c");
        assert_eq!(told("b", json!({ "details": "a b c" })), "a b c");
        assert_eq!(told(r#"{"error":{"code":400,"message":"on holiday"}}"#, Value::Null), "on holiday");
        assert_eq!(told("", Value::Null), "error -32603");
        assert_eq!(told("no", json!({ "authMethods": [{ "id": "a" }] })), "no");
        assert_eq!(told("no", json!("x".repeat(3_000))).chars().count(), "no: ".len() + LONGEST + 2);
    }

    #[test]
    fn a_login_is_told_with_the_ways_to_it() {
        let methods = json!([{ "id": "a", "name": "Log in", "description": "Run `x login`" }, { "id": "b", "name": "Key" }]);
        let error = RpcError { code: -32000, message: "Authentication required".into(), data: Value::Null };
        let told = failed("x", &error, &logins(&methods)).text;
        assert!(told.ends_with("Login methods: Log in (Run `x login`); Key"), "{told}");
    }
}
