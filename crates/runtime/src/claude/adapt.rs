//! From lines and inputs to outputs and lines to write. No I/O, no clock.
//!
//! Whose turn it is: a message of ours is *waiting* from when it was written until the program says that it took it
//! up, and *running* from then on. A turn that runs while nothing of ours was taken up is the program's own.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use paseo_core::id::TurnId;
use paseo_core::item::{Draft, Kind, Usage};
use paseo_core::permission::Power;
use paseo_core::time::Timestamp;
use serde_json::Value;

use super::asks::Asked;
use super::background::Background;
use super::commands::Commands;
use super::cost::{self, Cost};
use super::ending::{self, Troubles};
use super::notices::{self, Said};
use super::parse::{self, Assistant, ControlAnswer, Lifecycle, Line, System, TurnResult};
use super::transcript::Transcript;
use super::turns::{Turns, Waiting, ended, failed, resume_failed};
use super::{NAME, hooks, say};
use crate::driver::{self, Action};
use crate::fresh::Ids;
use crate::lines;
use crate::provider::{Input, Message, Output, TurnEnd};

/// Set by the program in the environment of its commands, and of nothing else that it starts.
pub(crate) const COMMAND_VARIABLE: &str = "CLAUDE_CODE_CHILD_SESSION";

/// By then a new conversation is on disk: it is written within a tenth of a second.
const ON_DISK: Duration = Duration::from_secs(1);

/// What a session was started with.
#[derive(Debug)]
pub(super) struct Session {
    pub directory: PathBuf,
    /// A person may have to be asked, or has to be spared.
    pub asks: bool,
    /// It changes nothing before we were asked, whatever the program's own settings say.
    pub guarded: bool,
    /// What the agent may not do although the program could.
    pub withheld: Vec<Power>,
    /// The names of our MCP servers.
    pub servers: Vec<String>,
    /// The program's id of the conversation.
    pub conversation: String,
    /// An old conversation was to be continued.
    pub resumed: bool,
}

/// The state of one session.
#[derive(Debug)]
pub(super) struct Adapter {
    pub(super) session: Session,
    pub(super) transcript: Transcript,
    pub(super) turns: Turns,
    troubles: Troubles,
    /// What waits for a person.
    pub(super) asks: HashMap<String, Asked>,
    /// Where each call of this turn works, as far as it was told.
    pub(super) directories: HashMap<String, PathBuf>,
    background: Background,
    cost: Cost,
    commands: Commands,
    pub(super) watch: hooks::Watch,
    /// The program has begun a turn, so it knows the conversation.
    alive: bool,
    forgotten: bool,
}

impl driver::Adapter for Adapter {
    fn begin(&mut self, _: Timestamp) -> Vec<Action> {
        let hooks = self.session.asks.then(|| say::initialize(hooks::REQUEST));
        let cost = self.cost.is_unknown().then(|| say::usage(cost::REQUEST));
        hooks.into_iter().chain(cost).map(Action::Write).collect()
    }

    fn line(&mut self, line: &lines::Line, now: Timestamp) -> Vec<Action> {
        let whole = !matches!(line.damage, Some(lines::Damage::TooLong { .. }));
        match parse::read(&line.text).filter(|_| whole) {
            Some(read) => self.read(read, &line.text, now),
            None if line.text.trim().is_empty() => Vec::new(),
            None => {
                let drafts = driver::unreadable(line, NAME);
                drafts.into_iter().map(|draft| Action::Tell(self.transcript.item(draft, None, now))).collect()
            }
        }
    }

    fn input(&mut self, input: Input, now: Timestamp) -> Vec<Action> {
        match input {
            Input::Turn { turn, .. } if self.forgotten => vec![ended(turn, resume_failed())],
            Input::Turn { turn, messages } => self.begin(turn, &messages),
            // The turn is over, and the daemon will hear it. Here, the message would begin another.
            Input::Steer { .. } if self.turns.running.is_none() => Vec::new(),
            Input::Steer { message } => {
                self.turns.steers.push(message.delivery);
                vec![Action::Write(say::user(&message.delivery.to_string(), &[message]))]
            }
            Input::Interrupt => self.interrupt(),
            Input::Permission { call, decision } => self.decide(&call, decision, now),
            // None of our requests is open: our tools come by MCP.
            Input::ToolResult { .. } => Vec::new(),
        }
    }

    fn wake(&mut self, _: Timestamp) -> Vec<Action> {
        vec![self.reference()]
    }
}

impl Adapter {
    pub(super) fn new(session: Session, ids: Ids) -> Self {
        Self {
            cost: Cost::new(session.resumed),
            session,
            transcript: Transcript::new(ids),
            turns: Turns::default(),
            troubles: Troubles::default(),
            asks: HashMap::new(),
            directories: HashMap::new(),
            background: Background::default(),
            commands: Commands::default(),
            watch: hooks::Watch::default(),
            alive: false,
            forgotten: false,
        }
    }

    fn begin(&mut self, turn: TurnId, messages: &[Message]) -> Vec<Action> {
        self.turns.waiting = Some(Waiting { turn, started: false });
        let actions = vec![Action::NoteCommands, Action::Write(say::user(&turn.to_string(), messages))];
        self.once_watched(turn, actions)
    }

    /// Returns the turn that was handed over and has not begun.
    pub(super) fn waiting_turn(&mut self) -> Option<TurnId> {
        self.turns.waiting.take().map(|waiting| waiting.turn)
    }

    fn interrupt(&mut self) -> Vec<Action> {
        if let Some(turn) = self.called_off() {
            return vec![ended(turn, TurnEnd::Interrupted)];
        }
        let (waiting, running) = (self.turns.waiting, self.turns.running);
        if waiting.is_none() && running.is_none() {
            // It ended by itself. A late interrupt must not hit the next turn.
            return Vec::new();
        }
        self.turns.interrupting = true;
        let mut actions = Vec::new();
        let waiting = waiting.filter(|waiting| !waiting.started);
        let unread = self.turns.steers.iter().map(ToString::to_string);
        for uuid in waiting.map(|waiting| waiting.turn.to_string()).into_iter().chain(unread) {
            // The request is named like the message, so that the answer tells which.
            actions.push(Action::Write(say::take_back(&uuid, &uuid)));
        }
        for task in self.background.of(running) {
            actions.push(Action::Write(say::stop_task(&format!("stop-{task}"), task)));
        }
        let turn = running.or(self.turns.waiting.map(|waiting| waiting.turn));
        let request = turn.map(|turn| format!("interrupt-{turn}")).unwrap_or_default();
        actions.push(Action::Write(say::interrupt(&request)));
        actions
    }

    fn read(&mut self, line: Line, text: &str, now: Timestamp) -> Vec<Action> {
        match line {
            Line::System(system) => self.system(&system, text, now),
            Line::StreamEvent(line) => {
                self.cost.spend();
                let mut actions = self.settle(line.parent_tool_use_id.as_deref(), now);
                let interrupting = self.turns.interrupting;
                actions.extend(self.transcript.stream(line, interrupting, now).map(Action::Tell));
                actions
            }
            Line::Assistant(line) => self.assistant(line, now),
            Line::User(line) => self.user(&line, text, now),
            Line::Result(result) => self.result(&result, text, now),
            Line::ControlRequest(asked) => self.asked(asked, text, now),
            Line::ControlResponse(answer) => self.answered(&answer.response, now),
            Line::ControlCancelRequest(cancelled) => {
                let open = self.asks.remove(&cancelled.request_id);
                open.map(|_| Action::Tell(Output::AskWithdrawn { call: cancelled.request_id }))
                    .into_iter()
                    .collect()
            }
            Line::CommandLifecycle(line) => self.lifecycle(&line),
            Line::RateLimitEvent(line) => {
                self.troubles.note_limit(&line.rate_limit_info);
                self.said(notices::of_limit(&line.rate_limit_info), text, now)
            }
            Line::Other => {
                let value: Value = serde_json::from_str(text).unwrap_or_default();
                let known = value.get("type").and_then(Value::as_str).is_some_and(notices::is_quiet);
                if known { Vec::new() } else { self.said(Said::Unknown, text, now) }
            }
        }
    }

    fn system(&mut self, system: &System, text: &str, now: Timestamp) -> Vec<Action> {
        match system.subtype.as_str() {
            "init" => self.init(system, now),
            "session_state_changed" if system.text("state") == Some("idle") => self.idle(),
            "task_started" => {
                self.background.started(system, self.turns.running);
                Vec::new()
            }
            "background_tasks_changed" => self.background.listed(system),
            "task_notification" => {
                // Others answer as tool calls.
                let said = match self.background.ended(system) {
                    true => Said::Notice {
                        code: "background_task",
                        text: system.text("summary").unwrap_or("A background task ended.").to_owned(),
                    },
                    false => Said::Nothing,
                };
                self.said(said, text, now)
            }
            "api_retry" => {
                // It was sent to the model, so it was taken up.
                let mut actions = self.handed_if_started();
                actions.push(Action::Tell(notices::retry(system)));
                actions.extend(self.said(notices::of_system(system), text, now));
                actions
            }
            _ => self.said(notices::of_system(system), text, now),
        }
    }

    /// Takes in the answer to a request of ours.
    fn answered(&mut self, answer: &ControlAnswer, now: Timestamp) -> Vec<Action> {
        match answer.request_id.as_str() {
            cost::REQUEST => self.cost.answered(&answer.response),
            hooks::REQUEST => {
                self.commands.describe(&answer.response);
                return self.watched(answer.subtype != "error", now);
            }
            uuid if answer.response.get("cancelled").and_then(Value::as_bool) == Some(true) => {
                return self.taken_back(uuid);
            }
            _ => {}
        }
        Vec::new()
    }

    fn init(&mut self, system: &System, now: Timestamp) -> Vec<Action> {
        let commands = self.commands.news(system);
        let mut actions: Vec<Action> = commands.map(Output::Commands).map(Action::Tell).into_iter().collect();
        if self.turns.waiting.is_none() && self.turns.running.is_none() {
            actions.extend(self.own(now));
        }
        if !self.alive {
            self.alive = true;
            for said in notices::failed_servers(system, &self.session.servers) {
                actions.extend(self.said(said, "", now));
            }
        }
        actions
    }

    /// Sees to it that what follows belongs to a turn. Subagents in the background talk without one.
    pub(super) fn settle(&mut self, parent: Option<&str>, now: Timestamp) -> Vec<Action> {
        if self.turns.running.is_some() || parent.is_some() {
            return Vec::new();
        }
        let handed = self.handed_if_started();
        if handed.is_empty() { self.own(now) } else { handed }
    }

    fn own(&mut self, now: Timestamp) -> Vec<Action> {
        let turn = self.transcript.ids().turn(now);
        self.run(turn);
        vec![Action::NoteCommands, Action::Tell(Output::TurnBegan { turn })]
    }

    fn run(&mut self, turn: TurnId) {
        self.turns.running = Some(turn);
        self.troubles = Troubles { limit: self.troubles.limit.take(), ..Troubles::default() };
        self.transcript.begin_turn();
    }

    fn handed_if_started(&mut self) -> Vec<Action> {
        match self.turns.waiting {
            Some(waiting) if waiting.started => self.handed(waiting.turn),
            _ => Vec::new(),
        }
    }

    /// The program has taken a turn's messages up: into a turn of its own when one is running.
    pub(super) fn handed(&mut self, turn: TurnId) -> Vec<Action> {
        self.turns.waiting = None;
        let own = self.turns.running.replace(turn);
        let mut actions = Vec::new();
        match own {
            Some(own) => actions.push(ended(own, TurnEnd::Completed)),
            None => self.run(turn),
        }
        actions.push(Action::Tell(Output::Handed { turn }));
        if self.turns.interrupting {
            // The interrupt came before there was anything to end.
            actions.push(Action::Write(say::interrupt(&format!("interrupt-again-{turn}"))));
        }
        actions.push(if self.session.resumed { self.reference() } else { Action::Wake(ON_DISK) });
        actions
    }

    fn lifecycle(&mut self, line: &Lifecycle) -> Vec<Action> {
        let Some(waiting) = &mut self.turns.waiting else { return Vec::new() };
        if waiting.turn.to_string() != line.command_uuid {
            return Vec::new();
        }
        match line.state.as_str() {
            "started" => {
                waiting.started = true;
                Vec::new()
            }
            "cancelled" | "discarded" | "refused" if !waiting.started => self.taken_back(&line.command_uuid),
            _ => Vec::new(),
        }
    }

    /// A turn that was written will not begin, or what was steered will not be taken up.
    fn taken_back(&mut self, uuid: &str) -> Vec<Action> {
        self.turns.steers.retain(|delivery| delivery.to_string() != uuid);
        let Some(waiting) = self.turns.waiting.take_if(|waiting| waiting.turn.to_string() == uuid) else {
            return Vec::new();
        };
        let end = match self.turns.interrupting {
            true => TurnEnd::Interrupted,
            false => failed("Claude Code did not accept the message."),
        };
        if self.turns.running.is_none() {
            self.turns.interrupting = false;
        }
        vec![ended(waiting.turn, end)]
    }

    fn reference(&self) -> Action {
        Action::Tell(Output::Reference(self.session.conversation.clone()))
    }

    fn assistant(&mut self, line: Assistant, now: Timestamp) -> Vec<Action> {
        self.cost.spend();
        let mut actions = self.settle(line.parent_tool_use_id.as_deref(), now);
        match line.error {
            // The end of the turn says it.
            Some(code) if line.parent_tool_use_id.is_none() => {
                let text = parse::text_of(&line.message.content);
                self.troubles.code = Some(code);
                self.troubles.status = line.api_error_status;
                self.troubles.text = Some(text);
            }
            Some(code) => {
                let draft = Draft::text(Kind::Error { code }, parse::text_of(&line.message.content));
                let item = self.transcript.item(draft, line.parent_tool_use_id.as_deref(), now);
                actions.push(Action::Tell(item));
            }
            None => actions.extend(self.transcript.assistant(line, now).into_iter().map(Action::Tell)),
        }
        actions
    }

    fn result(&mut self, result: &TurnResult, text: &str, now: Timestamp) -> Vec<Action> {
        if self.session.resumed && !self.alive && result.is_error && result.num_turns == 0 {
            self.forgotten = true;
            let mut actions = vec![Action::Tell(Output::Forgotten)];
            actions.extend(self.turns.waiting.take().map(|waiting| ended(waiting.turn, resume_failed())));
            return actions;
        }
        let ours = self.turns.waiting.is_some_and(|waiting| {
            waiting.started || result.user_message_uuids.contains(&waiting.turn.to_string())
        });
        let mut actions = Vec::new();
        if let (true, Some(waiting)) = (ours && self.turns.running.is_none(), self.turns.waiting) {
            actions.extend(self.handed(waiting.turn));
        }
        let Some(turn) = self.turns.running.or_else(|| {
            // It gave up before it began.
            self.turns.waiting.filter(|_| !self.alive).map(|waiting| waiting.turn)
        }) else {
            return self.said(Said::Unknown, text, now);
        };
        let usage = ending::usage(result, self.cost.turn(result.total_cost_usd));
        if usage != (Usage { cost_micros: usage.cost_micros, ..Usage::default() }) {
            let item =
                self.transcript.item(Draft { kind: Kind::Usage(usage), text: None, extra: None }, None, now);
            actions.push(Action::Tell(item));
        }
        if self.alive {
            // It may have begun a new conversation by itself.
            if let Some(conversation) = &result.session_id {
                self.session.conversation.clone_from(conversation);
            }
            self.session.resumed = true;
            actions.push(self.reference());
        }
        let end = ending::end_of(result, &self.troubles, self.turns.interrupting);
        if let TurnEnd::Failed(_) = end {
            actions.extend(self.transcript.broken().map(Action::Tell));
        }
        if end == TurnEnd::Completed
            && let Some(text) = self.troubles.text.take()
        {
            let code = self.troubles.code.take().unwrap_or_default();
            actions.push(Action::Tell(self.transcript.item(
                Draft::text(Kind::Notice { code }, text),
                None,
                now,
            )));
        }
        if end != TurnEnd::Interrupted && !self.turns.steers.is_empty() {
            // The program takes up next what was steered too late. That still belongs to this turn.
            self.turns.held = Some(end);
            return actions;
        }
        actions.extend(self.end(turn, end));
        actions
    }

    /// The program has nothing more to do.
    fn idle(&mut self) -> Vec<Action> {
        let Some(turn) = self.turns.running else { return Vec::new() };
        let end = match self.turns.held.take() {
            Some(end) => end,
            None if self.turns.interrupting => TurnEnd::Interrupted,
            None => failed("Claude Code went idle without an answer."),
        };
        self.end(turn, end)
    }

    fn end(&mut self, turn: TurnId, end: TurnEnd) -> Vec<Action> {
        if self.turns.running.take().is_none() {
            self.turns.waiting = None;
        }
        self.turns.steers.clear();
        self.turns.held = None;
        self.turns.interrupting = false;
        self.troubles = Troubles::default();
        self.directories.clear();
        let mut actions = Vec::new();
        if end == TurnEnd::Interrupted {
            actions.push(Action::EndCommands { variable: COMMAND_VARIABLE });
        }
        actions.push(ended(turn, end));
        actions
    }

    pub(super) fn said(&mut self, said: Said, text: &str, now: Timestamp) -> Vec<Action> {
        let output = match said {
            Said::Nothing => return Vec::new(),
            Said::Notice { code, text } => {
                let draft = Draft::text(Kind::Notice { code: code.to_owned() }, text);
                self.transcript.item(draft, None, now)
            }
            Said::Unknown => self.transcript.raw(text.to_owned(), None, now),
        };
        vec![Action::Tell(output)]
    }
}
