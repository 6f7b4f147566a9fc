//! The adapter against lines that Claude Code 2.1.325 really wrote (in `fixtures`, cut to what matters).

mod items;
mod retries;
mod turns;

use paseo_core::actor::Actor;
use paseo_core::id::{DeliveryId, TurnId};
use paseo_core::item::Kind;
use paseo_core::time::Timestamp;
use serde_json::Value;

use super::adapt::{Adapter, Session};
use crate::driver::{Action, Adapter as _};
use crate::fresh::Ids;
use crate::lines::Line;
use crate::provider::{Input, Message, Output, TurnEnd};

macro_rules! lines_of {
    ($name:literal $(, $id:expr)*) => {
        fixture(include_str!(concat!("../fixtures/", $name, ".jsonl")), &[$($id.to_string()),*])
    };
}

use lines_of;

const CONVERSATION: &str = "c0ffee00-0000-4000-8000-000000000001";

/// A session and all that came of what it was told.
struct Play {
    adapter: Adapter,
    now: i64,
    told: Vec<Output>,
    written: Vec<Value>,
    /// The rest, in order.
    done: Vec<Action>,
}

impl Play {
    fn new() -> Self {
        Self::with(&[], false)
    }

    /// A session in which a person has to be asked.
    fn asking() -> Self {
        let mut play = Self::new();
        play.adapter.session.asks = true;
        play
    }

    fn with(servers: &[&str], resumed: bool) -> Self {
        let session = Session {
            directory: "/project".into(),
            asks: false,
            guarded: false,
            withheld: Vec::new(),
            servers: servers.iter().map(|name| (*name).to_owned()).collect(),
            conversation: CONVERSATION.to_owned(),
            resumed,
        };
        let adapter = Adapter::new(session, Ids::from_seed([1; 32]));
        Self { adapter, now: 1_000, told: Vec::new(), written: Vec::new(), done: Vec::new() }
    }

    fn act(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Tell(output) => self.told.push(output),
                Action::Write(line) => self.written.push(serde_json::from_str(&line).unwrap()),
                other => self.done.push(other),
            }
        }
    }

    /// Each thing takes 10 ms.
    fn tick(&mut self) -> Timestamp {
        self.now += 10;
        Timestamp::from_millis(self.now)
    }

    fn begin(&mut self) {
        let now = self.tick();
        let actions = self.adapter.begin(now);
        self.act(actions);
    }

    fn input(&mut self, input: Input) {
        let now = self.tick();
        let actions = self.adapter.input(input, now);
        self.act(actions);
    }

    fn line(&mut self, text: &str) {
        let now = self.tick();
        let line = Line { text: text.to_owned(), damage: None };
        let actions = self.adapter.line(&line, now);
        self.act(actions);
    }

    fn turn(&mut self, number: u8) -> TurnId {
        let turn = turn(number);
        self.input(Input::Turn { turn, messages: vec![message(number, "go")] });
        turn
    }

    fn lines<'a>(&mut self, lines: impl IntoIterator<Item = &'a String>) {
        for line in lines {
            self.line(line);
        }
    }

    fn take(&mut self) -> Vec<Output> {
        std::mem::take(&mut self.told)
    }

    fn kinds(&self) -> Vec<&Kind> {
        self.told.iter().filter_map(kind).collect()
    }

    fn words(&self) -> Vec<&'static str> {
        self.told.iter().map(word).collect()
    }

    fn end(&self) -> &TurnEnd {
        let end = self.told.iter().rev().find_map(|output| match output {
            Output::TurnEnded { end, .. } => Some(end),
            _ => None,
        });
        end.expect("an end")
    }

    fn requests(&self) -> Vec<&str> {
        self.written.iter().filter_map(|line| line["request"]["subtype"].as_str()).collect()
    }
}

fn turn(number: u8) -> TurnId {
    TurnId::from_parts(Timestamp::from_millis(5), [number; 10])
}

fn message(number: u8, text: &str) -> Message {
    let delivery = DeliveryId::from_parts(Timestamp::from_millis(6), [number; 10]);
    Message { attachments: Vec::new(), delivery, origin: Actor::Daemon, text: text.into() }
}

fn kind(output: &Output) -> Option<&Kind> {
    match output {
        Output::Item { draft, .. } => Some(&draft.kind),
        _ => None,
    }
}

fn word(output: &Output) -> &'static str {
    match output {
        Output::Commands(_) => "commands",
        Output::Reference(_) => "reference",
        Output::Forgotten => "forgotten",
        Output::Prompted(_) => "prompted",
        Output::TurnBegan { .. } => "began",
        Output::Typed { .. } => "typed",
        Output::Handed { .. } => "handed",
        Output::Untold { .. } => "untold",
        Output::Steered { .. } => "steered",
        Output::Delta { .. } => "delta",
        Output::Printed { .. } => "printed",
        Output::BrokeOff { .. } => "broke_off",
        Output::Item { draft, .. } => draft.kind.word(),
        Output::ToolRequest { .. } => "tool_request",
        Output::Ask(_) => "ask",
        Output::AskWithdrawn { .. } => "withdrawn",
        Output::Background { .. } => "background",
        Output::TurnEnded { .. } => "ended",
        Output::Exited(_) => "exited",
    }
}

/// Returns the lines of a fixture, with our ids in the place of those that were sent.
fn fixture(text: &str, messages: &[String]) -> Vec<String> {
    let mut text = text.to_owned();
    for (index, id) in messages.iter().enumerate() {
        text = text.replace(&format!("{{message{}}}", index + 1), id);
    }
    text.lines().map(str::to_owned).collect()
}

fn position(lines: &[String], part: &str) -> usize {
    lines.iter().position(|line| line.contains(part)).unwrap_or_else(|| panic!("no line with {part}"))
}
