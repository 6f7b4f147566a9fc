//! The lines that claude writes. Fields are those of real captures; what nobody reads is left out.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::super::{Personality, pen};
use super::options::Options;

/// Writes events of one session, from any thread.
#[derive(Debug, Clone)]
pub(super) struct Events(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    session: String,
    partial: bool,
    replay: bool,
    /// Asked for with a variable.
    states: bool,
    now: Mutex<Now>,
}

/// What changes while it runs.
#[derive(Debug)]
struct Now {
    model: String,
    mode: String,
    state: &'static str,
    /// MCP servers, and whether they answered.
    servers: Vec<(String, bool)>,
    /// Asked, and not answered yet.
    question: Option<String>,
    /// Whoever started it wants to be told before each use of a tool, by this name.
    hook: Option<String>,
}

impl Events {
    pub(super) fn new(options: &Options, session: String) -> Self {
        let wanted = std::env::var_os("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS");
        let now = Now {
            model: options.model.clone().unwrap_or_else(|| "claude-scripted".into()),
            mode: options.mode.clone(),
            state: "idle",
            servers: Vec::new(),
            question: None,
            hook: None,
        };
        Self(Arc::new(Shared {
            session,
            partial: options.partial,
            replay: options.replay,
            states: wanted.is_some_and(|value| value == "1"),
            now: Mutex::new(now),
        }))
    }

    pub(super) fn session(&self) -> &str {
        &self.0.session
    }

    pub(super) fn model(&self) -> String {
        self.now().model.clone()
    }

    pub(super) fn mode(&self) -> String {
        self.now().mode.clone()
    }

    pub(super) fn set_model(&self, model: &str) {
        self.now().model = model.to_owned();
    }

    pub(super) fn set_mode(&self, mode: &str) {
        self.now().mode = mode.to_owned();
    }

    pub(super) fn is_wedged(&self) -> bool {
        Personality::from_environment() == Personality::Wedged
    }

    pub(super) fn add_server(&self, name: &str, connected: bool) {
        self.now().servers.push((name.to_owned(), connected));
    }

    pub(super) fn hook(&self) -> Option<String> {
        self.now().hook.clone()
    }

    pub(super) fn open_question(&self, request: &str) {
        self.now().question = Some(request.to_owned());
    }

    /// Notes that a question was answered.
    pub(super) fn close_question(&self, request: &str) {
        self.now().question.take_if(|open| open == request);
    }

    /// Takes back a question that nobody answered.
    pub(super) fn withdraw_question(&self) {
        let open = self.now().question.take();
        if let Some(request) = open {
            self.raw(&json!({ "type": "control_cancel_request", "request_id": request }));
        }
    }

    /// Writes a line as it is.
    pub(super) fn raw(&self, value: &Value) {
        pen::line(value);
    }

    /// Writes an event of the session.
    pub(super) fn event(&self, mut event: Value) {
        event["session_id"] = self.session().into();
        if event.get("uuid").is_none() {
            event["uuid"] = pen::id().into();
        }
        pen::line(&event);
    }

    pub(super) fn system(&self, subtype: &str, mut event: Value) {
        event["type"] = "system".into();
        event["subtype"] = subtype.into();
        self.event(event);
    }

    /// Writes a message of either side.
    pub(super) fn message(&self, mut event: Value) {
        event["parent_tool_use_id"] = Value::Null;
        self.event(event);
    }

    /// Writes a piece of the model's stream, if those are wanted.
    pub(super) fn stream(&self, event: &Value, message: &str) {
        if self.0.partial {
            self.message(json!({ "type": "stream_event", "event": event, "api_message_id": message }));
        }
    }

    /// Tells that a message is under way, or that it was taken, or its outcome.
    pub(super) fn lifecycle(&self, message: &str, state: &str) {
        self.event(json!({ "type": "command_lifecycle", "command_uuid": message, "state": state }));
    }

    pub(super) fn running(&self) {
        self.state("running");
    }

    /// Tells a new state, if that is wanted.
    pub(super) fn state(&self, state: &'static str) {
        let old = std::mem::replace(&mut self.now().state, state);
        if self.0.states && old != state {
            self.system("session_state_changed", json!({ "state": state }));
        }
    }

    /// Confirms a message, if that is wanted.
    pub(super) fn replay(&self, content: &Value, id: Option<&str>) {
        if self.0.replay {
            let mut event = json!({
                "type": "user", "isReplay": true, "message": { "role": "user", "content": content },
            });
            if let Some(id) = id {
                event["uuid"] = id.into();
            }
            self.message(event);
        }
    }

    pub(super) fn replay_text(&self, text: &str) {
        self.replay(&json!(text), None);
    }

    pub(super) fn answer(&self, request: &Value, response: &Value) {
        self.raw(&json!({ "type": "control_response", "response": {
            "subtype": "success", "request_id": request, "response": response,
        } }));
    }

    pub(super) fn initialized(&self, request: &Value) -> Value {
        let names = request["sdkMcpServers"].as_array().cloned().unwrap_or_default();
        for name in names.iter().filter_map(Value::as_str) {
            self.add_server(name, true);
        }
        let hook = request.pointer("/hooks/PreToolUse/0/hookCallbackIds/0").and_then(Value::as_str);
        self.now().hook = hook.map(str::to_owned);
        json!({
            "commands": [], "agents": [], "output_style": "default", "models": [],
            "account": { "tokenSource": "ANTHROPIC_AUTH_TOKEN", "apiProvider": "firstParty" },
            "pid": std::process::id(), "claude_code_version": "2.1.325",
            "current_permission_mode": self.mode(), "session_state": "idle",
        })
    }

    /// The first line of every turn.
    pub(super) fn init(&self) {
        let now = self.now();
        let server = |(name, connected): &(String, bool)| json!({ "name": name, "status": if *connected { "connected" } else { "failed" } });
        let servers: Vec<Value> = now.servers.iter().map(server).collect();
        let event = json!({
            "cwd": std::env::current_dir().unwrap_or_default(), "tools": ["Task", "Bash", "Edit", "Read", "Write"],
            "mcp_servers": servers, "model": now.model, "permissionMode": now.mode, "slash_commands": [],
            "apiKeySource": "none", "claude_code_version": "2.1.325", "output_style": "default", "agents": [],
            "skills": [], "plugins": [], "capabilities": ["interrupt_receipt_v1", "msg_lifecycle_v1"],
            "analytics_disabled": true, "fast_mode_state": "off",
        });
        drop(now);
        self.system("init", event);
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.0.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The result of a conversation that does not exist.
pub(super) fn failed_to_start(text: &str) -> Value {
    json!({
        "type": "result", "subtype": "error_during_execution", "is_error": true, "duration_ms": 0,
        "duration_api_ms": 0, "num_turns": 0, "stop_reason": null, "session_id": pen::id(), "total_cost_usd": 0,
        "usage": { "input_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 0 },
        "permission_denials": [], "uuid": pen::id(), "errors": [text], "result_index": 0,
    })
}
