//! What people do to a session beside talking to it.

use paseo_core::actor::Actor;
use paseo_core::item::{Decision, Entry, Kind};
use paseo_core::session::{self, Event, Outcome, Refusal, Source};
use paseo_runtime::provider::{Input, Output};
use paseo_store::Erasure;
use paseo_wire::error::Code;

use super::actor::{Ending, SHIM_GRACE, SessionActor};
use super::changes::{Spent, Stored};
use super::output::{close_open, end, place};
use super::{Answer, Patch};
use crate::directory::Closing;
use crate::failure::Failure;
use crate::mint;

impl SessionActor {
    /// Stops the running turn; nothing more starts until a person writes.
    pub(super) async fn stop(&mut self, by: Actor) -> Result<bool, Failure> {
        let stopped = self.change(&by, |change| Ok(session::hold_for_stop(&mut change.draft))).await?;
        if self.session.turn.is_some() {
            self.interrupt(Source::Person).await;
        }
        Ok(stopped)
    }

    /// Closes the session and ends its processes.
    pub(super) async fn close(&mut self, by: Actor) -> Result<bool, Failure> {
        let (left, turn) = (self.left_open(), self.current);
        let cut_off = turn.map(|_| "A person closed the agent in the middle of this turn.");
        let changed = self
            .change(&by, |change| {
                close_open(change, &left, turn, cut_off);
                session::close(&mut change.draft);
                Ok(!change.draft.events.is_empty())
            })
            .await?;
        self.drop_harness();
        Ok(changed)
    }

    pub(super) async fn reopen(&mut self, by: Actor) -> Result<bool, Failure> {
        self.change(&by, |change| {
            session::reopen(&mut change.draft);
            Ok(!change.draft.events.is_empty())
        })
        .await
    }

    /// Removes the transcript. The next turn begins with a fresh context.
    pub(super) async fn clear(&mut self, by: Actor) -> Result<bool, Failure> {
        loop {
            let mut change = self.begin(&by);
            session::clear(&mut change.draft)?;
            let keep = change.draft.session.queue.iter().map(|pending| pending.text.id.uuid()).collect();
            change.entries.erase(Erasure::Contents { stream: session::stream(self.id()), keep });
            if !matches!(self.store(change, Spent::default(), None).await?, Stored::Conflict) {
                self.drop_harness();
                return Ok(true);
            }
        }
    }

    /// Deletes the session: its texts are removed, its events emptied.
    pub(super) async fn delete(&mut self, by: Actor, force: bool) -> Result<bool, Failure> {
        if self.session.turn.is_some() && !force {
            return Err(Failure::from(Refusal::Busy).hint("stop it first with `paseo stop`, or add --force"));
        }
        self.close(by.clone()).await?;
        loop {
            let mut change = self.begin(&by);
            change.draft.push(Event::Deleted {});
            change.entries.erase(Erasure::Stream { stream: session::stream(self.id()) });
            if !matches!(self.store(change, Spent::default(), None).await?, Stored::Conflict) {
                self.context.directory.count_closed(&self.session.profile.project, Closing::Gone);
                self.over = true;
                return Ok(true);
            }
        }
    }

    pub(super) async fn patch(&mut self, patch: Patch) -> Result<bool, Failure> {
        self.change(&patch.by, |change| {
            if let Some(name) = &patch.name {
                session::rename(&mut change.draft, name.clone());
            }
            session::label(&mut change.draft, patch.set.clone(), patch.unset.clone())
                .map_err(|malformed| Failure::new(Code::InvalidRequest, malformed.to_string()))?;
            Ok(!change.draft.events.is_empty())
        })
        .await
    }

    /// Passes a person's answer on. The first wins; a later one is told.
    pub(super) async fn answer(&mut self, answer: Answer) -> Result<bool, Failure> {
        let ask = self.session.turn.as_ref().and_then(|turn| turn.ask.clone());
        let ask = ask.filter(|ask| ask.hash == answer.hash).ok_or_else(|| {
            Failure::new(
                Code::Conflict,
                "this request is not open: it was answered or withdrawn, or the agent went on",
            )
            .hint("look at it with `paseo inspect`")
        })?;
        let decision = if answer.allow { Decision::Allow } else { Decision::Deny };
        let (session, turn) = (self.id(), self.current);
        self.change(&answer.by, |change| {
            let kind = Kind::Permission { hash: ask.hash.clone(), decision: Some(decision) };
            change.entries.item_with(
                session,
                mint::item(),
                Entry { place: place(turn), kind },
                Some(ask.text.id),
            );
            change.draft.push(Event::Decided { hash: ask.hash.clone(), decision });
            Ok(())
        })
        .await?;
        self.tell(Input::Permission { hash: answer.hash, allow: answer.allow, message: answer.message });
        Ok(true)
    }

    /// Ends the turn in good order and waits until no process is left.
    pub(super) async fn shutdown(&mut self) {
        if self.session.turn.is_some() {
            let (left, turn) = (self.left_open(), self.current);
            let sent = self.unsent.is_none() && self.start.is_none();
            let ending = Ending { outcome: Outcome::Interrupted, source: Source::Restart, error: None, sent };
            // What waits goes on when the daemon is back.
            self.over = true;
            if let Err(failure) = self.quietly(|change| end(change, &left, turn, &ending)).await {
                tracing::error!(session = %self.id(), error = %failure.message, "the end of a turn could not be stored");
            }
        }
        self.over = true;
        self.start = None;
        self.unsent = None;
        self.end_processes();
        while let Some(running) = &mut self.running {
            let Ok(outputs) = tokio::time::timeout(SHIM_GRACE, running.outputs(64)).await else {
                running.kill();
                continue;
            };
            if outputs.is_empty() || outputs.iter().any(|output| matches!(output, Output::Exited(_))) {
                self.running = None;
            }
        }
    }

    /// Ends the harness for good: the session is closed or starts afresh.
    fn drop_harness(&mut self) {
        self.start = None;
        self.unsent = None;
        self.end_processes();
    }
}
