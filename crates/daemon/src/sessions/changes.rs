//! How an actor changes its session: draft, append, take in; again when someone else was faster.

use std::collections::BTreeMap;

use paseo_core::actor::Actor;
use paseo_core::cause::{self, Exhausted};
use paseo_core::id::CauseId;
use paseo_core::item::{self, Kind, Place};
use paseo_core::session::{self, Draft, Event, Opening};
use paseo_core::time::Timestamp;
use paseo_store::{Appended, Error, Fence, IdempotencyKey, Version};
use paseo_wire::error::Code;

use super::actor::SessionActor;
use super::answers::note_abandoned;
use crate::directory::Closing;
use crate::failure::Failure;
use crate::journal::Entries;
use crate::mint;
use crate::previews::Next;

/// A change in the making.
pub(super) struct Change {
    pub(super) draft: Draft,
    pub(super) entries: Entries,
}

/// What came of storing a change.
pub(super) enum Stored {
    Done,
    /// The request was made before: this is its receipt.
    Repeat(String),
    /// The session was changed elsewhere: it is read again, decide again.
    Conflict,
}

/// What a change does to causes: each cause, where it stood, and what happens to it.
#[derive(Default)]
pub(super) struct Spent(BTreeMap<CauseId, (Version, Vec<cause::Event>)>);

impl Spent {
    /// Spends from one cause, as it stood at a version.
    pub(super) fn of(cause: Option<CauseId>, version: Version, event: cause::Event) -> Self {
        Self(cause.map(|cause| (cause, (version, vec![event]))).into_iter().collect())
    }

    /// Opens a cause; whatever is spent from it comes after.
    pub(super) fn open(&mut self, cause: CauseId, opened: cause::Event) {
        self.open_at(cause, 0, opened);
    }

    /// The same where something happened already: what a person does in a thread may be for several agents.
    pub(super) fn open_at(&mut self, cause: CauseId, version: Version, opened: cause::Event) {
        self.0.entry(cause).or_insert((version, Vec::new())).1.insert(0, opened);
    }
}

impl SessionActor {
    /// Changes the session by a rule, and starts the next turn if the rule makes one possible.
    pub(super) async fn change<T>(
        &mut self,
        by: &Actor,
        mut rule: impl FnMut(&mut Change) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        loop {
            let mut change = self.begin(by);
            let value = rule(&mut change)?;
            let spent = self.open_next(&mut change).await?;
            match self.store(change, spent, None).await? {
                Stored::Done | Stored::Repeat(_) => return Ok(value),
                Stored::Conflict => {}
            }
        }
    }

    /// Starts the next turn if something waits that may start one.
    pub(super) async fn advance(&mut self, by: &Actor) -> Result<(), Failure> {
        self.change(by, |_| Ok(())).await
    }

    /// Begins a change.
    pub(super) fn begin(&self, by: &Actor) -> Change {
        Change { draft: Draft::new(self.session.clone(), mint::now()), entries: Entries::by(by) }
    }

    /// Drafts the next turn, paying for it when no person asked.
    pub(super) async fn open_next(&mut self, change: &mut Change) -> Result<Spent, Failure> {
        while let Some(plan) = session::next(&change.draft.session) {
            let cause = plan.cause;
            let (state, version) = if plan.charge.is_some() {
                self.context.journal.cause(cause).await?
            } else {
                Default::default()
            };
            match session::open(&mut change.draft, plan, &state, mint::turn()) {
                Opening::Opened(spent) => {
                    return Ok(
                        spent.map_or_else(Spent::default, |event| Spent::of(Some(cause), version, event))
                    );
                }
                Opening::Held(exhausted) => note_held(change, exhausted),
                // Said when it is stored.
                Opening::Abandoned(_) => {}
            }
        }
        Ok(Spent::default())
    }

    /// Appends a change and takes it in.
    pub(super) async fn store(
        &mut self,
        change: Change,
        spent: Spent,
        key: Option<IdempotencyKey>,
    ) -> Result<Stored, Failure> {
        let Change { mut draft, mut entries } = change;
        note_abandoned(&mut entries, &draft);
        // In the batch that makes the outcome known: no crash comes in between.
        session::gather(&mut draft, |watch| self.context.waits.is_waited(watch));
        let mut entries = entries.session(self.session.id, self.version, &draft.events);
        for (cause, (version, events)) in spent.0 {
            entries = entries.stream(cause::stream(cause), version, &events);
        }
        if entries.is_empty() {
            return Ok(Stored::Done);
        }
        let fence = Fence { stream: session::stream(self.session.id), epoch: self.session.history.epoch };
        let batch = entries
            .with(|batch| {
                batch.key = key;
                batch.fence = Some(fence);
            })
            .into_batch();
        let preview = match draft.events.iter().any(|event| matches!(event, Event::Cleared {})) {
            true => Next::empty(),
            false => self.context.previews.after(self.session.id, &batch),
        };
        let changing = self.context.directory.change(self.context.journal.head());
        match self.context.journal.log.append(batch).await {
            Ok(Appended::New { seq, ts, .. }) => {
                self.reached = seq;
                let (at, was_open) = (Timestamp::from_millis(ts), self.session.is_open());
                draft.events.iter().for_each(|event| self.session.apply(event, at));
                self.version += draft.events.len() as Version;
                match self.session.is_open() {
                    true => self.context.previews.put(self.session.id, seq, preview),
                    false => self.context.previews.forget(self.session.id),
                }
                self.context.directory.put(self.session.clone(), self.version);
                drop(changing);
                match (was_open, self.session.is_open()) {
                    (true, false) => self.context.directory.count_closed(&self.session, Closing::Closed),
                    (false, true) => self.context.directory.count_closed(&self.session, Closing::Gone),
                    (true, true) | (false, false) => {}
                }
                self.hand_over().await;
                self.send_notices();
                self.look_for_check();
                Ok(Stored::Done)
            }
            Ok(Appended::Repeat { receipt }) => Ok(Stored::Repeat(receipt)),
            Err(Error::Conflict { .. }) => {
                self.reload().await?;
                Ok(Stored::Conflict)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn reload(&mut self) -> Result<(), Failure> {
        let gone = || Failure::new(Code::NotFound, "the agent was deleted");
        let (session, version) = self.context.journal.session(self.session.id).await?.ok_or_else(gone)?;
        self.context.directory.put(session.clone(), version);
        (self.session, self.version) = (session, version);
        Ok(())
    }
}

/// Says in the transcript that messages of agents are held.
pub(super) fn note_held(change: &mut Change, exhausted: Exhausted) {
    let session = &change.draft.session;
    let held = session.queue.iter().filter(|pending| pending.held.is_some()).count();
    let (code, why) = match exhausted {
        Exhausted::Session | Exhausted::Cause => {
            ("held_for_budget", "the agents' wake budget for this request is used up")
        }
        Exhausted::Stopped => {
            ("cause_stopped", "a person stopped this request and everything that descends from it")
        }
    };
    let text = format!(
        "HELD: {held} message(s) from other agents, because {why}. Send this agent a message to release them."
    );
    let notice = item::Draft::text(Kind::Notice { code: code.to_owned() }, text);
    let place = Place::default();
    change.entries.item(session.id, mint::item(), place, notice);
}
