//! What is to be told to the daemon and written to the agent, and which requests of ours wait for an answer.

use std::collections::HashMap;

use paseo_core::id::ItemId;
use paseo_core::item::{Draft, Kind};
use paseo_core::time::Timestamp;
use serde_json::{Value, json};

use super::parse::RpcError;
use super::setup::Step;
use crate::driver::Action;
use crate::fresh::Ids;
use crate::provider::Output;

/// A request of ours that the agent has not answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Sent {
    Initialize,
    New,
    Resume,
    /// Whether the session exists that could not be continued, for this reason.
    Find(RpcError),
    Step(Step),
    Prompt,
}

/// Collects actions until the adapter hands them over.
#[derive(Debug)]
pub(super) struct Out {
    /// Names what is kept as it came.
    provider: String,
    ids: Ids,
    pub(super) now: Timestamp,
    actions: Vec<Action>,
    sent: HashMap<u64, Sent>,
    last: u64,
    /// Counts the model's steps within the turn.
    pub(super) step: u32,
}

impl Out {
    pub(super) fn new(provider: &str, ids: Ids) -> Self {
        Self {
            provider: provider.to_owned(),
            ids,
            now: Timestamp::default(),
            actions: Vec::new(),
            sent: HashMap::new(),
            last: 0,
            step: 0,
        }
    }

    pub(super) fn take(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    pub(super) fn act(&mut self, action: Action) {
        self.actions.push(action);
    }

    pub(super) fn tell(&mut self, output: Output) {
        self.act(Action::Tell(output));
    }

    /// Sends a request.
    pub(super) fn request(&mut self, method: &str, params: &Value, sent: Sent) {
        self.last += 1;
        self.sent.insert(self.last, sent);
        self.write(&json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }));
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    pub(super) fn answer(&mut self, id: &Value, result: &Value) {
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }

    pub(super) fn refuse(&mut self, id: &Value, code: i64, message: &str) {
        let error = json!({ "code": code, "message": message });
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
    }

    /// Returns which request of ours this answers.
    pub(super) fn answered(&mut self, id: u64) -> Option<Sent> {
        self.sent.remove(&id)
    }

    pub(super) fn new_item(&mut self) -> ItemId {
        self.ids.item(self.now)
    }

    pub(super) fn item(&mut self, draft: Draft) {
        let id = self.new_item();
        self.item_with(id, draft);
    }

    pub(super) fn item_with(&mut self, id: ItemId, draft: Draft) {
        self.tell(Output::Item { id, step: self.step, parent: None, draft });
    }

    pub(super) fn notice(&mut self, code: &str, text: impl Into<String>) {
        self.item(Draft::text(Kind::Notice { code: code.to_owned() }, text));
    }

    /// Keeps a line as it came.
    pub(super) fn raw(&mut self, line: &str) {
        self.item(Draft::text(Kind::Raw { provider: self.provider.clone() }, line));
    }

    fn write(&mut self, message: &Value) {
        self.act(Action::Write(message.to_string()));
    }
}
