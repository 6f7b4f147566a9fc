//! Arguments of a tool as they are typed on a command line: `--tab-id 3f2a --message hello`.

use serde_json::{Map, Value};

use super::arguments::{is_open, properties, types};

/// The flag that takes all arguments at once, as JSON.
pub const JSON: &str = "--json";

/// What was typed makes no sense: what is wrong, and what there is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct Mistyped {
    problem: String,
    /// The flags that there are.
    pub known: Vec<String>,
}

/// Returns the flag of an argument: `tab_id` and `tabId` are `--tab-id`.
pub fn flag(name: &str) -> String {
    let mut flag = String::from("--");
    for c in name.chars() {
        match c {
            '_' => flag.push('-'),
            c if c.is_uppercase() => {
                flag.push('-');
                flag.extend(c.to_lowercase());
            }
            c => flag.push(c),
        }
    }
    flag
}

/// Reads flags by the schema of a tool. Lists are given by repeating, switches need no value, and what has parts of
/// its own is JSON. A tool that takes fields which it does not know is given those, too, and says what it ignored. What
/// else must hold is not checked here.
pub fn read(schema: &Value, words: &[String]) -> Result<Value, Mistyped> {
    let nothing = Map::new();
    let known = properties(schema).unwrap_or(&nothing);
    let mistyped = |problem: String| Mistyped {
        problem,
        known: known.keys().map(|name| flag(name)).chain([JSON.to_owned()]).collect(),
    };
    let mut arguments = Map::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let Some(typed) = word.strip_prefix("--").filter(|typed| !typed.is_empty()) else {
            return Err(mistyped(format!(
                "unexpected argument `{word}`: arguments have the form --name value"
            )));
        };
        let (typed, tied) = match typed.split_once('=') {
            Some((typed, tied)) => (typed, Some(tied.to_owned())),
            None => (typed, None),
        };
        let mut value = || {
            let next = tied.clone().or_else(|| words.next().cloned());
            next.ok_or_else(|| mistyped(format!("--{typed} needs a value")))
        };
        let Some((name, of)) = find(known, typed) else {
            match typed {
                "json" => {
                    let text = value()?;
                    let Ok(Value::Object(given)) = serde_json::from_str(&text) else {
                        return Err(mistyped(format!("{JSON} needs a JSON object, not: {text}")));
                    };
                    arguments.extend(given);
                }
                _ => match typed.strip_prefix("no-").and_then(|off| find(known, off)) {
                    Some((name, of)) if types(of) == ["boolean"] && tied.is_none() => {
                        arguments.insert(name.to_owned(), Value::Bool(false));
                    }
                    _ if is_open(schema) => {
                        // Whether it takes a value is not known: what looks like a flag is none.
                        let next = || words.next_if(|next| !next.starts_with("--")).cloned();
                        let text = tied.or_else(next);
                        arguments.insert(typed.to_owned(), text.map_or(Value::Bool(true), Value::String));
                    }
                    _ => return Err(mistyped(format!("unknown argument --{typed}"))),
                },
            }
            continue;
        };
        if types(of) == ["boolean"] && tied.is_none() {
            arguments.insert(name.to_owned(), Value::Bool(true));
            continue;
        }
        let text = value()?;
        match (types(of).contains(&"array"), of.get("items")) {
            // Once and as a whole, or each by itself.
            (true, _) if matches!(serde_json::from_str(&text), Ok(Value::Array(_))) => {
                arguments.insert(name.to_owned(), serde_json::from_str(&text).unwrap_or_default());
            }
            (true, items) => {
                let one = valued(items.unwrap_or(&Value::Null), &text);
                let one = one.map_err(|wanted| mistyped(format!("--{typed} {text}: expected {wanted}")))?;
                match arguments.entry(name).or_insert_with(|| Value::Array(Vec::new())) {
                    Value::Array(all) => all.push(one),
                    other => *other = Value::Array(vec![one]),
                }
            }
            (false, _) => {
                let one = valued(of, &text);
                let one = one.map_err(|wanted| mistyped(format!("--{typed} {text}: expected {wanted}")))?;
                arguments.insert(name.to_owned(), one);
            }
        }
    }
    Ok(Value::Object(arguments))
}

/// Finds an argument as people may type it: to the letter first, then whatever the case and the strokes.
fn find<'a>(known: &'a Map<String, Value>, typed: &str) -> Option<(&'a str, &'a Value)> {
    let bare = |name: &str| {
        name.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect::<String>()
    };
    let exact = known.get_key_value(typed);
    let found = exact.or_else(|| known.iter().find(|(name, _)| bare(name) == bare(typed)));
    found.map(|(name, of)| (name.as_str(), of))
}

/// Reads one value; the error is the type that was expected.
fn valued<'a>(schema: &'a Value, text: &str) -> Result<Value, &'a str> {
    let kinds = types(schema);
    if kinds.is_empty() || kinds.contains(&"string") {
        return Ok(Value::String(text.to_owned()));
    }
    let wanted = kinds.first().copied().unwrap_or_default();
    let value: Value = serde_json::from_str(text).map_err(|_| wanted)?;
    let fits = kinds.iter().any(|kind| match *kind {
        "boolean" => value.is_boolean(),
        "integer" | "number" => value.is_number(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        _ => value.is_null(),
    });
    if fits { Ok(value) } else { Err(wanted) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({ "type": "object", "properties": {
            "tab_id": { "type": "string" },
            "agentId": { "type": "string" },
            "timeout": { "type": "number" },
            "top_level": { "type": "boolean" },
            "tools": { "type": "array", "items": { "type": "string" } },
            "todos": { "type": "array", "items": { "type": "object" } },
            "config": { "type": "object" },
        }, "additionalProperties": false })
    }

    fn typed(words: &[&str]) -> Result<Value, Mistyped> {
        read(&schema(), &owned(words))
    }

    fn owned(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_tool_that_ignores_fields_is_given_them_to_say_so() {
        let mut open = schema();
        open.as_object_mut().unwrap().remove("additionalProperties");
        for (words, expected) in [
            (&["--merge", "true", "--tab-id", "a"][..], json!({ "merge": "true", "tab_id": "a" })),
            (&["--merge", "--tab-id", "a"], json!({ "merge": true, "tab_id": "a" })),
            (&["--merge=x", "--no-tab-id"], json!({ "merge": "x", "no-tab-id": true })),
            (&["--timeout", "3", "--merge"], json!({ "timeout": 3, "merge": true })),
        ] {
            assert_eq!(read(&open, &owned(words)).unwrap(), expected, "{words:?}");
        }
        assert!(read(&open, &owned(&["--timeout", "soon"])).is_err(), "what is known must be right");
    }

    #[test]
    fn flags_become_what_the_schema_says() {
        let read = typed(&[
            "--tab-id",
            "3f2a",
            "--agent-id=todo",
            "--timeout",
            "1.5",
            "--top-level",
            "--tools",
            "read",
            "--tools=edit",
            "--todos",
            r#"{"content":"x"}"#,
            "--config",
            r#"{"model":"m"}"#,
        ]);
        assert_eq!(
            read.unwrap(),
            json!({
                "tab_id": "3f2a", "agentId": "todo", "timeout": 1.5, "top_level": true, "tools": ["read", "edit"],
                "todos": [{ "content": "x" }], "config": { "model": "m" },
            })
        );
        for spelling in ["--tab_id", "--tab-id", "--tabId", "--TAB-ID"] {
            assert_eq!(typed(&[spelling, "--x"]).unwrap(), json!({ "tab_id": "--x" }), "{spelling}");
        }
        assert_eq!(typed(&["--no-top-level"]).unwrap(), json!({ "top_level": false }));
        assert_eq!(typed(&["--top-level=false"]).unwrap(), json!({ "top_level": false }));
        assert_eq!(typed(&["--tools", r#"["a","b"]"#]).unwrap(), json!({ "tools": ["a", "b"] }));
    }

    #[test]
    fn json_gives_all_at_once_and_flags_change_some() {
        let read = typed(&["--json", r#"{"tab_id":"a","timeout":3}"#, "--tab-id", "b"]).unwrap();
        assert_eq!(read, json!({ "tab_id": "b", "timeout": 3 }));
    }

    #[test]
    fn what_makes_no_sense_is_told_with_what_there_is() {
        for (words, told) in [
            (&["3f2a"][..], "unexpected argument `3f2a`: arguments have the form --name value"),
            (&["--tab-id"], "--tab-id needs a value"),
            (&["--colour", "red"], "unknown argument --colour"),
            (&["--no-tab-id"], "unknown argument --no-tab-id"),
            (&["--timeout", "soon"], "--timeout soon: expected number"),
            (&["--config", "[]"], "--config []: expected object"),
            (&["--json", "[]"], "--json needs a JSON object, not: []"),
            (&["--top-level=maybe"], "--top-level maybe: expected boolean"),
        ] {
            let mistyped = typed(words).unwrap_err();
            assert_eq!(mistyped.to_string(), told);
            assert!(mistyped.known.contains(&"--agent-id".to_owned()), "{:?}", mistyped.known);
        }
    }
}
