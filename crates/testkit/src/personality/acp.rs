//! An agent that speaks ACP, as opencode 1.18 does: by its name, or by any name with `PASEO_FAKE=acp`.
//!
//! `PASEO_FAKE_QUIRK` gives it one bad manner that only such agents have, see [`Quirk`].

mod calls;
mod turn;

use std::path::PathBuf;
use std::sync::mpsc::SyncSender;
use std::thread::JoinHandle;

use serde_json::{Value, json};

use super::desk::{self, Message, Nudge};
use super::mcp::Server;
use super::memory::Memory;
use super::{Personality, pen, string};
use turn::Session;

/// The models that it knows.
const MODELS: [&str; 3] = ["scripted", "scripted-two", "scripted/scripted-two"];

/// One bad manner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quirk {
    None,
    /// Never answers `initialize`.
    Mute,
    /// Speaks a version of its own.
    Stranger,
    /// Wants a login before anything.
    Locked,
    /// Cannot continue a session.
    Forgetful,
    /// Reaches no MCP server.
    Toolless,
    /// Answers what nobody asked, asks twice, asks for what nobody has, and talks on after its turns.
    Chatty,
    /// Asks for leave without saying what for.
    Vague,
    /// Opens no session, and says why only in the details of its error.
    Terse,
}

impl Quirk {
    fn from_environment() -> Self {
        let Ok(wanted) = std::env::var("PASEO_FAKE_QUIRK") else { return Self::None };
        match wanted.as_str() {
            "mute" => Self::Mute,
            "stranger" => Self::Stranger,
            "locked" => Self::Locked,
            "forgetful" => Self::Forgetful,
            "toolless" => Self::Toolless,
            "chatty" => Self::Chatty,
            "vague" => Self::Vague,
            "terse" => Self::Terse,
            other => panic!("PASEO_FAKE_QUIRK: there is no {other}"),
        }
    }
}

pub(super) fn run(arguments: &[String], personality: Personality) -> i32 {
    if arguments.iter().any(|argument| argument == "--version") {
        pen::say("1.18.33");
        return 0;
    }
    let mut agent = Agent { personality, quirk: Quirk::from_environment(), session: None };
    desk::each_line(|line| match serde_json::from_str::<Value>(line) {
        Ok(value) => agent.take(&value),
        Err(error) => pen::complain(&format!("no JSON: {error}")),
    });
    agent.end();
    0
}

struct Agent {
    personality: Personality,
    quirk: Quirk,
    session: Option<Running>,
}

struct Running {
    id: String,
    desk: SyncSender<Nudge>,
    worker: JoinHandle<()>,
}

impl Agent {
    fn take(&mut self, value: &Value) {
        let parameters = &value["params"];
        match (value["method"].as_str(), value.get("id")) {
            (Some(method), Some(id)) => self.asked(id, method, parameters),
            (Some("session/cancel"), None) => self.send(Nudge::Interrupt(Value::Null)),
            (Some(_), None) => {}
            (None, _) => {
                let id = value["id"].to_string();
                let answer =
                    if value["error"].is_null() { value["result"].clone() } else { value["error"].clone() };
                self.send(Nudge::Answer { id, value: answer });
            }
        }
    }

    fn asked(&mut self, id: &Value, method: &str, parameters: &Value) {
        match method {
            "initialize" => self.initialize(id),
            "session/new" if self.quirk == Quirk::Locked => {
                refuse(id, -32000, "Authentication required", Value::Null)
            }
            "session/new" if self.quirk == Quirk::Terse => {
                refuse(id, -32603, "Internal error", json!({ "details": "the disk of the agent is full" }))
            }
            "session/new" => {
                let session = format!("ses_{}", pen::id());
                let path = home().join(format!("{session}.jsonl"));
                self.open(id, session, Memory::new(path), parameters);
            }
            "session/load" => {
                let session = string(parameters, "sessionId").unwrap_or_default();
                match Memory::find(&home(), &session) {
                    Some(path) if !session.is_empty() => {
                        // It tells everything again.
                        update(
                            &session,
                            json!({ "sessionUpdate": "user_message_chunk", "content": block("again") }),
                        );
                        update(
                            &session,
                            json!({ "sessionUpdate": "agent_message_chunk", "content": block("again") }),
                        );
                        self.open(id, session, Memory::load(path), parameters);
                    }
                    _ => refuse(id, -32603, "Internal error", json!({ "service": "session" })),
                }
            }
            "session/list" => answer(id, &json!({ "sessions": [] })),
            "session/set_config_option" => {
                self.send(Nudge::Message(setting(parameters)));
                answer(id, &json!({ "configOptions": options(string(parameters, "value").as_deref()) }));
            }
            "session/set_mode" => {
                self.send(Nudge::Message(setting(
                    &json!({ "configId": "mode", "value": parameters["modeId"] }),
                )));
                answer(id, &json!({}));
            }
            "session/prompt" => {
                let known =
                    self.session.as_ref().is_some_and(|session| parameters["sessionId"] == session.id);
                match known {
                    true => self.send(Nudge::Message(message(id, parameters))),
                    false => refuse(id, -32602, "session not found", Value::Null),
                }
            }
            _ => refuse(id, -32601, "Method not found", Value::Null),
        }
    }

    fn initialize(&self, id: &Value) {
        if self.quirk == Quirk::Mute {
            return;
        }
        let version = if self.quirk == Quirk::Stranger { 7 } else { 1 };
        let sessions = if self.quirk == Quirk::Forgetful { json!({}) } else { json!({ "list": {} }) };
        answer(
            id,
            &json!({
                "protocolVersion": version,
                "agentCapabilities": {
                    "loadSession": self.quirk != Quirk::Forgetful,
                    "promptCapabilities": { "image": true },
                    "mcpCapabilities": { "http": self.quirk != Quirk::Toolless, "sse": false },
                    "sessionCapabilities": sessions,
                },
                "authMethods": [{ "id": "login", "name": "Log in", "description": "Run `agent login`" }],
                "agentInfo": { "name": "Fake", "version": "1.18.33" },
            }),
        );
    }

    fn open(&mut self, id: &Value, session: String, memory: Memory, parameters: &Value) {
        let servers = parameters["mcpServers"].as_array().map(Vec::as_slice).unwrap_or_default();
        let servers: Vec<Server> = servers.iter().filter_map(connect).collect();
        let (desk_in, desk) = desk::desk(self.personality);
        let directory = PathBuf::from(string(parameters, "cwd").unwrap_or_default());
        let worker = Session::new(session.clone(), directory, servers, memory, desk, self.quirk);
        let modes = ["ask", "build", "full"].map(|mode| json!({ "id": mode, "name": mode }));
        let mut opened = json!({
            "modes": {
                "currentModeId": "ask",
                "availableModes": modes,
            },
            "configOptions": options(None),
        });
        opened["sessionId"] = session.as_str().into();
        answer(id, &opened);
        update(&session, json!({ "sessionUpdate": "available_commands_update", "availableCommands": [] }));
        let worker = std::thread::spawn(move || worker.work());
        self.session = Some(Running { id: session, desk: desk_in, worker });
    }

    fn send(&self, nudge: Nudge) {
        if let Some(session) = &self.session {
            session.desk.send(nudge).ok();
        }
    }

    fn end(self) {
        self.send(Nudge::End);
        if let Some(Running { desk, worker, .. }) = self.session {
            drop(desk);
            worker.join().ok();
        }
    }
}

fn connect(server: &Value) -> Option<Server> {
    let headers = server["headers"].as_array().map(Vec::as_slice).unwrap_or_default();
    let headers =
        headers.iter().filter_map(|header| Some((string(header, "name")?, string(header, "value")?)));
    let connected = Server::connect(&string(server, "name")?, &string(server, "url")?, headers.collect());
    connected.map_err(|problem| pen::complain(&problem)).ok()
}

fn options(model: Option<&str>) -> Value {
    let select = |id: &str, category: &str, current: &str, values: &[&str]| {
        let values: Vec<Value> =
            values.iter().map(|value| json!({ "value": value, "name": value })).collect();
        json!({ "id": id, "name": id, "category": category, "type": "select", "currentValue": current, "options": values })
    };
    json!([
        select("model", "model", model.unwrap_or(MODELS[0]), &MODELS),
        select("effort", "thought_level", "low", &["low", "high"]),
    ])
}

/// A setting travels like a message, so that it counts from the next turn on.
fn setting(parameters: &Value) -> Message {
    Message { id: None, text: String::new(), turn: String::new(), content: parameters.clone() }
}

fn message(id: &Value, parameters: &Value) -> Message {
    let blocks = parameters["prompt"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
    let text = texts.last().copied().unwrap_or_default().to_owned();
    Message { id: Some(id.to_string()), text, turn: String::new(), content: id.clone() }
}

fn home() -> PathBuf {
    PathBuf::from(std::env::var_os("XDG_DATA_HOME").unwrap_or_default()).join("fake-acp")
}

fn answer(id: &Value, result: &Value) {
    pen::line(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
}

fn refuse(id: &Value, code: i64, message: &str, data: Value) {
    pen::line(
        &json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message, "data": data } }),
    );
}

fn update(session: &str, update: Value) {
    let params = json!({ "sessionId": session, "update": update });
    pen::line(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }));
}

fn block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}
