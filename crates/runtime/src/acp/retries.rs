//! Attempts that broke off, as far as agents let us know: ACP itself has no word for them.
//!
//! | agent | how |
//! |---|---|
//! | opencode | our plugin tells ([`METHOD`]): the next attempt begins, what it said, or a message ended without its end |
//! | codex-acp | in the `_meta` of `session_info_update` |
//! | claude-agent-acp | another message begins, and no call came between ([`Retries::NewMessage`]) |
//! | others | not at all: what both attempts said runs together |
//!
//! What opencode streams and what our plugin tells come in any order, so text of an attempt that broke off can arrive
//! after the next began. The plugin therefore also tells each text of a message that was tried again, as opencode keeps
//! it ([`Attempts::settle`]).

use std::collections::{HashMap, HashSet, VecDeque};

use agent_client_protocol_schema::v1::ToolCallStatus;
use paseo_core::id::ItemId;
use serde_json::Value;

use super::adapt::Conversation;
use super::notes::Run;
use super::parse::text;
use super::preset::Retries;
use crate::provider::{Output, Retry};

/// What our plugin for opencode tells.
pub(super) const METHOD: &str = "_paseo/retry";

/// What is known of the attempts of a turn.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    /// Texts of the running attempt that are whole. It may still break off.
    held: Vec<Run>,
    /// An attempt broke off, and the next has not begun.
    waiting: bool,
    /// The agent's ids of messages that ended without their end.
    unfinished: HashSet<String>,
    /// The agent's ids of calls that were never made.
    dead_calls: HashSet<String>,
    /// The texts that were kept of each message that was tried again, as far as none was matched with what was streamed.
    kept: HashMap<String, Kept>,
}

/// The texts of one message that was tried again.
#[derive(Debug, Default)]
struct Kept {
    texts: VecDeque<String>,
    /// The agent's ids of all that were told: it tells a text again when something about it changes.
    parts: HashSet<String>,
}

impl Attempts {
    /// Returns what was held back: the attempt has come far enough to count.
    pub(super) fn release(&mut self) -> Vec<Run> {
        std::mem::take(&mut self.held)
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.waiting
    }

    /// Says whether a call was never made. One that runs after all is another with the same id.
    pub(super) fn is_dead_call(&mut self, id: &str, status: Option<ToolCallStatus>) -> bool {
        if matches!(status, Some(ToolCallStatus::InProgress | ToolCallStatus::Completed)) {
            self.dead_calls.remove(id);
        }
        self.dead_calls.contains(id)
    }

    /// Lets what no plugin confirmed count: there is nothing else to go by at the end of a turn.
    pub(super) fn trust_the_stream(&mut self) {
        self.kept.retain(|_, kept| !kept.texts.is_empty());
    }

    /// Splits texts into those that count, with the words that count, and those of attempts that broke off.
    pub(super) fn settle(&mut self, runs: Vec<Run>) -> (Vec<Run>, Vec<Run>) {
        let (mut counting, mut dead) = (Vec::new(), Vec::new());
        let mut runs = VecDeque::from(runs);
        while let Some(mut run) = runs.pop_front() {
            let message = run.message.as_ref().filter(|_| run.is_answer());
            let Some(kept) = message.and_then(|message| self.kept.get_mut(message)) else {
                counting.push(run);
                continue;
            };
            let is_alike = |other: &&Run| other.is_answer() && other.message == run.message;
            match kept.words_of(run.text(), runs.iter().filter(is_alike).count()) {
                Some(words) => {
                    run.replace(&words);
                    counting.push(run);
                }
                None => dead.push(run),
            }
        }
        (counting, dead)
    }
}

impl Kept {
    /// Returns the words of a streamed text that count: it may begin with what an attempt said that broke off. `None` when
    /// all of it is of such attempts. `more` texts of the message were streamed after it.
    fn words_of(&mut self, streamed: &str, more: usize) -> Option<String> {
        let is_it = |first: &String| streamed.trim_end().ends_with(first.trim_end());
        let is_it = self.texts.front().is_some_and(is_it) || more < self.texts.len();
        is_it.then(|| self.texts.pop_front()).flatten()
    }
}

impl Conversation {
    /// Says whether what an attempt says is stored only once it cannot break off any more.
    pub(super) fn holds_back(&self) -> bool {
        self.setup.preset.retries == Retries::Told && self.turn.is_some()
    }

    /// Ends the growing text because another begins, of this message.
    pub(super) fn leave_run(&mut self, next: Option<&str>) {
        let newest = self.run.as_ref().or(self.broken.held.last());
        let Some(message) = newest.map(|run| run.message.clone()) else { return };
        let new_message = message.as_deref() != next;
        let unfinished = message.as_ref().is_some_and(|message| self.broken.unfinished.contains(message));
        let unexpected = message.is_some() && self.setup.preset.retries == Retries::NewMessage;
        if self.turn.is_some() && new_message && (unfinished || unexpected) {
            return self.break_off(Some(Retry::default()));
        }
        match new_message || !self.holds_back() {
            true => self.end_run(),
            false => self.broken.held.extend(self.run.take()),
        }
    }

    /// Ends the growing text because a call begins, whose input may never be whole.
    pub(super) fn leave_run_for_call(&mut self) {
        match self.holds_back() {
            true => self.broken.held.extend(self.run.take()),
            false => self.end_run(),
        }
    }

    /// Takes in what our plugin tells.
    pub(super) fn retry_told(&mut self, params: &Value) {
        if self.turn.is_none() || !self.is_own(text(params, "sessionId")) {
            return;
        }
        match text(params, "stage") {
            "waiting" => {
                // It was sent to the model, so it was taken up.
                self.take_up();
                self.broken.waiting = true;
                let attempt = params["attempt"].as_u64().and_then(|attempt| u32::try_from(attempt).ok());
                let retry = Some(Retry { attempt, of: None });
                self.out.tell(Output::BrokeOff { items: Vec::new(), retry });
                let number = attempt
                    .map(|attempt| format!("Retrying (attempt {attempt})"))
                    .unwrap_or("Retrying".to_owned());
                self.out.notice("retrying", format!("{number}: {}", text(params, "message")));
            }
            "begins" => {
                self.break_off(None);
                if let Some(message) = params["messageId"].as_str() {
                    self.broken.kept.insert(message.to_owned(), Kept::default());
                }
                let calls = params["calls"].as_array().into_iter().flatten();
                self.broken.dead_calls.extend(calls.filter_map(Value::as_str).map(str::to_owned));
            }
            "said" => {
                let kept = self.broken.kept.entry(text(params, "messageId").to_owned()).or_default();
                let words = text(params, "text");
                // Nothing is streamed of an empty one.
                if !words.trim().is_empty() && kept.parts.insert(text(params, "partId").to_owned()) {
                    kept.texts.push_back(words.to_owned());
                }
            }
            "unfinished" => drop(self.broken.unfinished.insert(text(params, "messageId").to_owned())),
            _ => {}
        }
    }

    /// Takes in what codex-acp tells about its session: what was not finished is said again.
    pub(super) fn codex_told(&mut self, params: &Value) {
        let error = params.pointer("/update/_meta/codex/error").unwrap_or(&Value::Null);
        if self.turn.is_some() && error["willRetry"] == true {
            self.break_off(Some(Retry::default()));
            self.out.notice("retrying", text(error, "message").to_owned());
        }
    }

    /// Drops what the attempt showed, and calls whose input never was whole.
    pub(super) fn break_off(&mut self, retry: Option<Retry>) {
        self.broken.waiting = false;
        let late = self.run.as_ref().is_some_and(|run| run.late);
        let shown = self.broken.release().into_iter().chain(self.run.take_if(|_| !late));
        let items: Vec<ItemId> = shown.map(|run| run.item).collect();
        if self.holds_back() {
            let dead = self.calls.extract_if(.., |call| !call.told);
            self.broken.dead_calls.extend(dead.map(|call| call.id));
        }
        if !items.is_empty() || retry.is_some() {
            self.out.tell(Output::BrokeOff { items, retry });
        }
    }
}
