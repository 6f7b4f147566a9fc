//! From the text of a file to definitions and problems.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::fields::{self, Keys, Seat};
use super::node::{Entry, Node, Value};
use super::problem::{Fault, Problem};
use super::{Definition, Origin, Severity, Source, json, markdown, toml};
use crate::limits::FILE_AGENTS;

/// A file that may hold definitions.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// As people are told.
    pub path: &'a str,
    pub text: &'a str,
    pub format: Format,
    pub origin: Origin,
}

/// What kind of file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// `config.toml`, with an array `agents`.
    ConfigToml,
    /// `config.json`, likewise.
    ConfigJson,
    /// `agents/<slug>.toml`
    Toml,
    /// `agents/<slug>.md`
    Markdown,
    /// `.claude/agents/<slug>.md`
    Claude,
}

/// What a file comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    pub definitions: Vec<Definition>,
    /// The part of the file that holds each definition, by slug.
    pub excerpts: BTreeMap<String, Excerpt>,
    pub problems: Vec<Problem>,
    /// The `provider` that the user's own `config.toml` names.
    pub default_provider: Option<String>,
}

/// A text that holds one definition, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    pub format: Format,
    pub text: String,
}

impl Parsed {
    /// Returns the definitions that are there by name and cannot be used, each with its first error.
    pub fn broken(&self) -> BTreeMap<String, Problem> {
        let mut broken = BTreeMap::new();
        for problem in self.problems.iter().filter(|problem| problem.severity == Severity::Error) {
            let Some(slug) = &problem.slug else { continue };
            if !self.excerpts.contains_key(slug) {
                broken.entry(slug.clone()).or_insert_with(|| problem.clone());
            }
        }
        broken
    }

    /// Returns the first error that belongs to no definition: the file may define more than could be read.
    pub fn unsure(&self) -> Option<&Problem> {
        let mut errors = self.problems.iter().filter(|problem| problem.severity == Severity::Error);
        errors.find(|problem| problem.slug.is_none())
    }
}

/// Reads a file. A definition that is wrong does not take the others with it.
pub fn parse(file: &File<'_>, keys: &Keys) -> Parsed {
    let mut parsed = Parsed::default();
    match file.format {
        Format::ConfigToml => config(file, toml::read(file.text), keys, &mut parsed),
        Format::ConfigJson => config(file, json::read(file.text), keys, &mut parsed),
        Format::Toml => single(file, toml::read(file.text), None, keys, &mut parsed),
        Format::Markdown | Format::Claude => match markdown::read(file.text) {
            Ok(document) => single(file, Ok(document.fields), document.body, keys, &mut parsed),
            Err(fault) => single(file, Err(fault), None, keys, &mut parsed),
        },
    }
    parsed
}

/// Returns the slug that the name of a file stands for.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn single(
    file: &File<'_>,
    read: Result<Node, Fault>,
    body: Option<String>,
    keys: &Keys,
    parsed: &mut Parsed,
) {
    let slug = stem(file.path);
    let known = fields::is_slug(slug).then_some(slug);
    match read {
        Err(fault) => parsed.problems.push(fault.in_file(file.path, known)),
        Ok(Node { line, value }) => match value {
            Value::Null => take(file, &[], line, Some(slug), body, keys, parsed),
            Value::Table(entries) => take(file, &entries, line, Some(slug), body, keys, parsed),
            _ => {
                let fault = Fault::error(line, "expected `name: value` on each line");
                parsed.problems.push(fault.in_file(file.path, known));
            }
        },
    }
}

fn config(file: &File<'_>, read: Result<Node, Fault>, keys: &Keys, parsed: &mut Parsed) {
    let mut wrong = |line: usize, message: &str| {
        parsed.problems.push(Fault::error(line, message).in_file(file.path, None));
    };
    let entries = match read {
        Err(fault) => return wrong(fault.line, &fault.message),
        Ok(Node { value: Value::Table(entries), .. }) => entries,
        Ok(node) => return wrong(node.line, "expected a table with `agents`"),
    };
    // The rest of the user's own `config.toml` is read when the daemon is started.
    let whole = file.format == Format::ConfigToml && file.origin == Origin::Home;
    for entry in entries.iter().filter(|entry| !whole && entry.name != "agents").take(FILE_AGENTS) {
        let known = "only `agents` is read from this file";
        wrong(entry.line, &format!("unknown field `{}`: {known}", entry.name));
    }
    let mut named = entries.iter().filter(|entry| whole && entry.name == "provider");
    if let Some(Value::Text(provider)) = named.next().map(|entry| &entry.node.value) {
        parsed.default_provider = Some(provider.clone());
    }
    let mut found = entries.iter().filter(|entry| entry.name == "agents");
    let Some(agents) = found.next() else { return };
    found.for_each(|second| wrong(second.line, "`agents` is defined twice"));
    let items = match &agents.node.value {
        Value::Null => return,
        Value::List(items) => items,
        _ => return wrong(agents.node.line, "`agents` must be a list of agents"),
    };
    if let Some(first) = items.get(FILE_AGENTS) {
        wrong(first.line, &format!("more than {FILE_AGENTS} agents in this file; the rest are ignored"));
    }
    for item in items.iter().take(FILE_AGENTS) {
        match &item.value {
            Value::Table(entries) => take(file, entries, item.line, None, None, keys, parsed),
            _ => {
                let fault =
                    Fault::error(item.line, format!("an agent must be a table, but this is {}", item.kind()));
                parsed.problems.push(fault.in_file(file.path, None));
            }
        }
    }
}

fn take(
    file: &File<'_>,
    entries: &[Entry],
    line: usize,
    slug: Option<&str>,
    body: Option<String>,
    keys: &Keys,
    parsed: &mut Parsed,
) {
    let source = Source { origin: file.origin, file: Some(file.path.to_owned()) };
    let seat = Seat { slug, source, body, foreign: file.format == Format::Claude, keys };
    let read = fields::read(entries, line, seat);
    // One above that is broken has the name, too: the next of that name must not take its place.
    let taken = parsed.problems.iter().any(|problem| {
        problem.severity == Severity::Error && problem.slug.is_some() && problem.slug == read.slug
    }) || parsed.excerpts.keys().any(|known| Some(known) == read.slug.as_ref());
    let problems = read.faults.into_iter().map(|fault| fault.in_file(file.path, read.slug.as_deref()));
    parsed.problems.extend(problems);
    let Some(definition) = read.definition else { return };
    if taken {
        let fault = Fault::error(line, format!("agent `{}` is already defined above", definition.slug));
        parsed.problems.push(fault.in_file(file.path, Some(&definition.slug)));
        return;
    }
    let excerpt = match file.format {
        Format::ConfigToml | Format::ConfigJson => {
            Excerpt { format: Format::ConfigJson, text: json::agent(entries) }
        }
        format => Excerpt { format, text: file.text.to_owned() },
    };
    parsed.excerpts.insert(definition.slug.clone(), excerpt);
    parsed.definitions.push(definition);
}
