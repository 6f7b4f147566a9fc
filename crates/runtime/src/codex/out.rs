//! What is to be told to the daemon and written to codex, and which requests of ours wait for an answer.

use std::collections::{HashMap, HashSet};

use paseo_core::id::{DeliveryId, ItemId, TurnId};
use paseo_core::item::{Draft, Kind};
use paseo_core::time::Timestamp;
use serde_json::{Value, json};

use super::NAME;
use super::open::Position;
use super::parse::RpcError;
use crate::driver::Action;
use crate::fresh::Ids;
use crate::provider::Output;

/// A request of ours that codex has not answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Sent {
    Initialize,
    OpenThread,
    /// Whether the thread exists that could not be resumed, for this reason.
    FindThread(RpcError),
    StartTurn,
    Steer(DeliveryId),
    Interrupt,
    /// Which commands of this thread run.
    ListCommands(String),
    EndCommands,
}

/// Collects actions until the adapter hands them over.
#[derive(Debug)]
pub(super) struct Out {
    ids: Ids,
    pub(super) now: Timestamp,
    actions: Vec<Action>,
    sent: HashMap<u64, Sent>,
    last: u64,
    /// Notices that were given: codex repeats some of its warnings in each turn.
    noticed: HashSet<String>,
}

impl Out {
    pub(super) fn new(ids: Ids) -> Self {
        Self {
            ids,
            now: Timestamp::default(),
            actions: Vec::new(),
            sent: HashMap::new(),
            last: 0,
            noticed: HashSet::new(),
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

    pub(super) fn write(&mut self, line: String) {
        self.act(Action::Write(line));
    }

    /// Sends a request.
    pub(super) fn request(&mut self, method: &str, params: &Value, sent: Sent) {
        self.last += 1;
        self.sent.insert(self.last, sent);
        self.write(json!({ "id": self.last, "method": method, "params": params }).to_string());
    }

    /// Returns which request of ours this answers.
    pub(super) fn answered(&mut self, id: u64) -> Option<Sent> {
        self.sent.remove(&id)
    }

    pub(super) fn new_item(&mut self) -> ItemId {
        self.ids.item(self.now)
    }

    pub(super) fn new_turn(&mut self) -> TurnId {
        self.ids.turn(self.now)
    }

    pub(super) fn item(&mut self, position: &Position, draft: Draft) {
        let id = self.new_item();
        self.item_with(id, position, draft);
    }

    pub(super) fn item_with(&mut self, id: ItemId, position: &Position, draft: Draft) {
        let Position { step, parent } = position.clone();
        self.tell(Output::Item { id, step, parent, draft });
    }

    pub(super) fn notice(&mut self, position: &Position, code: &str, text: impl Into<String>) {
        self.item(position, Draft::text(Kind::Notice { code: code.to_owned() }, text));
    }

    /// Gives a notice, unless it was given before.
    pub(super) fn notice_once(&mut self, position: &Position, code: &str, text: String) {
        if self.noticed.insert(text.clone()) {
            self.notice(position, code, text);
        }
    }

    /// Keeps a line as it came.
    pub(super) fn raw(&mut self, position: &Position, line: &str) {
        self.item(position, Draft::text(Kind::Raw { provider: NAME.to_owned() }, line));
    }
}
