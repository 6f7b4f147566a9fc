//! Reading TOML with the lines of its values.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::node::{DEPTH, Entry, Lines, Node, Value, too_deep};
use super::problem::Fault;

/// Reads a text.
pub(super) fn read(text: &str) -> Result<Node, Fault> {
    let lines = Lines::of(text);
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| lines.at(span.start));
        Fault::error(line, format!("invalid TOML: {}", error.message()))
    })?;
    Ok(Node { line: 1, value: entries(table.get_ref(), &lines, 0)? })
}

fn entries(table: &DeTable<'_>, lines: &Lines, depth: usize) -> Result<Value, Fault> {
    let mut entries = table
        .iter()
        .map(|(name, value)| {
            let line = lines.at(name.span().start);
            Ok((name.span().start, name.get_ref().to_string(), line, node(value, lines, depth + 1)?))
        })
        .collect::<Result<Vec<_>, Fault>>()?;
    // In the order in which they were written.
    entries.sort_by_key(|(start, ..)| *start);
    let entries = entries.into_iter().map(|(_, name, line, node)| Entry { name, line, node });
    Ok(Value::Table(entries.collect()))
}

fn node(value: &Spanned<DeValue<'_>>, lines: &Lines, depth: usize) -> Result<Node, Fault> {
    let line = lines.at(value.span().start);
    if depth > DEPTH {
        return Err(too_deep(line));
    }
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Integer(number) => Value::Number(number.to_string()),
        DeValue::Float(number) => Value::Number(number.to_string()),
        DeValue::Datetime(time) => Value::Number(time.to_string()),
        DeValue::Array(items) => {
            let items = items.iter().map(|item| node(item, lines, depth + 1));
            Value::List(items.collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => entries(table, lines, depth)?,
    };
    Ok(Node { line, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_its_line() {
        let Value::Table(entries) =
            read("b = 'x'\na = [1,\n true]\n\n[[m]]\nk = 'v'\n[[m]]\n").unwrap().value
        else {
            panic!("a table");
        };
        let found: Vec<(&str, usize)> =
            entries.iter().map(|entry| (entry.name.as_str(), entry.line)).collect();
        assert_eq!(found, [("b", 1), ("a", 2), ("m", 5)]);
        let Value::List(tables) = &entries[2].node.value else { panic!("a list") };
        assert_eq!(tables.iter().map(|table| table.line).collect::<Vec<_>>(), [5, 7]);
    }

    #[test]
    fn mistakes_have_a_line() {
        assert_eq!(read("a = 1\nb = \n").unwrap_err().line, 2);
        assert_eq!(read("a = 1\na = 2\n").unwrap_err().line, 2);
    }
}
