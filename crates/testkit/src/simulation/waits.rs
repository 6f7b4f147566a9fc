//! Calls that wait for what becomes of a message, and closings that wait for those below. Lost in a crash.

use std::collections::BTreeSet;

use paseo_core::family;
use paseo_core::id::{SessionId, WatchId};
use paseo_core::session::{Class, Pending, Verb};
use paseo_core::wait::{self, Over};

use super::Fault;
use super::harness::Harness;
use super::ledger::Check;
use super::owner::{Input, Stage};
use super::world::World;

/// A call of an agent's turn that waits. The watch behind it outlives it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wait {
    pub(super) watch: WatchId,
    pub(super) caller: usize,
    pub(super) target: usize,
    /// The watch is durable.
    pub(super) armed: bool,
    /// A person's words end it.
    pub(super) heeds_people: bool,
    /// Those words are being fetched.
    pub(super) fetching: bool,
}

impl Wait {
    pub(super) fn new(watch: WatchId, caller: usize, target: usize) -> Self {
        Self { watch, caller, target, armed: false, heeds_people: false, fetching: false }
    }
}

/// How a wait ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The caller gets what it waited for, and needs no news any more.
    Answered,
    /// It gets something else, and the news when there is some.
    Otherwise,
    /// It gets what a person wrote to it, once that is fetched.
    Words,
}

impl World {
    /// Lets an agent wait, if it may.
    pub(super) fn begin_wait(&mut self, wait: Wait) -> Result<bool, String> {
        let open: Vec<(SessionId, SessionId)> =
            self.waits.iter().map(|wait| (self.sessions[wait.caller], self.sessions[wait.target])).collect();
        let (caller, target) = (self.sessions[wait.caller], self.sessions[wait.target]);
        if self.fault != Some(Fault::WaitForAnyone) && wait::admit(&open, caller, target).is_err() {
            self.report.refused_waits += 1;
            return Ok(false);
        }
        self.ledger.news.wait(wait.watch, caller, target)?;
        self.harnesses[wait.caller].as_mut().into_iter().for_each(Harness::wait);
        self.waits.push(wait);
        Ok(true)
    }

    /// Returns the watches that calls wait for.
    pub(super) fn waited(&self) -> BTreeSet<WatchId> {
        self.waits.iter().map(|wait| wait.watch).collect()
    }

    /// Returns the waits that are over.
    pub(super) fn waits_over(&self) -> Vec<(usize, End)> {
        let over = |wait: &Wait| {
            let (caller, target) = (&self.owners[wait.caller], &self.owners[wait.target]);
            if target.is_volatile() || caller.is_volatile() || wait.fetching {
                return None;
            }
            if wait.armed {
                match wait::over(&target.session, wait.watch) {
                    Some(Over::Settled(_) | Over::Idle | Over::Promoted | Over::Closed) => {
                        return Some(End::Answered);
                    }
                    Some(Over::Held(_) | Over::Halted(_) | Over::Told) => return Some(End::Otherwise),
                    None => {}
                }
            }
            let words = |pending: &Pending| {
                pending.origin.is_human()
                    && pending.held.is_none()
                    && pending.class == Class::Message
                    && pending.verb != Verb::Interrupt
            };
            let handed = caller.session.turn.as_ref().is_some_and(|turn| turn.handed);
            let spoken = handed && caller.session.queue.iter().any(words);
            (wait.heeds_people && spoken).then_some(End::Words)
        };
        let waits = self.waits.iter().enumerate();
        waits.filter_map(|(index, wait)| over(wait).map(|end| (index, end))).collect()
    }

    pub(super) fn end_wait(&mut self, index: usize, end: End) -> Check {
        if end == End::Words {
            let wait = &mut self.waits[index];
            wait.fetching = true;
            self.owners[wait.caller].mailbox.push_back(Input::Words(wait.watch));
            return Ok(());
        }
        let wait = self.waits.remove(index);
        self.harnesses[wait.caller].as_mut().into_iter().for_each(Harness::resume);
        self.after_wait(wait, end)
    }

    /// Ends the wait for a message that was refused.
    pub(super) fn refuse_wait(&mut self, watch: WatchId) -> Check {
        match self.waits.iter().position(|wait| wait.watch == watch) {
            Some(index) => self.end_wait(index, End::Otherwise),
            None => Ok(()),
        }
    }

    /// Hands a caller what a person wrote to it, which ends the wait. Without any it waits on.
    pub(super) fn hand_words(&mut self, caller: usize, watch: WatchId, words: Option<&Pending>) -> Check {
        let Some(index) = self.waits.iter().position(|wait| wait.watch == watch) else { return Ok(()) };
        let Some(words) = words else {
            self.waits[index].fetching = false;
            return Ok(());
        };
        self.ledger.messages.send(words.id, words.repeat)?;
        self.ledger.messages.take(words.id);
        self.owners[caller].mailbox.push_back(Input::Took(words.id));
        self.end_wait(index, End::Otherwise)
    }

    /// Ends a harness, and the calls it was in.
    pub(super) fn lose_harness(&mut self, index: usize) -> Check {
        self.harnesses[index] = None;
        let (lost, kept) = self.waits.iter().partition(|wait| wait.caller == index);
        self.waits = kept;
        lost.into_iter().try_for_each(|wait: Wait| self.after_wait(wait, End::Otherwise))
    }

    fn after_wait(&mut self, wait: Wait, end: End) -> Check {
        let target = &mut self.owners[wait.target];
        match end {
            End::Answered => {
                if self.fault != Some(Fault::AnswerAndTell) {
                    target.answered.insert(wait.watch);
                }
                target.mailbox.push_back(Input::Disarm(wait.watch));
                self.ledger.answer(wait.watch)
            }
            End::Otherwise | End::Words => {
                // There may be news already, which nobody told because of the wait.
                target.mailbox.push_back(Input::Continue);
                self.ledger.news.stop_waiting(wait.watch)
            }
        }
    }

    /// Lets time run out for a call, or lets the agent die in it.
    pub(super) fn misfortune(&mut self) -> Check {
        if self.waits.is_empty() {
            self.definitions.edit(&mut self.random);
            self.definitions.switch(&mut self.random);
            return Ok(());
        }
        let index = self.random.below(self.waits.len());
        let caller = self.waits[index].caller;
        if self.random.percent(60) && !self.waits[index].fetching {
            return self.end_wait(index, End::Otherwise);
        }
        match self.harnesses[caller].as_ref().and_then(Harness::fail) {
            Some(act) => self.act(caller, act),
            None => Ok(()),
        }
    }

    /// Returns the owners that are next to close, for each session that is being closed.
    pub(super) fn closings_due(&mut self) -> Vec<usize> {
        let mut due = Vec::new();
        for root in self.closing.clone() {
            let below = self.below(root);
            let is_open = self.log.session(root).is_some_and(|session| session.is_open());
            let next = match below.first() {
                Some(leaf) if self.fault != Some(Fault::CloseRootFirst) || !is_open => *leaf,
                _ if is_open => root,
                _ => {
                    self.closing.remove(&root);
                    continue;
                }
            };
            let index = self.position(next).expect("sessions are never deleted here");
            if !self.owners[index].mailbox.iter().any(|input| matches!(input, Input::Close)) {
                due.push(index);
            }
        }
        due
    }

    /// Says whether an owner is about to close its session while there is somebody below: a person may have reopened
    /// one meanwhile.
    pub(super) fn has_left_somebody_behind(&self, index: usize) -> bool {
        let owner = &self.owners[index];
        debug_assert!(!matches!(owner.stage, Stage::Appended(_)));
        matches!(owner.mailbox.front(), Some(Input::Close))
            && !matches!(self.fault, Some(Fault::CloseRootFirst | Fault::SpawnWhileClosing))
            && !self.below(owner.session.id).is_empty()
    }

    /// Returns the open sessions that descend from one, leaf first.
    pub(super) fn below(&self, id: SessionId) -> Vec<SessionId> {
        let pairs = self.log.open().filter_map(|(child, parent)| Some((child, parent?)));
        family::descendants_leaf_first(id, pairs)
    }
}
