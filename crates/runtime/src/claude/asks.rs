//! What the program asks us: leave for its tools, and things that we cannot answer.

use paseo_core::time::Timestamp;
use serde_json::Value;

use super::adapt::Adapter;
use super::notices::Said;
use super::parse::ControlRequest;
use super::{say, tools};
use crate::driver::Action;
use crate::provider::{Answer, Output};

/// An ask that waits for its answer.
#[derive(Debug)]
pub(super) struct Asked {
    call: Option<String>,
    input: Value,
}

impl Adapter {
    /// Passes an ask on. Our own tools need no leave.
    pub(super) fn asked(&mut self, asked: ControlRequest, text: &str, now: Timestamp) -> Vec<Action> {
        let ControlRequest { request_id, request } = asked;
        if request.subtype != "can_use_tool" {
            let mut actions = vec![Action::Write(say::unsupported(&request_id, &request.subtype))];
            actions.extend(self.said(Said::Unknown, text, now));
            return actions;
        }
        if tools::is_ours(&request, &self.session.servers) {
            let answer = Answer::Allow { input: Value::Null };
            return vec![Action::Write(say::decision(&request_id, answer, request.input))];
        }
        let ask = tools::request(request_id.clone(), &request, &self.session.directory);
        self.asks.insert(request_id, Asked { call: request.tool_use_id, input: request.input });
        vec![Action::Tell(Output::Ask(ask))]
    }

    /// Passes the answer back; one that comes too late goes nowhere.
    pub(super) fn decide(&mut self, request: &str, decision: Answer, now: Timestamp) -> Vec<Action> {
        let Some(Asked { call, input }) = self.asks.remove(request) else { return Vec::new() };
        if let Some(call) = call {
            match &decision {
                Answer::Allow { .. } => self.transcript.allowed(&call, now),
                Answer::Deny { .. } => self.transcript.denied(&call),
            }
        }
        vec![Action::Write(say::decision(request, decision, input))]
    }
}
