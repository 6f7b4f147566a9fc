//! What people do to a session beside talking to it.

use std::sync::Arc;

use paseo_core::actor::Actor;
use paseo_core::id::{CauseId, SessionId};
use paseo_core::session::{self, BadAttributes, Event, OptionsChange, Outcome, Pending, Refusal, Source};
use paseo_runtime::git::Removed;
use paseo_runtime::provider::Output;
use paseo_store::Erasure;
use paseo_wire::error::Code;

use super::actor::{Ending, SHIM_GRACE, SessionActor};
use super::asks::withdraw_all;
use super::changes::{Spent, Stored};
use super::output::{close_open, end};
use super::writing::place;
use super::{Patch, Seen, Uproot};
use crate::directory::Closing;
use crate::failure::Failure;
use crate::{mint, skills, worktrees};

impl SessionActor {
    /// Stops the running turn; nothing more starts until a person writes.
    pub(super) async fn stop(&mut self, by: Actor) -> Result<bool, Failure> {
        let turn = self.current;
        let stopped = self
            .change(&by, |change| {
                withdraw_all(change, turn);
                Ok(session::hold_for_stop(&mut change.draft))
            })
            .await?;
        self.asks.clear();
        if self.session.turn.is_some() {
            self.interrupt(Source::Person).await;
        }
        Ok(stopped)
    }

    /// Holds what descends from a request that a person stopped.
    pub(super) async fn hold_cause(&mut self, by: Actor, cause: CauseId) -> Result<(), Failure> {
        self.change(&by, |change| {
            session::hold_cause(&mut change.draft, cause);
            Ok(())
        })
        .await
    }

    /// Closes the session and ends its processes.
    pub(super) async fn close(&mut self, by: Actor) -> Result<bool, Failure> {
        let (left, turn) = (self.left_open(), self.current);
        let words = match by.is_human() {
            true => "A person closed the agent during this turn.",
            false => "The agent was closed during this turn.",
        };
        let cut_off = turn.map(|_| words);
        let session = self.id();
        let ended: Vec<_> = self.ended_take_over().into_iter().chain(self.ended_shells()).collect();
        let changed = self
            .change(&by, |change| {
                close_open(change, &left, turn, cut_off);
                for ended in ended.clone() {
                    change.entries.item(session, mint::item(), place(turn), ended);
                }
                session::close(&mut change.draft, Source::of(&by));
                Ok(!change.draft.events.is_empty())
            })
            .await?;
        self.context.shells.end_all_of(session);
        self.drop_harness().await;
        self.leave_team(&by).await;
        Ok(changed)
    }

    /// Does once more what follows on closing: the daemon may have ended, or tmux not have answered, just then.
    pub(super) async fn clear_away(&mut self) {
        if !self.session.is_open() {
            self.drop_harness().await;
            self.leave_team(&Actor::Daemon).await;
        }
    }

    /// Reopens the session, if there still is a place for it to work in.
    pub(super) async fn reopen(&mut self, by: Actor) -> Result<bool, Failure> {
        if let Some(gone) = worktrees::gone(&self.session.profile).filter(|_| !self.session.is_open()) {
            return Err(gone);
        }
        self.come_back().await?;
        let reopened = self
            .change(&by, |change| {
                session::reopen(&mut change.draft);
                Ok(!change.draft.events.is_empty())
            })
            .await?;
        if reopened && self.is_in_terminal() {
            self.note_return(&by).await;
        }
        Ok(reopened)
    }

    /// Removes the transcript. The next turn begins with a fresh context.
    pub(super) async fn clear(&mut self, by: Actor) -> Result<bool, Failure> {
        loop {
            let mut change = self.begin(&by);
            session::clear(&mut change.draft)?;
            let kept = |pending: &Pending| {
                let files = pending.attachments.iter().map(|file| file.id.uuid());
                let schema = pending.schema.iter().map(|schema| schema.id.uuid());
                [pending.text.id.uuid()].into_iter().chain(schema).chain(files).collect::<Vec<_>>()
            };
            let keep = change.draft.session.queue.iter().flat_map(kept).collect();
            change.entries.erase(Erasure::Contents { stream: session::stream(self.id()), keep });
            if !matches!(self.store(change, Spent::default(), None).await?, Stored::Conflict) {
                self.drop_harness().await;
                return Ok(true);
            }
        }
    }

    /// Deletes the session: its texts are removed, its events emptied.
    pub(super) async fn delete(&mut self, by: Actor, force: bool) -> Result<bool, Failure> {
        let is_busy = self.session.turn.is_some() || self.session.check.is_some();
        if is_busy && !force {
            return Err(Failure::from(Refusal::Busy).hint("stop it first with `paseo stop`, or pass --force"));
        }
        let waiting = self.session.queue.len();
        if waiting > 0 && !force {
            let messages = if waiting == 1 { "1 message" } else { &format!("{waiting} messages") };
            return Err(Failure::new(
                Code::Conflict,
                format!("{messages} waiting for this agent would be lost"),
            )
            .hint("run `paseo queue` to see them, or pass --force to delete the agent anyway"));
        }
        self.keep_notices_back();
        if let Err(failure) = self.close(by.clone()).await {
            self.telling.clear();
            return Err(failure);
        }
        self.send_last_notices().await;
        loop {
            let mut change = self.begin(&by);
            change.draft.push(Event::Deleted {});
            change.entries.erase(Erasure::Stream { stream: session::stream(self.id()) });
            if !matches!(self.store(change, Spent::default(), None).await?, Stored::Conflict) {
                self.context.directory.count_closed(&self.session, Closing::Gone);
                self.over = true;
                if let Err(error) = skills::remove(&self.context.home, self.id()) {
                    tracing::warn!(session = %self.id(), %error, "cannot remove the skills of a deleted \
                                                                  session");
                }
                return Ok(true);
            }
        }
    }

    /// Removes the session's worktree. Nothing else happens to the session meanwhile: it cannot be reopened.
    pub(super) async fn uproot(&mut self, uproot: Uproot) -> Result<Removed, Failure> {
        let removed = uproot.worktree.remove(&self.context, uproot.force).await?;
        self.change(&uproot.by, |change| {
            session::uproot(&mut change.draft, removed.kept.clone());
            Ok(())
        })
        .await?;
        Ok(removed)
    }

    pub(super) async fn patch(&mut self, patch: Patch) -> Result<bool, Failure> {
        let rank = (patch.pinned == Some(true)).then(|| {
            let open = self.context.directory.all();
            session::pin_rank(open.iter().filter_map(|session| session.pinned_at), mint::now())
        });
        let context = Arc::clone(&self.context);
        self.change(&patch.by, |change| {
            if let Some(name) = &patch.name {
                session::rename(&mut change.draft, name.clone());
            }
            session::label(&mut change.draft, patch.set.clone(), patch.unset.clone())
                .map_err(|malformed| Failure::new(Code::InvalidRequest, malformed.to_string()))?;
            if patch.pinned.is_some() {
                session::pin(&mut change.draft, rank);
            }
            if let Some(awaited) = patch.awaited {
                session::tell(&mut change.draft, awaited);
            }
            session::attribute(&mut change.draft, patch.attributes.clone())
                .map_err(|bad| Failure::new(unfit(&bad), bad.to_string()))?;
            if patch.options != OptionsChange::default() {
                context.configure(change, patch.options.clone())?;
            }
            Ok(!change.draft.events.is_empty())
        })
        .await
    }

    /// Notes how far a person has looked, or that they archive the session.
    pub(super) async fn see(&mut self, by: &Actor, what: Seen, upto: Option<u64>) -> Result<bool, Failure> {
        self.change(by, |change| {
            let seen = match what {
                Seen::Looked => session::look(&mut change.draft, upto),
                Seen::Archived => session::archive(&mut change.draft, upto),
            };
            seen.map_err(|unseen| {
                Failure::new(Code::Conflict, unseen.to_string())
                    .hint("pass the `news` of the agent as you displayed it")
            })
        })
        .await
    }

    /// Notes where a person comes from who is here now, or that they have gone back there.
    pub(super) async fn enter(&mut self, by: Actor, from: Option<SessionId>) -> Result<(), Failure> {
        self.change(&by, |change| {
            session::enter(&mut change.draft, &by, from);
            Ok(())
        })
        .await
    }

    /// Ends the turn in good order and waits until no process is left.
    pub(super) async fn shutdown(&mut self) {
        let is_on_its_way = self.start.is_some() || self.unsent.is_some();
        if self.is_in_terminal() && (self.search.is_some() || !is_on_its_way) {
            // It lives on, and is found again.
            self.over = true;
            (self.running, self.start, self.search, self.unsent) = (None, None, None, None);
            return;
        }
        // What runs elsewhere goes on, and is answered when the daemon is back.
        if self.session.turn.is_some() && !self.is_remote() {
            let (left, turn) = (self.left_open(), self.current);
            let sent = self.unsent.is_none() && self.start.is_none();
            let ending = Ending { sent, ..Ending::of(Outcome::Interrupted, Source::Restart, None) };
            // What waits goes on when the daemon is back.
            self.over = true;
            if let Err(failure) = self.quietly(|change| end(change, &left, turn, &ending)).await {
                tracing::error!(session = %self.id(), error = %failure.message, "cannot store the end of a turn");
            }
        }
        self.over = true;
        self.start = None;
        self.unsent = None;
        self.tell_background_ended().await;
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

    /// Ends the harness permanently: the session is closed or starts afresh.
    async fn drop_harness(&mut self) {
        self.start = None;
        self.search = None;
        self.unsent = None;
        self.end_processes();
        self.remove_terminal().await;
    }
}

fn unfit(bad: &BadAttributes) -> Code {
    match bad {
        BadAttributes::Long(_) => Code::TooLarge,
        BadAttributes::Many(_) => Code::Conflict,
        BadAttributes::Unnamed => Code::InvalidRequest,
    }
}
