//! Codex's turns.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::desk::{Desk, Message};
use super::super::memory::Memory;
use super::super::pen;
use super::calls::{self, Terminal};
use super::protocol::{self, Active, Settings};
use crate::model::reply::{self, Answer, Content, Conversation, Mishaps, Part, Reply, Usage};
use crate::model::tools::Toolbox;
use crate::script::{self, Status};

/// How often a failed request is tried again, and how long that takes.
const RETRIES: u32 = 2;
const RETRY_PAUSE: Duration = Duration::from_millis(20);

/// A thread of codex's.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) settings: Settings,
    pub(super) memory: Memory,
    pub(super) desk: Desk,
    /// Commands that an interrupt left running.
    pub(super) terminals: Vec<Terminal>,
    /// The turn that runs.
    pub(super) turn: String,
    active: Active,
    mishaps: Mishaps,
    toolbox: Toolbox,
    requests: usize,
    total: Usage,
}

enum End {
    Completed(Option<Value>),
    Interrupted,
    Failed(Value),
}

enum Spoken {
    Whole,
    Cut,
    Interrupted,
    /// A message came, and codex leaves its sentence unfinished.
    Steered,
}

impl Thread {
    pub(super) fn new(settings: Settings, memory: Memory, desk: Desk, active: Active) -> Self {
        let toolbox = Toolbox::read(&calls::offered(&settings));
        let total = Usage { input: 0, cached: 0, output: 0, reasoning: 0 };
        Self {
            settings,
            memory,
            desk,
            terminals: Vec::new(),
            turn: String::new(),
            active,
            mishaps: Mishaps::default(),
            toolbox,
            requests: 0,
            total,
        }
    }

    /// Runs turns until there is no more input.
    pub(super) fn work(mut self) {
        loop {
            if std::mem::take(&mut self.desk.clean) {
                calls::clean(&mut self);
            }
            if let Some(message) = self.desk.messages.pop_front() {
                self.run(message);
            } else if self.desk.ended {
                // What it left running dies with it.
                self.terminals.iter_mut().for_each(Terminal::kill);
                return;
            } else {
                self.desk.idle();
            }
        }
    }

    /// Writes a notification about this thread and turn.
    pub(super) fn tell(&self, method: &str, mut parameters: Value) {
        parameters["threadId"] = self.settings.thread.as_str().into();
        parameters["turnId"] = self.turn.as_str().into();
        protocol::notify(method, parameters);
    }

    pub(super) fn item(&self, method: &str, item: &Value) {
        self.tell(method, json!({ "item": item }));
    }

    pub(super) fn status(&self, status: &Value) {
        let thread = &self.settings.thread;
        protocol::notify("thread/status/changed", json!({ "threadId": thread, "status": status }));
    }

    fn run(&mut self, message: Message) {
        let started = Instant::now();
        self.turn = self.active.begin(&message.turn);
        self.status(&json!({ "type": "active", "activeFlags": [] }));
        let turn = protocol::turn(&self.turn, "inProgress", None);
        protocol::notify("turn/started", json!({ "threadId": self.settings.thread, "turn": turn }));
        let mut conversation = Conversation {
            tools: self.memory.tools,
            model: self.settings.model.clone(),
            directory: Some(self.settings.directory.to_string_lossy().into_owned()),
            session: self.settings.thread.clone(),
            ..Conversation::default()
        };
        self.take_in(message, &mut conversation);
        self.desk.open();
        if self.desk.take_garbage() {
            pen::garbage(&[
                json!({ "method": "mystery/happened", "params": { "threadId": self.settings.thread } }),
                json!({ "method": "item/started", "params": { "item": { "type": "mystery" } } }),
                json!({ "id": 987_654, "result": {} }),
            ]);
        }
        let end = self.play(&mut conversation);
        let (status, items, error) = match end {
            End::Completed(last) => ("completed", last.into_iter().collect(), None),
            End::Interrupted => ("interrupted", Vec::new(), None),
            End::Failed(error) => ("failed", Vec::new(), Some(error)),
        };
        let mut turn = protocol::turn(&self.turn, status, error.as_ref());
        turn["items"] = items.into();
        turn["durationMs"] = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX).into();
        self.desk.wait(Duration::ZERO);
        for request in self.desk.interrupts.drain(..) {
            protocol::answer(&request, &json!({}));
        }
        // Before the client knows, as it may start the next one at once.
        self.active.end();
        if status != "failed" {
            self.status(&json!({ "type": "idle" }));
        }
        protocol::notify("turn/completed", json!({ "threadId": self.settings.thread, "turn": turn }));
    }

    /// Takes a message into the turn, and says so.
    fn take_in(&mut self, message: Message, conversation: &mut Conversation) {
        let item = json!({
            "type": "userMessage", "id": pen::id(), "clientId": message.id,
            "content": [{ "type": "text", "text": message.text, "text_elements": [] }],
        });
        self.item("item/started", &item);
        self.item("item/completed", &item);
        if let Some(model) = message.content["model"].as_str() {
            model.clone_into(&mut self.settings.model);
            model.clone_into(&mut conversation.model);
        }
        self.memory.user(&message.text);
        conversation.turns = self.memory.turns;
        conversation.since = 0;
        conversation.prompt = message.text;
    }

    /// Takes in what was sent meanwhile. False when there was nothing.
    fn absorb(&mut self, conversation: &mut Conversation) -> bool {
        self.desk.wait(Duration::ZERO);
        let mut any = false;
        while let Some(message) = self.desk.messages.pop_front() {
            self.take_in(message, conversation);
            any = true;
        }
        any
    }

    /// Does what the prompt says.
    fn play(&mut self, conversation: &mut Conversation) -> End {
        let mut attempts = 0;
        let mut repeated = false;
        loop {
            self.requests += 1;
            let answer = reply::answer(conversation, &self.toolbox, &mut self.mishaps, self.requests);
            let failure = match answer {
                Answer::Failure(status) => Some(status),
                Answer::Reply(reply) => {
                    let mut last = None;
                    match self.speak(&reply, conversation, &mut last) {
                        Spoken::Interrupted => return End::Interrupted,
                        Spoken::Cut => None,
                        Spoken::Steered => {
                            self.absorb(conversation);
                            continue;
                        }
                        Spoken::Whole => {
                            (attempts, repeated) = (0, false);
                            self.tell_usage(reply.usage);
                            let steered = self.absorb(conversation);
                            if !reply.calls() && !steered {
                                return End::Completed(last);
                            }
                            continue;
                        }
                    }
                }
            };
            // A request that the server failed at is sent once more in silence.
            if failure.as_ref().is_some_and(|status| status.code >= 500)
                && !std::mem::replace(&mut repeated, true)
            {
                continue;
            }
            repeated = false;
            attempts += 1;
            if attempts > RETRIES || failure.as_ref().is_some_and(is_hopeless) {
                if let Some(at) = failure.as_ref().and_then(pen::resets_at) {
                    let primary = json!({ "usedPercent": 100, "windowDurationMins": 300, "resetsAt": at });
                    self.tell("account/rateLimits/updated", json!({ "rateLimits": { "primary": primary } }));
                }
                let error = failure.as_ref().map_or_else(broken, final_error);
                self.status(&json!({ "type": "systemError" }));
                self.tell("error", json!({ "error": error, "willRetry": false }));
                return End::Failed(error);
            }
            // Of a server's own failure codex tells no number.
            let code = failure.as_ref().map(|status| status.code).filter(|code| *code < 500);
            let error = json!({
                "message": format!("Reconnecting... {attempts}/{RETRIES}"), "additionalDetails": null,
                "codexErrorInfo": { "responseStreamDisconnected": { "httpStatusCode": code } },
            });
            self.tell("error", json!({ "error": error, "willRetry": true }));
            self.desk.wait(RETRY_PAUSE);
            if self.desk.interrupted {
                return End::Interrupted;
            }
        }
    }

    /// Says and does one answer of the model.
    fn speak(&mut self, reply: &Reply, conversation: &mut Conversation, last: &mut Option<Value>) -> Spoken {
        for (index, part) in reply.parts.iter().enumerate() {
            let id = format!("{}_{index}", reply.id);
            match &part.content {
                Content::Text(text) => {
                    let item = |text: &str| json!({ "type": "agentMessage", "id": format!("msg_{id}"), "text": text, "phase": null });
                    self.item("item/started", &item(""));
                    let place = json!({ "itemId": format!("msg_{id}") });
                    if let Some(stopped) = self.grow("item/agentMessage/delta", &place, text, part) {
                        return stopped;
                    }
                    self.item("item/completed", &item(text));
                    *last = Some(item(text));
                }
                Content::Thought(text) => {
                    let id = format!("rs_{id}");
                    let item = |summary: Value| json!({ "type": "reasoning", "id": id, "summary": summary, "content": [] });
                    self.item("item/started", &item(json!([])));
                    let place = json!({ "itemId": id, "summaryIndex": 0 });
                    self.tell("item/reasoning/summaryPartAdded", place.clone());
                    if let Some(stopped) = self.grow("item/reasoning/summaryTextDelta", &place, text, part) {
                        return stopped;
                    }
                    self.item("item/completed", &item(json!([text])));
                }
                Content::Call(invocation) => {
                    self.desk.maybe_crash(&self.memory);
                    if calls::perform(self, invocation, &format!("call_{id}")).is_err() {
                        self.memory.tool_result("aborted by user");
                        self.tell_usage(reply.usage);
                        return Spoken::Interrupted;
                    }
                    conversation.tools = self.memory.tools;
                    conversation.since += 1;
                }
                Content::Break => return Spoken::Cut,
                Content::Hang => loop {
                    if let Some(stopped) = self.stopped() {
                        return stopped;
                    }
                    self.desk.wait(Duration::from_millis(5));
                },
            }
        }
        Spoken::Whole
    }

    /// Sends a text in pieces, until it is whole or something comes between.
    fn grow(&mut self, method: &str, place: &Value, text: &str, part: &Part) -> Option<Spoken> {
        for piece in script::deltas(text) {
            self.desk.before_delta(part.pause, &self.memory);
            if let Some(stopped) = self.stopped() {
                return Some(stopped);
            }
            let mut delta = place.clone();
            delta["delta"] = piece.into();
            self.tell(method, delta);
        }
        None
    }

    fn stopped(&self) -> Option<Spoken> {
        if self.desk.interrupted {
            return Some(Spoken::Interrupted);
        }
        (!self.desk.messages.is_empty()).then_some(Spoken::Steered)
    }

    fn tell_usage(&mut self, last: Usage) {
        self.total.input += last.input;
        self.total.cached += last.cached;
        self.total.output += last.output;
        self.total.reasoning += last.reasoning;
        self.tell("thread/tokenUsage/updated", json!({ "tokenUsage": {
            "total": protocol::counts(self.total), "last": protocol::counts(last), "modelContextWindow": 258_400,
        } }));
    }
}

/// Codex gives up at once when the limit does not say when it ends, or says that it is the plan's.
fn is_hopeless(status: &Status) -> bool {
    match status.code {
        429 => status.reset.is_some() || status.retry_after.is_none(),
        400 => true,
        _ => false,
    }
}

/// What is told when a stream breaks once too often. Codex has no code for it then.
fn broken() -> Value {
    let message =
        "stream disconnected before completion: Transport error: network error: error decoding response body";
    json!({ "message": message, "codexErrorInfo": "other", "additionalDetails": null })
}

fn final_error(status: &Status) -> Value {
    let message = status.message.as_deref();
    let (message, info) = match status.code {
        429 if status.reset.is_some() => {
            ("You’ve hit your usage limit. Try again later.".to_owned(), json!("usageLimitExceeded"))
        }
        429 => (
            "exceeded retry limit, last status: 429 Too Many Requests".to_owned(),
            json!({ "responseTooManyFailedAttempts": { "httpStatusCode": 429 } }),
        ),
        500..=599 => (
            "We’re currently experiencing high demand, which may cause temporary errors.".to_owned(),
            json!("internalServerError"),
        ),
        400 => (message.unwrap_or("bad request").to_owned(), json!("other")),
        code => (
            format!("unexpected status {code}: {}", message.unwrap_or("scripted failure")),
            json!({ "httpConnectionFailed": { "httpStatusCode": code } }),
        ),
    };
    json!({ "message": message, "codexErrorInfo": info, "additionalDetails": null })
}
