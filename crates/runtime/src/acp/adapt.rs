//! The conversation with an agent as a state machine: lines and inputs in, outputs and lines to write out.
//!
//! Here is the life of its turns; how the session is opened is in `opening`, what the agent says within a turn in
//! `notes`, and what it wants of us in `requests`.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use paseo_core::id::TurnId;
use paseo_core::item::{Draft, Kind};
use paseo_core::time::Timestamp;
use serde_json::{Value, json};

use super::asks::{Asks, cut};
use super::calls::Call;
use super::failure::{broken, failed, words};
use super::notes::{Meter, Run};
use super::out::{Out, Sent};
use super::parse::{self, CANCELLED, INVALID_PARAMS, Message, NOT_FOUND, RpcError, text};
use super::retries::{self, Attempts};
use super::setup::{Able, Setup, Step};
use crate::attachment;
use crate::driver::{Action, Adapter, unreadable};
use crate::files::{Accessed, Refused};
use crate::fresh::Ids;
use crate::lines::Line;
use crate::provider::{self, Failed, FailureCode, Input, Output, TurnEnd};

/// How long a call that began may wait for its details before it is shown without.
pub(super) const PATIENCE_FOR_MORE: Duration = Duration::from_millis(200);

/// One session's conversation with its agent.
#[derive(Debug)]
pub(super) struct Conversation {
    pub(super) out: Out,
    pub(super) setup: Setup,
    pub(super) link: Link,
    pub(super) able: Able,
    /// The agent's ways to log in, in words.
    pub(super) logins: Vec<String>,
    /// How many turns there were before this process.
    pub(super) past: u64,
    /// The session is an old one.
    pub(super) resumed: bool,
    pub(super) pages: u32,
    waiting: Option<(TurnId, Vec<provider::Message>)>,
    pub(super) turn: Option<Turn>,
    /// This process has been given a turn: what comes before is no answer to anything.
    pub(super) prompted: bool,
    pub(super) run: Option<Run>,
    pub(super) broken: Attempts,
    pub(super) calls: Vec<Call>,
    /// The agent's ids of the calls that ended in this turn.
    pub(super) ended_calls: HashSet<String>,
    /// How many calls there were of each id.
    pub(super) numbers: HashMap<String, u32>,
    /// The model's step has come to its results.
    pub(super) step_done: bool,
    pub(super) asks: Asks,
    pub(super) meter: Meter,
}

/// How far the session is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Link {
    Greeting,
    Opening,
    Setting {
        session: String,
        steps: VecDeque<Step>,
    },
    Open {
        session: String,
    },
    /// It will never be open; the program was ended.
    Broken(Failed),
}

/// The turn that runs.
#[derive(Debug)]
pub(super) struct Turn {
    ours: TurnId,
    handed: bool,
    stopped: bool,
}

impl Adapter for Conversation {
    fn begin(&mut self, now: Timestamp) -> Vec<Action> {
        self.out.now = now;
        self.out.request("initialize", &self.setup.hello(), Sent::Initialize);
        self.out.act(Action::Wake(self.setup.patience));
        self.out.take()
    }

    fn line(&mut self, line: &Line, now: Timestamp) -> Vec<Action> {
        self.out.now = now;
        match parse::message(&line.text) {
            Some(Message::Notification { method, params }) => match method.as_str() {
                "session/update" => self.updated(&params, &line.text),
                retries::METHOD => self.retry_told(&params),
                _ => self.out.raw(&line.text),
            },
            Some(Message::Request { id, method, params }) => self.asked(&id, &method, &params, &line.text),
            Some(Message::Response { id, result }) => match self.out.answered(id) {
                Some(sent) => self.answered(sent, result),
                None => self.out.raw(&line.text),
            },
            None if line.text.trim().is_empty() => {}
            None => unreadable(line, &self.setup.name).into_iter().for_each(|draft| self.out.item(draft)),
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
            Input::Interrupt => self.interrupt(),
            Input::Permission { call, decision } => {
                if let Some(reply) = self.asks.answer(&call, &decision, &self.setup.directory) {
                    self.reply(reply);
                }
            }
            // Not possible in this protocol, and the tools of the daemon are reached by MCP.
            Input::Steer { .. } | Input::ToolResult { .. } => {}
        }
        self.out.take()
    }

    fn accessed(&mut self, Accessed { id, result }: Accessed, now: Timestamp) -> Vec<Action> {
        self.out.now = now;
        if let Some((id, lines)) = self.asks.accessed(&id) {
            match result {
                Ok(Some(text)) => self.out.answer(&id, &json!({ "content": cut(&text, lines) })),
                Ok(None) => self.out.answer(&id, &json!({})),
                // Some know it by the code, others by the name of the error, and make the file only then.
                Err(refused @ Refused::Missing(_)) => {
                    self.out.refuse(&id, NOT_FOUND, &format!("ENOENT: {refused}"));
                }
                Err(refused) => self.out.refuse(&id, INVALID_PARAMS, &refused.to_string()),
            }
        }
        self.out.take()
    }

    fn wake(&mut self, now: Timestamp) -> Vec<Action> {
        self.out.now = now;
        let late = match &self.link {
            Link::Greeting => Some("initialize"),
            Link::Opening => Some("the session request"),
            Link::Setting { .. } => Some("the session settings"),
            Link::Open { .. } | Link::Broken(_) => None,
        };
        match late {
            Some(what) => {
                let (name, seconds) = (&self.setup.name, self.setup.patience.as_secs());
                let doubt = match self.link {
                    Link::Greeting => "check that the command speaks ACP.",
                    _ => "check that it works on its own and is logged in.",
                };
                self.give_up(broken(format!(
                    "{name} did not answer {what} within {seconds} seconds (limits.start_seconds) and was \
                     stopped; {doubt} The next message starts it again"
                )));
            }
            None => {
                if !self.holds_back() {
                    self.tell_pending();
                }
                if self.turn.is_none() {
                    self.end_run();
                }
            }
        }
        self.out.take()
    }
}

impl Conversation {
    pub(super) fn new(setup: Setup, past: u64, ids: Ids) -> Self {
        Self {
            out: Out::new(&setup.name, ids),
            asks: Asks::new(setup.confined),
            setup,
            link: Link::Greeting,
            able: Able::default(),
            logins: Vec::new(),
            past,
            resumed: false,
            pages: 0,
            waiting: None,
            turn: None,
            prompted: false,
            run: None,
            broken: Attempts::default(),
            calls: Vec::new(),
            ended_calls: HashSet::new(),
            numbers: HashMap::new(),
            step_done: false,
            meter: Meter::default(),
        }
    }

    /// Says whether this is our session.
    pub(super) fn is_own(&self, session: &str) -> bool {
        match &self.link {
            Link::Open { session: own } | Link::Setting { session: own, .. } => own == session,
            // What it is told again comes before the answer.
            Link::Greeting | Link::Opening | Link::Broken(_) => true,
        }
    }

    fn answered(&mut self, sent: Sent, result: Result<Value, RpcError>) {
        if matches!(self.link, Link::Broken(_)) {
            return;
        }
        match (sent, result) {
            (Sent::Initialize, Ok(result)) => self.greeted(&result),
            (Sent::New, Ok(result)) => match text(&result, "sessionId") {
                "" => {
                    let name = &self.setup.name;
                    self.give_up(broken(format!("{name} opened a session without an id")));
                }
                session => self.opened(session, &result),
            },
            (Sent::Resume, Ok(result)) => {
                let session = self.setup.resume.clone().unwrap_or_default();
                self.opened(&session, &result);
            }
            (Sent::Resume, Err(error)) if matches!(error.code, NOT_FOUND | INVALID_PARAMS) => {
                self.forgotten()
            }
            // The code says nothing: only the agent knows whether the session is gone.
            (Sent::Resume, Err(error)) if self.able.list => self.find(error, None),
            (Sent::Find(error), Ok(found)) => self.found(error, &found),
            (Sent::Resume | Sent::Find(_), Err(error)) => {
                let Failed { text, .. } = failed(&self.setup.name, &error, &self.logins);
                let code = FailureCode::ResumeFailed;
                self.out.tell(Output::Forgotten);
                self.give_up(Failed { code, text, until: None });
            }
            (Sent::Step(_), Ok(_)) => self.next_step_of_setup(),
            (Sent::Step(step), Err(_)) if !step.required => self.next_step_of_setup(),
            (Sent::Step(step), Err(error)) => {
                let text = format!("{} rejected the {}: {}", self.setup.name, step.what, words(&error));
                self.give_up(broken(text));
            }
            (Sent::Initialize | Sent::New, Err(error)) => {
                self.give_up(failed(&self.setup.name, &error, &self.logins));
            }
            (Sent::Prompt, result) => self.ended(result),
        }
    }

    pub(super) fn start_waiting(&mut self) {
        if self.turn.is_some() {
            return;
        }
        let session = match &self.link {
            Link::Open { session } => session.clone(),
            Link::Broken(failed) => {
                let end = TurnEnd::Failed(failed.clone());
                if let Some((turn, _)) = self.waiting.take() {
                    self.out.tell(Output::TurnEnded { turn, end });
                }
                return;
            }
            Link::Greeting | Link::Opening | Link::Setting { .. } => return,
        };
        let Some((ours, messages)) = self.waiting.take() else { return };
        if !self.able.images && messages.iter().any(|message| message.images().next().is_some()) {
            let why = format!(
                "{} does not accept images: put the file's path in the message, or use another agent",
                self.setup.name
            );
            return attachment::refuse(ours, why).into_iter().for_each(|output| self.out.tell(output));
        }
        // What came since the last turn is not of this one.
        self.end_run();
        self.tell_pending();
        self.broken = Attempts::default();
        self.calls.clear();
        self.ended_calls.clear();
        self.out.step = 0;
        self.step_done = false;
        let tools = self.setup.hands_tools(self.able);
        let first = !std::mem::replace(&mut self.prompted, true);
        let prompt = self.setup.prompt(first, tools, &messages);
        if let Some(given) = self.setup.corrected(tools).filter(|_| first) {
            self.out.tell(Output::Prompted(given));
        }
        if self.setup.preset.command_variable.is_some() {
            self.out.act(Action::NoteCommands);
        }
        self.out.request("session/prompt", &json!({ "sessionId": session, "prompt": prompt }), Sent::Prompt);
        self.turn = Some(Turn { ours, handed: false, stopped: false });
    }

    /// Notes that the agent works on what it was given.
    pub(super) fn take_up(&mut self) {
        let (Some(turn), Link::Open { session }) = (&mut self.turn, &self.link) else { return };
        if std::mem::replace(&mut turn.handed, true) {
            return;
        }
        self.out.tell(Output::Handed { turn: turn.ours });
        // From here on there is something to continue.
        let can = self.setup.preset.resume && (self.able.load || self.able.resume);
        if can && self.setup.resume.as_ref() != Some(session) {
            self.setup.resume = Some(session.clone());
            self.out.tell(Output::Reference(session.clone()));
        }
    }

    fn interrupt(&mut self) {
        if let Some((turn, _)) = self.waiting.take() {
            self.out.tell(Output::TurnEnded { turn, end: TurnEnd::Interrupted });
        }
        let (Some(turn), Link::Open { session }) = (&mut self.turn, &self.link) else { return };
        if !std::mem::replace(&mut turn.stopped, true) {
            self.out.notify("session/cancel", &json!({ "sessionId": session }));
            self.withdraw();
        }
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.stopped)
    }

    /// Takes in the answer to a prompt: the turn is over.
    fn ended(&mut self, result: Result<Value, RpcError>) {
        self.take_up();
        let stopped = self.is_stopping();
        let end = match &result {
            Ok(result) => stop_reason(&self.setup.name, text(result, "stopReason")),
            Err(error) if stopped || error.code == CANCELLED => TurnEnd::Interrupted,
            Err(error) => TurnEnd::Failed(failed(&self.setup.name, error, &self.logins)),
        };
        if matches!(end, TurnEnd::Failed(_)) || self.broken.is_waiting() {
            // No attempt came to its end.
            self.break_off(None);
        }
        self.broken.trust_the_stream();
        self.end_run();
        self.tell_pending();
        self.withdraw();
        self.calls.retain(Call::is_open);
        if end == TurnEnd::Interrupted {
            // The daemon closes what was cut off; what is still said about it comes too late.
            self.ended_calls.extend(self.calls.drain(..).map(|call| call.id));
        }
        let usage = self.meter.turn(result.as_ref().map_or(&Value::Null, |result| &result["usage"]));
        if let Some(usage) = usage {
            self.out.item(Draft { kind: Kind::Usage(usage), text: None, extra: None });
        }
        if let Some(variable) = self.setup.preset.command_variable.filter(|_| stopped) {
            self.out.act(Action::EndCommands { variable });
        }
        if let Some(turn) = self.turn.take() {
            self.out.tell(Output::TurnEnded { turn: turn.ours, end });
        }
        self.start_waiting();
    }
}

/// Returns how a turn ended, by the agent's word for it.
fn stop_reason(agent: &str, word: &str) -> TurnEnd {
    let (code, text) = match word {
        "end_turn" => return TurnEnd::Completed,
        "cancelled" => return TurnEnd::Interrupted,
        "refusal" => ("refusal", format!("{agent} refused to continue this turn.")),
        "max_tokens" => ("max_tokens", format!("{agent} reached its output token limit.")),
        "max_turn_requests" => {
            ("max_turn_requests", format!("{agent} reached its limit of requests per turn."))
        }
        other => {
            let word: String = other.chars().take(60).collect();
            return TurnEnd::Failed(broken(format!(
                "{agent} ended the turn for an unknown reason: `{word}`"
            )));
        }
    };
    TurnEnd::Failed(Failed { code: FailureCode::Own(code.to_owned()), text, until: None })
}
