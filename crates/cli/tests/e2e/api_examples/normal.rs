//! Answers without what is another each time: ids, times, secrets, places and positions.

use std::collections::BTreeMap;

use paseo_testkit::home::TestHome;
use regex::{Captures, Regex};
use serde_json::{Map, Value, json};

/// The first four characters of the first id.
const FIRST: usize = 0x3f2a;
/// A list shows at most this many of its rows.
const ROWS: usize = 2;

pub(super) struct Normal {
    /// Where the home and the project are, and what they are called.
    places: Vec<(String, &'static str)>,
    ids: BTreeMap<String, String>,
    id: Regex,
    moment: Regex,
    hash: Regex,
    secret: Regex,
    address: Regex,
}

impl Normal {
    pub(super) fn new(home: &TestHome) -> Self {
        let text = |path: std::path::PathBuf| path.to_string_lossy().into_owned();
        let regex = |text: &str| Regex::new(text).unwrap();
        let root = home.work().parent().unwrap().to_owned();
        Self {
            places: vec![
                (text(home.path()), "/home/ann/.paseo"),
                (text(home.work()), "/home/ann/project"),
                (text(home.work()).replace('/', "%2F"), "/home/ann/project"),
                (text(root), "/home/ann"),
            ],
            ids: BTreeMap::new(),
            id: regex("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
            moment: regex(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"),
            hash: regex("\\b[0-9a-f]{64}\\b"),
            secret: regex("(paseo_)?[0-9A-Za-z_-]{40,}"),
            address: regex(r"127\.0\.0\.1:\d+"),
        }
    }

    /// Returns a text without what is another each time.
    pub(super) fn text(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for (place, name) in &self.places {
            text = text.replace(place, name);
        }
        let ids = &mut self.ids;
        text = self.id.replace_all(&text, |found: &Captures<'_>| named(ids, &found[0])).into_owned();
        text = self.moment.replace_all(&text, "2026-01-31T12:00:00.000Z").into_owned();
        text = self.address.replace_all(&text, "127.0.0.1:6767").into_owned();
        // Of a request or a file. It keeps its form, which the document describes.
        text = self.hash.replace_all(&text, "0b5e8c1fa94d27e6".repeat(4)).into_owned();
        let is_secret = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit()) && !word.contains('-');
        let hidden = |found: &Captures<'_>| {
            let word = &found[0];
            if is_secret(word) && word != "0b5e8c1fa94d27e6".repeat(4) {
                "0b5e8c1fa94d27e6…".to_owned()
            } else {
                word.to_owned()
            }
        };
        self.secret.replace_all(&text, hidden).into_owned()
    }

    pub(super) fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => json!(self.text(text)),
            Value::Array(rows) => rows.iter().take(ROWS).map(|row| self.value(row)).collect(),
            Value::Object(fields) => Value::Object(self.fields(fields)),
            other => other.clone(),
        }
    }

    fn fields(&mut self, fields: &Map<String, Value>) -> Map<String, Value> {
        let mut normal = Map::new();
        for (name, value) in fields {
            let value = match (name.as_str(), value) {
                ("seq" | "latest", Value::Number(_)) => json!(4711),
                ("pid" | "uptime_ms" | "memory_bytes" | "database_bytes" | "log_bytes", Value::Number(_)) => {
                    json!(42)
                }
                ("handle", Value::String(handle)) => json!(self.handle(handle)),
                ("next", Value::String(_)) if value != "null" => self.value(value),
                _ => self.value(value),
            };
            normal.insert(name.clone(), value);
        }
        normal
    }

    /// Returns the handle of an id as that id is called here.
    fn handle(&mut self, handle: &str) -> String {
        let owner = self.ids.iter().find(|(id, _)| id.starts_with(handle));
        owner.map_or_else(|| "3f2a".to_owned(), |(_, normal)| normal[..4].to_owned())
    }
}

fn named(ids: &mut BTreeMap<String, String>, id: &str) -> String {
    let next = FIRST + ids.len();
    let name = || format!("{next:04x}5c1e-7b2d-7a10-9c4e-2f6a8b0d1e3c");
    ids.entry(id.to_owned()).or_insert_with(name).clone()
}
