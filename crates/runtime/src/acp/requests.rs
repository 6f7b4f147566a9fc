//! What an agent wants of us in a turn: leave for its calls, and files.

use std::path::PathBuf;

use agent_client_protocol_schema::v1::RequestPermissionRequest;
use serde_json::{Value, json};

use super::adapt::Conversation;
use super::asks::{self, Lines, Reply};
use super::own_tools::is_ours;
use super::parse::{INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, read, text};
use crate::driver::Action;
use crate::elicitation::{self, Asked};
use crate::files::What;
use crate::provider::{self, Output};

impl Conversation {
    /// Answers what is open: the turn ends.
    pub(super) fn withdraw(&mut self) {
        for (call, reply) in self.asks.withdraw() {
            self.out.tell(Output::AskWithdrawn { call });
            self.reply(reply);
        }
    }

    pub(super) fn reply(&mut self, reply: Reply) {
        match reply {
            Reply::Result { id, result, denied } => {
                if let Some(denied) = denied
                    && let Some(call) = self.calls.iter_mut().find(|call| call.own == denied)
                {
                    call.denied = true;
                }
                self.out.answer(&id, &result);
            }
            Reply::Access(access) => self.out.act(Action::Access(access)),
            Reply::Refusal { id, message } => self.out.refuse(&id, INTERNAL_ERROR, &message),
        }
    }

    pub(super) fn asked(&mut self, id: &Value, method: &str, params: &Value, line: &str) {
        if !self.is_own(text(params, "sessionId")) {
            self.out.raw(line);
            return self.out.refuse(id, INVALID_PARAMS, "unknown session");
        }
        match method {
            "session/request_permission" => self.asked_for_leave(id, params, line),
            asks::ELICITATION => self.asked_for_form(id, params, line),
            "fs/read_text_file" => {
                let number =
                    |field: &str| params[field].as_u64().and_then(|number| u32::try_from(number).ok());
                let lines = Lines { first: number("line"), count: number("limit") };
                self.asked_for_file(id, text(params, "path"), What::Read, Some(lines));
            }
            "fs/write_text_file" => {
                let what = What::Write(text(params, "content").to_owned());
                self.asked_for_file(id, text(params, "path"), what, None);
            }
            _ => {
                self.out.raw(line);
                self.out.refuse(id, METHOD_NOT_FOUND, "not supported here");
            }
        }
    }

    pub(super) fn asked_for_leave(&mut self, id: &Value, params: &Value, line: &str) {
        let Some(RequestPermissionRequest { tool_call, options, .. }) = read(params) else {
            self.out.raw(line);
            return self.out.refuse(id, INVALID_PARAMS, "unsupported kind of question");
        };
        let call = tool_call.tool_call_id.0.to_string();
        let questions = tool_call.meta.as_ref().and_then(asks::questions);
        // Some tell of a call only in this way: who asks has not ended.
        self.ended_calls.remove(&call);
        self.call_updated(tool_call, line);
        self.end_run();
        self.tell_pending();
        let known = self.calls.iter().find(|known| known.id == call).cloned();
        // One that says that it has ended asks for nothing any more.
        let Some(call) = known.filter(|_| !self.is_stopping()) else {
            return self.out.answer(id, &json!({ "outcome": { "outcome": "cancelled" } }));
        };
        let ours = is_ours(&call, &self.setup.servers);
        if let Some(form) = questions.filter(|_| !ours && call.only_asks()) {
            let request = self.asks.question(id, &call, options, form);
            return self.out.tell(Output::Ask(request));
        }
        if let Some(plan) = asks::plan(&call, &options).filter(|_| !ours && call.only_asks()) {
            let request = self.asks.plan(id, &call, options, plan);
            return self.out.tell(Output::Ask(request));
        }
        let request = self.asks.call(id, &call, options, &self.setup.directory);
        if ours {
            let decision = provider::Answer::Allow { input: request.input, message: None };
            if let Some(reply) = self.asks.answer(&request.call, &decision, &self.setup.directory) {
                self.reply(reply);
            }
            return;
        }
        self.out.tell(Output::Ask(request));
    }

    /// Passes on what a person is asked for. What cannot be shown is declined.
    pub(super) fn asked_for_form(&mut self, id: &Value, params: &Value, line: &str) {
        self.take_up();
        if self.is_stopping() {
            return self.out.answer(id, &json!({ "action": "cancel" }));
        }
        let schema = params.get("requestedSchema").unwrap_or(&Value::Null);
        let asked = elicitation::read(text(params, "mode"), schema, text(params, "url"), &[]);
        let Asked::Form(form) = asked else {
            self.out.raw(line);
            return self.out.answer(id, &elicitation::decline());
        };
        self.end_run();
        self.tell_pending();
        let request = self.asks.elicitation(id, text(params, "message"), form);
        self.out.tell(Output::Ask(request));
    }

    pub(super) fn asked_for_file(&mut self, id: &Value, path: &str, what: What, lines: Option<Lines>) {
        self.take_up();
        if path.is_empty() {
            return self.out.refuse(id, INVALID_PARAMS, "`path` is missing: expected an absolute path");
        }
        if self.is_stopping() {
            return self.out.refuse(id, INTERNAL_ERROR, "The turn was stopped.");
        }
        // What it is relative to nobody says, and so neither which file leave is given for.
        if !path.starts_with('/') {
            let shown: String = path.chars().take(200).flat_map(char::escape_debug).collect();
            let message = format!("`path` is not absolute: `{shown}`; start it with `/`");
            return self.out.refuse(id, INVALID_PARAMS, &message);
        }
        let path = PathBuf::from(path);
        if let What::Write(text) = &what
            && !self.setup.guarded
            && self.asks.covers(&path, text)
        {
            let access = self.asks.access(id.clone(), path, what, lines, &self.setup.directory);
            return self.out.act(Action::Access(access));
        }
        let request = self.asks.file(id, path, what, lines);
        self.out.tell(Output::Ask(request));
    }
}
