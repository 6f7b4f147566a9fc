//! Following one message to its outcome.

use std::collections::VecDeque;

use paseo_core::answer::document;
use paseo_wire::change::SessionChange;
use paseo_wire::error::Code;
use paseo_wire::id::{DeliveryId, ItemId, SessionId, TurnId};
use paseo_wire::item::{ItemBody, ItemQuery, ItemView, PermissionFields};
use paseo_wire::message::{CheckView, DeliveryView};
use paseo_wire::stream::{EventFrame, Frame, LiveFrame};
use paseo_wire::words::{CheckState, Hold, ItemKind, Stage, Status, TurnOutcome};

use crate::{Arrival, Client, Error, Events};

/// Stored items that are remembered, to know late live frames.
const REMEMBERED: usize = 32;

/// The outcome of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The turn that took it is over; its answer, when something was said.
    Completed { turn: TurnId, answer: Option<String> },
    /// The answer satisfies the message's output schema: it is this document.
    Satisfied { turn: TurnId, document: String, check: CheckView },
    /// There is no answer that satisfies the message's output schema; the last one there was.
    Unsatisfied { turn: TurnId, answer: Option<String>, check: CheckView },
    /// The turn that took it failed.
    Failed { turn: TurnId, code: String, text: String, answer: Option<String> },
    /// The turn that took it was interrupted.
    Interrupted { turn: TurnId, answer: Option<String> },
    /// It waits until a person does something.
    Held { reason: String },
    /// Its turn waits for a permission, or for the answer to a question.
    WaitingForPermission {
        turn: TurnId,
        hash: String,
        question: bool,
        headline: String,
        text: String,
        /// The terminal that it is asked in, and answered only there.
        terminal: Option<String>,
    },
    /// It was taken back, or its session is gone.
    Cancelled,
}

/// What can be seen on the way.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// A turn took the message.
    Opened { turn: TurnId },
    /// The session has this status now.
    Status(Status),
    /// The turn's transcript grew.
    Item(Box<ItemView>),
    /// An item of the turn is growing.
    Live(LiveFrame),
    /// The connection is lost and tried again.
    Lost,
}

/// One step of the way.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    Progress(Progress),
    Done(Outcome),
}

/// Follows a message. Ends with [`Step::Done`].
#[derive(Debug)]
pub struct Follow {
    client: Client,
    events: Events,
    session: SessionId,
    delivery: DeliveryId,
    turn: Option<TurnId>,
    /// The answer has to satisfy a schema: the end of the turn is not the end.
    structured: bool,
    /// The message by which the answer is to be corrected.
    correction: Option<DeliveryId>,
    /// The turn that gave the message back.
    left: Option<TurnId>,
    status: Option<Status>,
    /// The newest stored items: a late live frame of one of them is old news.
    stored: VecDeque<ItemId>,
}

impl Client {
    /// Follows a message of a session (its id) from the point in the log that its receipt names.
    pub fn follow(&self, session: &str, delivery: &str, from: u64) -> Follow {
        Follow {
            client: self.clone(),
            events: self.events(from, &[format!("session:{session}")]),
            session: session.into(),
            delivery: delivery.into(),
            turn: None,
            structured: false,
            correction: None,
            left: None,
            status: None,
            stored: VecDeque::new(),
        }
    }
}

impl Follow {
    /// Returns the next step. Once cancelled, it may have lost one.
    pub async fn next(&mut self) -> Result<Step, Error> {
        loop {
            let frame = match self.events.arrival().await? {
                Arrival::Frame(frame) => frame,
                Arrival::Lost => return Ok(Step::Progress(Progress::Lost)),
            };
            let step = match frame {
                Frame::Event(event) if event.session == self.session => self.event(&event).await?,
                Frame::Item(frame) if frame.session == self.session => self.item(frame.item),
                Frame::Live(live) if live.session == self.session => self.live(live),
                Frame::Event(_)
                | Frame::Item(_)
                | Frame::Live(_)
                | Frame::Thread(_)
                | Frame::Team(_)
                | Frame::Cause(_)
                | Frame::Resume(_)
                | Frame::Cursor(_) => None,
            };
            if let Some(step) = step {
                return Ok(step);
            }
        }
    }

    /// Returns the point in the log up to which everything was read.
    pub fn cursor(&self) -> u64 {
        self.events.cursor()
    }

    fn live(&self, live: LiveFrame) -> Option<Step> {
        let wanted = self.turn.is_some() && !self.stored.contains(&live.item);
        wanted.then_some(Step::Progress(Progress::Live(live)))
    }

    fn item(&mut self, item: ItemView) -> Option<Step> {
        if self.stored.len() == REMEMBERED {
            self.stored.pop_front();
        }
        self.stored.push_back(item.id.clone());
        if self.turn.is_none() || item.turn != self.turn {
            return None;
        }
        Some(Step::Progress(Progress::Item(Box::new(item))))
    }

    async fn event(&mut self, event: &EventFrame) -> Result<Option<Step>, Error> {
        let ours = self.concerns_us(&event.change);
        match &event.change {
            SessionChange::MessageAccepted { structured, .. } if ours => self.structured = *structured,
            SessionChange::MessageAccepted { delivery, corrects, .. }
                if corrects.as_ref() == Some(&self.delivery) =>
            {
                self.correction = Some(delivery.clone());
            }
            SessionChange::AnswerChecked { .. } | SessionChange::AnswerAbandoned { .. } if ours => {
                return self.checked().await;
            }
            SessionChange::TurnStarted { turn, .. } | SessionChange::MessageHanding { turn, .. } if ours => {
                return Ok(Some(self.take_up(turn)));
            }
            // The outcome of the answer and its corrections follows with the verdict.
            SessionChange::TurnEnded { turn, outcome: TurnOutcome::Completed, .. }
                if self.structured && self.turn.as_ref() == Some(turn) => {}
            SessionChange::TurnEnded { .. }
            | SessionChange::MessageHeld { .. }
            | SessionChange::MessageCancelled { .. }
            | SessionChange::MessageReturned { .. }
                if self.correction.is_some() => {}
            // The turn has not begun with it; its outcome still concerns the caller.
            SessionChange::MessageReturned { .. } if ours => self.left = self.turn.take(),
            SessionChange::MessageHeld { reason, .. } if ours => return self.hold(reason.to_string()).await,
            SessionChange::MessageCancelled { .. } if ours => {
                return Ok(Some(Step::Done(Outcome::Cancelled)));
            }
            SessionChange::Deleted {} => return Ok(Some(Step::Done(Outcome::Cancelled))),
            SessionChange::TurnEnded { turn, outcome, code, .. } if self.turn.as_ref() == Some(turn) => {
                return self.ended(outcome, code.as_deref()).await.map(|outcome| Some(Step::Done(outcome)));
            }
            SessionChange::TurnEnded { turn, outcome: outcome @ TurnOutcome::Failed, code, .. }
                if self.left.as_ref() == Some(turn) =>
            {
                self.turn = self.left.take();
                return self.ended(outcome, code.as_deref()).await.map(|outcome| Some(Step::Done(outcome)));
            }
            // The end of another's turn may leave our message waiting for a person.
            SessionChange::TurnEnded { .. }
            | SessionChange::HoldChanged { .. }
            | SessionChange::Closed {}
                if self.turn.is_none() =>
            {
                return self.stuck(&event.change).await;
            }
            SessionChange::PermissionRequested { hash, question, .. } => {
                if let Some(outcome) = self.asked(event, hash, *question).await? {
                    return Ok(Some(Step::Done(outcome)));
                }
            }
            _ => {}
        }
        Ok(self.status_change(event))
    }

    fn take_up(&mut self, turn: &str) -> Step {
        self.turn = Some(turn.into());
        Step::Progress(Progress::Opened { turn: turn.into() })
    }

    fn status_change(&mut self, event: &EventFrame) -> Option<Step> {
        let status = event.view.as_ref().map(|view| view.status.clone())?;
        if self.status.as_ref() == Some(&status) {
            return None;
        }
        self.status = Some(status.clone());
        Some(Step::Progress(Progress::Status(status)))
    }

    /// A message that is held may have been released since: the past is not the present.
    async fn hold(&mut self, reason: String) -> Result<Option<Step>, Error> {
        let held = self.delivery().await?.is_none_or(|view| view.stage == Stage::Held);
        Ok(held.then_some(Step::Done(Outcome::Held { reason })))
    }

    /// Ends the wait when the message is still queued and nothing will move it without a person. When an earlier message's
    /// turn failed, that failure is the outcome: it is what keeps this message from starting.
    async fn stuck(&mut self, change: &SessionChange) -> Result<Option<Step>, Error> {
        let Some(view) = self.delivery().await? else { return Ok(None) };
        let outcome = match (view.stage, change) {
            (Stage::Held, _) => {
                Outcome::Held { reason: view.reason.map_or_else(|| "held".to_owned(), |why| why.to_string()) }
            }
            (Stage::Queued, SessionChange::TurnEnded { turn, outcome: TurnOutcome::Failed, code, .. }) => {
                self.failed(turn, code.as_deref()).await?
            }
            (Stage::Queued, SessionChange::Closed {}) => Outcome::Held { reason: "closed".to_owned() },
            (Stage::Queued, SessionChange::HoldChanged { hold })
                if !matches!(hold, Hold::None | Hold::Budget) =>
            {
                Outcome::Held { reason: hold.to_string() }
            }
            _ => return Ok(None),
        };
        Ok(Some(Step::Done(outcome)))
    }

    /// Returns the failure of a turn that did not take the message. What it said before is no answer to the message.
    async fn failed(&self, turn: &str, code: Option<&str>) -> Result<Outcome, Error> {
        let failure = self.client.insist(|| self.client.failure(&self.session, turn)).await?;
        Ok(Outcome::Failed {
            turn: turn.into(),
            code: code.unwrap_or("failed").to_owned(),
            text: failure.and_then(|item| item.text).unwrap_or_default(),
            answer: None,
        })
    }

    /// Returns the outcome of the message so far, if the daemon still knows it.
    async fn delivery(&self) -> Result<Option<DeliveryView>, Error> {
        match self.client.insist(|| self.client.delivery(&self.session, &self.delivery)).await {
            Ok(view) => Ok(Some(view)),
            Err(error) if error.code() == Some(Code::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn ended(&mut self, outcome: &TurnOutcome, code: Option<&str>) -> Result<Outcome, Error> {
        let turn = self.turn.clone().unwrap_or_default();
        let answer = self.client.insist(|| self.client.answer(&self.session, &turn)).await?;
        Ok(match outcome {
            TurnOutcome::Failed => {
                let failure = self.client.insist(|| self.client.failure(&self.session, &turn)).await?;
                let text = failure.and_then(|item| item.text).unwrap_or_default();
                Outcome::Failed { turn, code: code.unwrap_or("failed").to_owned(), text, answer }
            }
            TurnOutcome::Interrupted => Outcome::Interrupted { turn, answer },
            TurnOutcome::Completed | TurnOutcome::Other(_) => Outcome::Completed { turn, answer },
        })
    }

    /// Returns how the check of the answer ended, if it has: what an event tells may be long past.
    async fn checked(&mut self) -> Result<Option<Step>, Error> {
        let Some(DeliveryView { turn, check: Some(check), .. }) = self.delivery().await? else {
            return Ok(None);
        };
        if matches!(check.state, CheckState::Checking | CheckState::Correcting) {
            return Ok(None);
        }
        let turn = turn.or_else(|| self.turn.clone()).unwrap_or_default();
        let answer = self.client.insist(|| self.client.answer(&self.session, &turn)).await?;
        let document = answer.as_deref().filter(|_| check.valid == Some(true)).map(document);
        Ok(Some(Step::Done(match document {
            Some(Ok(document)) => Outcome::Satisfied { document: document.to_owned(), turn, check },
            _ => Outcome::Unsatisfied { turn, answer, check },
        })))
    }

    /// Returns the outcome of an ask in our turn, unless it is decided already.
    async fn asked(
        &mut self,
        event: &EventFrame,
        hash: &str,
        question: bool,
    ) -> Result<Option<Outcome>, Error> {
        let Some(turn) = self.turn.clone() else { return Ok(None) };
        let open = self.client.insist(|| self.client.open_ask(&self.session, hash)).await?;
        let Some((headline, text)) = open else { return Ok(None) };
        let terminal = event.view.as_ref().and_then(|view| view.terminal.as_ref());
        let terminal = terminal.map(|terminal| terminal.name.clone());
        let hash = hash.to_owned();
        Ok(Some(Outcome::WaitingForPermission { turn, hash, question, headline, text, terminal }))
    }

    /// Says whether a change is about our message, or about the correction of its answer.
    fn concerns_us(&self, change: &SessionChange) -> bool {
        let corrects = |correction: &DeliveryId| change.concerns(correction);
        change.concerns(&self.delivery) || self.correction.as_ref().is_some_and(corrects)
    }
}

impl Client {
    /// Returns what is asked under a hash, in words and exactly; `None` when it is decided already. The transcript knows it
    /// first: what a list shows may be a moment older.
    async fn open_ask(&self, session: &str, hash: &str) -> Result<Option<(String, String)>, Error> {
        let is_decided = |asked: &PermissionFields| asked.decision.is_some();
        if self.newest(session, |item| asked(item, hash).is_some_and(is_decided)).await?.is_some() {
            return Ok(None);
        }
        match self.newest(session, |item| asked(item, hash).is_some_and(|asked| !is_decided(asked))).await? {
            Some(item) => {
                let headline = asked(&item, hash).and_then(|asked| asked.headline.clone());
                Ok(Some((headline.unwrap_or_default(), self.full_text(session, &item).await?)))
            }
            None => Ok(Some(Default::default())),
        }
    }

    /// Returns the newest error of a session, when the transcript's newest part holds one.
    pub async fn last_error(&self, session: &str) -> Result<Option<ItemView>, Error> {
        self.newest(session, |item| item.kind() == ItemKind::Error).await
    }

    /// Returns the newest message that a session took up, when the transcript's newest part holds it.
    pub async fn last_message(&self, session: &str) -> Result<Option<ItemView>, Error> {
        self.newest(session, |item| item.kind() == ItemKind::UserText).await
    }

    /// Returns the error that a turn ended with. It is stored with the turn's end, not before it.
    async fn failure(&self, session: &str, turn: &str) -> Result<Option<ItemView>, Error> {
        self.newest(session, |item| item.kind() == ItemKind::Error && item.turn.as_deref() == Some(turn))
            .await
    }

    async fn newest(
        &self,
        session: &str,
        wanted: impl Fn(&ItemView) -> bool,
    ) -> Result<Option<ItemView>, Error> {
        let asked = ItemQuery { limit: Some(50), ..ItemQuery::default() };
        Ok(self.items(session, &asked).await?.items.into_iter().rfind(|item| wanted(item)))
    }
}

/// Returns what an item says about the permission request with this hash.
fn asked<'a>(item: &'a ItemView, hash: &str) -> Option<&'a PermissionFields> {
    match &item.body {
        ItemBody::Permission(asked) if asked.hash == hash => Some(asked),
        _ => None,
    }
}
