//! How events change a session.

use std::collections::BTreeMap;

use super::attention::{is_news, is_news_when_held};
use super::{
    Accepted, Ask, Attention, Checked, Class, Condition, Created, Due, Ended, Event, Exit, HeldReason,
    History, Hold, Naming, On, Outcome, Pending, Profile, Receipt, Retry, Session, Settled, Source, Stage,
    Status, Turn, Uprooted, Verb,
};
use crate::id::{DeliveryId, TurnId};
use crate::item::Decision;
use crate::limits::{HANDING_ATTEMPTS, RECENT_DELIVERIES};
use crate::time::Timestamp;

impl Session {
    /// Begins a session.
    pub fn create(created: Created, at: Timestamp) -> Self {
        Self {
            id: created.session,
            profile: Profile {
                provider: created.provider,
                model: created.model,
                effort: created.effort,
                permissions: created.permissions,
                chosen_mode: None,
                parent: created.parent,
                definition: created.definition,
                of_project: created.of_project,
                tools: created.tools,
                ceiling: created.ceiling,
                project: created.project,
                directory: created.directory,
                worktree: created.worktree.map(Box::new),
                seat: created.seat.map(Box::new),
                team: created.team.map(Box::new),
                guarded: created.guarded,
                terminal: created.terminal,
                reports_to: created.reports_to,
                uprooted: None,
                created_by: created.by,
                created_at: at,
            },
            labels: created.labels,
            naming: Naming { name: created.name, title: None, titled: false },
            condition: Condition::new(Status::Idle, Source::Daemon, at),
            hold: Hold::None,
            turn: None,
            options: None,
            check: None,
            queue: Vec::new(),
            recent: Vec::new(),
            history: History::default(),
            watches: Vec::new(),
            todo: None,
            pinned_at: None,
            attributes: BTreeMap::new(),
            entered: None,
            attention: Attention::default(),
            updated_at: at,
        }
    }

    /// Takes an event in. `Created` and `Deleted` begin and end a session: see [`crate::fold`].
    pub fn apply(&mut self, event: &Event, at: Timestamp) {
        // Lists are ordered by what sessions do, not by who looks at them.
        if !matches!(event, Event::Looked { .. } | Event::Archived { .. } | Event::Awaited { .. }) {
            self.updated_at = at;
        }
        match event {
            Event::Created(_) | Event::Deleted {} => {}
            Event::Renamed { name } => self.naming.name.clone_from(name),
            Event::Configured(options) => self.configured(options),
            Event::Titled { title } => {
                self.naming.title = Some(title.clone());
                self.naming.titled = true;
            }
            Event::Labelled { set, unset } => {
                unset.iter().for_each(|key| self.labels.unset(key));
                for (key, value) in set.iter() {
                    self.labels.set(crate::label::Label { key: key.to_owned(), value: value.to_owned() });
                }
            }
            Event::Referenced { reference } => self.history.reference.clone_from(reference),
            Event::Branched { branch } => {
                if let Some(worktree) = &mut self.profile.worktree {
                    worktree.branch.clone_from(branch);
                }
            }
            Event::Unparked {} => {
                self.condition.until = None;
                if self.hold == Hold::Error {
                    let waits = |pending: &Pending| pending.held == Some(HeldReason::Budget);
                    self.hold = if self.queue.iter().any(waits) { Hold::Budget } else { Hold::None };
                }
            }
            Event::Uprooted { kept } => self.profile.uprooted = Some(Uprooted { kept: kept.clone() }),
            Event::Pinned { pinned, rank } => self.pinned_at = pinned.then_some(rank.unwrap_or(at)),
            Event::Attributed { set } => {
                for (name, value) in set {
                    if value.is_null() {
                        self.attributes.remove(name);
                    } else {
                        self.attributes.insert(name.clone(), value.clone());
                    }
                }
            }
            Event::Entered { from, by } => self.visited(*from, by, at),
            Event::Looked { news } => self.looked_at(*news),
            Event::Archived { news } => self.archived_at(*news),
            Event::Awaited { awaited } => self.attention.awaited = *awaited,
            Event::Prompted { prompt } => self.history.prompt = Some(prompt.clone()),
            Event::Planned { todo } => self.todo = todo.clone().map(Box::new),
            Event::Boarded { token, guarded } => {
                self.history.token = Some(token.clone());
                self.history.guarded = *guarded;
                self.history.exit = None;
            }
            Event::Exited { code, signal } => {
                self.history.token = None;
                self.history.exit = Some(Exit { code: *code, signal: *signal, at });
            }
            Event::TerminalTaken { by } => self.history.keyboard = Some(Box::new(by.clone())),
            Event::TerminalReleased { .. } => self.history.keyboard = None,
            Event::ShellOpened { by } => self.history.shells.push(by.clone()),
            Event::ShellClosed { by, .. } => self.history.shells.retain(|other| other != by),
            Event::Held { hold } => self.hold = *hold,
            Event::Released {} => self.release(),
            Event::Closed { source } => self.enter(Status::Closed, *source, at),
            Event::Reopened {} => self.enter(Status::Idle, Source::Person, at),
            Event::Promoted { watches, .. } => self.promoted(watches),
            Event::Cleared {} => {
                self.history.reference = None;
                self.history.turns = 0;
                self.todo = None;
                self.history.prompt = None;
                self.naming.titled = false;
                if self.is_open() {
                    self.enter(Status::Idle, Source::Person, at);
                }
            }
            Event::Accepted(accepted) => self.accepted(accepted, at),
            Event::DeliveriesHeld { deliveries, reason } => {
                for pending in self.queue.iter_mut().filter(|pending| deliveries.contains(&pending.id)) {
                    pending.held = Some(*reason);
                }
                if is_news_when_held(*reason) {
                    self.happened(at);
                }
            }
            Event::Handing { delivery, .. } => {
                if let Some(turn) = &mut self.turn
                    && let Some(mut pending) = take(&mut self.queue, *delivery)
                {
                    pending.attempts = pending.attempts.saturating_add(1);
                    turn.steering.push(pending);
                }
            }
            Event::Handed { delivery } => {
                if let Some(turn) = &mut self.turn
                    && let Some(pending) = take(&mut turn.steering, *delivery)
                {
                    turn.deliveries.push(pending);
                }
            }
            Event::Returned { delivery, repeat } => self.returned(*delivery, *repeat),
            Event::Cancelled { delivery } => {
                if take(&mut self.queue, *delivery).is_some() {
                    self.settle(*delivery, Receipt::Cancelled, None, None);
                }
            }
            Event::Edited { delivery, text } => self.edited(*delivery, text),
            Event::Moved { delivery, before } => self.moved(*delivery, *before),
            Event::DeliveriesReleased { deliveries, cause } => self.deliveries_released(deliveries, *cause),
            Event::TurnOpened { turn, cause, hop, deliveries } => {
                let mut taken: Vec<Pending> =
                    deliveries.iter().filter_map(|id| take(&mut self.queue, *id)).collect();
                taken.iter_mut().for_each(|pending| pending.attempts = pending.attempts.saturating_add(1));
                self.turn = Some(Box::new(Turn {
                    id: *turn,
                    cause: *cause,
                    hop: *hop,
                    deliveries: taken,
                    handed: false,
                    steering: Vec::new(),
                    returned: Vec::new(),
                    asks: Vec::new(),
                    opened_at: at,
                    retry: None,
                }));
                self.history.cause = Some((*cause, *hop));
                self.attention.archived = None;
                self.enter(Status::Starting, Source::Daemon, at);
            }
            Event::TurnHanded { turn: handed } => {
                if let Some(turn) = self.turn.as_mut().filter(|turn| turn.id == *handed) {
                    turn.handed = true;
                    // Nothing runs in a worktree that is not there: someone brought it back.
                    self.profile.uprooted = None;
                    self.enter(Status::Running, Source::Protocol, at);
                }
            }
            Event::TurnRetried { turn: retried, attempt, of } => {
                if let Some(turn) = self.turn.as_mut().filter(|turn| turn.id == *retried) {
                    turn.retry = Some(Retry { attempt: *attempt, of: *of, since: at });
                }
            }
            Event::TurnEnded { turn, outcome, source, code, until } => {
                let returned = self.ended(*turn, *outcome, *source, at);
                self.condition.code.clone_from(code);
                self.condition.until = *until;
                // Their senders would wait in vain. Until a limit ends they are retried automatically.
                if *outcome == Outcome::Failed && until.is_none() {
                    returned.iter().for_each(|id| self.watched(*id, Receipt::Failed, Some(*turn)));
                }
                let (turn, outcome, source) = (*turn, *outcome, *source);
                self.history.ended = Some(Box::new(Ended { turn, outcome, source, returned }));
            }
            Event::AnswerChecked { turn, verdict, violations, .. } => {
                self.answer_checked(*turn, *verdict, violations.clone(), at);
            }
            Event::AnswerAbandoned { reason, .. } => self.answer_abandoned(*reason, at),
            Event::Asked { hash, text, tool, shape, question, destructive } => {
                if let Some(turn) = &mut self.turn {
                    turn.asks.push(Ask {
                        hash: hash.clone(),
                        text: text.clone(),
                        tool: tool.clone(),
                        shape: shape.clone(),
                        question: *question,
                        destructive: *destructive,
                        asked_at: at,
                    });
                    self.enter(Status::Waiting, Source::Protocol, at);
                    self.happened(at);
                }
            }
            Event::Decided { hash, decision } => {
                if *decision != Decision::Withdrawn {
                    self.attended();
                }
                if let Some(turn) = &mut self.turn {
                    let before = turn.asks.len();
                    turn.asks.retain(|ask| ask.hash != *hash);
                    if before > 0 && turn.asks.is_empty() {
                        self.enter(Status::Running, Source::Person, at);
                    }
                }
            }
            Event::UsageAdded { usage, .. } => self.spend(*usage, at),
            Event::WatchArmed(watch) => {
                let mut watch = watch.clone();
                // It may have been over before the question.
                if let On::Delivery(delivery) = watch.on
                    && let Some(settled) = self.recent.iter().rev().find(|settled| settled.id == delivery)
                {
                    watch.due = Some(Due { receipt: settled.receipt, turn: settled.turn });
                }
                self.watches.push(watch);
            }
            Event::WatchEnded { watch } => self.watches.retain(|known| known.id != *watch),
            Event::WatchesGathered { watches } => {
                for watch in self.watches.iter_mut().filter(|known| watches.contains(&known.id)) {
                    watch.notice = watches.first().copied();
                }
            }
        }
    }

    fn accepted(&mut self, accepted: &Accepted, at: Timestamp) {
        let pending = Pending {
            id: accepted.delivery,
            origin: accepted.origin.clone(),
            verb: accepted.verb,
            cause: accepted.cause,
            hop: accepted.hop,
            text: accepted.text.clone(),
            class: accepted.class,
            waited: accepted.waited,
            attempts: 0,
            repeat: false,
            tried: Vec::new(),
            held: None,
            attachments: accepted.attachments.clone(),
            schema: accepted.schema.clone().map(Box::new),
            corrects: accepted.corrects,
            accepted_at: at,
        };
        if let Some(check) = self.check.as_mut().filter(|check| accepted.corrects == Some(check.delivery)) {
            check.stage = Stage::Correcting(accepted.delivery);
        }
        if accepted.origin.is_human() && accepted.class == Class::Message {
            self.naming.titled = false;
            self.attended();
            if !accepted.aside {
                self.history.spoken = Some((accepted.origin.clone(), at));
            }
        }
        match accepted.verb {
            Verb::Queue => self.queue.push(pending),
            Verb::Steer => {
                // Behind those that steer or interrupt already: what returned may stand before them.
                let jumper = self.queue.iter().rposition(|pending| pending.verb != Verb::Queue);
                self.queue.insert(jumper.map_or(0, |position| position + 1), pending);
            }
            Verb::Interrupt => self.queue.insert(0, pending),
        }
    }

    /// What was held for budget is carried by the person who releases it: no other cause can pay.
    fn release(&mut self) {
        self.hold = Hold::None;
        self.condition.until = None;
        let released_by = self
            .queue
            .iter()
            .filter(|pending| pending.origin.is_human() && pending.class != Class::Passive)
            .max_by_key(|pending| pending.accepted_at)
            .map(|pending| pending.cause);
        for pending in &mut self.queue {
            if let (Some(HeldReason::Budget), Some(cause)) = (pending.held, released_by) {
                pending.cause = cause;
            }
            pending.held = None;
            pending.attempts = 0;
        }
    }

    fn returned(&mut self, delivery: DeliveryId, repeat: bool) {
        let Some(turn) = &mut self.turn else { return };
        let found = take(&mut turn.deliveries, delivery).or_else(|| take(&mut turn.steering, delivery));
        if let Some(mut pending) = found {
            turn.returned.push(delivery);
            pending.repeat |= repeat;
            if repeat {
                pending.tried.push(turn.id);
                let forgotten = pending.tried.len().saturating_sub(usize::from(HANDING_ATTEMPTS));
                pending.tried.drain(..forgotten);
            } else {
                // The harness said that it took nothing: that was no attempt.
                pending.attempts = pending.attempts.saturating_sub(1);
            }
            pending.held = match self.hold {
                Hold::Stopped => Some(HeldReason::Stopped),
                Hold::Paused => Some(HeldReason::Paused),
                _ if pending.attempts >= HANDING_ATTEMPTS => Some(HeldReason::Attempts),
                Hold::None | Hold::Error | Hold::Budget => None,
            };
            // Who interrupts stays first, and of those the newest.
            let interrupted = pending.verb == Verb::Interrupt;
            let stays_first = |other: &&Pending| {
                other.verb == Verb::Interrupt && (!interrupted || other.accepted_at >= turn.opened_at)
            };
            let head = self.queue.iter().take_while(stays_first).count();
            self.queue.insert(head, pending);
        }
    }

    /// Ends the turn, and returns the messages that it gave back.
    fn ended(&mut self, turn: TurnId, outcome: Outcome, source: Source, at: Timestamp) -> Vec<DeliveryId> {
        let receipt = match outcome {
            Outcome::Completed => Receipt::Answered,
            Outcome::Failed => Receipt::Failed,
            Outcome::Interrupted => Receipt::Interrupted,
        };
        let mut returned = Vec::new();
        if let Some(ended) = self.turn.take() {
            for pending in &ended.deliveries {
                let is_checked = outcome == Outcome::Completed && self.answered(pending, turn);
                if !is_checked {
                    self.settle(pending.id, receipt, Some(turn), None);
                }
            }
            returned = ended.returned;
        }
        self.take_options();
        self.history.turns += 1;
        let status = match (outcome, source) {
            // It goes on with the check, or with the correction that came back.
            (Outcome::Completed, _) | (Outcome::Interrupted, Source::Restart) if self.check.is_some() => {
                Status::Running
            }
            (Outcome::Completed, _) | (Outcome::Interrupted, Source::Person) => Status::Idle,
            (Outcome::Interrupted, _) => Status::Interrupted,
            (Outcome::Failed, _) => Status::Error,
        };
        // A budget hold sits on the messages it concerns and outlives this.
        if outcome == Outcome::Failed && matches!(self.hold, Hold::None | Hold::Budget) {
            self.hold = Hold::Error;
        }
        self.enter(status, source, at);
        returned
    }

    pub(super) fn settle(
        &mut self,
        id: DeliveryId,
        receipt: Receipt,
        turn: Option<TurnId>,
        checked: Option<Checked>,
    ) {
        self.watched(id, receipt, turn);
        if self.recent.len() >= RECENT_DELIVERIES {
            self.recent.remove(0);
        }
        let checked = checked.map(Box::new);
        self.recent.push(Settled { id, receipt, turn, checked });
    }

    pub(super) fn enter(&mut self, status: Status, source: Source, since: Timestamp) {
        if is_news(self.condition.status, status, source) {
            self.happened(since);
        }
        self.condition = Condition::new(status, source, since);
    }
}

impl Condition {
    fn new(status: Status, source: Source, since: Timestamp) -> Self {
        Self { status, source, since, code: None, until: None }
    }
}

fn take(from: &mut Vec<Pending>, id: DeliveryId) -> Option<Pending> {
    let position = from.iter().position(|pending| pending.id == id)?;
    Some(from.remove(position))
}
