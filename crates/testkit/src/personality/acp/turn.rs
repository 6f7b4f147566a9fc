//! The turns of an agent that speaks ACP.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::super::desk::{Desk, Message};
use super::super::mcp::Server;
use super::super::memory::Memory;
use super::super::pen;
use super::calls::{self, Interrupted};
use super::{Quirk, answer, block, refuse, update};
use crate::model::reply::{self, Answer, Content, Conversation, Mishaps, Reply, Usage};
use crate::model::tools::Toolbox;
use crate::script;

/// Its one session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) directory: PathBuf,
    pub(super) servers: Vec<Server>,
    pub(super) memory: Memory,
    pub(super) desk: Desk,
    pub(super) quirk: Quirk,
    pub(super) mode: String,
    model: String,
    /// How many questions it asked.
    pub(super) asked: u64,
    mishaps: Mishaps,
    toolbox: Toolbox,
    requests: usize,
}

/// How a turn ends: in a word, or with a code and data.
enum End {
    Stop(&'static str, Usage),
    Failed(i64, Value),
}

impl Session {
    pub(super) fn new(
        id: String,
        directory: PathBuf,
        servers: Vec<Server>,
        memory: Memory,
        desk: Desk,
        quirk: Quirk,
    ) -> Self {
        let toolbox = Toolbox::read(&calls::offered(&servers));
        let (mode, model) = ("ask".to_owned(), "scripted".to_owned());
        let mishaps = Mishaps::default();
        Self {
            id,
            directory,
            servers,
            memory,
            desk,
            quirk,
            mode,
            model,
            asked: 0,
            mishaps,
            toolbox,
            requests: 0,
        }
    }

    /// Runs turns until there is no more input.
    pub(super) fn work(mut self) {
        loop {
            match self.desk.messages.pop_front() {
                Some(Message { id: None, content, .. }) => self.set(&content),
                Some(message) => self.run(message),
                None if self.desk.ended => return,
                None => self.desk.idle(),
            }
        }
    }

    pub(super) fn tell(&self, told: Value) {
        update(&self.id, told);
    }

    fn set(&mut self, setting: &Value) {
        let value = setting["value"].as_str().unwrap_or_default().to_owned();
        match setting["configId"].as_str() {
            Some("mode") => self.mode = value,
            Some("model") => self.model = value.rsplit('/').next().unwrap_or_default().to_owned(),
            _ => {}
        }
    }

    fn run(&mut self, message: Message) {
        self.memory.user(&message.text);
        let mut conversation = Conversation {
            prompt: message.text,
            turns: self.memory.turns,
            tools: self.memory.tools,
            model: self.model.clone(),
            directory: Some(self.directory.to_string_lossy().into_owned()),
            session: self.id.clone(),
            since: 0,
        };
        self.desk.open();
        if self.desk.take_garbage() {
            let mystery = json!({ "sessionId": self.id, "update": { "sessionUpdate": "mystery" } });
            pen::garbage(&[
                json!({ "jsonrpc": "2.0", "method": "session/update", "params": mystery }),
                json!({ "jsonrpc": "2.0", "id": 987_654, "result": {} }),
                json!({ "jsonrpc": "2.0", "id": "x", "method": "terminal/create", "params": { "sessionId": self.id } }),
            ]);
        }
        if self.quirk == Quirk::Chatty {
            pen::line(&json!({ "jsonrpc": "2.0", "id": 4_711, "result": { "stopReason": "end_turn" } }));
        }
        let end = self.play(&mut conversation);
        self.desk.wait(Duration::ZERO);
        self.desk.interrupts.clear();
        match end {
            End::Stop(reason, usage) => {
                let fresh = usage.input - usage.cached;
                let usage = json!({
                    "inputTokens": fresh, "cachedReadTokens": usage.cached, "outputTokens": usage.output,
                    "totalTokens": usage.input + usage.output,
                });
                answer(&message.content, &json!({ "stopReason": reason, "usage": usage }));
            }
            End::Failed(code, data) => refuse(&message.content, code, "the model failed", data),
        }
        if self.quirk == Quirk::Chatty {
            self.tell(json!({ "sessionUpdate": "agent_message_chunk", "content": block("one more thing") }));
        }
    }

    fn play(&mut self, conversation: &mut Conversation) -> End {
        loop {
            self.requests += 1;
            let reply = match reply::answer(conversation, &self.toolbox, &mut self.mishaps, self.requests) {
                Answer::Reply(reply) => reply,
                Answer::Failure(status) => return End::Failed(-32603, json!({ "statusCode": status.code })),
            };
            match self.speak(&reply, conversation) {
                Ok(()) if reply.calls() => {}
                Ok(()) => return End::Stop("end_turn", reply.usage),
                Err(Stopped::Interrupted) => return End::Stop("cancelled", reply.usage),
                Err(Stopped::Broken) => return End::Failed(-32603, json!({ "statusCode": 502 })),
            }
        }
    }

    fn speak(&mut self, reply: &Reply, conversation: &mut Conversation) -> Result<(), Stopped> {
        for (index, part) in reply.parts.iter().enumerate() {
            let id = format!("{}_{index}", reply.id);
            match &part.content {
                Content::Text(text) => self.grow("agent_message_chunk", &id, text, part.pause)?,
                Content::Thought(text) => self.grow("agent_thought_chunk", &id, text, part.pause)?,
                Content::Call(invocation) => {
                    self.desk.maybe_crash(&self.memory);
                    let call = format!("call_{id}");
                    if let Err(Interrupted) = calls::perform(self, invocation, &call) {
                        self.memory.tool_result("aborted");
                        return Err(Stopped::Interrupted);
                    }
                    conversation.tools = self.memory.tools;
                    conversation.since += 1;
                }
                Content::Break => return Err(Stopped::Broken),
                Content::Hang => loop {
                    if self.desk.interrupted {
                        return Err(Stopped::Interrupted);
                    }
                    self.desk.wait(Duration::from_millis(5));
                },
            }
        }
        Ok(())
    }

    fn grow(&mut self, kind: &str, id: &str, text: &str, pause: Duration) -> Result<(), Stopped> {
        for piece in script::deltas(text) {
            self.desk.before_delta(pause, &self.memory);
            if self.desk.interrupted {
                return Err(Stopped::Interrupted);
            }
            self.tell(json!({ "sessionUpdate": kind, "messageId": id, "content": block(piece) }));
        }
        Ok(())
    }
}

enum Stopped {
    Interrupted,
    Broken,
}
