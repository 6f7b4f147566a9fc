//! The state of a conversation: what was shown, what was sent, what is waited for.

use std::collections::VecDeque;

use paseo_client::{Client, Error, Events, Outcome, Step};
use paseo_wire::error::Exit;
use paseo_wire::id::RequestHash;
use paseo_wire::item::{ItemBody, ItemView, PermissionFields};
use paseo_wire::message::{Receipt, SendMessage, Verb};
use paseo_wire::permission::{AnswerPermission, PermissionRequest};
use paseo_wire::session::SessionView;
use paseo_wire::stream::Frame;
use paseo_wire::words::{Hold, Placement, Status};
use tokio::task::JoinHandle;

use super::surface::Surface;
use super::words::{self, Wish};
use crate::asks;
use crate::commands::{logs, send};
use crate::failure::Failure;
use crate::outcome;
use crate::people::People;
use crate::printer::Style;

/// What to do after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Listen,
    Leave,
    /// The agent is gone.
    Gone,
}

/// The state of a conversation.
pub(super) struct Conversation {
    client: Client,
    /// As it is now.
    pub(super) session: SessionView,
    pub(super) surface: Surface,
    people: People,
    /// A person types; otherwise a script is read.
    typed: bool,
    /// The newest item that was shown.
    ordinal: u64,
    /// What was sent and has no outcome yet, once the input is at its end.
    sent: VecDeque<Receipt>,
    /// Follows the oldest of them: its outcome, and the place in the log where it was known.
    followed: Option<JoinHandle<Result<(Outcome, u64), Error>>>,
    ended: bool,
    last: Exit,
    /// Everything up to here must be shown before leaving.
    show_until: u64,
    /// An answer that waits for its question.
    postponed: Option<Wish>,
    /// The question that was answered last: the stream may still show it for a moment.
    answered: Option<RequestHash>,
    /// The questions that a person has seen here: without a hash, only those are meant.
    seen: Vec<RequestHash>,
}

impl Conversation {
    pub(super) fn new(client: Client, session: SessionView, surface: Surface, typed: bool) -> Self {
        Self {
            client,
            session,
            surface,
            people: People::default(),
            typed,
            ordinal: 0,
            sent: VecDeque::new(),
            followed: None,
            ended: false,
            last: Exit::Ok,
            show_until: 0,
            postponed: None,
            answered: None,
            seen: Vec::new(),
        }
    }

    /// Says whether more input is wanted.
    pub(super) fn listens(&self) -> bool {
        !self.ended && self.postponed.is_none()
    }

    /// Takes a frame of the stream.
    pub(super) async fn frame(&mut self, frame: &Frame) -> Result<Next, Failure> {
        match frame {
            // Between the page and its seq an item may be in both.
            Frame::Item(frame) if frame.item.ordinal > self.ordinal => self.item(&frame.item, true).await?,
            Frame::Live(live) => self.surface.live(live)?,
            Frame::Event(event) => match &event.view {
                None => return Ok(Next::Gone),
                Some(view) => {
                    self.status(view)?;
                    if let Some(wish) = self.postponed.take() {
                        return self.wish(wish).await;
                    }
                }
            },
            Frame::Item(_)
            | Frame::Thread(_)
            | Frame::Team(_)
            | Frame::Cause(_)
            | Frame::Resume(_)
            | Frame::Cursor(_) => {}
        }
        Ok(Next::Listen)
    }

    /// Shows an item, if it is wanted.
    pub(super) async fn item(&mut self, item: &ItemView, wanted: bool) -> Result<(), Failure> {
        self.ordinal = item.ordinal;
        if !wanted {
            return Ok(());
        }
        logs::meet(&mut self.people, &self.client, item).await;
        self.surface.item(item, &self.people)?;
        if self.typed
            && let ItemBody::Permission(PermissionFields { hash, decision: None, .. }) = &item.body
        {
            // The transcript keeps a request as it was made. Without an answer from the daemon, assume it is open.
            let open = self.client.open_asks(Some(&self.session.id)).await;
            if open.is_ok_and(|open| open.iter().all(|ask| ask.hash != *hash)) {
                return Ok(());
            }
            self.seen.push(hash.clone());
            let hash = asks::short(hash);
            let words = format!("answer with /allow {hash} or /deny {hash}");
            self.surface.aside(Style::Yellow, &words)?;
        }
        Ok(())
    }

    /// Takes a line of the input.
    pub(super) async fn line(&mut self, line: &str) -> Result<Next, Failure> {
        self.wish(words::meaning(line)).await
    }

    /// Takes the end of the input: a person leaves, a script waits for its answers.
    pub(super) fn end_of_input(&mut self) -> Result<Next, Failure> {
        self.ended = true;
        self.follow_next();
        Ok(if self.typed { Next::Leave } else { Next::Listen })
    }

    /// Returns the outcome of the oldest message that has none, and where it was known. May be cancelled.
    pub(super) async fn outcome(&mut self) -> Result<(Outcome, u64), Failure> {
        let Some(followed) = &mut self.followed else { return std::future::pending().await };
        let lost = |error| Failure::new(Exit::AgentError, format!("cannot follow the message: {error}"));
        Ok(followed.await.map_err(lost)??)
    }

    /// Takes an outcome, and goes on with the next message.
    pub(super) fn note(&mut self, (outcome, known_at): (Outcome, u64)) -> Result<Next, Failure> {
        self.show_until = self.show_until.max(known_at);
        if let Some(receipt) = self.sent.pop_front() {
            match outcome::told(&receipt.handle, &outcome) {
                None => self.last = Exit::Ok,
                Some(failure) => {
                    self.surface.failure(&failure)?;
                    self.last = failure.exit;
                }
            }
        }
        self.follow_next();
        Ok(Next::Listen)
    }

    /// Returns the exit code, once everything has an outcome and was shown.
    pub(super) fn is_over(&self, shown: &Events) -> Option<Exit> {
        let over = self.ended && self.followed.is_none() && self.postponed.is_none();
        (over && shown.cursor() >= self.show_until).then_some(self.last)
    }

    fn follow_next(&mut self) {
        let follow = |receipt: &Receipt| {
            let mut follow = self.client.follow(&receipt.session, &receipt.delivery, receipt.seq);
            // In a task of its own, as it must not be cancelled half way.
            tokio::spawn(async move {
                loop {
                    if let Step::Done(outcome) = follow.next().await? {
                        return Ok((outcome, follow.cursor()));
                    }
                }
            })
        };
        self.followed = self.sent.front().map(follow);
    }

    /// Notes how the agent is now, and tells what a person wants to know of it.
    fn status(&mut self, view: &SessionView) -> Result<(), Failure> {
        let before = std::mem::replace(&mut self.session, view.clone());
        if !self.typed || before.status == view.status {
            return Ok(());
        }
        let words = match view.status {
            Status::Interrupted => "interrupted",
            Status::Closed => "closed; send a message to reopen it",
            Status::Error => "the turn failed; send a message to continue",
            _ => return Ok(()),
        };
        self.surface.aside(Style::Dim, words)
    }

    /// Does what is wished. What fails is told, and the conversation goes on.
    async fn wish(&mut self, wish: Wish) -> Result<Next, Failure> {
        let done = match wish {
            Wish::Nothing => Ok(()),
            Wish::Quit => return Ok(Next::Leave),
            Wish::Help => {
                words::HELP.iter().try_for_each(|(typed, words)| self.surface.entry(typed, words))?;
                Ok(())
            }
            Wish::Unknown(text) => Err(Failure::usage(format!("unknown command `{text}`"))
                .hint("type /help for a list; start with // to send a message that starts with a slash")),
            Wish::Say(text) => self.send(text, Verb::Queue).await,
            Wish::Interrupt(text) => self.send(text, Verb::Interrupt).await,
            Wish::Stop => self.stop().await,
            Wish::Allow(_) | Wish::Deny(_) if self.is_early() => {
                self.postponed = Some(wish);
                Ok(())
            }
            Wish::Allow(words) => self.answer(true, words).await,
            Wish::Deny(words) => self.answer(false, words).await,
        };
        if let Err(failure) = done {
            self.last = failure.exit;
            self.surface.failure(&failure)?;
        }
        Ok(Next::Listen)
    }

    /// A script answers in advance: as long as the agent is at work, the question may come.
    fn is_early(&self) -> bool {
        let at_work = matches!(self.session.status, Status::Starting | Status::Running | Status::Waiting);
        !self.typed && self.ask().is_none() && (at_work || self.session.queued > 0)
    }

    /// Returns the hash of what the agent asks.
    fn ask(&self) -> Option<&RequestHash> {
        self.session.ask.as_ref().filter(|ask| self.answered.as_ref() != Some(ask))
    }

    async fn send(&mut self, text: String, verb: Verb) -> Result<(), Failure> {
        let message = SendMessage { text, verb, wait: false, attachments: Vec::new(), output_schema: None };
        let receipt = self.client.send(&self.session.id, &message, None).await?;
        let words = send::told(&receipt);
        self.surface.aside(Style::Dim, &words)?;
        // What the receipt says is newer than what the stream has told so far.
        self.session.queued += usize::from(receipt.placement != Placement::Held);
        if !self.typed {
            self.sent.push_back(receipt);
        }
        Ok(())
    }

    async fn stop(&mut self) -> Result<(), Failure> {
        let answer = self.client.stop(&self.session.id).await?;
        if answer.changed {
            // What the answer says is newer than what the stream has told so far.
            self.session.status = Status::Idle;
            self.session.hold = Hold::Stopped;
        }
        let words = if answer.changed { "stopped; send a message to continue" } else { "nothing to stop" };
        self.surface.aside(Style::Dim, words)
    }

    /// Answers what the agent asks: what the first word names, else the only thing there is.
    async fn answer(&mut self, allow: bool, words: Option<String>) -> Result<(), Failure> {
        let open: Vec<PermissionRequest> = match self.ask() {
            Some(_) => self.client.open_asks(Some(&self.session.id)).await?,
            None => Vec::new(),
        };
        let open: Vec<&PermissionRequest> =
            open.iter().filter(|ask| self.answered.as_ref() != Some(&ask.hash)).collect();
        let (hash, message) = match (words::which(words.as_deref(), &open), open.as_slice()) {
            (Some((ask, message)), _) => (ask.hash.clone(), message),
            (None, [only]) if allow && self.typed && !self.seen.contains(&only.hash) => {
                let message = format!("you have not seen this request: {}", asks::what(only));
                let hint = format!("to allow exactly this, type /allow {}", asks::short(&only.hash));
                return Err(Failure::usage(format!("{message}\n{}", only.text)).hint(hint));
            }
            (None, [only]) => (only.hash.clone(), words),
            (None, []) => {
                let SessionView { handle, status, .. } = &self.session;
                let message = format!("{handle} has no permission request; its status is {status}");
                return Err(Failure::new(Exit::Refused, message));
            }
            (None, several @ [first, ..]) => {
                let lines =
                    several.iter().map(|ask| format!("\n{} {}", asks::short(&ask.hash), asks::what(ask)));
                let message = format!("several permission requests are open:{}", lines.collect::<String>());
                let (deed, hash) = (if allow { "allow" } else { "deny" }, asks::short(&first.hash));
                let hint = format!("choose one by its hash, for example `/{deed} {hash}`");
                return Err(Failure::usage(message).hint(hint));
            }
        };
        let answer = AnswerPermission { allow, message, ..AnswerPermission::default() };
        self.client.answer_permission(&self.session.id, &hash, &answer).await?;
        self.answered = Some(hash);
        Ok(())
    }
}
