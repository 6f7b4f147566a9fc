//! What a tool is called with, held against its schema: an object with known keys of the right types.

use serde_json::{Map, Value};

/// The arguments make no sense: what is wrong, and what the tool takes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct Misfit {
    problem: String,
}

/// Checks what a tool is called with. Nothing at all is as good as an empty object, and null for what may be missing
/// is as good as missing.
pub fn check(tool: &str, schema: &Value, input: &Value) -> Result<(), Misfit> {
    let found = match input {
        Value::Null => fits(schema, &Value::Object(Map::new()), ""),
        input => fits(schema, input, ""),
    };
    found.map_err(|problem| Misfit { problem: format!("{problem}\n`{tool}` takes {}", taken(schema)) })
}

fn fits(schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let kinds = types(schema);
    if !kinds.is_empty() && !kinds.iter().any(|kind| is_a(kind, value)) {
        return Err(format!("{} is {}, not {}", named(at), words(&[kind_of(value)]), words(&kinds)));
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        return Err(format!("{} is {}, not one of {}", named(at), shown(value), listed(allowed)));
    }
    match value {
        Value::Object(given) => members(schema, given, at),
        Value::Array(items) => match schema.get("items") {
            Some(of) => {
                items.iter().enumerate().try_for_each(|(n, item)| fits(of, item, &format!("{at}[{n}]")))
            }
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

fn members(schema: &Value, given: &Map<String, Value>, at: &str) -> Result<(), String> {
    let known = properties(schema);
    if let Some(missing) = required(schema).find(|name| !given.contains_key(*name)) {
        return Err(format!("{} is missing", named(&below(at, missing))));
    }
    for (name, value) in given {
        match known.and_then(|known| known.get(name)) {
            Some(_) if value.is_null() && !required(schema).any(|needed| needed == name) => {}
            Some(of) => fits(of, value, &below(at, name))?,
            None if !is_open(schema) => {
                let known: Vec<&str> = known.into_iter().flat_map(Map::keys).map(String::as_str).collect();
                let there = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(format!("unknown argument {}; known: {there}", named(&below(at, name))));
            }
            None => {}
        }
    }
    Ok(())
}

/// Says whether a schema lets fields through that it does not name, which are ignored.
pub fn is_open(schema: &Value) -> bool {
    schema.get("additionalProperties") != Some(&Value::Bool(false))
}

/// Returns the properties that a schema describes.
pub fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

/// Returns the names of those that must be given.
pub fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Returns the types that a schema admits; none: any.
pub fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Returns in a word or two what an argument may be.
pub fn kind_words(schema: &Value) -> String {
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        return listed(allowed);
    }
    match types(schema)[..] {
        [] => "anything".to_owned(),
        ["array"] => match schema.get("items").map(types).as_deref() {
            Some([of]) => format!("list of {of}s"),
            _ => "list".to_owned(),
        },
        ref kinds => kinds.join(" or "),
    }
}

/// Returns the schema of the entries of a list that have parts of their own.
pub fn entries(schema: &Value) -> Option<&Value> {
    schema.get("items").filter(|of| properties(of).is_some_and(|parts| !parts.is_empty()))
}

/// Says what a tool takes: each argument with its type, and whether it may be missing.
fn taken(schema: &Value) -> String {
    let each = properties(schema).into_iter().flatten().map(|(name, of)| {
        let optional = if required(schema).any(|needed| needed == name) { "" } else { ", optional" };
        format!("`{name}` ({}{optional})", kind_words(of))
    });
    let each: Vec<String> = each.collect();
    if each.is_empty() { "no arguments".to_owned() } else { each.join(", ") }
}

fn is_a(kind: &str, value: &Value) -> bool {
    match kind {
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        kind => kind_of(value) == kind,
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn words(kinds: &[&str]) -> String {
    let article = |kind: &&str| match *kind {
        "null" => "null".to_owned(),
        kind @ ("array" | "integer" | "object") => format!("an {kind}"),
        kind => format!("a {kind}"),
    };
    kinds.iter().map(article).collect::<Vec<_>>().join(" or ")
}

fn listed(values: &[Value]) -> String {
    values.iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// Returns a value as it would be typed, shortened.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn named(at: &str) -> String {
    if at.is_empty() { "the input".to_owned() } else { format!("`{}`", at.escape_debug()) }
}

fn below(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "tab_id": { "type": "string" },
                "mode": { "enum": ["sync", "async"] },
                "count": { "type": "integer" },
                "todos": { "type": "array", "items": {
                    "type": "object",
                    "properties": { "content": { "type": "string" } },
                    "required": ["content"],
                    "additionalProperties": false,
                } },
            },
            "required": ["tab_id"],
            "additionalProperties": false,
        })
    }

    fn problem(input: Value) -> String {
        let told = check("x", &schema(), &input).unwrap_err().to_string();
        let (problem, takes) = told.split_once('\n').unwrap();
        assert_eq!(
            takes,
            "`x` takes `tab_id` (string), `mode` (\"sync\", \"async\", optional), `count` (integer, optional), \
             `todos` (list of objects, optional)"
        );
        problem.to_owned()
    }

    #[test]
    fn what_fits_passes() {
        for input in [
            json!({ "tab_id": "3f2a" }),
            json!({ "tab_id": "", "mode": "async", "count": 3.0, "todos": [] }),
            json!({ "tab_id": "3f2a", "mode": null, "todos": [{ "content": "x" }] }),
        ] {
            assert_eq!(check("x", &schema(), &input), Ok(()), "{input}");
        }
        let nothing = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        assert_eq!(check("x", &nothing, &Value::Null), Ok(()));
        let told = check("x", &nothing, &json!({ "a": 1 })).unwrap_err().to_string();
        assert_eq!(told, "unknown argument `a`; known: none\n`x` takes no arguments");
    }

    #[test]
    fn what_does_not_is_named_with_what_would() {
        assert_eq!(problem(Value::Null), "`tab_id` is missing");
        assert_eq!(problem(json!([])), "the input is an array, not an object");
        assert_eq!(problem(json!({ "tab_id": null })), "`tab_id` is null, not a string");
        assert_eq!(problem(json!({ "tab_id": 3 })), "`tab_id` is a number, not a string");
        assert_eq!(
            problem(json!({ "tab_id": "a", "mode": "later" })),
            "`mode` is \"later\", not one of \"sync\", \"async\""
        );
        assert_eq!(problem(json!({ "tab_id": "a", "count": 1.5 })), "`count` is a number, not an integer");
        assert_eq!(
            problem(json!({ "tab_id": "a", "tab": "b" })),
            "unknown argument `tab`; known: tab_id, mode, count, todos"
        );
        assert_eq!(
            problem(json!({ "tab_id": "a", "todos": [{ "content": "x" }, { "content": 1 }] })),
            "`todos[1].content` is a number, not a string"
        );
    }
}
