//! What our extension writes down of a conversation in a terminal: the events that pi tells of behind pipes, as far as
//! they make a transcript, each with a name.

use paseo_core::item::{Draft, Kind, Usage};
use paseo_core::time::Timestamp;
use serde::Deserialize;

use super::calls::Calls;
use super::failure;
use super::out::Out;
use super::parse::{self, Failure, MessageNote, ToolNote, text_of};
use super::speech::{self, Speech};
use crate::driver::Action;
use crate::fresh::Ids;
use crate::provider::{Failed, Output, TurnEnd};
use crate::terminal::resident::Seen;

/// What is known of a conversation from the lines so far.
#[derive(Debug)]
pub(super) struct Record {
    out: Out,
    speech: Speech,
    calls: Calls,
    /// Where pi keeps the conversation; it is there once the model has said something.
    file: Option<String>,
    known: Option<String>,
    failure: Failure,
    turn: Turn,
}

/// The turn that the lines are in.
#[derive(Debug, Default)]
struct Turn {
    running: bool,
    stepped: bool,
    stopped: bool,
    used: Usage,
    failed: Option<(Failed, Vec<Draft>)>,
}

/// What all lines have, and what ours have.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line {
    id: String,
    at: i64,
    r#type: String,
    file: Option<String>,
    failed: Option<Failure>,
    call: String,
    aborted: bool,
}

impl Record {
    pub(super) fn new() -> Self {
        Self {
            out: Out::new(Ids::derived(&[])),
            speech: Speech::default(),
            calls: Calls::default(),
            file: None,
            known: None,
            failure: Failure::default(),
            turn: Turn::default(),
        }
    }

    /// Takes in a line.
    pub(super) fn line(&mut self, text: &str) -> Vec<Seen> {
        let Some(line) = parse::read::<Line>(text) else { return Vec::new() };
        self.out.now = Timestamp::from_millis(line.at);
        self.out.ids(Ids::derived(&["pi", &line.id]));
        let mut seen = Vec::new();
        match line.r#type.as_str() {
            "told" => {
                self.file = line.file.or(self.file.take());
                self.failure = line.failed.unwrap_or_else(|| std::mem::take(&mut self.failure));
            }
            "agent_start" => self.began(),
            "turn_start" if std::mem::replace(&mut self.turn.stepped, true) => self.out.step += 1,
            "message_start" => {
                let said = parse::read(text).map(|note: MessageNote| text_of(&note.message.content));
                seen.extend(said.map(Seen::Said));
            }
            "message_end" => seen.extend(self.said(text)),
            "tool_execution_start" => {
                parse::read(text)
                    .into_iter()
                    .for_each(|note: ToolNote| self.calls.begin(note, &mut self.out));
            }
            "tool_execution_end" => {
                self.turn.stopped |= line.aborted;
                if let Some(note) = parse::read::<ToolNote>(text) {
                    self.calls.end(&note, line.aborted, &mut self.out);
                }
            }
            "denied" => self.calls.deny(&line.call),
            "settled" => return self.over(),
            _ => {}
        }
        seen.extend(self.items());
        seen
    }

    fn began(&mut self) {
        if !self.turn.running {
            self.out.step = 0;
            self.turn = Turn { running: true, ..Turn::default() };
        }
    }

    fn said(&mut self, text: &str) -> Option<Seen> {
        let message = parse::read::<MessageNote>(text)?.message;
        let said = self.speech.end(&message.content, &mut self.out);
        let failure = std::mem::take(&mut self.failure);
        let turn = &mut self.turn;
        turn.used = turn.used.plus(message.usage.map(speech::usage).unwrap_or_default());
        turn.failed = None;
        match message.stop_reason.as_deref() {
            // What it said before it failed is said again when it is tried again.
            Some("error") => {
                let text = message.error_message.filter(|text| !text.is_empty());
                let text = text.unwrap_or_else(|| "the model failed, and pi did not say why".to_owned());
                let said = said.into_iter().map(|(_, draft)| draft).collect();
                turn.failed = Some((failure::failed(&failure, text, self.out.now), said));
            }
            stop => {
                turn.stopped |= stop == Some("aborted");
                said.into_iter().for_each(|(id, draft)| self.out.item_with(id, draft));
            }
        }
        if self.known == self.file {
            return None;
        }
        self.known.clone_from(&self.file);
        self.known.clone().map(Seen::Reference)
    }

    fn over(&mut self) -> Vec<Seen> {
        let turn = std::mem::take(&mut self.turn);
        self.calls.clear();
        let (failed, said) = turn.failed.map_or((None, Vec::new()), |(failed, said)| (Some(failed), said));
        said.into_iter().for_each(|draft| self.out.item(draft));
        if turn.used != Usage::default() {
            self.out.item(Draft { kind: Kind::Usage(turn.used), text: None, extra: None });
        }
        let end = match failed {
            _ if turn.stopped => TurnEnd::Interrupted,
            Some(failed) => TurnEnd::Failed(failed),
            None => TurnEnd::Completed,
        };
        let mut seen = self.items();
        seen.extend(turn.running.then_some(Seen::Ended(end)));
        seen
    }

    fn items(&mut self) -> Vec<Seen> {
        let items = self.out.take().into_iter().filter_map(|action| match action {
            Action::Tell(Output::Item { id, step, parent, draft }) => {
                Some(Seen::Item { id, step, parent, draft })
            }
            _ => None,
        });
        items.collect()
    }
}
