//! What a file says, whatever its format, with the line of each part.

use super::problem::Fault;

/// Deepest nesting that is read.
pub(super) const DEPTH: usize = 32;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) line: usize,
    pub(super) value: Value,
}

/// What can be written in all formats.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Bool(bool),
    /// As it was written.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// A field of a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) node: Node,
}

impl Node {
    /// Says what kind of value it is, for people.
    pub(super) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

/// Finds lines in a text. Counting from the start for each would take quadratic time.
pub(super) struct Lines(Vec<usize>);

impl Lines {
    pub(super) fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    /// Returns the line of a byte, counted from 1.
    pub(super) fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|end| *end < offset) + 1
    }
}

/// Refuses what is nested too deeply.
pub(super) fn too_deep(line: usize) -> Fault {
    Fault::error(line, format!("nested more than {DEPTH} levels deep"))
}
