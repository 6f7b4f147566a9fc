//! What the session file says that the harness was told: a delivery of ours, or the words of a person at the terminal.

use std::time::Duration;

use paseo_core::id::{DeliveryId, ItemId, TurnId};
use paseo_core::item::{Draft, Kind};
use tokio::time::Instant;

use super::bookmark::Place;
use super::driver::Driver;
use super::expected::Purpose;
use super::record::Span;
use super::typing::Typing;
use crate::fresh::{item_id, now};
use crate::provider::Output;

/// How long it is waited for the turn of a message that was typed: one that came too late for its own, or one that an earlier
/// driver typed.
pub(super) const CLAIM: Duration = Duration::from_secs(5);

impl Driver {
    /// Takes in what the harness recorded as said to it. False when its turn is not known yet, and it has to wait.
    pub(super) async fn said(&mut self, text: &str, line: Span) -> bool {
        let id = self.record.id(line);
        if self.known.contains(&id) {
            // It is in the transcript already: an earlier daemon took it in.
            self.work.expected.claim(text, line.begin);
            return true;
        }
        if self.awaits_turn(text, line) {
            return false;
        }
        let purposes = self.work.expected.claim(text, line.begin);
        let whole = self.finish_typing(&purposes, text).await;
        if purposes.is_empty() {
            self.said_by_person(text.to_owned(), id, line).await;
        }
        let mut item = Some(id);
        for purpose in purposes {
            match purpose {
                Purpose::Turn(turn) => self.taken(turn, line).await,
                Purpose::Steer(delivery) => self.steered(delivery, item.take(), line).await,
                Purpose::CalledOff(_) => self.taken_all_the_same(line).await,
            }
        }
        if let Some((whole, id)) = whole.zip(item_id().ok()) {
            let kind = Kind::Notice { code: "submitted_with_more".to_owned() };
            let text =
                format!("A person had typed something on the line, and it was submitted as well: {whole}");
            self.tell(Output::Item { id, step: 0, parent: None, draft: Draft::text(kind, text) }).await;
        }
        true
    }

    /// Says whether a message was steered into a turn that ended before the harness took it: the daemon gives it to another
    /// turn, and says to which.
    fn awaits_turn(&mut self, text: &str, line: Span) -> bool {
        let purposes = self.work.expected.find(text, line.begin);
        let is_late = self.turn.is_none()
            && !purposes.is_empty()
            && purposes.iter().all(|purpose| matches!(purpose, Purpose::Steer(_)));
        let until = *self.work.unclaimed.get_or_insert_with(|| Instant::now() + CLAIM);
        let waits = is_late && !self.work.last_look && Instant::now() < until;
        if !waits {
            self.work.unclaimed = None;
        }
        waits
    }

    /// Types no more of what was taken. Returns all that was submitted, when that was more than ours.
    async fn finish_typing(&mut self, purposes: &[Purpose], said: &str) -> Option<String> {
        let is_it = |typing: &mut Typing| {
            !typing.is_waiting() && purposes.contains(&typing.purpose) && typing.is_in(said)
        };
        let mut typing = self.work.typing.take_if(is_it)?;
        self.give_back(typing.take_theirs()).await;
        if typing.is_stalled() {
            self.answered().await;
        }
        typing.is_less_than(said).then(|| said.to_owned())
    }

    /// The harness took a turn.
    async fn taken(&mut self, turn: TurnId, line: Span) {
        match (self.turn == Some(turn), self.begun == Some(turn)) {
            // More of it: it was typed in two pieces.
            (true, _) => self.mark(self.place).await,
            (false, true) => self.taken_by_itself(line).await,
            (false, false) => {
                (self.turn, self.begun) = (Some(turn), Some(turn));
                self.mark(Place::begun(line.end, turn)).await;
                self.tell(Output::Handed { turn }).await;
            }
        }
    }

    async fn steered(&mut self, delivery: DeliveryId, item: Option<ItemId>, line: Span) {
        if self.turn.is_none() {
            return self.taken_by_itself(line).await;
        }
        self.known.extend(item);
        self.tell(Output::Steered { delivery, item }).await;
        self.mark(self.place).await;
    }

    /// The harness took something of ours whose turn is over: what comes of it is a turn of its own, and not a person's.
    async fn taken_by_itself(&mut self, line: Span) {
        if self.turn.is_some() {
            return self.mark(self.place).await;
        }
        let turn = self.ids.turn(now());
        self.turn = Some(turn);
        self.mark(Place::begun(line.end, turn)).await;
        self.tell(Output::TurnBegan { turn }).await;
    }

    /// A message was taken after its turn was interrupted: what it leads to ends, too.
    async fn taken_all_the_same(&mut self, line: Span) {
        match self.turn {
            Some(turn) => {
                self.mark(Place::begun(line.end, turn)).await;
                self.tell(Output::Handed { turn }).await;
            }
            None => {
                let key = self.resident.interrupt();
                self.desk.note(self.desk.tmux.press(&self.desk.name, &[key]).await);
            }
        }
    }

    async fn said_by_person(&mut self, text: String, id: ItemId, line: Span) {
        let turn = self.turn.unwrap_or_else(|| self.ids.turn(now()));
        if self.turn.is_none() {
            self.turn = Some(turn);
            // Before it: a daemon that never heard of it reads it again.
            self.mark(Place::begun(line.begin, turn)).await;
        }
        self.known.insert(id);
        self.tell(Output::Typed { turn, item: id, text }).await;
    }
}
