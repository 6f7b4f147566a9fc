//! Why something failed, by the codes of the agent and never by its words.

use serde_json::Value;

use super::parse::{AUTH_REQUIRED, RpcError, text};
use crate::provider::{Failed, FailureCode};

/// Returns what an error of the agent comes to.
pub(super) fn failed(agent: &str, error: &RpcError, logins: &[String]) -> Failed {
    let code = code(error);
    let said = if error.message.is_empty() { format!("error {}", error.code) } else { error.message.clone() };
    let text = match (&code, logins) {
        (FailureCode::NotLoggedIn, []) => format!("{agent} wants a login: {said}"),
        (FailureCode::NotLoggedIn, logins) => {
            format!("{agent} wants a login: {said}\nIts ways to log in: {}", logins.join("; "))
        }
        _ => format!("{agent}: {said}"),
    };
    Failed { code, text, until: None }
}

/// Returns a failure that is nobody's code.
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
    match beside.unwrap_or(error.code) {
        401 | 403 => FailureCode::NotLoggedIn,
        429 => FailureCode::RateLimited,
        500..=599 => FailureCode::ModelError,
        _ => by_name(&error.data),
    }
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
    }

    #[test]
    fn a_login_is_told_with_the_ways_to_it() {
        let methods = json!([{ "id": "a", "name": "Log in", "description": "Run `x login`" }, { "id": "b", "name": "Key" }]);
        let error = RpcError { code: -32000, message: "Authentication required".into(), data: Value::Null };
        let told = failed("x", &error, &logins(&methods)).text;
        assert!(told.ends_with("Its ways to log in: Log in (Run `x login`); Key"), "{told}");
    }
}
