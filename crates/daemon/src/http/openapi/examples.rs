//! Examples of requests and answers. A test sends them to a real daemon, and records what it answers.

use serde_json::{Map, Value, json};

/// What was recorded, by the names of operations.
const RECORDED: &str = include_str!("examples.json");

/// Reads what was recorded.
pub(super) fn all() -> Map<String, Value> {
    serde_json::from_str(RECORDED).unwrap_or_default()
}

/// Puts an example into an operation: into its request, and into every success that has the form of the recorded one.
pub(super) fn put(operation: &mut Value, example: &Value) {
    let status = example["status"].to_string();
    if let Some(frames) = example["frames"].as_object() {
        let named = |(name, frame): (&String, &Value)| (name.clone(), json!({ "value": frame }));
        let frames: Map<String, Value> = frames.iter().map(named).collect();
        operation["responses"][&status]["content"]["application/json"]["examples"] = frames.into();
        return;
    }
    let sent = operation.pointer_mut("/requestBody/content").and_then(Value::as_object_mut);
    if let (Some(sent), Some(request)) = (sent, example.get("request")) {
        sent.values_mut().for_each(|content| content["example"] = request.clone());
    }
    let Some(response) = example.get("response") else { return };
    let recorded = first_schema(&operation["responses"][&status]);
    for (status, answer) in operation["responses"].as_object_mut().into_iter().flatten() {
        let has_form = status.starts_with('2') && first_schema(answer) == recorded;
        let content = answer.get_mut("content").filter(|_| has_form).and_then(Value::as_object_mut);
        if let Some(content) = content.and_then(|content| content.values_mut().next()) {
            content["example"] = response.clone();
        }
    }
}

/// Returns the schema of the first type of an answer.
fn first_schema(answer: &Value) -> Value {
    let first = answer["content"].as_object().and_then(|content| content.values().next());
    first.map(|content| content["schema"].clone()).unwrap_or_default()
}
