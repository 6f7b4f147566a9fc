//! The lines of an agent: JSON-RPC 2.0, one message a line.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Codes of the protocol, beside those that are HTTP's.
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
pub(super) const INVALID_PARAMS: i64 = -32602;
pub(super) const INTERNAL_ERROR: i64 = -32603;
pub(super) const AUTH_REQUIRED: i64 = -32000;
pub(super) const NOT_FOUND: i64 = -32002;
pub(super) const CANCELLED: i64 = -32800;

/// A message of the agent.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Message {
    Notification {
        method: String,
        params: Value,
    },
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    /// The answer to a request of ours.
    Response {
        id: u64,
        result: Result<Value, RpcError>,
    },
}

/// Why the agent did not do what it was asked for.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub(super) struct RpcError {
    #[serde(default)]
    pub(super) code: i64,
    #[serde(default)]
    pub(super) message: String,
    #[serde(default)]
    pub(super) data: Value,
}

/// Reads a line; `None` when it is not the protocol.
pub(super) fn message(text: &str) -> Option<Message> {
    #[derive(Deserialize)]
    struct Line {
        #[serde(default, deserialize_with = "present")]
        id: Option<Value>,
        method: Option<String>,
        #[serde(default)]
        params: Value,
        #[serde(default)]
        result: Value,
        error: Option<RpcError>,
    }
    let line: Line = serde_json::from_str(text).ok()?;
    Some(match (line.id, line.method) {
        (Some(id), Some(method)) => Message::Request { id, method, params: line.params },
        (None, Some(method)) => Message::Notification { method, params: line.params },
        (Some(id), None) => {
            Message::Response { id: id.as_u64()?, result: line.error.map_or(Ok(line.result), Err) }
        }
        (None, None) => return None,
    })
}

/// A request whose id is null is one all the same, and wants an answer.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

/// Reads a part of a message.
pub(super) fn read<'a, T: Deserialize<'a>>(value: &'a Value) -> Option<T> {
    T::deserialize(value).ok()
}

/// Returns a text field, empty when there is none.
pub(super) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn notifications_requests_and_responses_are_told_apart() {
        let read = |value: Value| message(&value.to_string());
        assert!(matches!(read(json!({"method": "a", "params": {}})), Some(Message::Notification { .. })));
        assert!(matches!(read(json!({"method": "a", "id": "x"})), Some(Message::Request { .. })));
        assert!(matches!(read(json!({"method": "a", "id": null})), Some(Message::Request { .. })));
        assert!(matches!(read(json!({"id": 3, "result": null})), Some(Message::Response { id: 3, .. })));
        let error = read(json!({"id": 3, "error": {"code": -32000, "message": "no"}}));
        let Some(Message::Response { result: Err(error), .. }) = error else { panic!("{error:?}") };
        assert_eq!((error.code, error.message.as_str()), (AUTH_REQUIRED, "no"));
        for nonsense in ["", "{", "[]", "null", "{}", "42", r#"{"id":"x"}"#, r#"{"id":-1}"#] {
            assert_eq!(message(nonsense), None, "{nonsense}");
        }
    }
}
