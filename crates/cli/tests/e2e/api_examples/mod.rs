//! The examples of the API document: requests that a test sends to a real daemon, and the answers that came.
//!
//! Record them again with `PASEO_UPDATE=1 cargo test -p paseo api_examples`, then the document and its page.

mod fits;
mod normal;
mod story;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use paseo_testkit::home::TestHome;
use serde_json::{Map, Value, json};

use crate::home;
use normal::Normal;

/// How long an agent without a model may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Operations without an example, and why.
const WITHOUT: &[(&str, &str)] = &[
    ("getApp", "a page"),
    ("getAppView", "a page"),
    ("getAsset", "a file"),
    ("getAttachment", "a file"),
    ("getIcon", "a file"),
    ("getLoginPage", "a page"),
    ("getManifest", "a file"),
    ("getOpenApi", "this document"),
    ("getServiceWorker", "a file"),
    ("openFrontPage", "a page"),
    ("openShell", "a WebSocket"),
];

fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../daemon/src/http/openapi/examples.json")
}

fn document() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// A daemon that is asked for operations by their names.
struct Asker {
    home: TestHome,
    document: Value,
    /// Method and path by name.
    operations: BTreeMap<String, (String, String)>,
    normal: Normal,
    /// What later requests refer to.
    known: BTreeMap<&'static str, String>,
    examples: Map<String, Value>,
}

impl Asker {
    fn new() -> Self {
        let home = home();
        home.paseo(&["up"]).ok();
        let document = document();
        let mut operations = BTreeMap::new();
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let name = operation["operationId"].as_str().unwrap().to_owned();
                operations.insert(name, (method.to_uppercase(), path.clone()));
            }
        }
        let normal = Normal::new(&home);
        Self { home, document, operations, normal, known: BTreeMap::new(), examples: Map::new() }
    }

    /// Puts what is known into a text: `$name`.
    fn filled(&self, text: &str) -> String {
        // Longer names first: one may begin with another.
        let mut known: Vec<_> = self.known.iter().collect();
        known.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        let mut text = text.replace("$work", &self.home.work().to_string_lossy());
        for (name, value) in known {
            text = text.replace(&format!("${name}"), value);
        }
        text
    }

    /// Returns the method of an operation, its path as the document has it, and the path to ask for. `rest` is what the
    /// path and the query hold.
    fn address(&self, name: &str, rest: &str) -> (String, String, String) {
        let (method, template) = self.operations.get(name).unwrap_or_else(|| panic!("no {name}")).clone();
        let (open, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut path = template.clone();
        for pair in open.split_whitespace() {
            let (parameter, value) = pair.split_once('=').unwrap();
            path = path.replace(&format!("{{{parameter}}}"), &self.filled(value));
        }
        assert!(!path.contains('{'), "{name}: {path}");
        if !query.is_empty() {
            path = format!("{path}?{}", self.filled(query).replace('/', "%2F"));
        }
        (method, template, path)
    }

    /// Asks for an operation, and keeps request and answer as its example.
    fn ask(&mut self, name: &str, rest: &str, body: Value) -> Value {
        let (method, template, path) = self.address(name, rest);
        let text = if body.is_null() { String::new() } else { self.filled(&body.to_string()) };
        let (status, answer) = self.send(&method, &path, &text);
        let operation = &self.document["paths"][&template][method.to_lowercase()];
        let declared = &operation["responses"][status.to_string()];
        assert!(
            (200..300).contains(&status) && declared.is_object(),
            "{name} {path} {text}: {status} {answer}"
        );
        let media = declared["content"].get("application/json");
        if let Some(schema) = media.map(|media| &media["schema"]) {
            let wrong = fits::wrong(&self.document, schema, &answer, name);
            assert_eq!(wrong, Vec::<String>::new(), "{name}: {answer}");
        }
        let mut example = json!({ "method": method, "path": self.normal.text(&path), "status": status });
        if !body.is_null() {
            example["request"] = self.normal.value(&serde_json::from_str(&text).unwrap());
        }
        if !answer.is_null() {
            example["response"] = self.normal.value(&answer);
        }
        // The first one stands for all.
        self.examples.entry(name.to_owned()).or_insert(example);
        answer
    }

    /// Watches a stream, and keeps the first event of each of these kinds as its example.
    fn watch(&mut self, name: &str, rest: &str, kinds: &[&str]) {
        let (method, template, path) = self.address(name, rest);
        let answer = &self.document["paths"][&template][method.to_lowercase()]["responses"]["200"];
        let schema =
            answer["content"]["text/event-stream"]["schema"]["properties"]["data"]["contentSchema"].clone();
        assert!(schema.is_object(), "{name}");
        let mut stream = UnixStream::connect(self.home.path().join("daemon.sock")).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // Version 1.0 has no chunks between the events.
        write!(stream, "{method} {path} HTTP/1.0\r\nhost: localhost\r\n\r\n").unwrap();
        let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
        assert!(lines.by_ref().take_while(|line| !line.is_empty()).any(|line| line.contains("event-stream")));
        let (mut frames, mut open) = (BTreeMap::new(), kinds.to_vec());
        while !open.is_empty() {
            let frame: Vec<String> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
            let field = |name: &str| frame.iter().find_map(|line| line.strip_prefix(name));
            let (kind, Some(data)) = (field("event: ").unwrap_or("message"), field("data: ")) else {
                continue;
            };
            let data: Value = serde_json::from_str(data).unwrap();
            let wrong = fits::wrong(&self.document, &schema, &data, name);
            assert_eq!(wrong, Vec::<String>::new(), "{name}: {data}");
            let Some(at) = open.iter().position(|wanted| *wanted == kind) else { continue };
            open.remove(at);
            let mut shown = String::new();
            for line in &frame {
                shown += &match line.split_once(": ") {
                    Some(("data", _)) => format!("data: {}\n", self.normal.value(&data)),
                    Some(("id", id)) if id.parse::<u64>().is_ok() => "id: 4711\n".to_owned(),
                    _ => format!("{}\n", self.normal.text(line)),
                };
            }
            frames.insert(kinds.iter().position(|wanted| *wanted == kind), shown);
        }
        let shown = frames.into_values().collect::<Vec<_>>().join("\n");
        let path = self.normal.text(&path);
        let example = json!({ "method": method, "path": path, "status": 200, "response": shown });
        self.examples.insert(name.to_owned(), example);
    }

    /// Remembers something for later requests.
    fn keep(&mut self, name: &'static str, value: &Value) {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        assert!(!value.is_null(), "{name} is missing");
        self.known.insert(name, text);
    }

    /// Waits until a session has a status.
    fn wait(&self, session: &str, status: &str) {
        let (path, begin) = (self.filled(&format!("/api/sessions/{session}")), Instant::now());
        loop {
            let (_, answer) = self.send("GET", &path, "");
            if answer["session"]["status"] == status {
                return;
            }
            assert!(begin.elapsed() < PATIENCE, "not {status}: {answer}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn send(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let mut stream = UnixStream::connect(self.home.path().join("daemon.sock")).unwrap();
        let kind = if body.is_empty() { "" } else { "content-type: application/json\r\n" };
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{kind}content-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (
            status,
            if body.is_empty() {
                Value::Null
            } else {
                serde_json::from_str(body).unwrap_or_else(|_| json!(body))
            },
        )
    }
}

#[test]
fn every_example_is_sent_and_answered_as_the_document_says() {
    let mut asker = Asker::new();
    story::tell(&mut asker);
    written::add(&mut asker);
    if std::env::var_os("PASEO_UPDATE").is_some() {
        let written = format!("{:#}\n", Value::Object(asker.examples.clone()));
        std::fs::write(committed(), written).unwrap();
    }
    let recorded: Map<String, Value> =
        serde_json::from_str(&std::fs::read_to_string(committed()).unwrap()).unwrap();
    for (name, example) in &asker.examples {
        let known = recorded.get(name).unwrap_or(&Value::Null);
        for part in ["method", "path", "status", "request"] {
            assert_eq!(example.get(part), known.get(part), "{name}: record the examples again");
        }
    }
    let names = |all: &Map<String, Value>| all.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(names(&recorded), names(&asker.examples), "record the examples again");
}

#[test]
fn every_operation_has_an_example_or_a_reason() {
    let recorded: Map<String, Value> =
        serde_json::from_str(&std::fs::read_to_string(committed()).unwrap()).unwrap();
    let without: BTreeSet<&str> = WITHOUT.iter().map(|(name, _)| *name).collect();
    for methods in document()["paths"].as_object().unwrap().values() {
        for operation in methods.as_object().unwrap().values() {
            let name = operation["operationId"].as_str().unwrap();
            assert_ne!(recorded.contains_key(name), without.contains(name), "{name}");
        }
    }
}
