//! Claude's turns.

use std::collections::BTreeMap;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::desk::{Desk, Message, Nudge};
use super::super::memory::Memory;
use super::super::{mcp, pen};
use super::events::Events;
use super::options::Options;
use super::tools::{self, Interrupted};
use crate::model::anthropic;
use crate::model::frame::Frame;
use crate::model::reply::{self, Answer, Content, Conversation, Mishaps, Reply};
use crate::model::tools::{Invocation, Toolbox};
use crate::script::Status;

/// How often a failed request is tried again, and how long that takes.
const RETRIES: u32 = 2;
const RETRY_PAUSE: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(super) struct Claude {
    pub(super) options: Options,
    pub(super) events: Events,
    pub(super) desk: Desk,
    pub(super) desk_in: SyncSender<Nudge>,
    /// Running in the background, with the calls that started them.
    pub(super) tasks: Vec<(String, String)>,
    /// What this turn was not allowed to do.
    pub(super) denials: Vec<Value>,
    /// MCP servers that answered.
    pub(super) servers: Vec<mcp::Server>,
    memory: Memory,
    mishaps: Mishaps,
    toolbox: Toolbox,
    requests: usize,
    results: usize,
}

/// What one turn has come to so far.
#[derive(Debug)]
struct Turn {
    started: Instant,
    conversation: Conversation,
    /// The messages in it, and how many of them it began with.
    ids: Vec<String>,
    /// The message that is confirmed with the model's first sign of life.
    unconfirmed: Option<Message>,
    usage: BTreeMap<&'static str, usize>,
    replies: usize,
    text: String,
    origin: Option<Value>,
}

enum End {
    Completed,
    AbortedStreaming,
    AbortedTools,
    /// With a status, unless the connection broke.
    Failed(Option<Status>),
}

enum Spoken {
    Whole,
    Cut,
    Interrupted,
}

impl Claude {
    pub(super) fn new(
        options: Options,
        events: Events,
        memory: Memory,
        desk: Desk,
        desk_in: SyncSender<Nudge>,
    ) -> Self {
        let servers = connect(&options, &events);
        Self {
            options,
            events,
            desk,
            desk_in,
            tasks: Vec::new(),
            denials: Vec::new(),
            memory,
            mishaps: Mishaps::default(),
            toolbox: Toolbox::read(&tools::offered(&servers)),
            servers,
            requests: 0,
            results: 0,
        }
    }

    /// Runs turns until there is no more input, and nothing left that could start one.
    pub(super) fn work(&mut self) -> i32 {
        loop {
            if let Some(message) = self.desk.messages.pop_front() {
                self.turn(message, None);
            } else if let Some((task, code)) = self.desk.finished.pop_front() {
                self.task_ended(&task, code);
            } else if self.desk.ended && self.tasks.is_empty() {
                return 0;
            } else {
                self.desk.idle();
            }
        }
    }

    pub(super) fn tell_tasks(&self) {
        let task = |(id, _): &(String, String)| json!({ "task_id": id, "task_type": "local_bash", "description": "runs a command" });
        let tasks: Vec<Value> = self.tasks.iter().map(task).collect();
        self.events.system("background_tasks_changed", json!({ "tasks": tasks }));
    }

    /// Starts a turn that nobody asked for.
    fn task_ended(&mut self, task: &str, code: i32) {
        let Some(place) = self.tasks.iter().position(|(known, _)| known == task) else { return };
        let (_, call) = self.tasks.remove(place);
        let status = if code == 0 { "completed" } else { "failed" };
        let summary = format!("Background command \"runs a command\" {status} (exit code {code})");
        self.events.system("task_updated", json!({ "task_id": task, "patch": { "status": status } }));
        self.events.system(
            "task_notification",
            json!({
                "task_id": task, "tool_use_id": call, "status": status, "output_file": "", "summary": summary,
            }),
        );
        self.tell_tasks();
        let message = Message { id: None, text: summary, turn: String::new(), content: Value::Null };
        self.turn(message, Some(json!({ "kind": "task-notification", "producer": "session-task" })));
    }

    fn turn(&mut self, message: Message, origin: Option<Value>) {
        self.events.running();
        if let Some(id) = &message.id {
            self.events.lifecycle(id, "started");
        }
        self.events.init();
        self.requesting();
        self.denials.clear();
        self.memory.user(&message.text);
        let mut turn = Turn {
            started: Instant::now(),
            conversation: Conversation {
                prompt: message.text.clone(),
                turns: self.memory.turns,
                tools: self.memory.tools,
                since: 0,
                model: self.events.model(),
                directory: std::env::current_dir().ok().map(|path| path.to_string_lossy().into_owned()),
                session: self.events.session().to_owned(),
            },
            ids: message.id.clone().into_iter().collect(),
            // What claude tells itself is not confirmed.
            unconfirmed: origin.is_none().then_some(message),
            usage: BTreeMap::new(),
            replies: 0,
            text: String::new(),
            origin,
        };
        self.desk.open();
        if self.desk.take_garbage() {
            pen::garbage(&[
                json!({ "type": "mystery", "payload": { "deep": [1, 2, 3] } }),
                json!({ "type": "system", "subtype": "mystery", "session_id": self.events.session() }),
                json!({ "type": "stream_event", "event": { "type": "content_block_mystery", "index": 0 } }),
                json!({ "type": "assistant", "message": { "content": [{ "type": "mystery_block" }] } }),
            ]);
        }
        let end = self.play(&mut turn);
        self.finish(&turn, &end);
    }

    /// Does what the prompt says.
    fn play(&mut self, turn: &mut Turn) -> End {
        let mut attempts = 0;
        loop {
            self.requests += 1;
            let answer = reply::answer(&turn.conversation, &self.toolbox, &mut self.mishaps, self.requests);
            let failure = match answer {
                Answer::Failure(status) => Some(status),
                Answer::Reply(reply) => match self.speak(&reply, turn) {
                    Spoken::Interrupted => return End::AbortedStreaming,
                    Spoken::Cut => None,
                    Spoken::Whole => {
                        attempts = 0;
                        if !reply.calls() {
                            return End::Completed;
                        }
                        if self.call(&reply, turn).is_err() {
                            return End::AbortedTools;
                        }
                        self.absorb(turn);
                        self.requesting();
                        continue;
                    }
                },
            };
            attempts += 1;
            if attempts > RETRIES {
                self.confirm(turn);
                return End::Failed(failure);
            }
            let code = failure.as_ref().map(|status| status.code);
            self.events.system(
                "api_retry",
                json!({
                    "attempt": attempts, "max_retries": RETRIES, "retry_delay_ms": RETRY_PAUSE.as_millis(),
                    "error_status": code, "error": error_kind(code),
                }),
            );
            self.desk.wait(RETRY_PAUSE);
            if self.desk.interrupted {
                self.interrupted(turn, "[Request interrupted by user]");
                return End::AbortedStreaming;
            }
        }
    }

    /// Says one answer of the model, piece by piece.
    fn speak(&mut self, reply: &Reply, turn: &mut Turn) -> Spoken {
        let message = format!("msg_{}", reply.id);
        let mut partial = String::new();
        for frame in anthropic::frames(reply) {
            let (pause, data) = match frame {
                Frame::Event { pause, data, .. } => (pause, data),
                Frame::Cut => return Spoken::Cut,
                Frame::Hang => {
                    while !self.desk.interrupted {
                        self.desk.wait(Duration::from_secs(3600));
                    }
                    self.interrupted(turn, "[Request interrupted by user]");
                    return Spoken::Interrupted;
                }
            };
            let event: Value = serde_json::from_str(&data).expect("our own JSON");
            match event["type"].as_str() {
                Some("ping") => continue,
                Some("content_block_start") => partial.clear(),
                Some("content_block_delta") => {
                    self.desk.before_delta(pause, &self.memory);
                    if self.desk.interrupted {
                        self.abort(reply, turn, &partial);
                        return Spoken::Interrupted;
                    }
                    partial.push_str(event["delta"]["text"].as_str().unwrap_or_default());
                }
                Some("content_block_stop") => {
                    let index = event["index"].as_u64().and_then(|index| usize::try_from(index).ok());
                    self.say_block(reply, index.unwrap_or_default(), turn);
                }
                _ => {}
            }
            self.confirm(turn);
            self.events.stream(&event, &message);
        }
        turn.replies += 1;
        let usage = [("input_tokens", reply.usage.input), ("cache_read_input_tokens", reply.usage.cached)];
        for (name, count) in usage.into_iter().chain([("output_tokens", reply.usage.output)]) {
            *turn.usage.entry(name).or_default() += count;
        }
        Spoken::Whole
    }

    /// Says a finished block, as a message of its own.
    fn say_block(&self, reply: &Reply, index: usize, turn: &mut Turn) {
        let part = &reply.parts[index];
        if let Content::Text(text) = &part.content {
            text.clone_into(&mut turn.text);
        }
        let mut message = anthropic::message(reply);
        message["content"] = anthropic::block(reply, index, part).into_iter().collect();
        self.events.message(json!({ "type": "assistant", "message": message }));
    }

    /// Ends an answer in the middle, as far as it came.
    fn abort(&mut self, reply: &Reply, turn: &mut Turn, partial: &str) {
        let id = format!("msg_{}", reply.id);
        if !partial.is_empty() {
            let mut message = anthropic::message(reply);
            message["content"] = json!([{ "type": "text", "text": partial }]);
            self.events.message(json!({ "type": "assistant", "message": message, "aborted": true }));
        }
        self.interrupted(turn, "[Request interrupted by user]");
        self.events.stream(&json!({ "type": "content_block_stop", "index": 0 }), &id);
        let delta = json!({ "type": "message_delta", "delta": { "stop_reason": null }, "usage": { "output_tokens": 1 } });
        self.events.stream(&delta, &id);
        self.events.stream(&json!({ "type": "message_stop" }), &id);
    }

    fn interrupted(&mut self, turn: &mut Turn, text: &str) {
        self.confirm(turn);
        let content = json!([{ "type": "text", "text": text }]);
        self.events.message(json!({ "type": "user", "message": { "role": "user", "content": content } }));
    }

    /// Calls the tools of an answer.
    fn call(&mut self, reply: &Reply, turn: &mut Turn) -> Result<(), Interrupted> {
        let calls = reply.parts.iter().enumerate().filter_map(|(index, part)| match &part.content {
            Content::Call(invocation) => Some((index, invocation)),
            _ => None,
        });
        for (index, invocation) in calls {
            self.desk.maybe_crash(&self.memory);
            self.call_one(&format!("toolu_{}_{index}", reply.id), invocation, turn)?;
        }
        Ok(())
    }

    fn call_one(&mut self, id: &str, invocation: &Invocation, turn: &mut Turn) -> Result<(), Interrupted> {
        let outcome = tools::perform(self, invocation, id);
        let (text, content, is_error, detail) = match &outcome {
            Ok(outcome) => {
                (outcome.text.as_str(), outcome.content.clone(), outcome.is_error, outcome.detail.clone())
            }
            Err(Interrupted) => (
                "The user doesn't want to proceed with this tool use. The tool use was rejected.",
                None,
                true,
                "User rejected tool use".into(),
            ),
        };
        let content = content.unwrap_or_else(|| text.into());
        let result =
            json!({ "type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error });
        self.events.message(json!({
            "type": "user", "message": { "role": "user", "content": [result] }, "tool_use_result": detail,
        }));
        self.memory.tool_result(text);
        turn.conversation.tools += 1;
        turn.conversation.since += 1;
        if outcome.is_err() {
            self.interrupted(turn, "[Request interrupted by user for tool use]");
            return Err(Interrupted);
        }
        Ok(())
    }

    /// Takes what was sent meanwhile into the turn.
    fn absorb(&mut self, turn: &mut Turn) {
        self.desk.wait(Duration::ZERO);
        while let Some(message) = self.desk.messages.pop_front() {
            self.events.replay(&message.content, message.id.as_deref());
            if let Some(id) = message.id {
                self.events.lifecycle(&id, "started");
                turn.ids.push(id);
            }
            self.memory.user(&message.text);
            turn.conversation.turns += 1;
            turn.conversation.since = 0;
            turn.conversation.prompt = message.text;
        }
    }

    /// Confirms the turn's message. Claude does so only when the model begins to answer.
    fn confirm(&self, turn: &mut Turn) {
        if let Some(message) = turn.unconfirmed.take() {
            self.events.replay(&message.content, message.id.as_deref());
        }
    }

    fn requesting(&self) {
        if self.options.partial {
            self.events.system("status", json!({ "status": "requesting" }));
        }
    }

    fn finish(&mut self, turn: &Turn, end: &End) {
        let tell = |ids: &[String], state| ids.iter().for_each(|id| self.events.lifecycle(id, state));
        let (first, absorbed) = turn.ids.split_at(turn.ids.len().min(1));
        let state = if matches!(end, End::Completed) { "completed" } else { "cancelled" };
        tell(absorbed, state);
        let result = self.result(turn, end);
        self.events.event(result);
        tell(first, state);
        self.results += 1;
        self.desk.wait(Duration::ZERO);
        if self.desk.messages.is_empty() {
            self.events.state("idle");
        }
    }

    fn result(&self, turn: &Turn, end: &End) -> Value {
        let milliseconds = u64::try_from(turn.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let count = |name: &str| turn.usage.get(name).copied().unwrap_or_default();
        let (input, cached, output) =
            (count("input_tokens"), count("cache_read_input_tokens"), count("output_tokens"));
        // Claude counts the messages that tell of the interrupt.
        let more = match end {
            End::AbortedTools => 2,
            End::AbortedStreaming => 1,
            End::Completed | End::Failed(_) => 0,
        };
        let messages = turn.replies.max(1) + more;
        let mut result = json!({
            "type": "result", "duration_ms": milliseconds, "duration_api_ms": milliseconds,
            "num_turns": messages, "total_cost_usd": 0.0, "permission_denials": self.denials,
            "queued_turn_count": 0, "result_index": self.results,
            "usage": {
                "input_tokens": input, "cache_creation_input_tokens": 0, "cache_read_input_tokens": cached,
                "output_tokens": output, "service_tier": "standard",
            },
            "modelUsage": { turn.conversation.model.as_str(): {
                "inputTokens": input, "outputTokens": output, "cacheReadInputTokens": cached,
                "cacheCreationInputTokens": 0, "contextWindow": 200_000,
            } },
        });
        if let Some(id) = turn.ids.first() {
            result["user_message_uuid"] = id.as_str().into();
            result["user_message_uuids"] = json!(turn.ids);
        }
        if let Some(origin) = &turn.origin {
            result["origin"] = origin.clone();
        }
        let more = match end {
            End::Completed => json!({
                "subtype": "success", "is_error": false, "terminal_reason": "completed", "stop_reason": "end_turn",
                "result": turn.text, "api_error_status": null,
            }),
            End::AbortedStreaming => json!({
                "subtype": "error_during_execution", "is_error": true, "terminal_reason": "aborted_streaming",
                "stop_reason": null, "errors": ["[ede_diagnostic] result_type=user"],
            }),
            End::AbortedTools => json!({
                "subtype": "error_during_execution", "is_error": true, "terminal_reason": "aborted_tools",
                "stop_reason": "tool_use", "errors": ["[ede_diagnostic] result_type=user"],
            }),
            // Indeed: a success that is an error.
            End::Failed(status) => json!({
                "subtype": "success", "is_error": true, "terminal_reason": "api_error",
                "stop_reason": "stop_sequence", "result": self.api_error(status.as_ref()),
                "api_error_status": status.as_ref().map(|status| status.code),
            }),
        };
        if let (Some(result), Value::Object(more)) = (result.as_object_mut(), more) {
            result.extend(more);
        }
        result
    }

    /// Tells a failure of the API as claude does: as a message that the model did not write.
    fn api_error(&self, status: Option<&Status>) -> String {
        if let Some(at) = status.and_then(pen::resets_at) {
            let info = json!({ "status": "rejected", "resetsAt": at, "rateLimitType": "five_hour" });
            self.events.message(json!({ "type": "rate_limit_event", "rate_limit_info": info }));
        }
        let code = status.map(|status| status.code);
        let message = status.and_then(|status| status.message.as_deref()).unwrap_or("Internal server error");
        let text = match code {
            None => "API Error: Connection to the API was lost (ECONNRESET).".to_owned(),
            Some(401) => "Not logged in · Please run /login".to_owned(),
            Some(429) => {
                "API Error: Request rejected (429) · This request would exceed your account's rate limit. \
                    Please try again later."
                    .to_owned()
            }
            Some(code) => format!("API Error: {code} {message}"),
        };
        self.events.message(json!({
            "type": "assistant", "error": error_kind(code.or(Some(500))), "is_api_error_message": true,
            "api_error_status": code,
            "message": {
                "id": pen::id(), "type": "message", "role": "assistant", "model": "<synthetic>",
                "content": [{ "type": "text", "text": text }], "stop_reason": "stop_sequence",
                "usage": { "input_tokens": 0, "output_tokens": 0 },
            },
        }));
        text
    }
}

/// Connects to the MCP servers. One that does not answer is told, and the conversation goes on.
fn connect(options: &Options, events: &Events) -> Vec<mcp::Server> {
    let mut servers = Vec::new();
    for (name, config) in &options.servers {
        let headers = config["headers"].as_object().cloned().unwrap_or_default().into_iter();
        let headers = headers.map(|(name, value)| (name, mcp::expand(value.as_str().unwrap_or_default())));
        let url = config["url"].as_str().unwrap_or_default();
        let connected = mcp::Server::connect(name, url, headers.collect());
        events.add_server(name, connected.is_ok());
        servers.extend(connected);
    }
    servers
}

fn error_kind(status: Option<u16>) -> &'static str {
    match status {
        Some(401) => "authentication_failed",
        Some(429) => "rate_limit",
        Some(529) => "overloaded",
        Some(500..) => "server_error",
        Some(_) => "invalid_request",
        None => "unknown",
    }
}
