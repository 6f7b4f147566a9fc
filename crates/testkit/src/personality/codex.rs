//! Codex 0.166.0, as `codex app-server` speaks: JSON-RPC without its version, one thread of ours for each of its.

mod calls;
mod protocol;
mod turn;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::SyncSender;
use std::thread::JoinHandle;

use serde_json::{Value, json};

use super::desk::{self, Message, Nudge};
use super::memory::Memory;
use super::{Personality, pen, string};
use protocol::{Active, Settings};
use turn::Thread;

pub(super) fn run(arguments: &[String], personality: Personality) -> i32 {
    match start(arguments) {
        Start::Serve => {}
        Start::Say(text) => {
            pen::say(text);
            return 0;
        }
        Start::Refuse(text, code) => {
            pen::complain(&text);
            return code;
        }
    }
    let mut server = Server { personality, initialized: false, threads: HashMap::new() };
    desk::each_line(|line| match serde_json::from_str::<Value>(line) {
        Ok(value) => server.take(&value),
        // Codex goes on after such a line, where claude ends.
        Err(error) => {
            pen::complain(&format!("ERROR codex_app_server: Failed to deserialize JSONRPCMessage: {error}"))
        }
    });
    server.end();
    0
}

enum Start {
    Serve,
    Say(&'static str),
    Refuse(String, i32),
}

fn start(arguments: &[String]) -> Start {
    let mut words = arguments.iter().map(String::as_str);
    let mut serves = false;
    while let Some(word) = words.next() {
        match word {
            "-V" | "--version" => return Start::Say("codex-cli 0.166.0"),
            "-c" | "--config" | "--enable" | "--disable" | "--listen" => {
                words.next();
            }
            "app-server" => serves = true,
            other => return Start::Refuse(format!("error: unexpected argument '{other}' found"), 2),
        }
    }
    if !serves {
        return Start::Refuse("Error: stdin is not a terminal".into(), 1);
    }
    if !home().is_dir() {
        let home = home();
        let text = format!("Error: CODEX_HOME points to {:?}, but that path does not exist", home.display());
        return Start::Refuse(text, 1);
    }
    Start::Serve
}

struct Server {
    personality: Personality,
    initialized: bool,
    threads: HashMap<String, Running>,
}

/// A thread of codex's, and of ours.
struct Running {
    desk: SyncSender<Nudge>,
    active: Active,
    worker: JoinHandle<()>,
}

impl Server {
    fn take(&mut self, value: &Value) {
        let Some(method) = value["method"].as_str() else {
            return self.answered(value);
        };
        let Some(id) = value.get("id") else { return };
        let parameters = &value["params"];
        if !self.initialized && method != "initialize" {
            return protocol::refuse(id, "Not initialized");
        }
        match method {
            "initialize" => self.initialize(id, parameters),
            "thread/start" => {
                let thread = pen::id();
                let path = home().join("sessions").join(format!("rollout-{thread}.jsonl"));
                self.open(id, thread, Memory::new(path), parameters);
            }
            "thread/resume" => {
                let thread = string(parameters, "threadId").unwrap_or_default();
                match Memory::find(&home().join("sessions"), &thread) {
                    Some(path) if !thread.is_empty() => self.open(id, thread, Memory::load(path), parameters),
                    _ => protocol::refuse(id, &format!("no rollout found for thread id {thread}")),
                }
            }
            "turn/start" | "turn/steer" | "turn/interrupt" | "thread/backgroundTerminals/clean" => {
                let thread = string(parameters, "threadId").unwrap_or_default();
                match self.threads.get(&thread) {
                    Some(running) => running.take(id, method, parameters),
                    None => protocol::refuse(id, &format!("thread not found: {thread}")),
                }
            }
            "thread/unsubscribe" | "thread/archive" | "thread/name/set" => protocol::answer(id, &json!({})),
            "model/list" => protocol::answer(id, &json!({ "data": [], "nextCursor": null })),
            other => protocol::refuse(id, &format!("Invalid request: unknown variant `{other}`")),
        }
    }

    fn initialize(&mut self, id: &Value, parameters: &Value) {
        if std::mem::replace(&mut self.initialized, true) {
            return protocol::refuse(id, "Already initialized");
        }
        let client = string(&parameters["clientInfo"], "name").unwrap_or_default();
        let agent = format!("{client}/0.166.0 (scripted)");
        protocol::answer(
            id,
            &json!({ "userAgent": agent, "codexHome": home(), "platformFamily": "unix", "platformOs": "linux" }),
        );
        protocol::notify(
            "remoteControl/status/changed",
            json!({ "status": "disabled", "environmentId": null }),
        );
    }

    /// Opens a thread, new or old.
    fn open(&mut self, id: &Value, thread: String, memory: Memory, parameters: &Value) {
        let settings = match Settings::read(thread.clone(), parameters) {
            Ok(settings) => settings,
            Err(problem) => return protocol::refuse(id, &problem),
        };
        let described = settings.describe(memory.path());
        let is_new = memory.turns == 0;
        let (desk_in, desk) = desk::desk(self.personality);
        let active = Active::default();
        let worker = Thread::new(settings, memory, desk, active.clone());
        if !is_new {
            let status = json!({ "type": "idle" });
            protocol::notify("thread/status/changed", json!({ "threadId": thread, "status": status }));
        }
        protocol::answer(id, &described);
        if is_new {
            protocol::notify("thread/started", json!({ "thread": described["thread"] }));
        }
        let worker = std::thread::spawn(move || worker.work());
        self.threads.insert(thread, Running { desk: desk_in, active, worker });
    }

    /// Hands an answer to whoever asked. Ids are unique, so everyone may look.
    fn answered(&self, value: &Value) {
        let id = value["id"].to_string();
        for running in self.threads.values() {
            running.send(Nudge::Answer { id: id.clone(), value: value["result"].clone() });
        }
    }

    fn end(self) {
        self.threads.values().for_each(|running| running.send(Nudge::End));
        for (_, running) in self.threads {
            drop(running.desk);
            running.worker.join().ok();
        }
    }
}

impl Running {
    fn take(&self, id: &Value, method: &str, parameters: &Value) {
        match method {
            "turn/start" => {
                // While one runs, this steers it, and the answer names the one that runs.
                let turn = self.active.start();
                protocol::answer(id, &json!({ "turn": protocol::turn(&turn, "inProgress", None) }));
                self.send(Nudge::Message(message(parameters, turn)));
            }
            "turn/steer" => match self.active.running() {
                Some(turn) if parameters["expectedTurnId"] == turn.as_str() => {
                    protocol::answer(id, &json!({ "turnId": turn }));
                    self.send(Nudge::Message(message(parameters, turn)));
                }
                Some(turn) => protocol::refuse(id, &format!("expected active turn id but found {turn}")),
                None => protocol::refuse(id, "no active turn to steer"),
            },
            "turn/interrupt" => match self.active.running() {
                // Too early: codex has not begun.
                Some(turn) if parameters["turnId"] != turn.as_str() || !self.active.has_begun() => {
                    protocol::refuse(
                        id,
                        &format!("expected active turn id {} but found another", parameters["turnId"]),
                    );
                }
                // With none that runs there is no answer until one has ended.
                Some(_) | None => self.send(Nudge::Interrupt(id.clone())),
            },
            _ => {
                protocol::answer(id, &json!({}));
                self.send(Nudge::Clean);
            }
        }
    }

    /// Puts something on the desk. One that is gone needs nothing any more.
    fn send(&self, nudge: Nudge) {
        self.desk.send(nudge).ok();
    }
}

fn message(parameters: &Value, turn: String) -> Message {
    let items = parameters["input"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<&str> = items.iter().filter_map(|item| item["text"].as_str()).collect();
    Message {
        id: string(parameters, "clientUserMessageId"),
        text: texts.join("\n"),
        turn,
        // A turn can have a model of its own.
        content: parameters.clone(),
    }
}

fn home() -> PathBuf {
    let usual = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".codex");
    std::env::var_os("CODEX_HOME").map_or_else(usual, PathBuf::from)
}
