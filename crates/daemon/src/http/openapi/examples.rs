//! Examples of requests and answers. A test sends them to a real daemon, and records what it answers.

use serde_json::{Map, Value};

/// What was recorded, by the names of operations.
const RECORDED: &str = include_str!("examples.json");

/// Reads what was recorded.
pub(super) fn all() -> Map<String, Value> {
    serde_json::from_str(RECORDED).unwrap_or_default()
}

/// Puts an example into an operation.
pub(super) fn put(operation: &mut Value, example: &Value) {
    let answer = format!("/responses/{}/content", example["status"]);
    for (place, part) in [("/requestBody/content", "request"), (answer.as_str(), "response")] {
        let content = operation.pointer_mut(place).and_then(Value::as_object_mut);
        let first = content.and_then(|content| content.values_mut().next());
        if let (Some(content), Some(told)) = (first, example.get(part)) {
            content["example"] = told.clone();
        }
    }
}
