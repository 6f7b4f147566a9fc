//! The conversation with codex as a state machine: lines and inputs in, outputs and lines to write out.
//!
//! Here is the life of the thread and of its turns; what codex says within a turn is in `notes`.

use paseo_core::id::{DeliveryId, TurnId};
use paseo_core::item::{Draft, Kind, Usage};
use paseo_core::time::Timestamp;
use serde_json::{Value, json};

use super::NAME;
use super::asks::{self, Asks, Context, Wish};
use super::calls::Calls;
use super::children::Children;
use super::failure::{self, Limits};
use super::items;
use super::open::{OpenItems, Position, What};
use super::out::{Out, Sent};
use super::parse::{self, INVALID_REQUEST, Item, METHOD_NOT_FOUND, Message, RpcError, text};
use super::spawn::{self, COMMAND_VARIABLE, Setup, Thread};
use super::usage::Meter;
use crate::driver::{Action, Adapter, unreadable};
use crate::fresh::Ids;
use crate::lines::Line;
use crate::provider::{self, Answer, DeltaKind, Failed, FailureCode, Input, Output, TurnEnd};

/// One session's conversation with its codex.
#[derive(Debug)]
pub(super) struct Conversation {
    pub(super) out: Out,
    pub(super) setup: Setup,
    pub(super) thread: Link,
    pub(super) turn: Option<Turn>,
    /// A turn that waits: for the thread, or for the end of a turn that codex began by itself.
    waiting: Option<(TurnId, Vec<provider::Message>)>,
    pub(super) children: Children,
    pub(super) open: OpenItems,
    pub(super) calls: Calls,
    pub(super) asks: Asks,
    pub(super) meter: Meter,
    pub(super) limits: Limits,
}

/// How far the thread is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Link {
    Opening,
    Open(Thread),
    /// It could not be opened; the next turn tries again.
    Closed,
}

/// The turn that runs.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) ours: TurnId,
    /// The id that codex gave it, once it did.
    pub(super) theirs: Option<String>,
    /// Codex has begun it: before, it could not be interrupted.
    begun: bool,
    pub(super) handed: bool,
    pub(super) step: u32,
    pub(super) usage: Usage,
    /// Messages that codex has, and has not given to the model.
    pub(super) steers: Vec<(DeliveryId, String)>,
    /// Why the request under way was tried again.
    pub(super) retried: Option<parse::TurnError>,
    stop: Option<Stop>,
}

/// The wish to end a turn, with the commands that it started.
#[derive(Debug, Default)]
struct Stop {
    sent: bool,
    /// How many answers about its commands are awaited.
    ending: usize,
    /// The threads to end commands in.
    threads: Vec<String>,
    /// How the turn ended; told once the commands have, too.
    end: Option<TurnEnd>,
}

impl Turn {
    fn new(ours: TurnId) -> Self {
        Self {
            ours,
            theirs: None,
            begun: false,
            handed: false,
            step: 0,
            usage: Usage::default(),
            steers: Vec::new(),
            retried: None,
            stop: None,
        }
    }
}

impl Adapter for Conversation {
    fn begin(&mut self, now: Timestamp) -> Vec<Action> {
        self.out.now = now;
        let params = json!({
            "clientInfo": { "name": "paseo", "title": "Paseo", "version": env!("CARGO_PKG_VERSION") },
            // Ending the commands of a turn is experimental.
            "capabilities": { "experimentalApi": true, "requestAttestation": false },
        });
        self.out.request("initialize", &params, Sent::Initialize);
        self.out.take()
    }

    fn line(&mut self, line: &Line, now: Timestamp) -> Vec<Action> {
        self.out.now = now;
        match parse::message(&line.text) {
            Some(Message::Notification { method, params }) => self.notification(&method, &params, &line.text),
            Some(Message::Request { id, method, params }) => self.asked(&id, &method, &params, &line.text),
            Some(Message::Response { id, result }) => match self.out.answered(id) {
                Some(sent) => self.answered(sent, result),
                None => self.out.raw(&self.here(), &line.text),
            },
            None if line.text.trim().is_empty() => {}
            None => {
                let here = self.here();
                unreadable(line, NAME).into_iter().for_each(|draft| self.out.item(&here, draft));
            }
        }
        self.out.take()
    }

    fn input(&mut self, input: Input, now: Timestamp) -> Vec<Action> {
        self.out.now = now;
        match input {
            Input::Turn { turn, messages } => {
                self.waiting = Some((turn, messages));
                if self.thread == Link::Closed {
                    self.open_thread();
                }
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
    pub(super) fn new(setup: Setup, ids: Ids) -> Self {
        Self {
            out: Out::new(ids),
            setup,
            thread: Link::Opening,
            turn: None,
            waiting: None,
            children: Children::default(),
            open: OpenItems::default(),
            calls: Calls::default(),
            asks: Asks::default(),
            meter: Meter::default(),
            limits: Limits::default(),
        }
    }

    /// Returns the place of what has none of its own.
    pub(super) fn here(&self) -> Position {
        Position { step: self.turn.as_ref().map_or(0, |turn| turn.step), parent: None }
    }

    /// Says whether this is the session's own thread.
    pub(super) fn is_own(&self, thread: &str) -> bool {
        match &self.thread {
            Link::Open(own) => thread.is_empty() || own.id == thread,
            Link::Opening | Link::Closed => true,
        }
    }

    fn answered(&mut self, sent: Sent, result: Result<Value, RpcError>) {
        match (sent, result) {
            (Sent::Initialize, Ok(_)) => {
                self.out.write(json!({ "method": "initialized" }).to_string());
                self.open_thread();
            }
            (Sent::OpenThread, Ok(result)) => self.opened(&result),
            (Sent::OpenThread, Err(error))
                if self.setup.resume.is_some() && error.code == INVALID_REQUEST && error.data.is_none() =>
            {
                // A configuration that makes no sense has the same code; only codex knows whether the thread is gone.
                let params = json!({ "threadId": self.setup.resume, "includeTurns": false });
                self.out.request("thread/read", &params, Sent::FindThread(error));
            }
            (Sent::FindThread(error), Err(_)) => {
                self.setup.resume = None;
                self.out.tell(Output::Forgotten);
                self.not_opened(FailureCode::ResumeFailed, error);
            }
            (Sent::FindThread(error), Ok(_)) | (Sent::Initialize | Sent::OpenThread, Err(error)) => {
                self.not_opened(FailureCode::HarnessError, error);
            }
            (Sent::StartTurn, Ok(result)) => self.started(&result["turn"]),
            (Sent::StartTurn, Err(error)) => {
                self.conclude(TurnEnd::Failed(failed(FailureCode::HarnessError, error)));
            }
            (Sent::Steer(delivery), Err(_)) => {
                if let Some(turn) = &mut self.turn {
                    turn.steers.retain(|(id, _)| *id != delivery);
                }
            }
            // Codex has it, the model may not: an interruption now would lose it. Its uptake is an item.
            (Sent::Steer(_), Ok(_)) => {}
            // The turn ends by itself, or already has.
            (Sent::Interrupt, _) => {}
            (Sent::ListCommands(thread), Ok(result)) => self.end_commands(&thread, &result["data"]),
            (Sent::ListCommands(thread), Err(_)) => {
                // All of them, then.
                let params = json!({ "threadId": thread });
                self.out.request("thread/backgroundTerminals/clean", &params, Sent::EndCommands);
            }
            (Sent::EndCommands, _) => self.command_ended(),
        }
    }

    fn open_thread(&mut self) {
        self.thread = Link::Opening;
        let (method, params) = self.setup.open();
        self.out.request(method, &params, Sent::OpenThread);
    }

    fn opened(&mut self, result: &Value) {
        let id = text(&result["thread"], "id");
        if id.is_empty() {
            let message = "codex opened a thread without an id".to_owned();
            return self.not_opened(FailureCode::HarnessError, RpcError { message, ..RpcError::default() });
        }
        self.thread = Link::Open(Thread {
            id: id.to_owned(),
            resumed: self.setup.resume.is_some(),
            model: text(result, "model").to_owned(),
            effort: result["reasoningEffort"].as_str().map(str::to_owned),
        });
        self.start_waiting();
    }

    fn not_opened(&mut self, code: FailureCode, error: RpcError) {
        self.thread = Link::Closed;
        if let Some((turn, _)) = self.waiting.take() {
            let end = TurnEnd::Failed(failed(code, error));
            self.out.tell(Output::TurnEnded { turn, end });
        }
    }

    fn start_waiting(&mut self) {
        let (Link::Open(thread), None) = (&self.thread, &self.turn) else { return };
        let Some((turn, messages)) = self.waiting.take() else { return };
        let params = self.setup.turn(thread, turn, &messages);
        self.out.act(Action::NoteCommands);
        self.out.request("turn/start", &params, Sent::StartTurn);
        self.turn = Some(Turn::new(turn));
    }

    fn started(&mut self, turn: &Value) {
        let Link::Open(thread) = &self.thread else { return };
        // From here on the conversation is on disk.
        if self.setup.resume.as_ref() != Some(&thread.id) {
            self.setup.resume = Some(thread.id.clone());
            self.out.tell(Output::Reference(thread.id.clone()));
        }
        if let Some(running) = &mut self.turn {
            let id = text(turn, "id");
            if running.theirs.as_deref() != Some(id) {
                running.theirs = Some(id.to_owned());
                running.begun = false;
            }
        }
    }

    fn steer(&mut self, message: provider::Message) {
        let (Link::Open(thread), Some(turn)) = (&self.thread, &mut self.turn) else { return };
        let Some(theirs) = turn.theirs.as_ref().filter(|_| turn.stop.is_none()) else { return };
        let params = json!({
            "threadId": thread.id,
            "expectedTurnId": theirs,
            "clientUserMessageId": message.delivery.to_string(),
            "input": spawn::input(std::slice::from_ref(&message)),
        });
        self.out.request("turn/steer", &params, Sent::Steer(message.delivery));
        turn.steers.push((message.delivery, message.with_texts()));
    }

    fn interrupt(&mut self) {
        if let Some((turn, _)) = self.waiting.take() {
            self.out.tell(Output::TurnEnded { turn, end: TurnEnd::Interrupted });
        }
        if let Some(turn) = &mut self.turn {
            turn.stop.get_or_insert_default();
            self.send_stop();
        }
    }

    /// Tells codex to stop, once that is wanted and there is something it could stop.
    fn send_stop(&mut self) {
        let (Link::Open(thread), Some(turn)) = (&self.thread, &mut self.turn) else { return };
        let (Some(theirs), Some(stop)) = (&turn.theirs, &mut turn.stop) else { return };
        if !turn.begun || std::mem::replace(&mut stop.sent, true) {
            return;
        }
        let mut running = self.children.stop();
        running.insert(0, (thread.id.clone(), theirs.clone()));
        for (thread, turn) in running {
            let params = json!({ "threadId": thread, "turnId": turn });
            self.out.request("turn/interrupt", &params, Sent::Interrupt);
            stop.threads.push(thread);
        }
    }

    fn decide(&mut self, call: &str, answer: &Answer) {
        if let Some(line) = self.asks.answer(call, answer) {
            self.out.write(line);
        }
    }

    fn asked(&mut self, id: &Value, method: &str, params: &Value, line: &str) {
        let (directory, servers) = (&self.setup.directory, &self.setup.servers);
        match asks::wish(id, method, params, &Context { directory, servers, open: &self.open }) {
            Wish::Ask(ask) => {
                if let Some((call, secret)) = ask.question() {
                    self.calls.asked(call, secret);
                }
                self.out.tell(Output::Ask(ask.request.clone()));
                self.asks.begin(*ask);
            }
            Wish::Accept(result) => self.out.write(json!({ "id": id, "result": result }).to_string()),
            Wish::Decline(result) => {
                self.out.raw(&self.here(), line);
                self.out.write(json!({ "id": id, "result": result }).to_string());
            }
            Wish::Unknown => {
                self.out.raw(&self.here(), line);
                let error = json!({ "code": METHOD_NOT_FOUND, "message": "not supported here" });
                self.out.write(json!({ "id": id, "error": error }).to_string());
            }
        }
    }

    /// Takes in that a turn of the session's own thread began: ours, or one of its own.
    pub(super) fn began(&mut self, theirs: &str) {
        if let Some(turn) = &mut self.turn {
            if turn.theirs.get_or_insert_with(|| theirs.to_owned()) == theirs {
                turn.begun = true;
                self.send_stop();
            }
            return;
        }
        let (ours, theirs) = (self.out.new_turn(), Some(theirs.to_owned()));
        self.out.act(Action::NoteCommands);
        self.out.tell(Output::TurnBegan { turn: ours });
        self.turn = Some(Turn { theirs, begun: true, handed: true, ..Turn::new(ours) });
    }

    /// Takes in that a turn of the session's own thread is over.
    pub(super) fn completed(&mut self, theirs: &parse::Turn) {
        let Some(turn) = &mut self.turn else { return };
        if turn.theirs.as_ref() != Some(&theirs.id) {
            return;
        }
        let error = theirs.error.clone().unwrap_or_default();
        let end = match theirs.status.as_str() {
            "completed" => TurnEnd::Completed,
            "interrupted" if turn.stop.is_some() || theirs.error.is_none() => TurnEnd::Interrupted,
            _ => TurnEnd::Failed(failure::failed(&error, turn.retried.as_ref(), &self.limits)),
        };
        let Some(stop) = &mut turn.stop else { return self.conclude(end) };
        // Codex leaves the commands of an interrupted turn running.
        stop.end = Some(end);
        for thread in std::mem::take(&mut stop.threads) {
            stop.ending += 1;
            let params = json!({ "threadId": thread });
            self.out.request("thread/backgroundTerminals/list", &params, Sent::ListCommands(thread));
        }
        if stop.ending == 0 {
            self.command_ended();
        }
    }

    /// Ends the commands of the turn that run in a thread. Those of earlier turns are let be.
    fn end_commands(&mut self, thread: &str, running: &Value) {
        let Some(stop) = self.turn.as_mut().and_then(|turn| turn.stop.as_mut()) else { return };
        for command in running.as_array().into_iter().flatten() {
            if self.open.is_command(thread, text(command, "itemId")) {
                stop.ending += 1;
                let params = json!({ "threadId": thread, "processId": command["processId"] });
                self.out.request("thread/backgroundTerminals/terminate", &params, Sent::EndCommands);
            }
        }
        self.command_ended();
    }

    fn command_ended(&mut self) {
        let Some(stop) = self.turn.as_mut().and_then(|turn| turn.stop.as_mut()) else { return };
        stop.ending = stop.ending.saturating_sub(1);
        if stop.ending == 0
            && let Some(end) = stop.end.take()
        {
            self.conclude(end);
        }
    }

    /// Ends the turn: what it left open is said, then that it is over.
    fn conclude(&mut self, end: TurnEnd) {
        let Some(turn) = self.turn.take() else { return };
        self.calls.end();
        if let Link::Open(Thread { id, .. }) = &self.thread {
            let mut broken = Vec::new();
            for open in self.open.end_all(id) {
                match &open.what {
                    // The last attempt broke off as well.
                    What::Text { .. } if matches!(end, TurnEnd::Failed(_)) => broken.push(open.item),
                    What::Text { .. } => tell_text(&mut self.out, open.item, &open.position, &open.what),
                    What::Call { began: Item::CommandExecution(_), output }
                        if end != TurnEnd::Interrupted =>
                    {
                        let draft = items::left_running(open.id(), output);
                        self.out.item_with(open.item, &open.position, draft);
                    }
                    // The daemon closes what was cut off.
                    What::Call { .. } => {}
                }
            }
            if !broken.is_empty() {
                self.out.tell(Output::BrokeOff { items: broken, retry: None });
            }
            for call in self.asks.withdraw_all(id) {
                self.out.tell(Output::AskWithdrawn { call });
            }
        }
        if turn.stop.is_some() {
            // Codex does not know of those that got out of its sight.
            self.out.act(Action::EndCommands { variable: COMMAND_VARIABLE });
        }
        if turn.usage != Usage::default() {
            let draft = Draft { kind: Kind::Usage(turn.usage), text: None, extra: None };
            self.out.item(&Position { step: turn.step, parent: None }, draft);
        }
        if !turn.handed && end == TurnEnd::Completed {
            self.out.tell(Output::Handed { turn: turn.ours });
        }
        self.out.tell(Output::TurnEnded { turn: turn.ours, end });
        self.start_waiting();
    }
}

/// Tells a text that is finished, or will not be.
pub(super) fn tell_text(out: &mut Out, item: paseo_core::id::ItemId, position: &Position, what: &What) {
    let What::Text { kind, text } = what else { return };
    let kind = match kind {
        DeltaKind::AssistantText => Kind::AssistantText,
        DeltaKind::Thinking => Kind::Thinking,
    };
    if !text.is_empty() {
        out.item_with(item, position, Draft::text(kind, text.clone()));
    }
}

fn failed(code: FailureCode, error: RpcError) -> Failed {
    Failed { code, text: error.message, until: None }
}
