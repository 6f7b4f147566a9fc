//! What the program asks us: leave for its tools, and things that we cannot answer.

use std::path::PathBuf;

use paseo_core::time::Timestamp;
use serde_json::Value;

use super::adapt::Adapter;
use super::notices::Said;
use super::parse::{ControlQuestion, ControlRequest};
use super::{say, tools};
use crate::driver::Action;
use crate::provider::{Answer, Output};

/// An ask that waits for its answer.
#[derive(Debug)]
pub(super) struct Asked {
    call: Option<String>,
    tool: String,
    input: Value,
}

impl Adapter {
    /// Passes an ask on. Our own tools need no leave.
    pub(super) fn asked(&mut self, asked: ControlRequest, text: &str, now: Timestamp) -> Vec<Action> {
        let ControlRequest { request_id, request } = asked;
        if request.subtype == "hook_callback" {
            return self.before_tool(&request_id, &request.input);
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
            // Everything is allowed wherever it is, so nobody was told.
            _ => Some(session),
        };
        let ask = tools::request(request_id.clone(), &request, tools::Place { session, now });
        let ControlQuestion { tool_name: tool, tool_use_id: call, input, .. } = request;
        self.asks.insert(request_id, Asked { call, tool, input });
        vec![Action::Tell(Output::Ask(ask))]
    }

    /// Passes the answer back; one that comes too late goes nowhere.
    pub(super) fn decide(&mut self, request: &str, decision: Answer, now: Timestamp) -> Vec<Action> {
        let Some(Asked { call, tool, input: asked }) = self.asks.remove(request) else { return Vec::new() };
        if let Some(call) = call {
            match &decision {
                Answer::Allow { .. } => self.transcript.allowed(&call, now),
                Answer::Deny { .. } => self.transcript.denied(&call),
            }
        }
        let input = match &decision {
            Answer::Allow { input, message } => {
                // A question is shown in words, out of which nothing can be read.
                let input = if input.is_null() { asked } else { input.clone() };
                tools::allowed(&tool, input, message.as_deref())
            }
            Answer::Deny { .. } => asked,
        };
        vec![Action::Write(say::decision(request, &decision, &input))]
    }
}
