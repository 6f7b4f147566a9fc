//! Pi 0.73.1, or 1.5.0 when `PASEO_FAKE_PI` says so, as `pi --mode rpc` speaks, with Paseo's extension loaded.

mod calls;
mod protocol;
mod turn;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;

use serde_json::{Value, json};

use super::desk::{self, Message, Nudge};
use super::memory::Memory;
use super::{Personality, pen, string};
use protocol::{Age, Settings};
use turn::Agent;

pub(super) fn run(arguments: &[String], personality: Personality) -> i32 {
    let age = Age::from_environment();
    if arguments.iter().any(|word| word == "--version") {
        pen::say(age.version());
        return 0;
    }
    let settings = match Settings::read(arguments, age) {
        Ok(settings) => settings,
        Err(problem) => {
            pen::complain(&format!("Error: {problem}"));
            return 1;
        }
    };
    let memory = match &settings.session {
        Some(path) => Memory::load(PathBuf::from(path)),
        None => Memory::new(home().join("sessions").join(format!("{}.jsonl", pen::id()))),
    };
    let file = memory.path().to_owned();
    if settings.extended {
        protocol::tell(&json!({ "ready": true }));
    }
    let (sender, desk) = desk::desk(personality);
    let streaming = Arc::new(AtomicBool::new(false));
    let agent = Agent::new(settings, memory, desk, Arc::clone(&streaming));
    let worker = std::thread::spawn(move || agent.work());
    let server = Server { age, file, sender, streaming };
    desk::each_line(|line| match serde_json::from_str::<Value>(line) {
        Ok(value) => server.take(&value),
        Err(error) => protocol::refuse(&Value::Null, "parse", &format!("Failed to parse command: {error}")),
    });
    server.send(Nudge::End);
    drop(server);
    worker.join().ok();
    0
}

struct Server {
    age: Age,
    file: PathBuf,
    sender: SyncSender<Nudge>,
    streaming: Arc<AtomicBool>,
}

impl Server {
    fn take(&self, value: &Value) {
        let (id, kind) = (&value["id"], value["type"].as_str().unwrap_or_default());
        let message = || Message {
            id: None,
            text: string(value, "message").unwrap_or_default(),
            turn: String::new(),
            content: value.clone(),
        };
        let data = |disposition: &str| match self.age {
            Age::Early => Value::Null,
            Age::Recent => json!({ "disposition": disposition }),
        };
        match kind {
            "get_state" => {
                let state = json!({
                    "sessionFile": self.file, "isStreaming": self.streaming.load(Ordering::SeqCst),
                    "isCompacting": false, "pendingMessageCount": 0,
                });
                protocol::answer(id, kind, state);
            }
            "prompt" if self.streaming.swap(true, Ordering::SeqCst) => {
                protocol::refuse(id, kind, "Agent is already processing.");
            }
            "prompt" => {
                protocol::answer(id, kind, data("started"));
                self.send(Nudge::Message(message()));
            }
            "steer" => {
                let queue = json!({ "type": "queue_update", "steering": [value["message"]], "followUp": [] });
                pen::line(&queue);
                protocol::answer(id, kind, data("queued"));
                self.send(Nudge::Message(message()));
            }
            "abort" if self.streaming.load(Ordering::SeqCst) => self.send(Nudge::Interrupt(id.clone())),
            "abort" => protocol::answer(id, kind, Value::Null),
            "clear_queue" if self.age == Age::Recent => {
                protocol::answer(id, kind, json!({ "steering": [], "followUp": [] }));
            }
            "extension_ui_response" => {
                let id = string(value, "id").unwrap_or_default();
                self.send(Nudge::Answer { id, value: value.clone() });
            }
            // Without its id, as the real one does.
            other => protocol::refuse(&Value::Null, other, &format!("Unknown command: {other}")),
        }
    }

    /// Puts something on the desk. One that is gone needs nothing any more.
    fn send(&self, nudge: Nudge) {
        self.sender.send(nudge).ok();
    }
}

fn home() -> PathBuf {
    let usual = || Path::new(&std::env::var_os("HOME").unwrap_or_default()).join(".pi/agent");
    std::env::var_os("PI_CODING_AGENT_DIR").map_or_else(usual, PathBuf::from)
}
