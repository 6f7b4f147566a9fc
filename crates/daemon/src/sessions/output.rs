//! The output of a harness, and what it changes.

use std::time::Duration;

use paseo_core::actor::Actor;
use paseo_core::headline::titled;
use paseo_core::id::{ItemId, TurnId};
use paseo_core::item::{Draft, Entry, Kind, Place, ToolOutcome};
use paseo_core::permission::Secrets;
use paseo_core::session::{self, Event, Outcome, Source, Verb};
use paseo_runtime::orphans;
use paseo_runtime::provider::{DeltaKind, Exit, Failed, FailureCode, Input, Output, TurnEnd};
use paseo_runtime::sweep::{Sweep, sweep};
use tokio::time::Instant;

use super::actor::{Ending, RETRY, SessionActor, Timer};
use super::asks::withdraw;
use super::attempts::{LeftOpen, OpenCall};
use super::changes::{Change, Spent, Stored};
use super::tools::plan;
use super::watches::hand_words;
use super::writing::{bound_names, bounded, place, user_text, user_text_as};
use crate::failure::Failure;
use crate::live::Growth;
use crate::mint;

/// How long a process may take to go on by itself when the last command in the background has ended.
const AFTER_BACKGROUND: Duration = Duration::from_secs(5);

/// Said when a harness continues by itself and no cause pays for it.
const UNPAID: &str = "HELD: the agent started a turn by itself after a background task ended. Paseo stopped it, because the wake budget of this request is used up. Send it a message to continue.";

/// An item as the harness gave it.
type Finished = (ItemId, Place, Draft);

impl SessionActor {
    /// Takes in what the harness said, in order.
    pub(super) async fn outputs(&mut self, outputs: Vec<Output>) {
        if outputs.is_empty() {
            // The driver ended without a word.
            self.exited(Exit { code: None, signal: None, shim_killed: true, stderr: String::new() }).await;
            return;
        }
        self.context.signs.heard(self.id(), mint::now());
        let mut finished: Vec<Finished> = Vec::new();
        for mut output in outputs {
            scrub(&self.secrets, &mut output);
            match output {
                Output::Exited(exit) => {
                    self.items(std::mem::take(&mut finished)).await;
                    self.exited(exit).await;
                }
                // Nothing of it could be stored, or is to be.
                _ if self.lost.is_some() || self.over => finished.clear(),
                Output::Item { draft: Draft { kind: Kind::Notice { code }, .. }, .. }
                    if self.noted.contains(&code) => {}
                Output::Item { id, step, parent, mut draft } => {
                    bound_names(&mut draft.kind);
                    let draft = titled(draft, &self.session.profile.directory);
                    let draft = self.delegations.recognise(draft);
                    finished.push((id, Place { turn: self.current, step, parent, superseded: false }, draft));
                }
                output => {
                    self.items(std::mem::take(&mut finished)).await;
                    if self.lost.is_none()
                        && let Err(failure) = self.output(output).await
                    {
                        self.give_up(failure);
                    }
                }
            }
        }
        self.items(finished).await;
    }

    /// Ends the turn in the log, and closes what it left open. Tries again when that cannot be stored.
    pub(super) async fn finish(&mut self, ending: Ending) {
        let (left, session, turn) = (self.left_open(), self.id(), self.current);
        self.context.signs.forget(session);
        let words = std::mem::take(&mut self.words);
        let stored = self
            .change(&Actor::Daemon, |change| {
                if ending.outcome == Outcome::Completed {
                    hand_words(change, turn, &words);
                }
                end(change, &left, turn, &ending);
                Ok(())
            })
            .await;
        if let Err(failure) = stored {
            tracing::error!(%session, error = %failure.message, "cannot store the end of a turn");
            self.unrecorded = Some(ending);
            self.timer = Some((Instant::now() + RETRY, Timer::Retry));
        } else if turn.is_some() {
            self.report();
        }
    }

    /// Stores an ending that could not be stored before.
    pub(super) async fn record_ending(&mut self) {
        self.timer = None;
        if let Some(ending) = self.unrecorded.take() {
            self.finish(ending).await;
        }
    }

    async fn output(&mut self, output: Output) -> Result<(), Failure> {
        match output {
            Output::Reference(reference) => self.refer(Some(reference)).await,
            Output::Forgotten => self.refer(None).await,
            Output::Prompted(prompt) => {
                self.note_prompt(&prompt).await;
                Ok(())
            }
            Output::TurnBegan { turn } => self.began(turn).await,
            Output::Typed { turn, item, text } => self.typed(turn, item, text).await,
            Output::Handed { turn } => self.handed(turn).await,
            Output::Untold { turn } => self.untold(turn).await,
            Output::Steered { delivery, item } => {
                let Some(turn) = &self.session.turn else { return Ok(()) };
                let taken = turn.steering.iter().find(|pending| pending.id == delivery).cloned();
                let (Some(pending), id, turn) = (taken, self.id(), self.current) else { return Ok(()) };
                self.texts.remove(&pending.text.id);
                self.quietly(|change| {
                    change.draft.push(Event::Handed { delivery });
                    let item = item.unwrap_or_else(mint::item);
                    user_text_as(item, &mut change.entries, id, turn, &pending);
                })
                .await
            }
            Output::Delta { item, kind, text } => {
                let what = match kind {
                    DeltaKind::AssistantText => Growth::AssistantText,
                    DeltaKind::Thinking => Growth::Thinking,
                };
                self.context.live.grow(self.id(), self.reached, item, what, &text);
                Ok(())
            }
            Output::Printed { call, item, text } => {
                let what = Growth::ToolOutput(bounded(&call));
                self.context.live.grow(self.id(), self.reached, item, what, &text);
                Ok(())
            }
            Output::BrokeOff { items, retry } => self.broke_off(&items, retry).await,
            Output::ToolRequest { call, name, input } => {
                self.call_tool(call, name, input);
                Ok(())
            }
            Output::Ask(request) => self.asked(request).await,
            Output::AskWithdrawn { call } => self.withdrawn(&call).await,
            Output::Background { tasks } => {
                self.work_in_background(tasks);
                Ok(())
            }
            Output::Commands(commands) => {
                let profile = &self.session.profile;
                let places = [profile.directory.as_str(), profile.project.as_str()];
                self.context.slash_commands.note(&profile.provider, places, commands);
                Ok(())
            }
            Output::TurnEnded { turn, end } => {
                if self.current == Some(turn) {
                    self.ended(end).await;
                }
                Ok(())
            }
            // Taken in `outputs`.
            Output::Item { .. } | Output::Exited(_) => Ok(()),
        }
    }

    /// Tells the harness something; one that does not listen any more is ended.
    pub(super) fn tell(&mut self, input: Input) {
        if self.running.as_mut().is_some_and(|running| !running.tell(input)) {
            self.end_processes();
        }
    }

    async fn refer(&mut self, reference: Option<String>) -> Result<(), Failure> {
        if self.session.history.reference == reference {
            return Ok(());
        }
        self.quietly(|change| change.draft.push(Event::Referenced { reference: reference.clone() })).await
    }

    /// Takes in a turn that the harness began by itself. When no wake is left, it must not go on.
    async fn began(&mut self, turn: TurnId) -> Result<(), Failure> {
        if self.session.turn.is_some() {
            return Ok(());
        }
        self.timer = None;
        self.context.processes.rouse(self.id());
        loop {
            let (cause, version) = match self.session.history.cause {
                Some((cause, _)) => self.context.journal.cause(cause).await?,
                None => Default::default(),
            };
            let mut change = self.begin(&Actor::Session(self.id()));
            let paid = self.session.history.cause.map(|(cause, _)| cause);
            let spent = match session::open_own(&mut change.draft, &cause, turn) {
                Ok(Some(event)) => Spent::of(paid, version, event),
                Ok(None) => return Ok(()),
                Err(_) => {
                    self.tell(Input::Interrupt);
                    let notice = Draft::text(Kind::Notice { code: "held_for_budget".to_owned() }, UNPAID);
                    change.entries.item(self.id(), mint::item(), place(None), notice);
                    Spent::default()
                }
            };
            // The harness has it already.
            self.current = change.draft.session.turn.as_ref().map(|turn| turn.id);
            match self.store(change, spent, None).await {
                Ok(Stored::Conflict) => {}
                Ok(Stored::Done | Stored::Repeat(_)) => return Ok(()),
                Err(failure) => {
                    self.current = None;
                    return Err(failure);
                }
            }
        }
    }

    async fn handed(&mut self, turn: TurnId) -> Result<(), Failure> {
        if self.current != Some(turn) {
            return Ok(());
        }
        self.unsent = None;
        let id = self.id();
        let deliveries = self.session.turn.as_ref().map(|turn| turn.deliveries.clone()).unwrap_or_default();
        let mut taken_up = Vec::new();
        self.quietly(|change| {
            change.draft.push(Event::TurnHanded { turn });
            deliveries.iter().for_each(|pending| user_text(&mut change.entries, id, Some(turn), pending));
            taken_up.clear();
            taken_up.extend(std::iter::from_fn(|| session::take_up(&mut change.draft)));
        })
        .await?;
        deliveries.iter().for_each(|pending| drop(self.texts.remove(&pending.text.id)));
        for delivery in taken_up {
            self.steer(delivery).await;
        }
        Ok(())
    }

    /// Keeps a turn for the next process: the one that had it is gone and never saw it.
    async fn untold(&mut self, turn: TurnId) -> Result<(), Failure> {
        let current = self.session.turn.clone().filter(|open| self.current == Some(turn) && open.id == turn);
        if let Some(open) = current.filter(|open| !open.handed && self.ending.is_none()) {
            self.unsent = Some(self.input(turn, &open.deliveries).await?);
        }
        Ok(())
    }

    /// Stores finished items, or gives the turn up.
    async fn items(&mut self, finished: Vec<Finished>) {
        if finished.is_empty() {
            return;
        }
        for (id, _, draft) in &finished {
            self.context.live.take(self.id(), *id);
            match &draft.kind {
                Kind::ToolCall { call, .. } => self.calls.push(call.clone()),
                Kind::ToolResult { call, .. } => self.calls.retain(|open| open != call),
                _ => {}
            }
        }
        let (session, turn) = (self.id(), self.current);
        // A tool result proves that the agent received the message that ended its wait.
        let went_on = finished.iter().any(|(_, _, draft)| matches!(draft.kind, Kind::ToolResult { .. }));
        let words = if went_on { std::mem::take(&mut self.words) } else { Vec::new() };
        let stored = self
            .quietly(|change| {
                hand_words(change, turn, &words);
                for (id, place, draft) in &finished {
                    if let (Kind::Usage(usage), Some(turn)) = (&draft.kind, turn) {
                        change.draft.push(Event::UsageAdded { turn, usage: *usage });
                    }
                    match &draft.text {
                        // The harness's own list; those of its subagents are theirs.
                        Some(list) if draft.kind == Kind::Todo && place.parent.is_none() => {
                            plan(change, *id, place.clone(), list);
                        }
                        _ => change.entries.item(session, *id, place.clone(), draft.clone()),
                    }
                }
            })
            .await;
        if let Err(failure) = stored {
            self.give_up(failure);
        }
    }

    async fn ended(&mut self, end: TurnEnd) {
        self.timer = None;
        let provider = &self.session.profile.provider;
        match &end {
            TurnEnd::Completed => self.context.providers.turn_ended(provider, None),
            TurnEnd::Failed(Failed { code: FailureCode::NotLoggedIn, text, .. }) => {
                self.context.providers.turn_ended(provider, Some(text));
            }
            TurnEnd::Failed(_) | TurnEnd::Interrupted => {}
        }
        let ending = match (end, self.ending) {
            (TurnEnd::Completed, _) => Ending::of(Outcome::Completed, Source::Protocol, None),
            (_, Some(source)) => Ending::of(Outcome::Interrupted, source, None),
            (TurnEnd::Interrupted, None) => Ending::of(Outcome::Interrupted, Source::Protocol, None),
            (TurnEnd::Failed(Failed { code, text, until }), None) => {
                let error = Some((code.word().to_owned(), text));
                let until = until.and_then(|told| session::parked_until(told, mint::now()));
                Ending { until, ..Ending::of(Outcome::Failed, Source::Protocol, error) }
            }
        };
        self.finish(ending).await;
    }

    /// Notes how much runs in the background. A process that would sleep now stays awake for it.
    fn work_in_background(&mut self, tasks: usize) {
        let Some(running) = &mut self.running else { return };
        running.background = tasks;
        self.timer.take_if(|(_, what)| *what == Timer::Idle);
        self.context.processes.rouse(self.id());
        if tasks == 0 && self.current.is_none() {
            // It goes on by itself now, or has nothing left to stay awake for.
            self.timer = Some((Instant::now() + AFTER_BACKGROUND, Timer::Idle));
        }
    }

    /// Says in the transcript that commands in the background end with their process.
    pub(super) async fn tell_background_ended(&mut self) {
        let words = match self.in_background() {
            0 => return,
            1 => "Stopped 1 background command.".to_owned(),
            tasks => format!("Stopped {tasks} background commands."),
        };
        let (session, turn) = (self.id(), self.current);
        let notice = Draft::text(Kind::Notice { code: "background_ended".to_owned() }, words);
        let told = self.quietly(|change| {
            change.entries.item(session, mint::item(), place(turn), notice.clone());
        });
        if let Err(failure) = told.await {
            tracing::error!(%session, error = %failure.message, "cannot store the end of background commands");
        }
    }

    async fn exited(&mut self, exit: Exit) {
        if !self.over {
            self.tell_background_ended().await;
            self.note_exit(&exit).await;
        }
        self.running = None;
        self.timer = None;
        let search = self.search.take();
        if self.is_in_terminal() && (self.over || !self.session.is_open()) {
            // Should tmux not have done what it was told.
            self.context.terminals.look_after();
        }
        self.context.processes.rouse(self.id());
        let (home, session) = (self.context.home.clone(), self.id());
        // A shim that was killed may have left something behind.
        let (shim_killed, executable) = (exit.shim_killed, self.context.executable.clone());
        let swept = tokio::task::spawn_blocking(move || {
            let marked = sweep(&home, Sweep::Session(session));
            // Unmarked ones came to us when the shim died.
            marked + if shim_killed { orphans::end_all(&executable) } else { 0 }
        })
        .await;
        if let Ok(count @ 1..) = swept {
            tracing::warn!(%session, count, "stopped processes left by the shim");
        }
        if self.over || self.current.is_none() {
            return;
        }
        if self.unrecorded.is_some() {
            return self.record_ending().await;
        }
        if self.unsent.is_some() {
            // The old process ended before it got this turn.
            self.launch();
            return;
        }
        let turn = self.session.turn.as_ref().filter(|turn| !turn.handed).map(|turn| turn.id);
        if turn.is_some() && search.is_some_and(|search| search.turn == turn) {
            // It had ended when it was found again, and never took it: the next one does.
            let source = self.ending.unwrap_or(Source::Restart);
            return self.finish(Ending::of(Outcome::Interrupted, source, None)).await;
        }
        let ending = match (self.ending, self.lost.take()) {
            (_, Some(why)) => {
                let text = format!("the agent was stopped because its output could not be stored: {why}");
                let error = Some(("storage_unavailable".to_owned(), text));
                Ending::of(Outcome::Failed, Source::Daemon, error)
            }
            (Some(source), None) => Ending::of(Outcome::Interrupted, source, None),
            (None, None) => {
                let error = Some(("harness_exited".to_owned(), words(&exit)));
                Ending::of(Outcome::Failed, Source::ProcessExit, error)
            }
        };
        self.finish(ending).await;
    }

    /// Changes the session without looking for a next turn.
    pub(super) async fn quietly(&mut self, mut rule: impl FnMut(&mut Change)) -> Result<(), Failure> {
        loop {
            let mut change = self.begin(&Actor::Session(self.id()));
            rule(&mut change);
            if !matches!(self.store(change, Spent::default(), None).await?, Stored::Conflict) {
                return Ok(());
            }
        }
    }

    /// Ends a harness whose words cannot be stored: it must not go on talking.
    fn give_up(&mut self, failure: Failure) {
        tracing::error!(session = %self.id(), error = %failure.message, "cannot store the harness's output");
        self.lost.get_or_insert(failure.message);
        self.end_processes();
    }
}

/// Drafts the end of a turn: what it left open is closed, what went wrong is said.
pub(super) fn end(change: &mut Change, left: &LeftOpen, turn: Option<TurnId>, ending: &Ending) {
    let session = change.draft.session.id;
    let cut_off = (ending.outcome == Outcome::Interrupted).then_some(match ending.source {
        Source::Person if is_interrupted_by_message(&change.draft.session) => {
            "A person interrupted this turn with a message."
        }
        Source::Person => "A person stopped this turn.",
        Source::Restart => "The daemon was stopped or restarted during this turn.",
        Source::Protocol | Source::ProcessExit | Source::Hook | Source::Screen | Source::Daemon => {
            "This turn was interrupted."
        }
    });
    close_open(change, left, turn, cut_off);
    if let Some((code, text)) = &ending.error {
        let error = Draft::text(Kind::Error { code: code.clone() }, text.clone());
        change.entries.item(session, mint::item(), place(turn), error);
    }
    let code = ending.error.as_ref().map(|(code, _)| code.clone());
    let Ending { outcome, source, until, sent, .. } = *ending;
    let ending = session::Ending { outcome, source, code, until };
    if sent {
        session::end(&mut change.draft, ending);
    } else {
        session::end_unsent(&mut change.draft, ending);
    }
}

/// Says whether a message waits that was to interrupt. A person who stops holds what waits.
fn is_interrupted_by_message(session: &session::Session) -> bool {
    session.queue.iter().any(|pending| pending.verb == Verb::Interrupt && pending.held.is_none())
}

/// Keeps what was said and not finished, closes tool calls that will never be answered, withdraws an open
/// ask, and says why the turn was cut off.
pub(super) fn close_open(change: &mut Change, left: &LeftOpen, turn: Option<TurnId>, cut_off: Option<&str>) {
    let session = change.draft.session.id;
    for (id, draft) in &left.texts {
        change.entries.item(session, *id, place(turn), draft.clone());
    }
    for OpenCall { call, output } in &left.calls {
        let (call, outcome) = (call.clone(), ToolOutcome::Interrupted);
        let kind = Kind::ToolResult { call, outcome, exit_code: None, duration_ms: 0 };
        match output {
            Some((id, text)) => {
                change.entries.item(session, *id, place(turn), Draft::text(kind, text.clone()));
            }
            None => {
                let entry = Entry { place: place(turn), kind };
                change.entries.item_with(session, mint::item(), entry, None);
            }
        }
    }
    let asks = change.draft.session.turn.as_ref().map(|turn| turn.asks.clone()).unwrap_or_default();
    asks.iter().for_each(|ask| withdraw(change, turn, ask));
    if let Some(words) = cut_off {
        let notice = Draft::text(Kind::Notice { code: "interrupted".to_owned() }, words);
        change.entries.item(session, mint::item(), place(turn), notice);
    }
}

fn words(exit: &Exit) -> String {
    let how = match (exit.code, exit.signal) {
        (Some(code), _) => {
            format!("the agent's process exited during the turn with code {code}")
        }
        (None, Some(signal)) => {
            format!("the agent's process was killed during the turn by signal {signal}")
        }
        (None, None) => "the agent's process ended during the turn".to_owned(),
    };
    let last_words = exit.stderr.trim();
    if last_words.is_empty() { how } else { format!("{how}; its last output:\n{last_words}") }
}

/// Takes what people said in confidence out of what a harness says. A request keeps it, as it has to be answered to the
/// byte; what is stored of one is scrubbed there.
fn scrub(secrets: &Secrets, output: &mut Output) {
    match output {
        Output::Item { draft, .. } => {
            draft.text.iter_mut().chain(&mut draft.extra).for_each(|text| secrets.scrub(text));
        }
        Output::Delta { text, .. } | Output::Printed { text, .. } => secrets.scrub(text),
        Output::TurnEnded { end: TurnEnd::Failed(failed), .. } => secrets.scrub(&mut failed.text),
        Output::Exited(exit) => secrets.scrub(&mut exit.stderr),
        _ => {}
    }
}
