//! What is to be told to the daemon and written to pi, and which commands of ours wait for an answer.

use std::collections::{HashMap, HashSet};

use paseo_core::id::{DeliveryId, ItemId, TurnId};
use paseo_core::item::{Draft, Kind};
use paseo_core::time::Timestamp;
use serde_json::{Value, json};

use super::NAME;
use crate::driver::Action;
use crate::fresh::Ids;
use crate::provider::Output;

/// A command of ours that pi has not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sent {
    /// The first: once it is answered, everything is loaded.
    Open,
    Prompt,
    Steer(DeliveryId),
    ClearQueue,
    /// What a message can begin with.
    Commands,
    Abort,
    /// Whether anything still goes on.
    Probe,
}

/// Collects actions until the adapter hands them over.
#[derive(Debug)]
pub(super) struct Out {
    ids: Ids,
    pub(super) now: Timestamp,
    /// Counts the model's steps within the turn.
    pub(super) step: u32,
    actions: Vec<Action>,
    sent: HashMap<String, Sent>,
    last: u64,
    noticed: HashSet<String>,
}

impl Out {
    pub(super) fn new(ids: Ids) -> Self {
        Self {
            ids,
            now: Timestamp::default(),
            step: 0,
            actions: Vec::new(),
            sent: HashMap::new(),
            last: 0,
            noticed: HashSet::new(),
        }
    }

    /// Makes ids from another source from now on.
    pub(super) fn ids(&mut self, ids: Ids) {
        self.ids = ids;
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

    pub(super) fn write(&mut self, line: &Value) {
        self.act(Action::Write(line.to_string()));
    }

    /// Sends a command.
    pub(super) fn command(&mut self, kind: &str, mut fields: Value, sent: Sent) {
        self.last += 1;
        let id = self.last.to_string();
        fields["id"] = id.as_str().into();
        fields["type"] = kind.into();
        self.sent.insert(id, sent);
        self.write(&fields);
    }

    /// Asks whether anything still goes on.
    pub(super) fn probe(&mut self) {
        self.command("get_state", json!({}), Sent::Probe);
    }

    /// Returns which command of ours this answers.
    pub(super) fn answered(&mut self, id: &str) -> Option<Sent> {
        self.sent.remove(id)
    }

    pub(super) fn new_item(&mut self) -> ItemId {
        self.ids.item(self.now)
    }

    pub(super) fn new_turn(&mut self) -> TurnId {
        self.ids.turn(self.now)
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

    /// Gives a notice, unless it was given before.
    pub(super) fn notice_once(&mut self, code: &str, text: String) {
        if self.noticed.insert(text.clone()) {
            self.notice(code, text);
        }
    }

    /// Keeps a line as it came.
    pub(super) fn raw(&mut self, line: &str) {
        self.item(Draft::text(Kind::Raw { provider: NAME.to_owned() }, line));
    }
}
