//! What a fake was given, for tests to look at: one JSON object a line, from any number of processes.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

/// Everything that the fakes of one file were given.
#[derive(Debug, Clone, Default)]
pub struct Record {
    pub starts: Vec<Start>,
    /// The lines that came in, with the process that got them.
    pub lines: Vec<(u32, String)>,
}

/// One start of a fake.
#[derive(Debug, Clone)]
pub struct Start {
    pub pid: u32,
    /// `claude` or `codex`.
    pub name: String,
    pub arguments: Vec<String>,
    pub directory: String,
    /// All names; values only of `PASEO_*`, of what configures the harness, and of what has `MCP` in its name.
    pub environment: BTreeMap<String, Option<String>>,
}

impl Record {
    /// Reads a record. One that nobody wrote to is empty.
    pub fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_default();
        let mut record = Self::default();
        // The last line may be on its way.
        for entry in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let pid = u32::try_from(entry["pid"].as_u64().unwrap_or_default()).unwrap_or_default();
            match entry["stdin"].as_str() {
                Some(line) => record.lines.push((pid, line.to_owned())),
                None => record.starts.push(start_of(pid, &entry)),
            }
        }
        record
    }

    /// Returns the lines that are JSON.
    pub fn messages(&self) -> Vec<Value> {
        self.lines.iter().filter_map(|(_, line)| serde_json::from_str(line).ok()).collect()
    }
}

impl Start {
    /// Returns the argument after a flag.
    pub fn option(&self, flag: &str) -> Option<&str> {
        let place = self.arguments.iter().position(|argument| argument == flag)?;
        self.arguments.get(place + 1).map(String::as_str)
    }

    /// Returns a variable whose value was recorded.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.environment.get(name)?.as_deref()
    }
}

fn start_of(pid: u32, entry: &Value) -> Start {
    let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let arguments = entry["arguments"].as_array().map(|all| all.iter().map(words).collect());
    let environment = entry["environment"].as_object().cloned().unwrap_or_default();
    Start {
        pid,
        name: words(&entry["name"]),
        arguments: arguments.unwrap_or_default(),
        directory: words(&entry["directory"]),
        environment: environment
            .into_iter()
            .map(|(name, value)| (name, value.as_str().map(str::to_owned)))
            .collect(),
    }
}

/// Records how the fake was started.
pub(super) fn start(name: &str, arguments: &[String]) {
    let environment: BTreeMap<String, Option<String>> = std::env::vars()
        .map(|(name, value)| {
            let shown = is_shown(&name).then_some(value);
            (name, shown)
        })
        .collect();
    let directory = std::env::current_dir().unwrap_or_default();
    add(&json!({
        "pid": std::process::id(), "name": name, "arguments": arguments, "directory": directory,
        "environment": environment,
    }));
}

/// Records a line of input.
pub(super) fn input(line: &str) {
    add(&json!({ "pid": std::process::id(), "stdin": line }));
}

/// Secrets of whoever runs the tests must not end up in files.
fn is_shown(name: &str) -> bool {
    let settings = ["HOME", "PATH", "IS_SANDBOX", "CODEX_HOME", "ENABLE_TOOL_SEARCH", "DISABLE_AUTOUPDATER"];
    name.starts_with("PASEO_")
        || name.starts_with("CLAUDE")
        || name.contains("MCP")
        || settings.contains(&name)
}

fn add(entry: &Value) {
    let Some(path) = std::env::var_os("PASEO_FAKE_RECORD") else { return };
    let file = OpenOptions::new().create(true).append(true).open(&path);
    // One write, so that processes do not write into each other's lines.
    file.and_then(|mut file| file.write_all(format!("{entry}\n").as_bytes()))
        .expect("the record can be written");
}
