//! The tables of `docs/compatibility.md`, checked against what the routes answer.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

const PAGE: &str = include_str!("../../../../docs/compatibility.md");

/// The tables, and what was seen of each field.
pub(crate) struct Shapes {
    tables: BTreeMap<String, Vec<Field>>,
    seen: BTreeSet<(String, String, Sight)>,
}

struct Field {
    name: String,
    kind: String,
    always: bool,
}

/// How a field was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sight {
    Absent,
    Null,
    Present,
}

impl Shapes {
    /// Reads a part of the page: everything below one of its main headings.
    pub(crate) fn of(part: &str) -> Self {
        let (_, rest) = PAGE.split_once(&format!("\n## {part}\n")).unwrap();
        let page = rest.split("\n## ").next().unwrap();
        let mut tables: BTreeMap<String, Vec<Field>> = BTreeMap::new();
        let mut current = String::new();
        for line in page.lines() {
            if let Some(heading) = line.strip_prefix("### ") {
                heading.clone_into(&mut current);
                assert!(tables.insert(current.clone(), Vec::new()).is_none(), "{heading} stands twice");
            } else if let Some(row) = line.strip_prefix("| `") {
                let cells: Vec<&str> = row.trim_end_matches('|').split('|').map(str::trim).collect();
                let [name, kind, present] = cells[..] else { panic!("not three cells: {line}") };
                let name = name.trim_end_matches('`').to_owned();
                let (kind, always) = (kind.trim_matches('`').to_owned(), present.starts_with("always"));
                tables.get_mut(&current).unwrap().push(Field { name, kind, always });
            }
        }
        assert!(tables.values().all(|fields| !fields.is_empty()));
        Self { tables, seen: BTreeSet::new() }
    }

    /// Returns the routes that have a table, as `GET /path`.
    pub(crate) fn routes(&self) -> BTreeSet<String> {
        self.tables.keys().filter(|name| name.contains('/')).cloned().collect()
    }

    /// Checks an answer, or a part of one, against its table.
    pub(crate) fn check(&mut self, table: &str, answer: &Value) {
        let fields = self.tables.remove(table).unwrap_or_else(|| panic!("no table of `{table}`"));
        let object = answer.as_object().unwrap_or_else(|| panic!("{table} is no object: {answer}"));
        let known: BTreeSet<&String> = fields.iter().map(|field| &field.name).collect();
        let unknown: Vec<&String> = object.keys().filter(|key| !known.contains(key)).collect();
        assert!(unknown.is_empty(), "{table} has fields that its table does not: {unknown:?}");
        let mut inner = Vec::new();
        for field in &fields {
            let sight = match object.get(&field.name) {
                None if field.always => panic!("{table} lacks `{}`: {answer}", field.name),
                None => Sight::Absent,
                Some(Value::Null) => Sight::Null,
                Some(_) => Sight::Present,
            };
            self.seen.insert((table.to_owned(), field.name.clone(), sight));
            if let Some(value) = object.get(&field.name) {
                let what = format!("`{}` of {table}", field.name);
                inner.extend(parts(&what, &field.kind, value));
            }
        }
        self.tables.insert(table.to_owned(), fields);
        for (table, part) in inner {
            self.check(&table, &part);
        }
    }

    /// Checks that everything in the tables was seen: each field, and each that may be absent or null both ways.
    pub(crate) fn assert_all_seen(&self, except: &[(&str, &str)]) {
        let mut missing = Vec::new();
        for (table, fields) in &self.tables {
            for field in fields.iter().filter(|field| !except.contains(&(table, &field.name))) {
                let mut wanted = vec![Sight::Present];
                wanted.extend((!field.always).then_some(Sight::Absent));
                wanted.extend(field.kind.ends_with(" or null").then_some(Sight::Null));
                for sight in wanted {
                    if !self.seen.contains(&(table.clone(), field.name.clone(), sight)) {
                        missing.push(format!("{table}.{} {sight:?}", field.name));
                    }
                }
            }
        }
        assert!(missing.is_empty(), "never seen: {missing:#?}");
    }
}

/// Checks a value against its type, and returns what in it has a table of its own.
fn parts(what: &str, kind: &str, value: &Value) -> Vec<(String, Value)> {
    let kinds: Vec<&str> = kind.split(" or ").collect();
    if kinds.contains(&"null") && value.is_null() {
        return Vec::new();
    }
    if let Some(each) = kind.strip_prefix('[').and_then(|kind| kind.strip_suffix(']')) {
        let list = value.as_array().unwrap_or_else(|| panic!("{what} is no array: {value}"));
        return list.iter().flat_map(|one| parts(what, each, one)).collect();
    }
    if let Some(fixed) = kind.strip_prefix('"') {
        assert_eq!(value.as_str(), Some(fixed.trim_end_matches('"')), "{what}");
        return Vec::new();
    }
    let is = |kind: &&str| match *kind {
        "string" => value.is_string(),
        "number" => value.is_u64(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "time" => value.as_str().is_some_and(is_time),
        "cursor" => value.as_str().is_some_and(|text| text.parse::<u64>().is_ok()),
        _ => false,
    };
    if kinds.iter().any(is) {
        return Vec::new();
    }
    let is_plain =
        |kind: &str| ["string", "number", "boolean", "object", "time", "cursor", "null"].contains(&kind);
    match kinds.iter().find(|kind| !is_plain(kind)) {
        Some(table) if value.is_object() => vec![((*table).to_owned(), value.clone())],
        _ => panic!("{what} is not a {kind}: {value}"),
    }
}

/// ISO 8601 in UTC with at least milliseconds, so that texts sort as times do.
fn is_time(text: &str) -> bool {
    let Some((second, fraction)) = text.strip_suffix('Z').and_then(|text| text.split_once('.')) else {
        return false;
    };
    format!("{second}Z").parse::<jiff::Timestamp>().is_ok()
        && fraction.len() >= 3
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the routes under some paths that the API document names, as `GET /path`.
pub(crate) fn documented(is_wanted: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let document: Value = serde_json::from_str(include_str!("../../../../docs/openapi.json")).unwrap();
    let paths = document["paths"].as_object().unwrap().iter().filter(|(path, _)| is_wanted(path));
    let routes = paths.flat_map(|(path, methods)| {
        methods.as_object().unwrap().keys().map(move |method| format!("{} {path}", method.to_uppercase()))
    });
    routes.collect()
}
