//! What `--json` prints is what `docs/schemas` says, for every command that has it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use paseo_testkit::home::{Output, TestHome, finish};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::{home, start, start_hanging};

/// A home whose commands are checked, and which schemas that took.
struct Checked {
    home: TestHome,
    used: RefCell<BTreeSet<String>>,
}

impl Checked {
    /// Runs a command and holds every line that it prints against a schema.
    fn prints(&self, schema: &str, arguments: &[&str]) -> Value {
        let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
        self.fits(schema, &arguments, &self.home.paseo(&arguments))
    }

    fn fits(&self, schema: &str, arguments: &[&str], output: &Output) -> Value {
        self.used.borrow_mut().insert(schema.to_owned());
        let text = std::fs::read_to_string(directory().join(format!("{schema}.json"))).unwrap();
        let schema: Value = serde_json::from_str(&text).unwrap();
        let mut last = Value::Null;
        for line in output.stdout.lines() {
            last =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {line}"));
            if let Err(wrong) = check(&schema, &schema, &last) {
                panic!("{arguments:?}: {wrong}: {line}");
            }
        }
        assert!(!last.is_null(), "{arguments:?} printed nothing: {output:?}");
        last
    }
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas")
}

/// Holds a value against a schema; says where it does not fit. A field that no schema names does not fit.
fn check(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        let definition = name.strip_prefix("#/$defs/").and_then(|name| root["$defs"].get(name));
        return check(root, definition.ok_or_else(|| format!("{name} is not defined"))?, value);
    }
    if let Some(choices) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        let fits = choices.iter().any(|choice| check(root, choice, value).is_ok());
        return if fits { Ok(()) } else { Err(format!("{value} is none of {choices:?}")) };
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        return Err(format!("{value} is not one of {words:?}"));
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let allowed = match &schema["type"] {
        Value::String(word) => word == kind,
        Value::Array(words) => words.iter().any(|word| word == kind),
        _ => true,
    };
    if !allowed {
        return Err(format!("{value} is of type {kind}, expected {}", schema["type"]));
    }
    if let Value::Array(values) = value {
        values.iter().try_for_each(|value| check(root, &schema["items"], value))?;
    }
    let Value::Object(fields) = value else { return Ok(()) };
    for required in schema["required"].as_array().into_iter().flatten() {
        let name = required.as_str().unwrap();
        if !fields.contains_key(name) {
            return Err(format!("`{name}` is missing"));
        }
    }
    for (name, value) in fields {
        match (schema["properties"].get(name), &schema["additionalProperties"]) {
            (Some(known), _) => check(root, known, value).map_err(|wrong| format!("{name}: {wrong}"))?,
            (None, Value::Object(_)) => check(root, &schema["additionalProperties"], value)?,
            // An object without any named fields is free.
            (None, _) if schema["properties"].is_null() => {}
            (None, _) => return Err(format!("`{name}` is not in the schema")),
        }
    }
    Ok(())
}

#[test]
fn everything_fits_its_schema() {
    let checked = Checked { home: home(), used: RefCell::default() };
    let home = &checked.home;
    checked.prints("up", &["up"]);
    checked.prints("status", &["status"]);
    checked.prints("doctor", &["doctor"]);

    let created =
        checked.prints("created", &["run", "-d", "--ui", "--label", "a=b", "<<usage 3 4>><<say hi>>"]);
    let handle = created["session"]["handle"].as_str().unwrap();
    checked.prints("done", &["wait", handle]);
    checked.prints("answer", &["read", handle]);
    let failed = start(home, "<<fail x>>");
    checked.prints("done", &["wait", &failed]);
    checked.prints("answer", &["read", &failed]);
    checked.prints("item", &["logs", handle]);
    checked.prints("search", &["search", "hi"]);
    std::fs::write(home.work().join("note.txt"), "hi\n").unwrap();
    checked.prints("files", &["files", handle]);
    checked.prints("file", &["files", handle, "note.txt", "--show"]);
    checked.prints("projects", &["projects"]);
    checked.prints("models", &["providers", "models", "scripted"]);
    checked.prints("ending", &["run", "<<say hi>>"]);
    checked.prints("ending", &["run", "<<fail boom>>"]);
    checked.prints("ending", &["run", "--timeout", "1s", "<<hang>>"]);
    checked.prints("ending", &["send", handle, "--wait", "<<sh true>>"]);
    let receipt = checked.prints("receipt", &["send", handle, "again"]);
    checked.prints("done", &["wait", handle]);
    checked.prints("trace", &["trace", receipt["delivery"].as_str().unwrap()]);
    checked.prints("cause", &["cause", receipt["cause"].as_str().unwrap()]);
    checked.prints("cause_messages", &["cause", handle, "--messages"]);
    checked.prints("map", &["map", "--all"]);
    let attach = ["attach", "--json", handle];
    checked.fits("item", &attach, &home.paseo_with(&attach, b"<<think hm>><<sh false>>\n"));

    checked.prints("list", &["ls", "-a", "-g"]);
    checked.prints("agent", &["inspect", handle]);
    checked.prints("agent", &["rename", handle, "name"]);
    checked.prints("agent", &["label", handle, "c=d"]);

    checked.prints("agent", &["pin", handle]);
    checked.prints("agent", &["notify", handle]);
    checked.prints("agent", &["label", handle, "--attr", "n={\"a\":[1]}"]);
    checked.prints("ending", &["ask", "default", "--session", handle, "<<say hi>>"]);
    let told = checked.prints("messaged", &["tell", "default", "--session", "create", "<<say hi>>"]);
    checked.prints("done", &["wait", told["session"]["id"].as_str().unwrap()]);
    checked.prints("switched", &["switch", "default", "--from", handle, "<<say hi>>"]);
    checked.prints("went_back", &["switch", "--back", "<<say bye>>"]);
    checked.prints("done", &["wait", handle]);

    let busy = start_hanging(home);
    checked.prints("receipt", &["send", &busy, "later"]);
    checked.prints("why", &["why", &busy]);
    checked.prints("queue", &["queue", &busy]);
    checked.prints("action", &["stop", &busy]);
    checked.prints("queue", &["queue", &busy]);
    checked.prints("receipt", &["send", &busy, "<<hang>>"]);
    checked.prints("action", &["rm", "-f", &busy]);
    let asking = start(home, "<<ask one>><<ask two>>");
    checked.prints("done", &["wait", &asking]);
    checked.prints("why", &["why", &asking]);
    checked.prints("asks", &["permit", "ls"]);
    checked.prints("inbox", &["inbox"]);
    checked.prints("answered", &["permit", "allow", "--yes", &asking]);
    assert_eq!(home.paseo(&["wait", &asking]).code, 4);
    checked.prints("answered", &["permit", "deny", &asking]);
    home.paseo(&["wait", &asking]).ok();
    let strict = home.paseo(&["run", "-d", "--permissions", "ask", "<<sh true>>"]).ok().to_owned();
    checked.prints("done", &["wait", &strict]);
    let kept = checked.prints("answered", &["permit", "allow", "--yes", "--always", &strict]);
    checked.prints("rules", &["permit", "rules"]);
    checked.prints("rules", &["permit", "forget", kept["rule"]["id"].as_str().unwrap()]);
    checked.prints("providers", &["providers"]);
    let add = ["providers", "add", "helper", "--json", "--", "true"];
    checked.fits("providers", &add, &home.paseo(&add));
    checked.prints("providers", &["providers", "rm", "helper"]);
    checked.prints("definitions", &["agents", "ls"]);
    checked.prints("definition", &["agents", "show", "default"]);
    checked.prints("ending", &["run", "<<limit 60000>>"]);
    for deed in ["archive", "clear", "close", "reopen"] {
        checked.prints("action", &[deed, &asking]);
    }

    crate::worktrees::make_repository(&home.work());
    let apart = checked.prints("created", &["run", "-d", "--worktree", "<<say hi>>"]);
    let apart = apart["session"]["id"].as_str().unwrap().to_owned();
    checked.prints("worktrees", &["worktree", "ls"]);
    home.paseo(&["wait", &apart]).ok();
    home.paseo(&["close", &apart]).ok();
    checked.prints("removed_worktree", &["worktree", "rm", &apart]);

    checked.prints("team", &["team", "create", "red"]);
    checked.prints("team", &["team", "show"]);
    checked.prints("task", &["task", "create", "Parse", "--resource", "src", "--description", "all"]);
    checked.prints("task", &["task", "claim", "task-0001"]);
    checked.prints("can_write", &["can-write", "src/a"]);
    checked.prints("task", &["task", "complete", "task-0001", "--epoch", "1", "--summary", "done"]);
    checked.prints("tasks", &["task", "ls"]);
    let watch = ["task", "ls", "--watch", "--json"];
    let mut child = home.spawn(&watch);
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    checked.fits("tasks", &watch, &Output { stdout: line, ..finish(child) });
    checked.prints("notices", &["team", "audit"]);
    checked.prints("refusals", &["team", "refusals"]);
    checked.prints("team_env", &["team", "env", "--agent", "ann"]);
    let begin = ["worker", "start", "--team", "red", "--provider", "scripted", "<<say hi>>"];
    let worker = checked.prints("worker_started", &begin);
    home.paseo(&["wait", worker["worker"]["session"].as_str().unwrap()]).ok();
    checked.prints("workers", &["worker", "ls"]);
    checked.prints("capture", &["worker", "capture", "red-1"]);
    checked.prints("receipt", &["worker", "send", "red-1", "hello"]);
    checked.prints("action", &["worker", "kill", "red-1"]);
    checked.prints("team", &["team", "leave", "red", "--agent", "red-1"]);
    checked.prints("team", &["team", "rm", "red"]);
    checked.prints("teams", &["team", "ls", "--all"]);
    checked.prints("thread", &["thread", "new", "plan"]);
    checked.prints("thread", &["thread", "invite", "plan", "scripted", "--id", "ada"]);
    checked.prints("thread", &["thread", "mute", "plan", "ada"]);
    checked.prints("threads", &["thread", "ls"]);
    checked.prints("thread_event", &["thread", "post", "plan", "hello"]);
    checked.prints("thread_event", &["thread", "tail", "plan"]);
    checked.prints("thread_state", &["thread", "state", "plan"]);
    checked.prints("token", &["thread", "token", "plan", "--as", "ada"]);
    checked.prints("thread", &["thread", "new", "gone"]);
    checked.prints("thread", &["thread", "rm", "gone"]);

    checked.prints("usage", &["usage"]);
    checked.prints("link", &["open"]);
    checked.prints("devices", &["devices", "ls"]);
    checked.prints("settings", &["settings", "get"]);
    checked.prints("settings", &["settings", "set", "perm_summon", "on"]);
    let token = checked.prints("token", &["token", "create", "--name", "ci"]);
    checked.prints("tokens", &["token", "ls"]);
    checked.prints("tokens", &["token", "revoke", token["id"].as_str().unwrap()]);
    checked.prints("up", &["restart"]);
    checked.prints("down", &["down"]);

    let files = std::fs::read_dir(directory()).unwrap().map(|entry| entry.unwrap().path());
    let names = files.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    let names: BTreeSet<String> =
        names.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(names, *checked.used.borrow(), "every schema is tried");
}

#[test]
fn the_check_finds_what_does_not_fit() {
    let text = std::fs::read_to_string(directory().join("down.json")).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    let fits = |text: &str| check(&schema, &schema, &serde_json::from_str(text).unwrap()).is_ok();
    assert!(fits(r#"{"stopped":true,"interrupted":2,"workers":["red-1"],"ended":[]}"#));
    assert!(!fits(r#"{"stopped":1,"interrupted":2,"workers":[],"ended":[]}"#) && !fits("{}") && !fits("[]"));
    assert!(!fits(r#"{"stopped":true,"interrupted":2,"workers":[],"ended":[],"more":1}"#));
}
