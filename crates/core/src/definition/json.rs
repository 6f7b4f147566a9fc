//! Reading JSON with the lines of its values.
//!
//! The JSON library knows no lines, but it hands out unread values as slices of the text: where a slice begins is
//! where the value stands.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::json;
use serde_json::value::RawValue;

use super::node::{DEPTH, Entry, Lines, Node, Value, too_deep};
use super::problem::Fault;

/// Writes a file that defines one agent.
pub(super) fn agent(entries: &[Entry]) -> String {
    // Plain data with string keys: it always serialises.
    serde_json::to_string_pretty(&json!({ "agents": [written(entries)] })).unwrap_or_default()
}

fn written(entries: &[Entry]) -> serde_json::Value {
    entries.iter().map(|entry| (entry.name.clone(), value(&entry.node.value))).collect()
}

fn value(read: &Value) -> serde_json::Value {
    match read {
        Value::Null => serde_json::Value::Null,
        Value::Bool(flag) => json!(flag),
        Value::Number(number) => {
            let plain = number.replace('_', "");
            serde_json::from_str(&plain).unwrap_or_else(|_| json!(number))
        }
        Value::Text(text) => json!(text),
        Value::List(items) => items.iter().map(|item| value(&item.value)).collect(),
        Value::Table(entries) => written(entries),
    }
}

/// Reads a text.
pub(super) fn read(text: &str) -> Result<Node, Fault> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| fault(&error, 0))?;
    node(raw, Source { text, lines: &Lines::of(text) }, 0)
}

#[derive(Clone, Copy)]
struct Source<'a> {
    text: &'a str,
    lines: &'a Lines,
}

impl Source<'_> {
    fn line(self, part: &str) -> usize {
        let offset = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        self.lines.at(offset)
    }
}

fn node(raw: &RawValue, source: Source<'_>, depth: usize) -> Result<Node, Fault> {
    let (text, line) = (raw.get(), source.line(raw.get()));
    if depth > DEPTH {
        return Err(too_deep(line));
    }
    let wrong = |error: serde_json::Error| fault(&error, line - 1);
    let value = match text.as_bytes().first() {
        Some(b'{') => {
            let Fields(fields) = serde_json::from_str(text).map_err(wrong)?;
            let entries = fields.into_iter().map(|(name, raw)| {
                Ok(Entry { name, line: source.line(raw.get()), node: node(raw, source, depth + 1)? })
            });
            Value::Table(entries.collect::<Result<_, _>>()?)
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text).map_err(wrong)?;
            let items = items.into_iter().map(|raw| node(raw, source, depth + 1));
            Value::List(items.collect::<Result<_, _>>()?)
        }
        Some(b'"') => Value::Text(serde_json::from_str(text).map_err(wrong)?),
        Some(b't' | b'f') => Value::Bool(text == "true"),
        Some(b'n') => Value::Null,
        _ => Value::Number(text.to_owned()),
    };
    Ok(Node { line, value })
}

/// The fields of an object in their order; one that is there twice is there twice.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;

        impl<'de> Visitor<'de> for Collect {
            type Value = Fields<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(Collect)
    }
}

/// Words for what is no JSON. `before` are the lines above the text that was read.
fn fault(error: &serde_json::Error, before: usize) -> Fault {
    let text = error.to_string();
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
    Fault::error(before + error.line().max(1), format!("invalid JSON: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_its_line() {
        let Value::Table(entries) =
            read("{\n \"a\": 1,\n \"b\": [true,\n null],\n\"a\": \"x\\n\"}").unwrap().value
        else {
            panic!("a table");
        };
        let lines: Vec<(&str, usize)> =
            entries.iter().map(|entry| (entry.name.as_str(), entry.node.line)).collect();
        assert_eq!(lines, [("a", 2), ("b", 3), ("a", 5)]);
        let Value::List(items) = &entries[1].node.value else { panic!("a list") };
        assert_eq!((items[0].line, items[1].line), (3, 4));
        assert_eq!(entries[2].node.value, Value::Text("x\n".to_owned()));
    }

    #[test]
    fn mistakes_have_a_line() {
        let fault = read("{\n\"a\": 1,\n}").unwrap_err();
        assert_eq!((fault.line, fault.message.as_str()), (3, "invalid JSON: key must be a string"));
        assert_eq!(read("").unwrap_err().line, 1);
        let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
        assert!(read(&deep).unwrap_err().message.contains("nested"));
    }
}
