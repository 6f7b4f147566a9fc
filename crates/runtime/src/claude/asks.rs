//! What the program asks us: leave for its tools, and things that we cannot answer.

use std::path::PathBuf;

use paseo_core::permission::{Form, Power, Request, Shape};
use paseo_core::time::Timestamp;
use serde_json::Value;

use super::adapt::Adapter;
use super::notices::Said;
use super::parse::{ControlQuestion, ControlRequest};
use super::{say, tools};
use crate::driver::Action;
use crate::elicitation::{self, Asked as Elicited};
use crate::provider::{Answer, Output};

/// An ask that waits for its answer.
#[derive(Debug)]
pub(super) enum Asked {
    Tool {
        call: Option<String>,
        tool: String,
        input: Value,
    },
    /// An MCP server asks a person.
    Elicitation(Form),
}

impl Adapter {
    /// Passes an ask on. Our own tools need no leave.
    pub(super) fn asked(&mut self, asked: ControlRequest, text: &str, now: Timestamp) -> Vec<Action> {
        let ControlRequest { request_id, request } = asked;
        if request.subtype == "hook_callback" {
            return self.before_tool(&request_id, &request.input);
        }
        if request.subtype == "elicitation" {
            return self.elicited(request_id, &request, text, now);
        }
        if request.subtype != "can_use_tool" {
            let mut actions = vec![Action::Write(say::unsupported(&request_id, &request.subtype))];
            actions.extend(self.said(Said::Unknown, text, now));
            return actions;
        }
        if tools::is_ours(&request, &self.session.servers) {
            let answer = Answer::Allow { input: Value::Null, message: None };
            return vec![Action::Write(say::decision(&request_id, &answer, &request.input))];
        }
        let session = self.session.directory.as_path();
        let now = match &request.tool_use_id {
            Some(call) if self.session.asks => self.directories.get(call).map(PathBuf::as_path),
            // Everything is allowed wherever it is, so no notice was sent.
            _ => Some(session),
        };
        let ask = tools::request(request_id.clone(), &request, tools::Place { session, now });
        let ControlQuestion { tool_name: tool, tool_use_id: call, input, .. } = request;
        self.asks.insert(request_id, Asked::Tool { call, tool, input });
        vec![Action::Tell(Output::Ask(ask))]
    }

    /// Passes on what an MCP server asks a person for. What cannot be shown is declined.
    fn elicited(&mut self, call: String, asked: &ControlQuestion, text: &str, now: Timestamp) -> Vec<Action> {
        let ControlQuestion { mcp_server_name: server, message, mode, url, .. } = asked;
        let form = match elicitation::read(mode, &asked.requested_schema, url, &asked.property_order) {
            Elicited::Form(form) => form,
            Elicited::Unsupported => {
                let mut actions = vec![Action::Write(say::response(&call, &elicitation::decline()))];
                actions.extend(self.said(Said::Unknown, text, now));
                return actions;
            }
        };
        let words = elicitation::words(&format!("The MCP server {server}"), message, &form);
        self.asks.insert(call.clone(), Asked::Elicitation(form.clone()));
        let (input, power, shape) = (Value::Null, Power::Read, Shape::Question { text: words });
        let request = Request { call, tool: format!("mcp__{server}"), input, power, shape, form: Some(form) };
        vec![Action::Tell(Output::Ask(request))]
    }

    /// Passes the answer back; one that comes too late goes nowhere.
    pub(super) fn decide(&mut self, request: &str, decision: Answer, now: Timestamp) -> Vec<Action> {
        let (call, tool, asked) = match self.asks.remove(request) {
            None => return Vec::new(),
            Some(Asked::Elicitation(form)) => {
                return vec![Action::Write(say::response(request, &elicitation::answer(&decision, &form)))];
            }
            Some(Asked::Tool { call, tool, input }) => (call, tool, input),
        };
        if let Some(call) = call {
            match &decision {
                Answer::Allow { .. } | Answer::Choose { .. } => self.transcript.allowed(&call, now),
                Answer::Deny { .. } | Answer::Fill { .. } | Answer::Cancel => self.transcript.denied(&call),
            }
        }
        let input = match &decision {
            Answer::Allow { input, message } => {
                // A question is shown in words, out of which nothing can be read.
                let input = if input.is_null() { asked } else { input.clone() };
                tools::allowed(&tool, input, message.as_deref())
            }
            Answer::Choose { answers } => tools::answered(asked, answers),
            Answer::Deny { .. } | Answer::Fill { .. } | Answer::Cancel => asked,
        };
        vec![Action::Write(say::decision(request, &decision, &input))]
    }
}
