//! Pi's runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::super::desk::{Desk, Message};
use super::super::memory::Memory;
use super::super::pen;
use super::calls;
use super::protocol::{self, Age, Settings};
use crate::model::reply::{self, Answer, Content, Conversation, Mishaps, Reply, Usage};
use crate::model::tools::{Input, Invocation, Toolbox};
use crate::script::{self, Status};

/// How often a failed request is tried again, and how long that takes.
const RETRIES: u32 = 2;
const RETRY_PAUSE: Duration = Duration::from_millis(20);

/// The one conversation of a process.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) settings: Settings,
    pub(super) memory: Memory,
    pub(super) desk: Desk,
    pub(super) directory: PathBuf,
    pub(super) offered: Vec<Value>,
    streaming: Arc<AtomicBool>,
    mishaps: Mishaps,
    toolbox: Toolbox,
    requests: usize,
}

/// How one message of the model ended.
enum Spoken {
    Whole(Vec<(String, Invocation)>),
    Broken,
    Interrupted,
}

impl Agent {
    pub(super) fn new(settings: Settings, memory: Memory, desk: Desk, streaming: Arc<AtomicBool>) -> Self {
        let offered = settings.offered();
        let toolbox = Toolbox::read(&json!({ "tools": offered }));
        let directory = std::env::current_dir().unwrap_or_default();
        Self {
            settings,
            memory,
            desk,
            directory,
            offered,
            streaming,
            mishaps: Mishaps::default(),
            toolbox,
            requests: 0,
        }
    }

    /// Runs until there is no more input.
    pub(super) fn work(mut self) {
        loop {
            if let Some(message) = self.desk.messages.pop_front() {
                self.run(message);
            } else if self.desk.ended {
                return;
            } else {
                self.desk.idle();
            }
        }
    }

    fn run(&mut self, message: Message) {
        let mut conversation = Conversation {
            tools: self.memory.tools,
            model: self.settings.model.clone(),
            session: self.memory.path().to_string_lossy().into_owned(),
            ..Conversation::default()
        };
        event("agent_start");
        event("turn_start");
        if self.settings.age == Age::Recent && self.memory.turns == 0 {
            let system = json!({ "role": "system", "content": "", "sections": {} });
            pen::line(&json!({ "type": "message_start", "message": system }));
            pen::line(&json!({ "type": "message_end", "message": system }));
        }
        self.take_in(&message, &mut conversation);
        self.desk.open();
        if self.desk.take_garbage() {
            pen::garbage(&[
                json!({ "type": "mystery_happened" }),
                json!({ "type": "message_end", "message": 7 }),
            ]);
        }
        self.play(&mut conversation);
        // Before the client knows, as it may start the next one at once.
        self.streaming.store(false, Ordering::SeqCst);
        self.ended(false);
        self.desk.wait(Duration::ZERO);
        if self.settings.age == Age::Recent {
            pen::line(&json!({ "type": "agent_settled", "aborted": self.desk.interrupted }));
        }
        for request in self.desk.interrupts.drain(..) {
            protocol::answer(&request, "abort", Value::Null);
        }
    }

    fn ended(&self, will_retry: bool) {
        let mut line = json!({ "type": "agent_end", "messages": [] });
        if self.settings.age == Age::Recent {
            line["willRetry"] = will_retry.into();
        }
        pen::line(&line);
    }

    fn take_in(&mut self, message: &Message, conversation: &mut Conversation) {
        let user = json!({ "role": "user", "content": [{ "type": "text", "text": message.text }] });
        pen::line(&json!({ "type": "message_start", "message": user }));
        pen::line(&json!({ "type": "message_end", "message": user }));
        self.memory.user(&message.text);
        conversation.turns = self.memory.turns;
        conversation.since = 0;
        conversation.prompt.clone_from(&message.text);
    }

    /// Takes in what was sent meanwhile.
    fn absorb(&mut self, conversation: &mut Conversation) {
        while let Some(message) = self.desk.messages.pop_front() {
            pen::line(&json!({ "type": "queue_update", "steering": [], "followUp": [] }));
            self.take_in(&message, conversation);
        }
    }

    /// Does what the prompt says.
    fn play(&mut self, conversation: &mut Conversation) {
        let mut attempts = 0;
        loop {
            self.requests += 1;
            let failure = match reply::answer(conversation, &self.toolbox, &mut self.mishaps, self.requests) {
                Answer::Failure(status) => Some(status),
                Answer::Reply(reply) => match self.speak(&reply) {
                    Spoken::Interrupted => return,
                    Spoken::Broken => None,
                    Spoken::Whole(called) => {
                        if attempts > 0 {
                            pen::line(
                                &json!({ "type": "auto_retry_end", "success": true, "attempt": attempts }),
                            );
                        }
                        attempts = 0;
                        for (id, invocation) in &called {
                            self.desk.maybe_crash(&self.memory);
                            calls::perform(self, invocation, id);
                            conversation.tools = self.memory.tools;
                            conversation.since += 1;
                        }
                        event("turn_end");
                        self.desk.wait(Duration::ZERO);
                        if called.is_empty() && self.desk.messages.is_empty() {
                            return;
                        }
                        event("turn_start");
                        self.absorb(conversation);
                        if self.desk.interrupted {
                            self.aborted_before_a_request();
                            return;
                        }
                        continue;
                    }
                },
            };
            attempts += 1;
            if !self.tries_again(failure.as_ref(), attempts) {
                return;
            }
        }
    }

    /// Tells a failure, and says whether the request is sent again.
    fn tries_again(&mut self, failure: Option<&Status>, attempts: u32) -> bool {
        let status = failure.map(|status| status.code);
        let after = failure.and_then(|status| status.retry_after.or(status.reset));
        let told = match status {
            Some(status) => json!({ "status": status, "retryAfter": after.map(|after| after.to_string()) }),
            None => json!({}),
        };
        if self.settings.extended {
            protocol::tell(&json!({ "failed": told }));
        }
        let words =
            status.map_or_else(|| "terminated".to_owned(), |status| format!("{status} scripted failure"));
        self.said(&json!([]), None, json!({ "stopReason": "error", "errorMessage": words }));
        event("turn_end");
        let hopeless = status.is_some_and(|status| status < 500 && status != 429);
        if hopeless || attempts > RETRIES {
            if attempts > 1 {
                pen::line(&json!({ "type": "auto_retry_end", "success": false, "attempt": attempts - 1 }));
            }
            return false;
        }
        self.ended(true);
        pen::line(&json!({
            "type": "auto_retry_start", "attempt": attempts, "maxAttempts": RETRIES, "errorMessage": words,
        }));
        if self.settings.age == Age::Recent {
            let entry = json!({ "type": "context_edit", "targetId": pen::id(), "replacement": null });
            pen::line(&json!({ "type": "entry_appended", "entry": entry }));
        }
        self.desk.wait(RETRY_PAUSE);
        if self.desk.interrupted {
            pen::line(&json!({ "type": "auto_retry_end", "success": false, "attempt": attempts }));
            return false;
        }
        event("agent_start");
        event("turn_start");
        true
    }

    /// Says one answer of the model.
    fn speak(&mut self, reply: &Reply) -> Spoken {
        pen::line(&json!({ "type": "message_start", "message": { "role": "assistant", "content": [] } }));
        let (mut content, mut called) = (Vec::new(), Vec::new());
        for (index, part) in reply.parts.iter().enumerate() {
            let (kind, field, text) = match &part.content {
                Content::Text(text) => ("text", "text", text),
                Content::Thought(text) => ("thinking", "thinking", text),
                Content::Call(invocation) => {
                    let id = format!("call_{}_{index}", reply.id);
                    let Input::Json(input) = &invocation.input else { continue };
                    content.push(
                        json!({ "type": "toolCall", "id": id, "name": invocation.name, "arguments": input }),
                    );
                    called.push((id, invocation.clone()));
                    continue;
                }
                Content::Break => return Spoken::Broken,
                Content::Hang => {
                    while !self.desk.interrupted {
                        self.desk.wait(Duration::from_millis(5));
                    }
                    return self.aborted(content);
                }
            };
            let mut grown = String::new();
            for piece in script::deltas(text) {
                self.desk.before_delta(part.pause, &self.memory);
                if self.desk.interrupted {
                    content.push(json!({ "type": kind, field: grown }));
                    return self.aborted(content);
                }
                grown.push_str(piece);
                let mut update =
                    json!({ "type": format!("{kind}_delta"), "contentIndex": content.len(), "delta": piece });
                if self.settings.age == Age::Early {
                    update["partial"] =
                        json!({ "role": "assistant", "content": [{ "type": kind, field: grown }] });
                }
                pen::line(&json!({ "type": "message_update", "assistantMessageEvent": update }));
            }
            content.push(json!({ "type": kind, field: text }));
        }
        let reason = if called.is_empty() { "stop" } else { "toolUse" };
        self.said(&content.into(), Some(reply.usage), json!({ "stopReason": reason }));
        Spoken::Whole(called)
    }

    fn aborted(&self, content: Vec<Value>) -> Spoken {
        self.said(
            &content.into(),
            None,
            json!({ "stopReason": "aborted", "errorMessage": "Request was aborted." }),
        );
        event("turn_end");
        Spoken::Interrupted
    }

    /// A recent one makes the next request even so, and tells that as a failure.
    fn aborted_before_a_request(&self) {
        if self.settings.age == Age::Early {
            self.aborted(Vec::new());
            return;
        }
        if self.settings.extended {
            protocol::tell(&json!({ "failed": {} }));
        }
        let words = "This operation was aborted";
        self.said(&json!([]), None, json!({ "stopReason": "error", "errorMessage": words }));
        event("turn_end");
    }

    fn said(&self, content: &Value, usage: Option<Usage>, mut message: Value) {
        message["role"] = "assistant".into();
        message["content"] = content.clone();
        if let Some(Usage { input, cached, output, .. }) = usage {
            message["usage"] = json!({
                "input": input.saturating_sub(cached), "output": output, "cacheRead": cached, "cacheWrite": 0,
                "cost": { "total": 0 },
            });
        }
        pen::line(&json!({ "type": "message_end", "message": message }));
    }
}

fn event(kind: &str) {
    pen::line(&json!({ "type": kind }));
}
