//! Taking fields out of a table one by one: what is left is unknown.

use std::collections::{BTreeMap, BTreeSet};

use super::node::{Entry, Node, Value};
use super::problem::{Fault, Severity};
use crate::glob::{Glob, Lists};
use crate::spelling::close;

/// Most mistakes that are reported of one definition.
const FAULTS: usize = 10;
/// How many known fields an error names; of more, the documentation tells.
const LISTED: usize = 12;
/// Most entries of a list.
const WORDS: usize = 500;

/// The fields of a table that were not read yet, and what was wrong with those that were.
pub(super) struct Fields<'a> {
    /// Stands before the names when people are told about them.
    place: &'static str,
    left: Vec<(String, &'a Entry)>,
    /// The names that are there, as the file spells them.
    spelled: BTreeMap<String, &'a str>,
    /// Names are spelled in snake_case here, or in the table around.
    snake: bool,
    known: Vec<&'static str>,
    faults: Vec<Fault>,
}

impl<'a> Fields<'a> {
    /// Takes a table. Names count in camelCase and in snake_case; null counts as missing.
    pub(super) fn of(place: &'static str, entries: &'a [Entry]) -> Self {
        let mut fields = Self {
            place,
            left: Vec::new(),
            spelled: BTreeMap::new(),
            snake: false,
            known: Vec::new(),
            faults: Vec::new(),
        };
        let mut seen = BTreeSet::new();
        for entry in entries {
            let name = camel_case(&entry.name);
            fields.snake |= name != entry.name;
            fields.spelled.insert(name.clone(), &entry.name);
            if seen.insert(name.clone()) {
                fields.left.push((name, entry));
            } else {
                fields.error(entry.line, format!("`{place}{}` is defined twice", entry.name));
            }
        }
        fields
    }

    /// Takes a table within this one.
    pub(super) fn within(&self, place: &'static str, entries: &'a [Entry]) -> Self {
        let inner = Self::of(place, entries);
        Self { snake: inner.snake || self.snake, ..inner }
    }

    /// Takes a field of any kind.
    pub(super) fn take(&mut self, name: &'static str) -> Option<&'a Node> {
        self.known.push(name);
        let index = self.left.iter().position(|(left, _)| left == name)?;
        let (_, entry) = self.left.remove(index);
        (entry.node.value != Value::Null).then_some(&entry.node)
    }

    /// Returns the line of a field that was not taken yet.
    pub(super) fn line(&self, name: &str) -> usize {
        self.left.iter().find(|(left, _)| left == name).map_or(1, |(_, entry)| entry.line)
    }

    /// Returns the lines of all fields that were not taken yet, and that of the whole under no name.
    pub(super) fn lines(&self, whole: usize) -> BTreeMap<String, usize> {
        let fields = self.left.iter().map(|(name, entry)| (name.clone(), entry.line));
        fields.chain([(String::new(), whole)]).collect()
    }

    /// Takes a text; one that is empty counts as missing.
    pub(super) fn text(&mut self, name: &'static str) -> Option<(String, usize)> {
        let node = self.take(name)?;
        match &node.value {
            Value::Text(text) if text.trim().is_empty() => None,
            Value::Text(text) => Some((text.clone(), node.line)),
            _ => self.mistaken(name, node, "text"),
        }
    }

    /// Takes a yes or no.
    pub(super) fn flag(&mut self, name: &'static str) -> Option<bool> {
        let node = self.take(name)?;
        match node.value {
            Value::Bool(flag) => Some(flag),
            _ => self.mistaken(name, node, "true or false"),
        }
    }

    /// Takes a list of words, or a text of words with commas between them.
    pub(super) fn words(&mut self, name: &'static str) -> Option<Vec<(String, usize)>> {
        let node = self.take(name)?;
        let items = match &node.value {
            Value::Text(text) => {
                let words: Vec<String> = split(text);
                return self.bounded(
                    name,
                    node.line,
                    words.into_iter().map(|word| (word, node.line)).collect(),
                );
            }
            Value::List(items) => items,
            _ => return self.mistaken(name, node, "a list of strings"),
        };
        let mut words = Vec::new();
        for item in items {
            match &item.value {
                Value::Text(text) if !text.trim().is_empty() => {
                    words.push((text.trim().to_owned(), item.line))
                }
                _ => return self.mistaken(name, item, "a list of strings"),
            }
        }
        self.bounded(name, node.line, words)
    }

    /// Refuses lists too long to be written by hand: each entry is compared with each.
    fn bounded<T>(&mut self, name: &str, line: usize, words: Vec<T>) -> Option<Vec<T>> {
        if words.len() > WORDS {
            self.error(line, format!("`{}{name}` has more than {WORDS} entries", self.place));
            return None;
        }
        Some(words)
    }

    /// Takes an allowing and a denying list of patterns.
    pub(super) fn lists(&mut self, allow: &'static str, deny: &'static str) -> Lists {
        let mut globs = |name| {
            let words = self.words(name)?;
            Some(words.into_iter().map(|(word, _)| Glob::new(word)).collect::<Vec<_>>())
        };
        Lists { allow: globs(allow), deny: globs(deny).unwrap_or_default() }
    }

    /// Takes a table.
    pub(super) fn table(&mut self, name: &'static str, place: &'static str) -> Option<(Fields<'a>, usize)> {
        let node = self.take(name)?;
        match &node.value {
            Value::Table(entries) => Some((self.within(place, entries), node.line)),
            _ => self.mistaken(name, node, "a table"),
        }
    }

    /// Notes what makes the definition impossible.
    pub(super) fn error(&mut self, line: usize, message: impl Into<String>) {
        self.faults.push(Fault::error(line, message));
    }

    /// Notes what is left out.
    pub(super) fn warning(&mut self, line: usize, message: impl Into<String>) {
        self.faults.push(Fault::warning(line, message));
    }

    /// Says what a field should have been.
    pub(super) fn mistaken<T>(&mut self, name: &str, node: &Node, expected: &str) -> Option<T> {
        let message = format!("`{}{name}` must be {expected}, but is {}", self.place, node.kind());
        self.error(node.line, message);
        None
    }

    /// Takes over what was wrong with the fields of a table within.
    pub(super) fn absorb(&mut self, inner: Fields<'_>) {
        self.faults.extend(inner.finish());
    }

    /// Returns a name as the file spells it, or would.
    fn spelling(&self, name: &str) -> String {
        match self.spelled.get(name) {
            Some(written) => (*written).to_owned(),
            None if self.snake => snake_case(name),
            None => name.to_owned(),
        }
    }

    /// Spells the names of fields in what people are told as their file does.
    fn respelled(&self, message: &str) -> String {
        let pieces = message.split('`').enumerate().map(|(index, piece)| {
            let name = piece.strip_prefix(self.place).filter(|name| self.known.contains(name));
            match name.filter(|_| index % 2 == 1) {
                Some(name) => format!("{}{}", self.place, self.spelling(name)),
                None => piece.to_owned(),
            }
        });
        pieces.collect::<Vec<_>>().join("`")
    }

    /// Returns everything that was wrong, fields that were never read included.
    pub(super) fn finish(mut self) -> Vec<Fault> {
        let own = std::mem::take(&mut self.faults);
        let respelled =
            own.into_iter().map(|fault| Fault { message: self.respelled(&fault.message), ..fault });
        self.faults = respelled.collect();
        for (name, entry) in std::mem::take(&mut self.left) {
            let place = self.place;
            let mut message = format!("unknown field `{place}{}`", entry.name);
            match self.known.iter().find(|known| close(known, &name)) {
                Some(meant) => {
                    message.push_str(&format!("; did you mean `{place}{}`?", self.spelling(meant)));
                }
                None if self.known.len() > LISTED => {
                    message.push_str("; the fields are under \"Definitions\" in the documentation");
                }
                None => {
                    let known: Vec<String> = self.known.iter().map(|known| self.spelling(known)).collect();
                    message.push_str(&format!("; known: {}", known.join(", ")));
                }
            }
            self.error(entry.line, message);
        }
        self.faults.sort_by_key(|fault| fault.line);
        let rest = self.faults.split_off(self.faults.len().min(FAULTS));
        if let Some(Fault { line, .. }) = rest.first() {
            let message = format!("and {} more", rest.len());
            // As bad as the worst of them.
            let error = rest.iter().any(|fault| fault.severity == Severity::Error);
            let fault = if error { Fault::error(*line, message) } else { Fault::warning(*line, message) };
            self.faults.push(fault);
        }
        self.faults
    }
}

/// Splits at commas that stand in no parentheses.
fn split(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let pieces = text.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    pieces.map(str::trim).filter(|piece| !piece.is_empty()).map(str::to_owned).collect()
}

fn camel_case(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    let mut upper = false;
    for c in name.chars() {
        if (c == '_' || c == '-') && !camel.is_empty() {
            upper = true;
        } else {
            camel.push(if std::mem::take(&mut upper) { c.to_ascii_uppercase() } else { c });
        }
    }
    camel
}

fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 2);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_count_in_both_manners() {
        for name in ["tool_allowlist", "toolAllowlist", "tool-allowlist"] {
            assert_eq!(camel_case(name), "toolAllowlist");
        }
        assert_eq!(camel_case("_x"), "_x");
        assert_eq!(snake_case("toolAllowlist"), "tool_allowlist");
    }

    #[test]
    fn commas_in_parentheses_stay() {
        assert_eq!(split("Read, Bash(a, b),, Edit "), ["Read", "Bash(a, b)", "Edit"]);
    }
}
