//! Reading YAML with the lines of its values: plain data, without anchors and tags.

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::node::{DEPTH, Entry, Node, Value, too_deep};
use super::problem::Fault;

/// Reads a text. `before` are the lines above it in its file.
pub(super) fn read(text: &str, before: usize) -> Result<Node, Fault> {
    parse(text, before).or_else(|fault| {
        // People write `description: Use it when: …` without quotes, and other programs let them.
        let quoted = quoted(text);
        if quoted == text { Err(fault) } else { parse(&quoted, before).map_err(|_| fault) }
    })
}

/// A list or table that is not complete.
struct Open {
    line: usize,
    kind: Kind,
}

enum Kind {
    List(Vec<Node>),
    Table { entries: Vec<Entry>, name: Option<(String, usize)> },
}

fn parse(text: &str, before: usize) -> Result<Node, Fault> {
    let (mut open, mut root): (Vec<Open>, Option<Node>) = (Vec::new(), None);
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            Fault::error(before + error.marker().line(), format!("invalid YAML: {}", error.info()))
        })?;
        let line = before + span.start.line();
        let done = match event {
            Event::Scalar(text, style, ..) => Some(Node { line, value: scalar(&text, style) }),
            Event::Alias(_) => {
                return Err(Fault::error(
                    line,
                    "aliases (`*name`) are not supported; quote the text, or write it out",
                ));
            }
            Event::SequenceStart(..) => {
                open.push(Open { line, kind: Kind::List(Vec::new()) });
                None
            }
            Event::MappingStart(..) => {
                open.push(Open { line, kind: Kind::Table { entries: Vec::new(), name: None } });
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(|Open { line, kind }| Node {
                line,
                value: match kind {
                    Kind::List(items) => Value::List(items),
                    Kind::Table { entries, .. } => Value::Table(entries),
                },
            }),
            Event::DocumentStart(_) if root.is_some() => {
                return Err(Fault::error(line, "the file contains a second document"));
            }
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => None,
        };
        if open.len() > DEPTH {
            return Err(too_deep(line));
        }
        if let Some(node) = done {
            match open.last_mut() {
                Some(parent) => parent.take(node)?,
                None => root = Some(node),
            }
        }
    }
    Ok(root.unwrap_or(Node { line: before + 1, value: Value::Null }))
}

impl Open {
    fn take(&mut self, node: Node) -> Result<(), Fault> {
        match &mut self.kind {
            Kind::List(items) => items.push(node),
            Kind::Table { entries, name } => match name.take() {
                Some((name, line)) => entries.push(Entry { name, line, node }),
                None => {
                    let line = node.line;
                    let Value::Text(text) = node.value else {
                        return Err(Fault::error(
                            line,
                            format!("field names must be text, but this one is {}", node.kind()),
                        ));
                    };
                    *name = Some((text, line));
                }
            },
        }
        Ok(())
    }
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        number if number.parse::<f64>().is_ok() && number.contains(|c: char| c.is_ascii_digit()) => {
            Value::Number(number.to_owned())
        }
        text => Value::Text(text.to_owned()),
    }
}

/// Quotes the values of fields that stand on one line without quotes. Lines stay where they are.
fn quoted(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let Some((name, value)) = line.split_once(": ") else { return line.to_owned() };
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
        let value = value.trim();
        let plain = value.starts_with(|c: char| !"'\"[]{}|>&!%@`#*?-".contains(c));
        if is_name && plain { format!("{name}: '{}'", value.replace('\'', "''")) } else { line.to_owned() }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Vec<Entry> {
        match read(text, 1).unwrap().value {
            Value::Table(entries) => entries,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_value_has_its_line_in_the_file() {
        let entries = table("name: x\ntools:\n  - a\n  - b\nprompt: |\n  one\n  two\nlast: true\n");
        let found: Vec<(&str, usize)> =
            entries.iter().map(|entry| (entry.name.as_str(), entry.line)).collect();
        assert_eq!(found, [("name", 2), ("tools", 3), ("prompt", 6), ("last", 9)]);
        let Value::List(tools) = &entries[1].node.value else { panic!("a list") };
        assert_eq!(tools[1].line, 5);
        assert_eq!(entries[2].node.value, Value::Text("one\ntwo\n".to_owned()));
    }

    #[test]
    fn a_colon_in_a_description_is_forgiven() {
        let entries =
            table("name: x\ndescription: Use it when: it's time. <example>a: b</example>\nmodel: inherit\n");
        assert_eq!(
            entries[1].node.value,
            Value::Text("Use it when: it's time. <example>a: b</example>".to_owned())
        );
        assert_eq!((entries[2].line, &entries[2].node.value), (4, &Value::Text("inherit".to_owned())));
    }

    #[test]
    fn mistakes_have_a_line() {
        assert_eq!(read("a: b\nc: [1,\n", 1).unwrap_err().line, 4);
        assert!(read("a: &x b\nc: *x\n", 1).unwrap_err().message.contains("aliases"));
        assert!(read("? [a]\n: b\n", 1).unwrap_err().message.contains("a list"));
        assert!(read(&"[".repeat(10_000), 1).is_err());
        assert_eq!(read("", 1).unwrap().value, Value::Null);
    }
}
