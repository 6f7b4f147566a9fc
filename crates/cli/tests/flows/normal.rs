//! A log without what differs from run to run: ids become numbers in the order in which they appear, times and hashes
//! placeholders. One line for each event; the text that it points at stands below it, behind a bar.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::{Map, Value};

use crate::log::Event;

/// How much of a text is shown, in lines and in characters of each.
const LINES: usize = 6;
const WIDTH: usize = 160;

/// Times in milliseconds are larger than any other number in the log.
const OLDEST: u64 = 1_600_000_000_000;

static ID: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{4,64}\b").unwrap()
});
static PLACEHOLDERS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let all = [
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "$$TIME"),
        (r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?( UTC)?", "$$TIME"),
        (r"127\.0\.0\.1:\d+", "$$ADDRESS"),
        (r"\b\d+(\.\d+)? m?s\b", "$$DURATION"),
        (r"\(status: (idle|running) →", "(status: $$STATUS →"),
        (r"with ID: [0-9a-z]+", "with ID: $$ID"),
        (r#""durationMs":\s*\d+"#, r#""durationMs":$$DURATION"#),
    ];
    all.into_iter().map(|(pattern, word)| (Regex::new(pattern).unwrap(), word)).collect()
});

/// Whether the texts that events point at are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Texts {
    Shown,
    LeftOut,
}

/// What is known of this run.
pub(crate) struct Normal {
    /// What stands for a path, the longest first.
    paths: Vec<(String, &'static str)>,
    texts: HashMap<String, String>,
    labels: HashMap<String, String>,
    counted: BTreeMap<String, usize>,
}

impl Normal {
    pub(crate) fn new(mut paths: Vec<(String, &'static str)>, texts: HashMap<String, String>) -> Self {
        paths.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        Self { paths, texts, labels: HashMap::new(), counted: BTreeMap::new() }
    }

    /// Writes all streams, each with its events in order. Between streams the order is free.
    pub(crate) fn write(&mut self, events: &[Event]) -> String {
        let mut streams: Vec<&str> = Vec::new();
        for event in events {
            if !streams.contains(&event.stream.as_str()) {
                streams.push(&event.stream);
            }
        }
        streams.sort_by_key(|stream| rank(stream));
        // Sessions and threads have their numbers before anything else mentions them.
        for stream in &streams {
            self.stream(stream);
        }
        // So has everything that events name, whatever texts say of it before.
        for stream in &streams {
            for event in events.iter().filter(|event| event.stream == **stream) {
                self.event(&mut String::new(), event, Texts::LeftOut);
            }
        }
        let mut written = String::new();
        for stream in streams {
            writeln!(written, "\n{}", self.stream(stream)).unwrap();
            for event in in_order(events, stream) {
                self.event(&mut written, event, Texts::Shown);
            }
        }
        written
    }

    fn event(&mut self, written: &mut String, event: &Event, shown: Texts) {
        let mut texts = Vec::new();
        let subject = event.kind.split('.').next().unwrap_or_default();
        let data = event.data.as_ref().map(|data| self.value(subject, data, &mut texts).to_string());
        let mark = if event.is_item { "*" } else { "-" };
        let actor = self.words(&event.actor);
        writeln!(written, "  {mark} {actor} {} {}", event.kind, data.as_deref().unwrap_or("(erased)"))
            .unwrap();
        if shown == Texts::LeftOut {
            return;
        }
        if let Some(text) = &event.text {
            if let Some(extra) = &text.extra {
                let extra = self.value("", extra, &mut texts).to_string();
                writeln!(written, "      + {extra}").unwrap();
            }
            texts.push(text.words.clone());
        }
        for text in texts {
            match text {
                Some(text) => self.text(written, &text),
                None => writeln!(written, "      | (erased)").unwrap(),
            }
        }
    }

    fn text(&mut self, written: &mut String, text: &str) {
        let text = self.words(text);
        let lines: Vec<&str> = text.lines().collect();
        for line in lines.iter().take(LINES) {
            let cut: String = line.chars().take(WIDTH).collect();
            let more = if cut.len() < line.len() { "…" } else { "" };
            writeln!(written, "      | {cut}{more}").unwrap();
        }
        if lines.len() > LINES {
            writeln!(written, "      | …").unwrap();
        }
    }

    fn stream(&mut self, stream: &str) -> String {
        match stream.split_once('/') {
            Some((kind @ ("session" | "cause" | "thread"), id)) => {
                format!("{kind} {}", self.label(kind, id))
            }
            _ => stream.to_owned(),
        }
    }

    /// Returns a value without what differs. References to texts are taken out of it.
    fn value(&mut self, key: &str, value: &Value, texts: &mut Vec<Option<String>>) -> Value {
        match value {
            Value::Object(fields) if is_reference(fields) => {
                let id = fields["id"].as_str().unwrap_or_default().replace('-', "");
                // What agents are told first is long, and no part of what happens.
                if key == "prompt" {
                    return "$PROMPT".into();
                }
                texts.push(self.texts.get(&id).cloned());
                "|".into()
            }
            Value::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| {
                    // Names can be ids as well.
                    let known = self.words(name);
                    // An `id` is that of the thing that it stands in.
                    let name = if name == "id" { key } else { name };
                    (known, self.value(name, value, texts))
                });
                Value::Object(fields.collect())
            }
            Value::Array(values) => values.iter().map(|value| self.value(key, value, texts)).collect(),
            Value::Number(_) if key.contains("duration") => "$DURATION".into(),
            Value::Number(number) if number.as_u64().is_some_and(|number| number >= OLDEST) => "$TIME".into(),
            Value::String(text) => self.string(key, text).into(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn string(&mut self, key: &str, text: &str) -> String {
        if ["sha256", "token", "call", "commit", "base"].contains(&key) && !text.contains('-') {
            return self.label(key, text);
        }
        let is_id = text.len() == 36 && ID.find(text).is_some_and(|found| found.len() == 36);
        match is_id {
            true => self.label(key.strip_suffix("ies").unwrap_or(key), text),
            false => self.words(text),
        }
    }

    /// Returns words without paths, times, addresses, ids and handles.
    pub(crate) fn words(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for (path, word) in &self.paths {
            text = text.replace(path, word);
        }
        for (pattern, word) in PLACEHOLDERS.iter() {
            text = pattern.replace_all(&text, *word).into_owned();
        }
        ID.replace_all(&text, |found: &Captures<'_>| self.id(&found[0])).into_owned()
    }

    /// Returns what stands for a word that looks like an id, if it is one.
    fn id(&mut self, word: &str) -> String {
        if word.len() == 36 {
            return self.label("id", word);
        }
        let known = self.labels.iter().find(|(id, label)| {
            (label.starts_with("session") && id.starts_with(word)) || id.as_str() == word
        });
        match known {
            Some((_, label)) => label.clone(),
            // Hashes, commits and ids without lines between their parts.
            None if word.len() >= 32 => self.label("hash", word),
            None => word.to_owned(),
        }
    }

    fn label(&mut self, kind: &str, id: &str) -> String {
        if let Some(label) = self.labels.get(id) {
            return label.clone();
        }
        let kind = match kind {
            "" | "from" | "origin" => "id",
            "deliver" => "delivery",
            "watches" => "watch",
            "reply_to" => "post",
            kind => kind,
        };
        let number = self.counted.entry(kind.to_owned()).or_default();
        *number += 1;
        let label = format!("{kind}{number}");
        self.labels.insert(id.to_owned(), label.clone());
        label
    }
}

/// Returns the events of a stream. Items that come at once are stored at once, behind what else is: how many come at
/// once is a matter of time. So a sum stands before the item that it adds. In a terminal the name of the conversation is
/// found beside everything else: it stands where the terminal was taken.
fn in_order<'a>(events: &'a [Event], stream: &str) -> Vec<&'a Event> {
    let mut ordered: Vec<&Event> = Vec::new();
    let mut sums: Vec<&Event> = Vec::new();
    let mut boarded = None;
    for event in events.iter().filter(|event| event.stream == stream) {
        if event.kind == "session.boarded" {
            boarded = Some(ordered.len() + 1);
        }
        if let Some(at) = boarded.filter(|_| event.kind == "session.referenced") {
            ordered.insert(at, event);
            continue;
        }
        if event.kind == "usage.added" {
            sums.push(event);
            continue;
        }
        if event.kind == "usage" && !sums.is_empty() {
            ordered.push(sums.remove(0));
        }
        ordered.push(event);
    }
    ordered.extend(sums);
    ordered
}

fn rank(stream: &str) -> usize {
    let kinds = ["settings", "team/", "thread/", "session/", "cause/"];
    kinds.iter().position(|kind| stream.starts_with(kind)).unwrap_or(kinds.len())
}

/// Says whether an object points at a text.
fn is_reference(fields: &Map<String, Value>) -> bool {
    fields.len() == 3 && ["id", "len", "sha256"].iter().all(|name| fields.contains_key(*name))
}
