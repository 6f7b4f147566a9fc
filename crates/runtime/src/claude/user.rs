//! What claude shows of the user's side: results of tools, messages that were taken up, words of its own.

use paseo_core::time::Timestamp;

use super::adapt::Adapter;
use super::notices::Said;
use super::parse::{self, Content, User};
use crate::driver::Action;
use crate::provider::Output;

impl Adapter {
    pub(super) fn user(&mut self, line: &User, text: &str, now: Timestamp) -> Vec<Action> {
        if line.is_replay {
            return self.replayed(line, text, now);
        }
        if parse::is_text(&line.message.content) {
            return match line.parent_tool_use_id {
                // The task of a subagent: it stands in the call.
                Some(_) => Vec::new(),
                // The program's own mark.
                None if self.turns.interrupting => Vec::new(),
                // What it tells the model to go on with after an answer that was cut off: it has no author.
                None if line.is_synthetic && self.transcript.is_cut_off() => Vec::new(),
                None if line.is_synthetic => {
                    let summary = parse::text_of(&line.message.content);
                    self.said(Said::Notice { code: "summary", text: summary }, text, now)
                }
                None => self.said(Said::Unknown, text, now),
            };
        }
        let mut actions = self.settle(line.parent_tool_use_id.as_deref(), now);
        let results = self.transcript.results(line, self.turns.interrupting, now);
        actions.extend(results.into_iter().map(Action::Tell));
        actions
    }

    /// A message of ours was taken up, or the program shows what a command of its own said.
    fn replayed(&mut self, line: &User, text: &str, now: Timestamp) -> Vec<Action> {
        let uuid = line.uuid.as_deref().unwrap_or_default();
        if let Some(waiting) = self.turns.waiting.filter(|waiting| waiting.turn.to_string() == uuid) {
            return self.handed(waiting.turn);
        }
        if let Some(place) = self.turns.steers.iter().position(|delivery| delivery.to_string() == uuid) {
            let delivery = self.turns.steers.remove(place);
            self.turns.held = None;
            return vec![Action::Tell(Output::Steered { delivery, item: None })];
        }
        // It was handed already, at its first sign.
        if self.turns.running.is_some_and(|turn| turn.to_string() == uuid) {
            return Vec::new();
        }
        let said = match &line.message.content {
            Content::Text(words) => Said::Notice { code: "command_output", text: words.clone() },
            Content::Blocks(_) | Content::Other(_) => Said::Unknown,
        };
        self.said(said, text, now)
    }
}
