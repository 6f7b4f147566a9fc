//! The conversation with pi as a state machine: lines and inputs in, outputs and lines to write out.
//!
//! A turn of ours is what pi calls a run: `agent_start` to the moment when nothing goes on any more. Newer ones say
//! when that is (`agent_settled`). After the `agent_end` of an older one a retry or a compaction may follow, which it
//! announces at once: so it is asked for its state, and the answer comes after such an announcement.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use paseo_core::id::{DeliveryId, ItemId, TurnId};
use paseo_core::item::{Draft, Kind, Usage};
use paseo_core::time::Timestamp;
use serde_json::{Value, json};

use super::NAME;
use super::asks::{self, Asked, Asks};
use super::calls::Calls;
use super::images;
use super::out::{Out, Sent};
use super::parse::{self, Data, Failure, Response};
use super::spawn::COMMAND_VARIABLE;
use super::speech::Speech;
use crate::attachment;
use crate::driver::{Action, Adapter, unreadable};
use crate::fresh::Ids;
use crate::lines::Line;
use crate::provider::{self, Answer, Attachment, Failed, FailureCode, Input, Output, TurnEnd};
use crate::slash::{self, SlashCommand};

/// The provider of the model that it has when it has none.
const NO_MODEL: &str = "unknown";
/// How it begins to say that a model has no key.
const NO_KEY: &str = "No API key found";

/// What the adapter has to know of a launch.
#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) directory: PathBuf,
    /// It must not work without our extension.
    pub(super) needs_extension: bool,
    /// The file of the conversation that is continued.
    pub(super) conversation: Option<String>,
    /// It was to continue one that is not there.
    pub(super) lost: Option<String>,
    /// How long it may take until it answers.
    pub(super) patience: Duration,
    /// It would drop every image.
    pub(super) lacks_resizer: bool,
}

/// One session's conversation with its pi.
#[derive(Debug)]
pub(super) struct Conversation {
    pub(super) out: Out,
    pub(super) session: Session,
    pub(super) link: Link,
    /// Our extension is there.
    pub(super) extended: bool,
    /// It has found no model that it has a login for.
    modelless: bool,
    /// What its model takes, where it says.
    takes: Option<Vec<String>>,
    pub(super) turn: Option<Turn>,
    waiting: Option<(TurnId, Vec<provider::Message>)>,
    pub(super) speech: Speech,
    pub(super) calls: Calls,
    pub(super) asks: Asks,
    /// What the model's server answered the last request with that failed.
    pub(super) failure: Failure,
    /// It says when nothing goes on any more.
    pub(super) settles: bool,
}

/// How far pi is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Link {
    Opening,
    Open {
        /// Where it keeps the conversation.
        file: Option<String>,
    },
    /// It cannot be used, for this reason.
    Broken(String),
}

/// The turn that runs.
#[derive(Debug)]
pub(super) struct Turn {
    ours: TurnId,
    /// Pi has taken the prompt.
    accepted: bool,
    /// Pi works on it.
    pub(super) begun: bool,
    handed: bool,
    /// The model took its first step.
    pub(super) stepped: bool,
    pub(super) usage: Usage,
    /// Messages that pi has, and has not given to the model.
    steers: VecDeque<DeliveryId>,
    pub(super) stop: bool,
    /// Pi will try again by itself.
    pub(super) retrying: bool,
    /// Why the last message failed, and what was shown of it. Forgotten when pi tries again.
    pub(super) failed: Option<(Failed, Vec<ItemId>)>,
}

impl Turn {
    fn new(ours: TurnId) -> Self {
        Self {
            ours,
            accepted: false,
            begun: false,
            handed: false,
            stepped: false,
            usage: Usage::default(),
            steers: VecDeque::new(),
            stop: false,
            retrying: false,
            failed: None,
        }
    }
}

impl Adapter for Conversation {
    fn begin(&mut self, now: Timestamp) -> Vec<Action> {
        self.out.now = now;
        self.out.command("get_state", json!({}), Sent::Open);
        self.out.act(Action::Wake(self.session.patience));
        self.out.take()
    }

    fn wake(&mut self, now: Timestamp) -> Vec<Action> {
        self.out.now = now;
        if self.link == Link::Opening {
            self.broken(format!(
                "pi did not answer within {} seconds (limits.start_seconds) and was stopped; check that \
                 `pi --mode rpc` starts in this directory. The next message starts it again",
                self.session.patience.as_secs()
            ));
        }
        self.out.take()
    }

    fn line(&mut self, line: &Line, now: Timestamp) -> Vec<Action> {
        self.out.now = now;
        match parse::kind(&line.text) {
            Some(kind) if kind == "response" => match parse::read::<Response>(&line.text) {
                Some(response) => self.response(response, &line.text),
                None => self.out.raw(&line.text),
            },
            Some(kind) => self.event(&kind, &line.text),
            None if line.text.trim().is_empty() => {}
            None => unreadable(line, NAME).into_iter().for_each(|draft| self.out.item(draft)),
        }
        self.out.take()
    }

    fn input(&mut self, input: Input, now: Timestamp) -> Vec<Action> {
        self.out.now = now;
        match input {
            Input::Turn { turn, messages } => {
                self.waiting = Some((turn, messages));
                self.start_waiting();
            }
            Input::Steer { message } => self.steer(message),
            Input::Interrupt => self.interrupt(),
            Input::Permission { call, decision } => self.decide(&call, &decision),
            // The tools of the daemon are reached by MCP.
            Input::ToolResult { .. } => {}
        }
        self.out.take()
    }
}

impl Conversation {
    pub(super) fn new(session: Session, ids: Ids) -> Self {
        Self {
            out: Out::new(ids),
            session,
            link: Link::Opening,
            extended: false,
            modelless: false,
            takes: None,
            turn: None,
            waiting: None,
            speech: Speech::default(),
            calls: Calls::default(),
            asks: Asks::default(),
            failure: Failure::default(),
            settles: false,
        }
    }

    fn response(&mut self, response: Response, line: &str) {
        let Response { id, success, data, error } = response;
        // Without an id it answers a command that an older one does not know.
        let Some(id) = id else { return };
        let Some(sent) = self.out.answered(&id) else { return self.out.raw(line) };
        let data = data.unwrap_or_default();
        match (sent, success) {
            (Sent::Open, true) => self.opened(data),
            (Sent::Open, false) => self.broken(error),
            (Sent::Prompt, true) => self.accepted(data.disposition.as_deref()),
            (Sent::Prompt, false) => {
                let end = match self.turn.as_ref().is_some_and(|turn| turn.stop) {
                    true => TurnEnd::Interrupted,
                    false => refused(error, self.modelless),
                };
                self.conclude(end);
            }
            (Sent::Steer(delivery), false) => {
                if let Some(turn) = &mut self.turn {
                    turn.steers.retain(|id| *id != delivery);
                }
            }
            // Pi has it, the model may not: an interruption now would lose it.
            (Sent::Steer(_), true) => {}
            (Sent::Commands, true) => {
                let commands = data.commands.into_iter().map(|command| SlashCommand {
                    name: command.name,
                    description: command.description,
                    hint: None,
                });
                self.out.tell(Output::Commands(slash::offered(commands)));
            }
            (Sent::ClearQueue | Sent::Commands, _) => {}
            (Sent::Abort, _) => self.out.probe(),
            (Sent::Probe, _) => self.probed(&data),
        }
    }

    /// Takes in that everything is loaded.
    fn opened(&mut self, data: Data) {
        if self.session.needs_extension && !self.extended {
            return self
                .broken("pi did not load Paseo's extension, which enforces its permissions".to_owned());
        }
        if self.link == Link::Opening {
            self.modelless = data.model.as_ref().is_some_and(|model| model.provider == NO_MODEL);
            self.takes = data.model.and_then(|model| model.input);
            self.link = Link::Open { file: data.session_file };
        }
        self.start_waiting();
        self.out.command("get_commands", json!({}), Sent::Commands);
    }

    /// Takes in that pi cannot be used.
    pub(super) fn broken(&mut self, why: String) {
        self.link = Link::Broken(why);
        self.start_waiting();
    }

    fn start_waiting(&mut self) {
        if self.turn.is_some() || self.link == Link::Opening {
            return;
        }
        let Some((turn, messages)) = self.waiting.take() else { return };
        if let Some(lost) = self.session.lost.take() {
            self.out.tell(Output::Forgotten);
            let text = format!("pi's session file no longer exists: {lost}");
            let end = TurnEnd::Failed(Failed { code: FailureCode::ResumeFailed, text, until: None });
            return self.out.tell(Output::TurnEnded { turn, end });
        }
        if let Link::Broken(why) = &self.link {
            let end = failed(why.clone());
            self.out.tell(Output::TurnEnded { turn, end });
            // The next one may find what was missing.
            return self.out.act(Action::End);
        }
        if let Some(why) = images::refusal(&messages, self.session.lacks_resizer, self.takes.as_deref()) {
            return attachment::refuse(turn, why).into_iter().for_each(|output| self.out.tell(output));
        }
        self.out.step = 0;
        self.out.act(Action::NoteCommands);
        self.out.command("prompt", said(&messages), Sent::Prompt);
        self.turn = Some(Turn::new(turn));
    }

    fn accepted(&mut self, disposition: Option<&str>) {
        let Some(turn) = &mut self.turn else { return };
        turn.accepted = true;
        match disposition {
            Some("started" | "queued") => {}
            // A command of an extension, which has no answer.
            Some("handled") if !turn.begun => self.conclude(TurnEnd::Completed),
            // An older one does not say whether a run follows.
            _ => self.out.probe(),
        }
    }

    /// Takes in whether anything goes on.
    fn probed(&mut self, state: &Data) {
        let Some(turn) = &self.turn else { return };
        let idle = !state.is_streaming && !state.is_compacting && !turn.retrying;
        if idle && turn.accepted {
            self.finish();
        }
    }

    fn steer(&mut self, message: provider::Message) {
        let Some(turn) = self.turn.as_mut().filter(|turn| turn.begun && !turn.stop) else { return };
        let messages = std::slice::from_ref(&message);
        // It goes back to the queue, and the turn that takes it up says why it has to go without.
        if images::refusal(messages, self.session.lacks_resizer, self.takes.as_deref()).is_some() {
            return;
        }
        turn.steers.push_back(message.delivery);
        self.out.command("steer", said(messages), Sent::Steer(message.delivery));
    }

    fn interrupt(&mut self) {
        if let Some((turn, _)) = self.waiting.take() {
            self.out.tell(Output::TurnEnded { turn, end: TurnEnd::Interrupted });
        }
        let Some(turn) = &mut self.turn else { return };
        turn.stop = true;
        // Newer ones would go on with what waits.
        self.out.command("clear_queue", json!({}), Sent::ClearQueue);
        self.out.command("abort", json!({}), Sent::Abort);
    }

    fn decide(&mut self, call: &str, answer: &Answer) {
        let Some((asked, line)) = self.asks.answer(call, answer) else { return };
        if let Asked::Tool { call } = asked {
            match answer {
                Answer::Allow { .. } => self.calls.allow(&call, self.out.now),
                Answer::Deny { .. } | Answer::Choose { .. } | Answer::Fill { .. } | Answer::Cancel => {
                    self.calls.deny(&call);
                }
            }
        }
        self.out.write(&line);
    }

    /// Takes in that pi works: on our turn, or on one of its own.
    pub(super) fn began(&mut self) {
        let Some(turn) = &mut self.turn else {
            let ours = self.out.new_turn();
            self.out.step = 0;
            self.out.act(Action::NoteCommands);
            self.out.tell(Output::TurnBegan { turn: ours });
            self.turn = Some(Turn { accepted: true, begun: true, handed: true, ..Turn::new(ours) });
            return;
        };
        (turn.begun, turn.retrying) = (true, false);
        if turn.stop {
            // It was told to stop before it had begun.
            self.out.command("abort", json!({}), Sent::Abort);
        }
    }

    /// Takes in that the model was given a message of the user's.
    pub(super) fn taken(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        if !std::mem::replace(&mut turn.handed, true) {
            let turn = turn.ours;
            self.out.tell(Output::Handed { turn });
        } else if let Some(delivery) = turn.steers.pop_front() {
            self.out.tell(Output::Steered { delivery, item: None });
        }
    }

    /// Takes in that a message is in the conversation's file: from here on it can be continued.
    pub(super) fn stored(&mut self) {
        let Link::Open { file: Some(file) } = &self.link else { return };
        if self.session.conversation.as_ref() != Some(file) {
            self.session.conversation = Some(file.clone());
            self.out.tell(Output::Reference(file.clone()));
        }
    }

    /// Asks whether it is over, unless pi says so itself.
    pub(super) fn maybe_over(&mut self) {
        if !self.settles && self.turn.as_ref().is_some_and(|turn| turn.begun && !turn.retrying) {
            self.out.probe();
        }
    }

    /// Takes in that pi says it is over. What was over before the turn began does not count.
    pub(super) fn settled(&mut self) {
        self.settles = true;
        if self.turn.as_ref().is_some_and(|turn| turn.begun) {
            self.finish();
        }
    }

    /// Ends the turn as it went.
    fn finish(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        let end = match &turn.failed {
            _ if turn.stop => TurnEnd::Interrupted,
            Some((failed, _)) => TurnEnd::Failed(failed.clone()),
            None => TurnEnd::Completed,
        };
        self.break_off(None);
        self.conclude(end);
    }

    fn conclude(&mut self, end: TurnEnd) {
        let Some(turn) = self.turn.take() else { return };
        self.calls.clear();
        for call in self.asks.withdraw_all() {
            self.out.write(&asks::cancelled(&call));
            self.out.tell(Output::AskWithdrawn { call });
        }
        if turn.stop {
            // Pi does not know of those that got out of its sight.
            self.out.act(Action::EndCommands { variable: COMMAND_VARIABLE });
        }
        if turn.usage != Usage::default() {
            self.out.item(Draft { kind: Kind::Usage(turn.usage), text: None, extra: None });
        }
        if !turn.handed && end == TurnEnd::Completed {
            self.out.tell(Output::Handed { turn: turn.ours });
        }
        self.out.tell(Output::TurnEnded { turn: turn.ours, end });
        self.start_waiting();
    }
}

/// Returns messages as a command carries them: text files are part of the text.
fn said(messages: &[provider::Message]) -> Value {
    let texts: Vec<String> = messages.iter().map(provider::Message::with_texts).collect();
    let mut said = json!({ "message": texts.join("\n\n") });
    let image = |file: &Attachment| json!({ "type": "image", "data": file.base64(), "mimeType": file.kind.media_type() });
    let images: Vec<Value> = messages.iter().flat_map(provider::Message::images).map(image).collect();
    if !images.is_empty() {
        said["images"] = images.into();
    }
    said
}

/// Returns what a prompt that pi does not take comes to. That a key is missing it says in words only, unless it has no
/// model at all.
fn refused(text: String, modelless: bool) -> TurnEnd {
    if modelless || text.starts_with(NO_KEY) {
        return TurnEnd::Failed(Failed { code: FailureCode::NotLoggedIn, text, until: None });
    }
    failed(text)
}

fn failed(text: String) -> TurnEnd {
    TurnEnd::Failed(Failed { code: FailureCode::HarnessError, text, until: None })
}
