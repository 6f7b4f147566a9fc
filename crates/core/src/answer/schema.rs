//! Which schemas are taken, as far as that can be seen without compiling them.

use serde_json::Value;

use crate::limits::{SCHEMA_BYTES, SCHEMA_DEPTH};

/// Why a schema is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the output schema has {0} bytes as compact JSON; expected at most {SCHEMA_BYTES}")]
    Large(usize),
    #[error("the output schema is nested deeper than {SCHEMA_DEPTH} levels")]
    Deep,
    #[error("the output schema is not a JSON object; expected a JSON Schema")]
    NotASchema,
}

/// Returns a schema as it is stored, and as agents are told it.
pub fn schema_text(schema: &Value) -> Result<String, Refused> {
    if !(schema.is_object() || schema.is_boolean()) {
        return Err(Refused::NotASchema);
    }
    if !is_within(schema, SCHEMA_DEPTH) {
        return Err(Refused::Deep);
    }
    let text = schema.to_string();
    if text.len() > SCHEMA_BYTES {
        return Err(Refused::Large(text.len()));
    }
    Ok(text)
}

fn is_within(value: &Value, depth: usize) -> bool {
    match value {
        Value::Object(fields) => depth > 0 && fields.values().all(|value| is_within(value, depth - 1)),
        Value::Array(items) => depth > 0 && items.iter().all(|value| is_within(value, depth - 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn nested(levels: usize) -> Value {
        (1..levels).fold(json!({}), |inner, _| json!({ "not": inner }))
    }

    #[test]
    fn schemas_are_bounded_in_size_and_depth() {
        assert_eq!(schema_text(&json!({"type": "null"})).unwrap(), r#"{"type":"null"}"#);
        assert_eq!(schema_text(&json!(false)).unwrap(), "false");
        assert!(schema_text(&nested(64)).is_ok());
        assert_eq!(schema_text(&nested(65)), Err(Refused::Deep));
        let long = |bytes: usize| json!({"title": "x".repeat(bytes - r#"{"title":""}"#.len())});
        assert!(schema_text(&long(65_536)).is_ok());
        assert_eq!(schema_text(&long(65_537)), Err(Refused::Large(65_537)));
        assert_eq!(schema_text(&json!([])), Err(Refused::NotASchema));
        assert_eq!(schema_text(&json!("string")), Err(Refused::NotASchema));
    }
}
