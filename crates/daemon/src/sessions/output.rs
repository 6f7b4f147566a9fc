//! What a harness says, and what becomes of it.

use std::time::Duration;

use paseo_core::actor::Actor;
use paseo_core::id::{ItemId, TurnId};
use paseo_core::item::{Decision, Draft, Entry, Kind, Place, ToolOutcome};
use paseo_core::session::{self, Event, Outcome, Pending, Source};
use paseo_runtime::provider::{DeltaKind, Exit, Input, Output, TurnEnd};
use paseo_runtime::sweep::{Sweep, sweep};
use paseo_wire::stream::LiveFrame;
use tokio::time::Instant;

use super::actor::{Ending, SessionActor, Timer};
use super::changes::{Change, Spent, Stored};
use crate::failure::Failure;
use crate::journal::{self, Entries};
use crate::mint;

/// How long to wait before a turn's end is stored again.
const RETRY: Duration = Duration::from_secs(1);

/// An item as the harness gave it.
type Finished = (ItemId, Place, Draft);

impl SessionActor {
    /// Takes in what the harness said, in order.
    pub(super) async fn outputs(&mut self, outputs: Vec<Output>) {
        if outputs.is_empty() {
            // The driver ended without a word.
            self.exited(Exit { code: None, signal: None, stderr: String::new() }).await;
            return;
        }
        let mut finished: Vec<Finished> = Vec::new();
        for output in outputs {
            if let Output::Item { id, step, parent, draft } = output {
                finished.push((id, Place { turn: self.current, step, parent }, draft));
                continue;
            }
            let stored = self.items(std::mem::take(&mut finished)).await;
            let taken = match stored {
                Ok(()) => self.output(output).await,
                Err(failure) => Err(failure),
            };
            self.or_give_up(taken);
        }
        let stored = self.items(finished).await;
        self.or_give_up(stored);
    }

    /// Ends the turn in the log, and closes what it left open. Tries again when that cannot be stored.
    pub(super) async fn finish(&mut self, ending: Ending) {
        let (calls, session, turn) = (self.calls.clone(), self.id(), self.current);
        let by = Actor::Daemon;
        let stored = self
            .change(&by, |change| {
                end(change, &calls, turn, &ending);
                Ok(())
            })
            .await;
        if let Err(failure) = stored {
            tracing::error!(%session, error = %failure.message, "the end of a turn could not be stored");
            self.unrecorded = Some(ending);
            self.timer = Some((Instant::now() + RETRY, Timer::Retry));
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
        if self.over && !matches!(output, Output::Exited(_)) {
            return Ok(());
        }
        match output {
            Output::Reference(reference) => {
                if self.session.history.reference.as_ref() != Some(&reference) {
                    self.quietly(|change| {
                        change.draft.push(Event::Referenced { reference: reference.clone() })
                    })
                    .await?;
                }
                Ok(())
            }
            Output::Handed { turn } => self.handed(turn).await,
            Output::Steered { delivery } => {
                let Some(turn) = &self.session.turn else { return Ok(()) };
                let taken = turn.steering.iter().find(|pending| pending.id == delivery).cloned();
                let (Some(pending), id, turn) = (taken, self.id(), self.current) else { return Ok(()) };
                self.quietly(|change| {
                    change.draft.push(Event::Handed { delivery });
                    user_text(&mut change.entries, id, turn, &pending);
                })
                .await
            }
            Output::Delta { item, kind, text } => {
                self.show(item, kind, text);
                Ok(())
            }
            Output::ToolRequest { call, name, input } => {
                let (outcome, text) = self.tool(&name, &input).await;
                self.tell(Input::ToolResult { call, outcome, text });
                Ok(())
            }
            Output::Ask { hash, text } => self.asked(hash, text).await,
            Output::TurnEnded { turn, end } => {
                if self.current == Some(turn) {
                    self.ended(end).await;
                }
                Ok(())
            }
            Output::Exited(exit) => {
                self.exited(exit).await;
                Ok(())
            }
            // Taken together with its neighbours, in `outputs`.
            Output::Item { .. } => Ok(()),
        }
    }

    /// Tells the harness something; one that does not listen is about to report its exit.
    pub(super) fn tell(&mut self, input: Input) {
        if let Some(running) = &mut self.running {
            running.tell(input);
        }
    }

    async fn handed(&mut self, turn: TurnId) -> Result<(), Failure> {
        if self.current != Some(turn) {
            return Ok(());
        }
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

    fn show(&mut self, item: ItemId, kind: DeltaKind, text: String) {
        let shown = self.growing.entry(item).or_default();
        let offset = *shown;
        *shown += text.len() as u64;
        let session = self.session.id;
        let kind = match kind {
            DeltaKind::AssistantText => "assistant_text",
            DeltaKind::Thinking => "thinking",
            DeltaKind::ToolOutput => "tool_output",
        };
        self.context.live.publish(session, || LiveFrame {
            session: session.to_string(),
            item: item.to_string(),
            kind: kind.to_owned(),
            offset,
            text,
        });
    }

    async fn items(&mut self, finished: Vec<Finished>) -> Result<(), Failure> {
        if finished.is_empty() || self.over {
            return Ok(());
        }
        for (id, _, draft) in &finished {
            self.growing.remove(id);
            match &draft.kind {
                Kind::ToolCall { call, .. } => self.calls.push(call.clone()),
                Kind::ToolResult { call, .. } => self.calls.retain(|open| open != call),
                _ => {}
            }
        }
        let (session, turn) = (self.id(), self.current);
        self.quietly(|change| {
            for (id, place, draft) in &finished {
                if let (Kind::Usage(usage), Some(turn)) = (&draft.kind, turn) {
                    change.draft.push(Event::UsageAdded { turn, usage: *usage });
                }
                change.entries.item(session, *id, place.clone(), draft.clone());
            }
        })
        .await
    }

    async fn asked(&mut self, hash: String, text: String) -> Result<(), Failure> {
        let (session, turn) = (self.id(), self.current);
        let reference = journal::reference(&text);
        self.quietly(|change| {
            change.entries.content(session, reference.id, text.clone(), None);
            let kind = Kind::Permission { hash: hash.clone(), decision: None };
            let entry = Entry { place: place(turn), kind };
            change.entries.item_with(session, mint::item(), entry, Some(reference.id));
            change.draft.push(Event::Asked { hash: hash.clone(), text: reference.clone() });
        })
        .await
    }

    async fn ended(&mut self, end: TurnEnd) {
        self.timer = None;
        let ending = match (end, self.ending) {
            (TurnEnd::Completed, _) => {
                Ending { outcome: Outcome::Completed, source: Source::Protocol, error: None }
            }
            (_, Some(source)) => Ending { outcome: Outcome::Interrupted, source, error: None },
            (TurnEnd::Interrupted, None) => {
                Ending { outcome: Outcome::Interrupted, source: Source::Protocol, error: None }
            }
            (TurnEnd::Failed { code, text }, None) => {
                Ending { outcome: Outcome::Failed, source: Source::Protocol, error: Some((code, text)) }
            }
        };
        self.finish(ending).await;
    }

    async fn exited(&mut self, exit: Exit) {
        self.running = None;
        self.timer = None;
        self.context.processes.rouse(self.id());
        let (home, session) = (self.context.home.clone(), self.id());
        // A shim that was killed may have left something behind.
        let swept = tokio::task::spawn_blocking(move || sweep(&home, Sweep::Session(session))).await;
        if let Ok(count @ 1..) = swept {
            tracing::warn!(%session, count, "ended processes that the shim had left");
        }
        if self.over || self.current.is_none() {
            return;
        }
        if self.unsent.is_some() {
            // The old process ended before it got this turn.
            self.launch();
            return;
        }
        let ending = match self.ending {
            Some(source) => Ending { outcome: Outcome::Interrupted, source, error: None },
            None => {
                let error = Some(("harness_exited".to_owned(), words(&exit)));
                Ending { outcome: Outcome::Failed, source: Source::ProcessExit, error }
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

    /// A harness whose words cannot be stored must not go on talking.
    fn or_give_up(&mut self, taken: Result<(), Failure>) {
        if let Err(failure) = taken {
            tracing::error!(session = %self.id(), error = %failure.message, "cannot store what the harness said");
            self.end_processes();
        }
    }
}

/// Drafts the end of a turn: what it left open is closed, what went wrong is said.
pub(super) fn end(change: &mut Change, calls: &[String], turn: Option<TurnId>, ending: &Ending) {
    close_open(change, calls, turn);
    if let Some((code, text)) = &ending.error {
        let error = Draft::text(Kind::Error { code: code.clone() }, text.clone());
        change.entries.item(change.draft.session.id, mint::item(), place(turn), error);
    }
    let code = ending.error.as_ref().map(|(code, _)| code.clone());
    session::end(&mut change.draft, ending.outcome, ending.source, code);
}

/// Closes tool calls that will never be answered, and shows that an open ask is withdrawn.
pub(super) fn close_open(change: &mut Change, calls: &[String], turn: Option<TurnId>) {
    let session = change.draft.session.id;
    for call in calls {
        let (call, outcome) = (call.clone(), ToolOutcome::Interrupted);
        let kind = Kind::ToolResult { call, outcome, exit_code: None, duration_ms: 0 };
        let entry = Entry { place: place(turn), kind };
        change.entries.item_with(session, mint::item(), entry, None);
    }
    if let Some(ask) = change.draft.session.turn.as_ref().and_then(|turn| turn.ask.clone()) {
        let kind = Kind::Permission { hash: ask.hash, decision: Some(Decision::Withdrawn) };
        let entry = Entry { place: place(turn), kind };
        change.entries.item_with(session, mint::item(), entry, Some(ask.text.id));
    }
}

/// The place of what the daemon itself says in a turn.
pub(super) fn place(turn: Option<TurnId>) -> Place {
    Place { turn, step: 0, parent: None }
}

fn user_text(
    entries: &mut Entries,
    session: paseo_core::id::SessionId,
    turn: Option<TurnId>,
    pending: &Pending,
) {
    let kind = Kind::UserText { origin: pending.origin.clone(), delivery: pending.id };
    let entry = Entry { place: place(turn), kind };
    entries.item_with(session, mint::item(), entry, Some(pending.text.id));
}

fn words(exit: &Exit) -> String {
    let how = match (exit.code, exit.signal) {
        (Some(code), _) => {
            format!("the agent's process ended in the middle of the turn, with exit code {code}")
        }
        (None, Some(signal)) => {
            format!("the agent's process was killed in the middle of the turn, by signal {signal}")
        }
        (None, None) => "the agent's process ended in the middle of the turn".to_owned(),
    };
    let last_words = exit.stderr.trim();
    if last_words.is_empty() { how } else { format!("{how}; its last words:\n{last_words}") }
}
