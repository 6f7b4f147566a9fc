//! Whether an answer is what the document says: the part of JSON Schema that the document uses.

use serde_json::Value;

/// Returns what is wrong with a value, and where.
pub(super) fn wrong(document: &Value, schema: &Value, value: &Value, place: &str) -> Vec<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap();
        let target = &document["components"]["schemas"][name];
        assert!(target.is_object(), "{reference} leads nowhere");
        return wrong(document, target, value, place);
    }
    for several in ["oneOf", "anyOf"] {
        if let Some(forms) = schema[several].as_array() {
            let fits = forms.iter().any(|form| wrong(document, form, value, place).is_empty());
            return if fits { Vec::new() } else { vec![format!("{place}: fits no form: {value}")] };
        }
    }
    let mut found = Vec::new();
    for part in schema["allOf"].as_array().into_iter().flatten() {
        found.extend(wrong(document, part, value, place));
    }
    if !is_of(&schema["type"], value) {
        return vec![format!("{place}: {value} is not {}", schema["type"])];
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        found.push(format!("{place}: {value} is not one of {words:?}"));
    }
    for required in schema["required"].as_array().into_iter().flatten() {
        if value.is_object() && value.get(required.as_str().unwrap()).is_none() {
            found.push(format!("{place}: {required} is missing"));
        }
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        let place = format!("{place}.{name}");
        match schema["properties"].get(name) {
            Some(property) => found.extend(wrong(document, property, inner, &place)),
            None if schema["additionalProperties"].is_object() => {
                found.extend(wrong(document, &schema["additionalProperties"], inner, &place));
            }
            None => {}
        }
    }
    for (at, inner) in value.as_array().into_iter().flatten().enumerate() {
        found.extend(wrong(document, &schema["items"], inner, &format!("{place}[{at}]")));
    }
    found
}

fn is_of(kind: &Value, value: &Value) -> bool {
    let fits = |kind: &str| match kind {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} is no type"),
    };
    match kind {
        Value::String(one) => fits(one),
        Value::Array(several) => several.iter().filter_map(Value::as_str).any(fits),
        _ => true,
    }
}
